"""Letters a text declares, mentions or rules out.

A declaration says which option it is ("the answer is D", "so D", "D is right"); a mention only
names one ("video D shows"). The indefinite article, the pronoun and small-letter words are neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assets.extract.doubts import CONTRAST, CORRECTION
from assets.extract.guarded import Guarded, GuardedTable
from assets.words.case import fold

# A letter as a word of its own: "(D)", "[d]", "D." but not the D of "D's" or "Diced".
_AFTER = r"(?![A-Za-z0-9]|'[A-Za-z])"
_BEFORE = r"(?<![A-Za-z0-9'])"
_L = r"(?:[(\[{<\"']\s{0,3}){0,4}(?P<letter>[A-Za-z\uE000-\uE019])" + _AFTER
_NOUN = r"(?:answer|option|choice|prediction|selection|response|letter|clip|video|candidate|action)"
_FILLER = (
    r"(?:(?:the|definitely|clearly|likely|probably|most likely|indeed|either|correct|best|right"
    r"|option|choice|letter|answer|video|clip|candidate|action)\s+)*"
)
_IS = (
    r"(?:is|'s|(?:would|should|must|has to|could|might|may) (?:\w+ly |therefore |thus |hence |then |now )?be|seems to be|appears to be"
    r"|stays|remains|becomes)"
)
_CLAUSE_ENDS = (
    r"(?=\s*(?:[.,;:!?)\]}>\"'\n]|$"
    r"|(?:because|since|as|which|with|for|although|though|but|and|or|rather|over|after all|then)\b))"
)

ANSWER_ABROAD = (
    r"(?:réponse|respuesta|risposta|resposta|antwort|lösung|antwoord|svar(?:et)?|ответ|відповідь|odpowied[źz]|odpověď|cevap|yanıt|jawaban|đáp án|câu trả lời"
    r"|उत्तर|जवाब|الإجابة|الجواب|คำตอบ)"
)
"""Pattern of the word "answer" in other languages than English, Chinese, Japanese and Korean."""

# Each declares the letter it captures. "answer", "prediction" and their kin declare with any link;
# "option", "video" only with a colon or a verb, since reasoning mentions "option B" in passing.
_DECLARATIONS: tuple[tuple[str, str], ...] = (
    ("boxed", r"\\boxed\s*\{\s*(?:\\text\s*\{\s*)?" + _L),
    ("tag", r"<answer>\s*" + _L + r"\s*[.)]?\s*</answer>"),
    (
        "answer_is",
        r"\b(?:answer|ans\.?|prediction|selection"
        r"|(?:final|best|correct|right|my|better|matching|closest|remaining|most (?:similar|likely|plausible|suitable|appropriate|fitting|consistent"
        r"|accurate|probable|convincing))\s+"
        r"(?:option|choice|letter|response|match|one|clip|video|candidate|pick|guess|bet|vote))\b(?:'s\b|[\"'])?"
        r"(?:\s+to\s+(?:the|this)\s+question)?"
        rf"\s*(?:{_IS}|[:=]|-|–|—|->)?\s*:?\s*[\"']?{_FILLER}" + _L,
    ),
    (
        "described",
        r"\bthe (?:correct|best|matching|chosen|selected|expected|predicted|remaining|most \w+) [a-z]{3,20} (?:(?:for|of|in|to) [^.,;:\n]{1,60} )?"
        rf"{_IS}\s*:?\s+{_FILLER}" + _L + _CLAUSE_ENDS,
    ),
    ("is_therefore", _BEFORE + _L + r"\s+is (?:therefore|thus|hence|consequently) (?:the|what|my)\b"),
    ("cleft", r"\b(?:it is|it's|it was)\s+" + _FILLER + _L + r"\s+(?:who|that|which)\b"),
    (
        "concluded",
        r"(?:^|[.!?\n]\s*)(?:so|therefore|thus|hence|consequently)\b,?\s[^.,;:!?\n]{1,100}\s" + _L
        + r"[)\]\"']*\.\s*$",
    ),
    (
        "confirmed",
        r"(?:^|\n|[.!?)]\s|\bso\s)\s*(?:yes|confirmed|verified|indeed),?\s+(?:it is |it's )?" + _L + _CLAUSE_ENDS,
    ),
    (
        "option_colon",
        r"(?:^|\n|[.!)]\s)\s*(?:(?:first|top|1st|best)(?: choice| pick| guess| match)?|final|selected|chosen|option|choice|verdict|conclusion|correct|result"
        r"|(?:best |my )?(?:guess|pick|bet)|if i had to (?:guess|choose|pick))\s*[:=]\s*" + _L,
    ),
    (
        "choose",
        r"\b(?:choose|chose|select|selected|pick|picked|go(?:ing)? (?:with|for)|went with"
        r"|opt(?:ing)? for|settl(?:e|ed|ing) (?:on|for)|vot(?:e|ing) (?:for|goes to)|stick(?:ing)? with"
        r"|stay(?:ing)? with|leaning to|bet on|end up with|put me down for|answer(?:ing)? with"
        r"|decid(?:e[sd]?|ing) (?:for|on|in favou?r of)|in favou?r of|money is on|correspond(?:s|ing)? to"
        r"|(?:chang|switch|revis|correct|updat)(?:e[sd]?|ing) (?:(?:my |the )?(?:(?:final|earlier|previous|initial|first|original) )?(?:answer|choice|pick|it) )?(?:from [^.\n]{1,30} )?to"
        r"|now (?:say|pick|choose|go with)|we get|arrive at|comes? down to|gives us|yields"
        r"|resolves to|boils down to|end up at)\s+" + _FILLER + _L,
    ),
    (
        "so",
        r"\b(?:so|therefore|thus|hence|consequently|it is|it's|must be|conclude(?: that)?|i think"
        r"|i believe|i guess|i'd say|best matche[sd]|lean(?:ing)? towards?|that'?s|that is|gotta be|ultimately|in the end|eventually|finally)\b"
        rf"[\s,:]*(?:it(?:'s| is| must be| has to be)\s+)?{_FILLER}" + _L + _CLAUSE_ENDS,
    ),
    (
        "is_right",
        rf"(?:\b{_NOUN}\s+)?{_BEFORE}" + _L + r"\s*[)\]}>\"']*\s+"
        r"(?:(?:matches|fits)(?: the query)? best\b"
        rf"|{_IS}\s+(?:clearly |definitely |therefore |thus |indeed )*(?:the\s+)?(?:only\s+)?"
        r"(?:correct|right|true|best|answer|my (?:final |current )?(?:answer|choice|pick|bet|guess)"
        r"|the (?:pick|choice|winner)\b|one that (?:fits|matches))\b)",
    ),
    (
        "but",
        r"\b(?:not|isn't|rather than|instead of)\s+" + _FILLER
        + r"(?:(?:on|in|at|to|by|from)\s+)?[(\"']*[A-Za-z\uE000-\uE019][)\"']*\s*,?\s+but\s+(?:rather\s+)?(?:(?:on|in|at|to|by|from)\s+)?" + _FILLER + _L,
    ),
    (
        "say",
        r"\bi(?:'d| would| will|'ll| have to| must| had to| can only)?\s+(?:still\s+|rather\s+)?"
        r"(?:say|guess|answer|suggest|conclude)\s*[:,]?\s*" + _FILLER + _L + _CLAUSE_ENDS,
    ),
    ("should_read", r"\b(?:(?:should|must|ought to)\s+(?:read|say|have been|be)|i mean[t]?|make that|make it)\s*:?\s*" + _FILLER + _L),
    ("makes", r"\b(?:which|that|this) makes (?:it|this|that|the answer)\s+" + _FILLER + _L + _CLAUSE_ENDS),
    ("makes_right", r"\bmakes?\s+[(\"']*[A-Z][)\"']*\s+wrong\s+and\s+" + _FILLER + _L + r"[)\"']*\s+right\b"),
    ("after_all", _BEFORE + _L + r"[)\]\"']*,?\s+after all\b"),
    ("left_for", r"\b(?:abandon|drop|swap|exchange|trade|leave)(?:ed|ped|ping|ing)?\s+" + _FILLER + r"[(\"']*[A-Z][)\"']*\s+for\s+" + _FILLER + _L + _CLAUSE_ENDS),
    ("enter", r"\bplease (?:enter|put|note|record|mark)(?: down)?\s+" + _FILLER + _L + _CLAUSE_ENDS),
    ("finished", r"\b(?:finish|submit|answer|respond)\s*[\[(]\s*[\"']?" + _L + r"[\"']?\s*[\])]"),
    ("read_for", r"\bfor\s+[\"'(]*[A-Z][\"')]*\s*,?\s*read:?\s+" + _L),
    ("crossed_out", r"\b(?:cross(?:ed|ing)? out|strik(?:e|ing) out|delet(?:e|ed|ing))\b[^.!?\n]{1,40}\band (?:write|put|enter|fill in)\s+" + _FILLER + _L),
    ("should_say", _BEFORE + _L + r"[)\]\"']*,?\s+i (?:should (?:say|have said)|mean|meant)\b"),
    ("take", r"\bi(?:'ll|'d| will| would)?(?: rather| still| therefore| now)? take\s+" + _FILLER + _L + _CLAUSE_ENDS),
    ("stays", r"\b(?:it|answer|choice) (?:stays|remains|is staying)(?: with| at)?\s+" + _FILLER + _L + _CLAUSE_ENDS),
    ("choice_is", r"\b(?:choice|option)\s+(?:should be|must be|is now|becomes)\s+" + _FILLER + _L),
    (
        "first_ranked",
        r"\b(?:(?:most (?:likely|plausible|probable)|best|highest) first|rank(?:ing|ed)[^.\n:]{0,60})\s*:?\s*"
        r"(?:1[.)]\s*)?" + _L,
    ),
    ("arrow", r"(?:->|=>|→|⇒|➜|➡|>>+)\s*" + _FILLER + _L + _CLAUSE_ENDS),
    (
        "leaves",
        r"\b(?:leav(?:es|ing)(?: us with| me with| only)?|left with|only)\s+" + _FILLER + _L
        + r"(?=[)\]\"']*\s*(?:[.,;:!\n]|$|as\b|remains\b|is left\b|survives\b|passes\b|qualifies\b|meets\b|satisfies\b|fits\b|works\b|matches\b|can\b|shows\b"
        r"|has\b|does\b|aligns\b|agrees\b|corresponds\b|makes sense\b|is (?:fully |clearly |really |entirely )?(?:consistent|compatible|plausible|possible|correct"
        r"|supported|in line)\b))",
    ),
    ("remains", _BEFORE + _L + r"\s*[)\]\"']*\s+(?:remains|is left|is the only|is what remains)\b"),
    ("it_is", _BEFORE + _L + r"\s*[)\]\"']*,?\s+(?:it is|it must be|it has to be)\b(?=\s*(?:[.,;!]|$|then\b|for me\b|again\b))"),
    ("likely", r"\b(?:most likely|more likely|rather|probably|presumably)\s+" + _FILLER + _L + _CLAUSE_ENDS),
    (
        "better",
        _BEFORE + _L + r"\s*[)\]\"']*\s+(?:is|seems|looks|fits|matches|appears|would be|sounds|suits)?\s*"
        r"(?:it\s+)?(?:the\s+)?(?:clearly |far |even |much |a bit |slightly |somewhat )*"
        r"(?:(?:more|most) (?:skilled|skillful|skilful|proficient|experienced|expert|competent|adept)|more likely|likelier|most likely|more plausible|most plausible|more probable|more consistent"
        r"|better|best|closest|closer|stronger)\b",
    ),
    (
        "is_named",
        rf"\b(?:is|be|to|in|at|matches|match)\s+(?:in\s+|to\s+|at\s+)?(?:the\s+)?{_NOUN}\s+" + _L
        + r"[)\]\"']*\s*[.!]?\s*$",
    ),
    ("would_be", r"\bwould be (?:at |in )?" + _L + r"[)\]\"']*\s*[.!]?\s*$"),
    ("last_sentence", r"(?:[.!?:;\n)\]}]\s*|\s[-–—]\s*)(?:" + _NOUN + r"\s+)?" + _L + r"[)\]}>\"']*\s*[.!]?\s*$"),
    (
        "in_apposition",
        r",\s+(?:(?:so|thus|hence|therefore|i\.e\.|that is|namely|which is|making it|hence it is|so it is)[,\s]+)?(?:the\s+)?(?:option|answer|choice|statement)\s+" + _L
        + r"[)\]\"']*\s*[.!]?\s*$",
    ),
    (
        "that_is",
        r",\s+(?:i\.e\.|that is(?: to say)?|in other words|namely|viz\.)[,:]?\s+(?:the\s+)?(?:option\s+|(?=\W{0,2}[A-Z]\W{0,2}\s*$))" + _L
        + r"(?=[)\]\"']*\s*(?:[.,;!]|$))",
    ),
    (
        "chosen_abroad",
        r"(?<!\w)(?:ik kies|ik ga|kies ik|tôi (?:sẽ )?chọn|em chọn|saya (?:akan )?(?:pilih|memilih)|wybieram|stawiam|escolho|scelgo|elijo|escojo|je choisis|ich (?:wähle|nehme|tippe)|я выбираю|выбираю|jag väljer|jeg vælger|jeg velger|seçiyorum|मैं चुनता हूँ|أختار)"
        r"(?:\s+(?:dus|dan|daarom|toch|nu|donc|also|daher|deshalb|więc|por|pues|entonces|quindi|portanto|voor|auf|na|för|for|option|optie|opción|opção|opzione|l'option|la|el|le|il|a|o|die|variant|вариант|đáp án|phương án|opsi|jawaban|alternativ|الخيار))*\s*:?\s*"
        + _L + r"(?=[)\]\"']*\s*(?:[.,;:!\n]|$))",
    ),
    (
        "hedged_but",
        r"\b(?:sure|certain|know|confident|tell|guess)\b[^.!?\n]{0,30}?,?\s+but\s+" + _FILLER + _L + r"[)\]\"']*\s*[.!]?\s*$",
    ),
    ("then", r"(?:^|[.!?:;\n]\s*)" + _FILLER + _L + r"\s*,?\s+then\s*[.!]?\s*(?:$|\n)"),
    (
        "korean_better",
        _BEFORE + _L + r"[)\]\"']*\s*번?\s*(?:가|이|쪽이)\s*(?:더|가장|제일|훨씬)\s*(?:가능성이|적절|적합|맞|유력|가깝|그럴듯|자연)",
    ),
    (
        "that_matches",
        r"\b(?:video|clip|view|option|candidate|one|choice) that (?:best |most closely |most likely )?"
        r"(?:match|fit|correspond|show|align|continue|depict)\w*[^.!?\n]{0,80}\s(?:is|would be)\s*:?\s*" + _FILLER + _L,
    ),
    (
        "looks_like",
        r"(?:(?:^|[.!?\n])\s*|(?<!which )(?<!where )\b(?:it|this) )(?:looks|seems) like " + _FILLER + _L + r"(?=[)\]\"']*\s*(?:[.,;!\n]|to me\b|$))",
    ),
    (
        "is_what",
        r"\b(?:so|therefore|thus|hence)\b[\s,]*" + _FILLER + _L + r"\s+is (?:what|the one|the thing)\b",
    ),
    (
        "then_reason",
        r"(?:^|\n)\W{0,4}(?:option\s+)?" + _L + r"[)\]]*\s*[,;:–—-]?\s*(?:because|since|given that|due to|as the|as it|although|though|even though|rather than"
        r"|instead of|not)\b",
    ),
    (
        "reason_first",
        r"\b(?:since|because|as|given|considering|judging by|so|then|hence|therefore)\b[^.!?\n]{8,200}"
        r"(?<!(?-i:\b[A-Z]))[)\]]?(?:,|:|\s[-–—])\s+" + _FILLER + _L + r"[)\]\"']*\s*[.!]?\s*$",
    ),
    (
        "better_than",
        _BEFORE + r"(?:better|closer|more (?:likely|plausible|fitting)|stronger)(?: \w+){0,3} than\s+" + _FILLER
        + r"[(\"']*[A-Za-z\uE000-\uE019][)\"']*\s+(?:is|would be)\s+" + _FILLER + _L,
    ),
    (
        "not_but_cjk",
        r"(?:不是|并非|不選|不选)[^。.,，\n]{0,3}[A-Z\uE000-\uE019][^。.\n]{0,6}?(?:而是|,\s*(?:是|应该是|选)|应该是)\s*(?:选项)?\s*"
        + _L,
    ),
    (
        "not_but_ja",
        _BEFORE + r"[A-Z\uE000-\uE019]\s*(?:では?なく|じゃなく|(?:가|이)?\s*아니라|(?:가|이)?\s*아니고)[,、]?\s*" + _L + r"(?!\s*(?:でも|도)\s?(?:な|あり|아니))",
    ),
    (
        "answer_is_abroad",
        r"(?<!\w)" + ANSWER_ABROAD +
        r"(?:\s+(?:est|la|le|l'option|option|bonne|correcte|juste|finale|es|correcta|opción|final|è|corretta|giusta|opzione|l'opzione|é|correta|opção|a|o|ist|lautet|richtige|option"
        r"|is|juiste|optie|är|er|alternativ|riktiga|правильный|верный|это|вариант|правильна|to|prawidłowa|poprawna|jest|je|správná|doğru|seçenek|şıkkı|yang|paling|tepat|terbaik|benar|adalah|opsi|đúng|nhất|là|phương án|सही|है|विकल्प|هي|هو|الصحيحة|الصحيح|الخيار|คือ|ข้อ)(?![a-zà-ÿ]))*"
        r"\s*[:=–—-]?\s*" + _L + r"(?=\W|$)",
    ),
    ("chinese_prevails", r"以\s*" + _L + r"\s*为准"),
    ("chinese", r"(?:答案|选项|选择|应选|故选|选|選)\s*(?:应该|應該)?(?:是|为|為)?\s*[::]?\s*(?:选项|视频|片段)?\s*" + _L),
    (
        "chinese_is",
        r"(?:只有|看来?,?是|判断,?是|分析,?是|所以|因此|而是|应该是|应该选|還是|还是|改为|改成|就是|最终|应为|故)\s*(?:是|选|为|應選)?\s*(?:选项|视频|片段)?\s*"
        + _L,
    ),
    (
        "chinese_right",
        _BEFORE + _L + r"\s*[)\]\"']*\s*(?:选项)?(?:才?是)?(?:正确|正確|对的|最合适|最符合|更合适|更符合|更可能|更有可能|最有可能|可能性(?:更|最)|最像|最接近|最匹配|最吻合|比较合适)",
    ),
    (
        "japanese",
        r"(?:正解|答え|回答|選択肢?)\s*(?:は|:)\s*" + _L
        + r"(?!\s*(?:では|じゃ|でな|だと思いました|だと思いまし|だと思っ))",
    ),
    (
        "japanese_is",
        _BEFORE + _L + r"[)\]\"']*\s*(?:です|だ(?!と思いました|と思いまし|と思っ)|である|が正しい|が正解|が最も|が一番|がもっとも|が近い|がふさわし|が適切|が適し|を選|にします|になります|と考え)",
    ),
    ("korean", r"(?:정답|답|선택)\s*(?:은|는|:)\s*" + _L + r"(?!\s*번?\s*(?:가|이)\s*아니)"),
    (
        "korean_is",
        _BEFORE + _L + r"[)\]\"']*\s*번?\s*(?:입니다|이다|이에요|예요|가 맞|이 맞|을 선택|를 선택|가 정답|이 정답|로 하|으로 하)",
    ),
)  # fmt: skip
PATTERNS = tuple((name, Guarded(pattern, re.IGNORECASE)) for name, pattern in _DECLARATIONS)
# These end with the text, so they need a letter there.
AT_END = frozenset(
    (
        "is_named",
        "would_be",
        "last_sentence",
        "in_apposition",
        "hedged_but",
        "reason_first",
        "concluded",
    )
)
ENDS_WITH_LETTER = re.compile(r"[A-Za-z\uE000-\uE019][)\]}>\"']*\s*[.!]?\s*$")
_CJK_NAMES = ("chinese", "japanese", "korean", "not_but_")
_WEAK = frozenset(("cleft", "looks_like"))
_STRONG = frozenset(("answer_is", "boxed", "tag"))
_ENGLISH_PATTERNS = GuardedTable(
    [(name, one) for name, one in PATTERNS if not name.startswith(_CJK_NAMES)]
)
_ALL_PATTERNS = GuardedTable(PATTERNS)
_NO_CJK = re.compile(r"[\x00-\u2fff\ue000-\ue019]*$")
_ANY_LETTER = re.compile(r"(?<![A-Za-z0-9'])[A-Za-z\uE000-\uE019](?![A-Za-z0-9])")
# "B or C", "B/C", "B, C" after a declaration: it declares both, that is neither.
_ALSO = re.compile(
    r"[)\]}>\"'.]*\s*(?:,\s*(?:and|or)?|/|&|->|=>|→|⇒|➜|➡|\band\b|\b[oO]r\b|또는|或者?|か|または)\s*(?:option\s+)?[(\[\"']*"
    r"(?P<letter>[A-Z\uE000-\uE019])" + _AFTER + r"(?!\s+[a-z])"
)
_ALSO_BEFORE = re.compile(
    r"(?<![A-Za-z0-9])(?P<letter>[A-Z\uE000-\uE019])[)\]\"']*\s*,?\s*(?:\bor\b|또는|이나|或者?|还是|または|か)\s*"
    r"(?:(?:option|video|clip)\s+)?[(\[\"']*$"
)
# "I won't choose B", "I don't think it is A": what follows is not declared.
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot|refuse to|decline to|unable to|avoid|hesitate to|before i(?: can)?)|n't)\s+"
    r"(?:really |simply |just )?(?:(?:think|believe|say|find|feel)(?: that)?\s+)?$|(?:[不别没]|不是|并非|而非|不选|排除)\s*$",
    re.IGNORECASE,
)
_NEGATED_BEFORE = Guarded(
    r"(?:(?:\b(?:cannot|not)|n't) be\s+(?:(?:option|video|clip)\s+)?[(\[]?|\b(?:neither|nor) (?:is|was|does|can)\s+(?:(?:option|video|clip)\s+)?[(\[]?|\b(?:speak\w* against|unlike|in contrast to|as opposed to|contrary to)\s+(?:(?:option|video|clip)\s+)?[(\[]?|不是|并非|不选|排除)\s*[(\[\"']*$|(?:\b(?:not|neither|nor|rule[sd]? out|ruling out|exclud\w+|eliminat\w+|rather than"
    r"|instead of|isn't)|n't)\s+(?:(?:the|an?|option|choice|answer|video|clip|action)\s+)*[(\[\"']*$",
    re.IGNORECASE,
)
_LIST_RULED_OUT = Guarded(
    r"(?i:\b(?:not|neither|nor|rul(?:e[sd]?|ing) out|exclud\w+|eliminat\w+|discard\w*|reject\w*|dismiss\w*|against|except|unlike|in contrast to|as opposed to|isn't|aren't)"
    r"|n't be)\s+(?:(?:the|options?|choices?|answers?|videos?|clips?|either|both|of)\s+)*"
    r"[(\[]?[A-Z][)\]]?(?:\s*,\s*[(\[]?[A-Z][)\]]?)*\s*,?\s*(?:and|or|nor|&)\s*(?:(?:option|video|clip)\s+)?[(\[]?[A-Z](?![A-Za-z'])"
)
_WRONG = r"(?:wrong|incorrect|false|not\b|impossible|ruled|excluded|eliminated|out\b|unlikely)"
_RULED_OUT = r"can(?:'t|not| not)\b|can (?:all |both |also |safely |thus |therefore )*be (?:ruled|excluded|eliminated|discarded|dismissed|rejected)\b"
_NEGATED_AFTER = re.compile(
    r"^[)\]\"']*\s*(?:(?:is|are|was|looks?|seems?)\s+(?:clearly |definitely |also |probably )?"
    rf"(?:{_WRONG}|missing\b|close\b|too (?:many|few|early|late|short|long|high|low|far)\b)|{_RULED_OUT}|do(?:es)?(?:n't| not)\b|isn't\b|(?:lacks|fails|differs|contradicts|falls out|drops out)\b)"
    r"|^[)\]\"']*\s*[:,]?\s*(?:也|都|明显|显然)*(?:不对|不是|错|不正确|不符|不合|不可能|可以排除|排除|可排除|没有)"
    r"|^[)\]\"']*\s*(?::|\s[-–—])\s*(?:no\b(?!\s+\w)|wrong\b|incorrect\b|not\b(?!\s*[(\[]?(?:option )?[A-Z]\b)|unlikely\b|excluded\b|does(?:n't| not)\b|[✗✘❌❎×])"
    r"|^[)\]\"']*\s*(?:[はも]\s*(?:該当しま|消え|除外|違|誤|不適|合いま|一致しま|ありえ|あてはまりま|当てはまりま)|では?な|じゃな|でな|は違|ではあり|も違)"
    r"|^[)\]\"']*\s*번?\s*(?:가|이|은|는|도)?\s*(?:아니|아닙|아닌|틀)"
    r"|^[)\]\"']*(?:\s*(?:,|和|与|と|や|와|과)\s*[A-Z])+\s*(?:都|均|也|は|も|는|은|도|이|가)?\s*(?:모두\s*)?(?:不对|不是|不符|错|(?:可以?)?排除|違|該当しま|틀|아니|아닙)"
    # "A and B are wrong" rules out both; "B, A is wrong" only the second.
    r"|^[)\]\"']*(?:\s*(?:,|and|or|nor|&)\s*[(\[\"']*(?!I (?:can|do))[A-Z][)\]\"']*)+\s+(?:both |all )?"
    rf"(?:(?:are|were|look|seem)\s+(?:clearly |definitely |also |both |all )?{_WRONG}"
    rf"|{_RULED_OUT}|do(?:n't| not)\b)"
    r"|^[)\]\"']*\s*(?:is |are |->|→|=>|[:–—-])*\s*(?:gone|eliminated|crossed out)\b"
    r"|^[)\]\"'*]*\s+was (?:premature|too (?:hasty|quick|early)|a slip|hasty|rash|mistaken)\b",
    re.IGNORECASE,
)
_MENTION = re.compile(
    rf"{_BEFORE}(?P<letter>[A-Z]){_AFTER}|\((?P<small>[a-z])\)"
    rf"|\b(?:option|choice|answer)\s+(?P<named>[a-z]){_AFTER}"
)
# "A person" is an article and "I see" a pronoun, unless something named it a letter or a verb
# that letters take follows.
_ARTICLE_AFTER = re.compile(
    r"^ +(?!(?:is|was|and|or|because|since|seems|looks|shows|matches|fits|although|but|as|with|to me|after all|instead|over|here|then|again"
    r"|has|have|had|does|did|would|could|should|might|for|on|in|at|by|from|than|rather|who|whose|that|this|these|where|when"
    r"|remains|appears|depicts|contains|corresponds|aligns)\b)"
    r"[A-Za-z0-9]",
    re.IGNORECASE,
)
# "I" with a verb of the third person is an option.
_I_IS_NAMED = re.compile(
    r" (?:is|matches|fits|has|shows|seems|looks|appears|does|remains|corresponds)\b"
)
# "The answer I give".
_I_ACTS = re.compile(
    r" (?:give|gave|would|will|have|had|am|was|choose|chose|pick|picked|think|thought|see|saw|can|settle|settled|go|get|got|want|stand|would|should|could|trust|prefer|believe|find|found)\b|'(?:d|ll|m|ve)\b"
)
_PRONOUN_AFTER = re.compile(r"^ +\w|^,? +\w+ly\b", re.IGNORECASE)
# Letters that name people and other things: "person A", "vitamin C", Ego4D's "#C C".
_NAME_BEFORE = Guarded(
    r"(?:\b(?:person|camera|vitamin|man|woman|boy|girl|guy|subject|player|participant|wearer|operator|child|kid|actor"
    r"|point|vitamin|step|phase|group|team|appendix|figure|frame|plan|grade|type|class|category|size|paper|model|row|seat|gate|block|section|zone|lane)\s+(?:[A-Z],? (?:and|or) )?|#[A-Z] ?|#)$",
    re.IGNORECASE,
)
# A letter that is seen in the picture: 'the sign reads "B"'.
_SEEN_BEFORE = Guarded(
    r"\b(?:wall|sign|label|shirt|poster|door|screen|board|lettering|text)\b[^.\n]{0,40}\b(?:says?|reads?|shows?)\W*$",
    re.IGNORECASE,
)
_NAMES_SHAPE = re.compile(
    r"-(?:shaped?|types?|clamps?|frames?|rings?|level|grade|like|style|section|sized?|batter(?:y|ies)|cables?|plugs?|ports?|beams?|hooks?|pillars?|turns?)\b"
    r"|[ -](?:major|minor|sharp|flat)\b"
)
_NAMES_PLUG = re.compile(r"(?<![A-Za-z])(?!ANSWER|OPTION|CHOICE)[A-Z]{2,5}-$")
_WITHIN_SENTENCE = re.compile(r"[a-z,] [(\"'*]*$")
_NAMED_BEFORE = Guarded(rf"\b{_NOUN}\s+[(\[\"']*$", re.IGNORECASE)
# "whether it is A or B", "if the answer is A": supposed, not said.
_SUPPOSED_BEFORE = Guarded(
    r"\b(?:many|some|one|people|you|they|others)\s+(?:would|might|could|may)\s*$|"
    r"(?:\b(?:would|could|might|should)|'d)(?: have|'ve)\s*$|(?<!\bi )\b(?:might|may)(?: well| even| be tempted to| be inclined to)?\s*$|(?:有人|有些人|很多人|大家)[^,。.]{0,8}$|(?:可能|也许|容易|误)(?:会|以为)?$|\bwhich (?:one )?of\b[^.!?\n]{0,40}$|\b(?:whether|if|unless|suppose|supposing|assuming)(?:\s+that)?"
    r"(?:\s+(?:the|my|best|correct|right|final))*\s*$",
    re.IGNORECASE,
)
# "If the lamp were on, it would be A"; "if I had to choose, I would say A" is a choice.
_CONDITION = re.compile(
    r"[\s,]*(?:(?:and|but|so|only|even)\s+)*(?:if|had|were|unless|suppose|supposing|assuming)\b"
    r"(?!\s+(?:i|we|you|one|forced|pressed|pushed|asked)\b.{0,40}?"
    r"\b(?:choose|pick|guess|answer|decide|commit|select|bet|name|pressed|pushed|forced?|put|press|push|insist|make|want)\b)",
    re.IGNORECASE,
)
# "So C differs from A.", "So we look at B.": a letter that ends a sentence with "so" and is not concluded.
_NO_CONCLUSION = re.compile(
    r"(?i:\b(?:not?|never|neither|nor|rul(?:e[sd]?|ing)|exclud\w*|eliminat\w*|reject\w*|unlike|without|differ\w*|need\w*|look\w*|check\w*"
    r"|consider\w*|compar\w*|maybe|perhaps|possibly|could|might|may|between|than|before|after|if|whether|first|next|see|turn\w*|move|mov(?:es|ing)|go(?:es|ing)?"
    r"|or|and|wrong|less|except|against)\b|n't\b)|(?<![A-Za-z0-9'])[A-Z\uE000-\uE019](?![A-Za-z0-9']).*[^A-Za-z0-9'][A-Z\uE000-\uE019](?![A-Za-z0-9'])",
    re.DOTALL,
)
_WOULD = re.compile(r"\bwould\b|'d\b", re.IGNORECASE)
_FIRST_IDEA = Guarded(
    r"\b(?:first|initial|earlier|previous) (?:idea|thought|guess|impression|answer|instinct)s?\b"
    r"|\bat first\b|\b(?:one|some|someone|many|people|you) (?:might|would|could|may)\b|\b(?:initially|originally)\b|\bfirst (?:thought|considered|leaned|wrote|chose|picked|said)\b",
    re.IGNORECASE,
)
_FIRST_IDEA_KEPT = re.compile(
    r"\b(?:first|initial|earlier|previous) \w+ (?:was|is|were|stands?|remains?)\s+(?:right|correct|good|still)",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?:but|however|yet|whereas|while|now|then|later|after|having|until|though|so|therefore)\b",
    re.IGNORECASE,
)
_ASKED_BEFORE = Guarded(r"\bwhether\b[^.!?;\n]{0,40}$", re.IGNORECASE)
_NUMBERED_BEFORE = re.compile(r"\b(?:step|phase|item|point)\s*\d{1,2}\s*[:.)]\s*$", re.IGNORECASE)
# "So B? Let me see": asked, not said.
_ASKED_AFTER = re.compile(r"[)\]}>\"'*]*\s*\?")
_IF_AFTER = re.compile(
    r"\s+(?:answer |one |choice )?(?:if|were|had|only if|provided)\b", re.IGNORECASE
)
# "..., in which case B would be right": for a case that is only thought of.
_GRANTED_BEFORE = re.compile(
    r"\b(?:in which case|although|though|even if|otherwise|then)\b[^.;:]{0,40}$", re.IGNORECASE
)
# "Runner-up: A": a place that is not the first.
_NOT_FIRST = Guarded(
    r"\b(?:runner.?up|alternatives?|second|other|(?:least|less|lowest|worst)(?: \w+)?|worst|wrong|incorrect|distractors?|initial|draft|previous)"
    r"(?:\W{0,2}[ _](?:choice|guess|option|answer|best))?\W*$",
    re.IGNORECASE,
)
# "alternatives:\n- A\n- D": an item of a list of those that are not the answer.
_AMONG_OTHERS = Guarded(
    r"\b(?:alternatives?|runners?.?up|rejected|excluded|ruled[ _]out|discarded|others?)\W{0,3}:(?:\s*[-•,]?\s*\(?[A-Z]\)?){0,9}[\s,•-]*$",
    re.IGNORECASE,
)
# "1. B\n2. A": a place in a list, and not the first.
_LATER_ITEM = re.compile(
    r"(?:^|\n)\s*[2-9][.)]\s*\W*(?:(?:option|video|clip)\s+)?\W*$", re.IGNORECASE
)
# "B比A更合适": A is what B is compared with.
_COMPARED_BEFORE = re.compile(r"(?:比|相比|与|跟)\s*(?:选项)?\s*$")
# "I cannot see any person in video C."
_UNSEEN = re.compile(
    r"\b(?:cannot|unable|not|no|refuse|decline|unwilling)\b[^.!?;,]*$|n't\b[^.!?;,]*$",
    re.IGNORECASE,
)
_PREFERS_TO = re.compile(
    r"\bprefer\w*\b[^.\n]{1,60}\bto\s+(?:the\s+)?(?:option|video|clip)\s+\W*$", re.IGNORECASE
)
_WORD_AFTER, _SMALL_AFTER = re.compile(r"\s+\w"), re.compile(r" [a-z]")
_READS_ON = re.compile(r"[\]\"']*\s*\w")
_REASON_ON = re.compile(r"[)\]\"']*,?\s+(?:because|since|as (?:the|it|this|that)|due to)\b")
_OUTRIGHT = frozenset(("answer_is", "choose", "so", "say"))
_SENTENCE_END, _CLAUSE_END = re.compile(r"[.!?;\n]"), re.compile(r"[.!?;\n]|,? but\b")
_ALNUM = re.compile(r"[^\W_]")
_WOULD_BE = re.compile(r"\bwould (?:be|have been)\b", re.IGNORECASE)
_HEDGED = re.compile(
    r"\b(?:could|might|may) be\b|\b(?:maybe|perhaps|possibly|tentatively)\b", re.IGNORECASE
)
_BOTH = re.compile(r"\bboth\s+(?:option\s+)?[(\[]?([A-Z])[)\]]?\s+and\s+[(\[]?([A-Z])" + _AFTER)
_WOULD_AFTER = re.compile(r"\s+would (?:be|have been|need|require)\b", re.IGNORECASE)
_WOULD_BEFORE = re.compile(
    r"\b(?:many|some|one|people|you|they|others) (?:would|might|could|may) \w+\s*$", re.IGNORECASE
)
_DOES = re.compile(r"[\u4e00-\u9fff\u3040-\u30ff](?<![是为對对正选選])")
_CJK_NOUN_BEFORE = re.compile(
    r"(?:选项|视频|片段|动画|動画|映像|候補|영상|비디오|選択肢|보기|선택지)\s*$"
)
# Words between two declarations by which the second may follow from the first, or replace it.
_LEADS_ON = re.compile(
    rf"{CORRECTION.pattern.pattern}|{CONTRAST.pattern.pattern}"
    r"|\b(?:so|therefore|thus|hence|final\w*|consequently|conclusion|now|correct\w*|better|instead|second|next|not|if|would|should|mistake|wrong|first|end|last|later|then|after|before)\b|n't\b|[?]"
    r"|所以|因此|最终|最后|不|但|应|正确|改|结论|よって|結論|最終|正し|따라서|최종|결론|아니",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"(?:^|[.!?\n])\s*(?:the |my )?$", re.IGNORECASE)
_SAYS_ANSWER = re.compile(
    r"answer|choice|prediction|match|^it(?: i|')s$|答案|答え|正解|정답", re.IGNORECASE
)
_LEAD = re.compile(r"\b(?:the|my|and|so|final|correct|best|right)\b", re.IGNORECASE)
# What stands before a letter is judged by so many characters: enough for the words above.
_REACH = 80
# A text with more mentions of letters is read by its first and last ones, so that time stays bounded.
_MOST = 48


def as_token(letter: str) -> str:
    """Character that stands for an option named by its text."""
    return chr(0xE000 + ord(letter) - ord("A"))


def as_letter(mark: str) -> str:
    """Letter of an option named by a letter or by its text's token."""
    is_token = "\ue000" <= mark <= "\uf8ff"
    return chr(ord(mark) - 0xE000 + ord("A")) if is_token else fold(mark).upper()


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the last declaration says.

    Attributes:
        letter: Letter declared, upper case; it need not be one of the question's.
        also: Second letter of the same declaration ("B or C"), if any.
        pattern: Name of the pattern.
        start: Where the letter stands in the text.
        hedged: Whether it only "could be" the answer.
    """

    letter: str
    also: str | None
    pattern: str
    start: int
    hedged: bool


def is_word(text: str, start: int, end: int) -> bool:
    """Whether the letter at [start, end) is an article, a pronoun or a small-letter word."""
    letter, after = text[start:end], text[end : end + _REACH]
    if _NAME_BEFORE.found_in(_before(text, start)):
        return True
    # "A D-shaped ring", "a USB-C cable", "in A minor".
    if _NAMES_SHAPE.match(text, end) or _NAMES_PLUG.search(_before(text, start)):
        return True
    if letter not in "AaIi":
        return False
    if letter == "I" and _I_ACTS.match(after):
        return True
    if _NAMED_BEFORE.found_in(_before(text, start)):
        return letter in "ai" and _WORD_AFTER.match(after) is not None
    # A capital A within a sentence is not an article.
    if (
        letter == "A"
        and _WITHIN_SENTENCE.search(_before(text, start))
        and _SMALL_AFTER.match(after)
    ):
        return False
    if letter in "Aa":
        return bool(_ARTICLE_AFTER.search(after))
    if letter == "I" and _I_IS_NAMED.match(after):
        return False
    if letter in "Ii":
        return bool(_PRONOUN_AFTER.search(after))
    return False


def ruled_out_after(text: str, end: int) -> bool:
    """Whether what follows the letter that ends at `end` rules it out ("is wrong")."""
    return bool(_NEGATED_AFTER.search(text[end : end + 2 * _REACH]))


def ruled_out_before(text: str, start: int) -> bool:
    """Whether what stands before `start` rules out what follows ("not", "rather than")."""
    return _NEGATED_BEFORE.found_in(_before(text, start))


@lru_cache(64)
def last_declaration(text: str) -> Declaration | None:
    """The last declaration of a text, supposed and negated ones left out."""
    found: list[tuple[int, str, str, str]] = []
    phrases: dict[int, tuple[int, str]] = {}
    if _ANY_LETTER.search(text) is None:
        return None
    letter_last = ENDS_WITH_LETTER.search(text[-_REACH:]) is not None
    for name, pattern in (
        _ENGLISH_PATTERNS if _NO_CJK.match(text) else _ALL_PATTERNS
    ).that_may_match(text):
        if name in AT_END and not letter_last:
            continue
        for match in pattern.matches_unguarded(text)[-_MOST // 2 :]:
            start, end = match.span("letter")
            letter, before = text[start:end], _before(text, start)
            if name == "last_sentence" and (
                _NOT_FIRST.found_in(before)
                or _AMONG_OTHERS.found_in(before)
                or _LATER_ITEM.search(before)
                or (_NUMBERED_BEFORE.search(before) and text[-1:] != ".")
            ):
                continue
            if name == "arrow" and leads_from_another(text, match.start(), end):
                continue
            if name == "in_apposition" and not _is_apart(text, match.start()):
                continue
            if name == "is_named" and (_PREFERS_TO.search(before) or _UNSEEN.search(before)):
                continue
            if name.startswith("chinese") and _COMPARED_BEFORE.search(
                _before(text, start if name == "chinese_right" else match.start())
            ):
                continue
            # An English article stands in no sentence of another language.
            abroad = name == "answer_is_abroad" and letter == "A"
            if (not abroad and is_word(text, start, end)) or ruled_out_after(text, end):
                continue
            if _ASKED_AFTER.match(text, end):
                continue
            # A small letter is only a letter where nothing reads on but a reason: "the answer is d.", "it's b because".
            reads_on = letter.islower() and _READS_ON.match(text, end) is not None
            outright = letter not in "ai" and name in _OUTRIGHT
            if reads_on and not (outright and _REASON_ON.match(text, end)):
                continue
            if _SUPPOSED_BEFORE.found_in(_before(text, match.start())) or is_supposed(text, start):
                continue
            if name != "last_sentence" and _DENIED_BEFORE.search(_before(text, match.start())):
                continue
            if name == "concluded" and (
                letter.islower() or _NO_CONCLUSION.search(text[match.start() : match.end()])
            ):
                continue
            if name == "is_right" and (
                ruled_out_before(text, start)
                or _IF_AFTER.match(text, match.end())
                or (_WOULD.search(match[0]) and _GRANTED_BEFORE.search(_before(text, start)))
            ):
                continue
            also = _ALSO.match(text, end)
            earlier = _ALSO_BEFORE.search(_before(text, start))
            named = (
                also is not None
                and name != "first_ranked"
                and not ruled_out_after(text, also.end())
            )
            second = as_letter(also["letter"]) if also is not None and named else ""
            if not second and earlier is not None and name != "but":
                second = as_letter(earlier["letter"])
            found.append((start, as_letter(letter), name, second))
            if name != "last_sentence" or start not in phrases:
                phrases[start] = (match.start(), text[match.start() : start].strip(" .\n").lower())
    if not found:
        return None
    start, letter, name, second = max(found)
    if name in _WEAK:
        # "Answer: B. ... It's C who passes the ball": what is said of a person or a likeness replaces no answer.
        outright = max((one for one in found if one[2] in _STRONG and one[0] < start), default=None)
        if outright is not None and not CORRECTION.found_in(text[outright[0] : start]):
            start, letter, name, second = outright
    both = _BOTH.search(text, start)
    if both is not None and letter in both.groups():
        second = next(other for other in both.groups() if other != letter)
    # "The answer is A. The answer is B.": the same words twice with nothing between decide nothing.
    before = max((one for one in found if one[0] < start), default=None)
    if before is not None and before[1] != letter and _said_alike(text, before[0], start, phrases):
        second = before[1]
    # What "would be" does not replace what is.
    words = text[max(0, phrases[start][0]) : start]
    if _WOULD_BE.search(words) and before is not None and before[1] != letter:
        second = before[1]
    # Two boxes with no word of correction between them.
    boxes = [one for one in found if one[2] == "boxed"] if name == "boxed" else []
    boxed = {one[1] for one in boxes}
    if len(boxed) == 2 and not _REPLACES.search(text[min(boxes)[0] : start]):
        second = next(other for other in boxed if other != letter)
    hedged = bool(_HEDGED.search(text[max(0, phrases[start][0]) : start]))
    return Declaration(letter, second if second and second != letter else None, name, start, hedged)


_REPLACES = re.compile(
    r"\b(?:replac|correct|revis|instead|updat|should be|supersed)", re.IGNORECASE
)
# "B -> D": an order, a change, or a slip of the pen; which of them, the words around say.
_LETTER_LAST = re.compile(r"(?<![A-Za-z0-9'])[(\[]?[A-Z\uE000-\uE039][)\]]?\s*$")
_SEVERAL_LAST = re.compile(r"(?<![A-Za-z0-9'])[A-Z](?:\s*(?:/|\bor\b|\band\b|&)\s*[A-Z])+\s*$")
_REVISES = re.compile(
    r"\b(?:check\w*|re-?\w*check\w*|correct\w*|revis\w*|chang\w*|switch\w*|updat\w*|final\w*|instead|look\w*|mistake\w*|not|no|out|wrong|excluded)\b|n't\b|[✗✘❌]|改|正|訂|不|정정|수정",
    re.IGNORECASE,
)


def leads_from_another(text: str, arrow: int, end: int) -> bool:
    """Whether an arrow leads from a letter to the one that ends at `end`, and nothing says that it is a change.

    Args:
        text: Reply.
        arrow: Where the arrow starts.
        end: Where the letter behind it ends.
    """
    before = text[max(0, arrow - _REACH) : arrow]
    several = _SEVERAL_LAST.search(before)
    if several is not None and text[end - 1 : end].upper() in several[0]:
        return False  # "A/B -> A"
    sentence = (
        re.split(r"[.!?;\n]", before)[-1] + re.split(r"[.!?;\n]", text[end : end + _REACH])[0]
    )
    return _LETTER_LAST.search(before) is not None and _REVISES.search(sentence) is None


# What stands before "option C" at a sentence's end and makes it one of several, or none.
_NOT_APART = re.compile(
    r"(?<![A-Za-z0-9'])[A-Z\uE000-\uE039](?![A-Za-z0-9'])|\b(?:not|no|nor|never|neither|unlike|except|than|without|rule[sd]?|exclud\w*|or|and|if|whether|compar\w*|like)\b|n't\b",
    re.IGNORECASE,
)


def _is_apart(text: str, at: int) -> bool:
    """Whether nothing else is named or denied in the clause that ends at `at`."""
    return _NOT_APART.search(re.split(r"[.!?;:\n]", text[max(0, at - 300) : at])[-1]) is None


def is_supposed(text: str, start: int) -> bool:
    """Whether a clause that begins with "if" says what would be, or tells of a first idea."""
    if _in_condition(text, start):
        return True
    sentence = _SENTENCE_END.split(text[max(0, start - 300) : start])[-1]
    first_idea = _FIRST_IDEA.matches(sentence)
    if not first_idea or _FIRST_IDEA_KEPT.search(sentence):
        return False
    return _TURN.search(sentence, first_idea[-1].end()) is None


def _said_alike(text: str, first: int, last: int, phrases: dict[int, tuple[int, str]]) -> bool:
    """Whether two declarations have the same words, or their lines the same start, and nothing between."""
    between = text[first + 1 : phrases[last][0]]
    if phrases[first][1] == phrases[last][1] != "":
        opens = all(
            _SENTENCE_START.search(_before(text, phrases[one][0])) for one in (first, last)
        ) and _SAYS_ANSWER.search(phrases[last][1])
        if not _ALNUM.search(_LEAD.sub("", between)) or (opens and not _LEADS_ON.search(between)):
            return True
    starts = text.rfind("\n", 0, first) + 1, text.rfind("\n", 0, last) + 1
    if starts[0] == starts[1] or text[starts[0] : first] != text[starts[1] : last]:
        return False
    return bool(text[starts[0] : first].strip()) and not _ALNUM.search(text[first + 1 : starts[1]])


def _in_condition(text: str, start: int) -> bool:
    sentence = _CLAUSE_END.split(text[max(0, start - 300) : start])[-1]
    return bool(_CONDITION.match(sentence) and _WOULD.search(sentence + text[start : start + 20]))


def mentions(text: str, letters: Sequence[str]) -> Iterator[str]:
    """Letters of the question that the text names and does not rule out, in order."""
    for letter, group, start, end in _named(text, letters):
        # "C先放下刀": who does it. "A would be correct if": supposed.
        if (
            group == "letter"
            and _DOES.match(text, end)
            and text[end : end + 1] not in "项項番のとや"
            and text[end : end + 2] != "选项"
            and not _CJK_NOUN_BEFORE.search(_before(text, start))
        ):
            continue
        if _WOULD_AFTER.match(text, end) or _WOULD_BEFORE.search(_before(text, start)):
            continue
        if _in_condition(text, start) or _ASKED_BEFORE.found_in(_before(text, start)):
            continue
        if _SEEN_BEFORE.found_in(_before(text, start)):
            continue
        if not _is_ruled_out(text, start, end):
            yield letter


def ruled_out_in(text: str, letters: Sequence[str]) -> set[str]:
    """Letters of the question that the text rules out."""
    return {
        letter for letter, _, start, end in _named(text, letters) if _is_ruled_out(text, start, end)
    }


def letters_in(text: str, letters: Sequence[str]) -> set[str]:
    """Letters of the question that the text names, ruled out or not."""
    return {letter for letter, *_ in _named(text, letters)}


def _named(text: str, letters: Sequence[str]) -> Iterator[tuple[str, str, int, int]]:
    """Letters of the question that are not words: letter, kind of mention, start and end."""
    found = list(_MENTION.finditer(text))
    if len(found) > _MOST:
        found = found[: _MOST // 2] + found[-_MOST // 2 :]
    for match in found:
        group = match.lastgroup or "letter"
        start, end = match.span(group)
        letter = match[group].upper()
        if letter in letters and not is_word(text, start, end):
            yield letter, group, start, end


def _is_ruled_out(text: str, start: int, end: int) -> bool:
    if ruled_out_before(text, start) or ruled_out_after(text, end):
        return True
    # "rule out A, B and D" rules out each of them.
    first = max(0, start - _REACH)
    return any(
        found.start() <= start - first < found.end()
        for found in _LIST_RULED_OUT.finditer(text[first : end + _REACH])
    )


def _before(text: str, start: int) -> str:
    return text[max(0, start - _REACH) : start]
