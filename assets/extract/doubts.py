"""Words by which a reply takes something back, doubts it, goes on to something else or breaks off."""

from __future__ import annotations

import re

from assets.extract.guarded import Guarded, GuardedAlternatives, split_alternatives
from assets.words.case import fold

# Words that take back what stands before them, whatever follows.
# "Moment, ...": at the start of a sentence such a word stops and looks again.
_STOPS_ABROAD = (
    r"moment|halt|stopp|korrektur|entschuldigung|verzeihung|quatsch|besser gesagt|genauer gesagt|vielmehr|ich meine"
    r"|pardon|un instant|un moment|attends|attendez|erreur|désolée?|je voulais dire|ou plutôt|plutôt(?! que)"
    r"|espera|espere|un momento|momento|perdón|perdona|corrección|disculpa|disculpe|digo|rectifico|o más bien|más bien"
    r"|aspetta|aspetti|correzione|scusa|scusate|anzi|o meglio|desculpe|ou melhor|quer dizer|correção|wacht"
)
_TURNS_ABROAD = (
    r"en realidad|pensándolo bien|mejor dicho|me equivoqué|me he equivocado|me corrijo|je rectifie|ho sbagliato|mi sono sbagliat[oa]|enganei-me|en fait|à bien y regarder|après réflexion|je me corrige|je me suis trompée?"
    r"|ich korrigiere|(?:genauer|näher) betrachtet|bei (?:genauerem|näherem) hinsehen|ich habe mich (?:geirrt|vertan|verguckt)|ripensandoci|исправляю|исправление|поправка|точнее|вернее|поправляюсь|korekta|poprawiam|chwila|zaraz|rättelse|rettelse|düzeltiyorum|koreksi|tôi sửa lại|mi correggo|minto|xin đính chính|đính chính|doğrusu|düzeltme|rectificación|rectification|aliás|pensando bem|bij nader inzien"
)
STRONG = (
    r"scratch that|no,? wait|strike that|correction|(?:actually|wait|hmm+|oh|ah|sorry|hold on),?\s+no|edit|oops|i take (?:that|it) back|(?:have to|must) revise|my (?:mistake|bad)|i was wrong|disregard|forget (?:that|it)|ignore (?:that|this|it|the)"
    r"|that(?:'s| is) (?:wrong|not right)|(?:my|the|that) (?:(?:first|earlier|previous|initial|above) )?(?:answer|choice|reply|response|json|option|letter|pick) (?:(?:above|before|earlier|i gave|i chose|given above) )?(?:is|was) (?:wrong|incorrect|mistaken|not (?:right|correct)|in error|an error|a mistake)|(?:please )?(?:replace|change|correct|read|take) (?:my|the|that|this) (?:answer|choice|letter|reply|field)(?: above| field| tag)? (?:with|by|to|as)|(?:answer|tag|field|letter)(?: \w+)? should (?:hold|read|contain|say)|replace (?:the|my|that|this) [^.!?\n]{1,40}? (?:with|by)|ought to read|to be read as|(?:have|need|want) to (?:retract|withdraw|take (?:back|down))|answer withdrawn|no longer (?:trust|stand by)|i(?:'ve| have)? (?:mixed|mixing) (?:\w+ )?up|i retract|i withdraw|i misread|i changed my mind|i stand corrected|that was (?:a mistake|wrong|an error|incorrect)|erratum|更正|(?:看|说|弄|搞|写|选|答)错了|(?<![都也均全\uE000-\uE019A-Za-z)])不对|订正|訂正|いや|違う|아니"
)
_CORRECTIONS = (
    STRONG
    + r"|(?:actually|wait|hmm+|oh|ah|sorry|well|hold on),?\s+no|wait|hold on(?! to\b)|hang on|(?:counting|running|going|checking|looking|watching|reading|playing)\b[^.!?:\n]{0,40}\b(?:once more|one more time|a second time)|actually|hmm+|sorry|apologies|on (?:second thoughts?|reflection"
    r"|closer (?:look|inspection))|(?:after|on|upon) (?:a |another |further |some )?(?:second |closer |double.?|re.?)+(?:look|check\w*|inspection|review|reading)|let me (?:re-?\w+|correct\w*|look again)|looking again|thinking again"
    r"|or rather|instead|in fact|or is (?:it|that)|or not(?=\?)|make (?:that|it)(?= (?:\d|the (?:first|second|third|fourth|fifth|last)\b|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b))"
)
CORRECTION = GuardedAlternatives(
    [
        *(rf"(?<![\w])(?:{one})\b" for one in split_alternatives(_CORRECTIONS)),
        *split_alternatives(
            r"(?:^|[.!?;…\n]\s*|\s[-–—]\s*)(?:(?:oh|ah|oops|hmm+|but|though),? )?i(?:'ve| have| had)? (?:overlooked|missed|forgot|forgotten|miscounted)\b|(?:^|[.!?;…\n]\s*|\s[-–—]\s*)(?:no|nope)\b(?=[,.!-]|\s*$|\s+(?:[-–—]|\(?[A-Z](?![\w'])|wait|it\b|it's|that|this|the\b|sorry|i\b|actually|option|rather|must|should))|,\s*(?:no|nope)(?=[,.!])"
            r"|(?:^|[.!?;…,\n]\s*)(?:nein|non|não)(?=\s*[,.!:…-])|(?:^|[.!?;…\n]\s*)(?:nein|non|não)(?=\s+[A-Z\uE000-\uE019](?![\w']))|(?:^|[.!?;…\n]\s*)(?:err+|uh|rather|better|revised|corrected|updated?)\b(?=\s*[,:]|\s+(?:no|option|\(?[A-Z]\b))"
            rf"|(?:^|[.!?;…,\n]\s*|\s[-–—]\s*)(?:{_STOPS_ABROAD})\b(?=\s*[,.!:…-]|\s+(?:\w{{1,3}}\s+)?[A-Z\uE000-\uE019](?![\w'])|\s+(?:l'|la |le |el |die |o |a )?(?:es|c'est|est|é|è|opción|option|opção|opzione)\b)|\b(?:{_TURNS_ABROAD})\b"
            r"|稍等|慢着|且慢|等等|等一下|更正|纠正|修正|(?:看|说|弄|搞|写|选|答)错了|(?:^|[.,!?\n]\s*)[啊哦噢喔嗯]?,?\s*不(?:是)?[,.!]|(?:^|[.!?\n]\s*)(?:抱歉|错了)[,.]|,\s*(?:抱歉|错了),|重新(?:检查|看|审视|考虑|确认|分析|核对)|再(?:仔细)?(?:看|想|检查|确认)|[哦噢喔啊]不|(?:更)?准确(?:地|来)?说|(?<![都也均全\uE000-\uE019A-Za-z)])不对[,.!]|不,|其实|再看|いや[,.]?|いえ[,.]|正しくは|(?:nein|non|no),? (?:moment|doch|halt|pardon|attendez|perdón|perdon|espera|scusa)\b|moment mal\b|待って|訂正|修正し|やはり|やっぱり|(?:^|[.,!?\n]\s*)(?:あ,?\s*)?(?:違(?:います|いました|う|った)|間違え(?:ました|た)|失礼(?:しました)?|すみません|申し訳ありません|いいえ)(?=\s*[,.])|よく(?:見る|考える)と|もう一度(?:確認|見|よく)|見直"
            r"|잠깐|(?:^|[.!?…\n]\s*)(?:아,?\s*)?아닙니다(?=\s*[,.])|아니(?:요|오|다)?[,.]|정정|수정(?:합니다|하)|다시 (?:\S{1,4} )?(?:보니|보면|봤더니)|다시 (?:보|확인|생각|살펴|검토)|(?:^|[.,!?\n]\s*)(?:앗|죄송(?:합니다|해요)?|실수(?:했|입니다)\S*|잘못 (?:봤|말|선택|보았)\S*)(?=\s*[,.])"
        ),
    ],
    re.IGNORECASE,
)
# A word of correction that is outright, at its start or its end.
TAKEN_BACK = re.compile(rf"^[\s,.!:-]*(?:{STRONG})|(?:{STRONG}|\bno\b)[\s,.!:-]*$", re.IGNORECASE)
OUTRIGHT = re.compile(rf"[\s.!?;…-]*(?:{STRONG})", re.IGNORECASE)
# Words behind which a reply may turn against what it said.
CONTRAST = Guarded(
    r"\b(?:but|however|although|though|yet|wait|hmm+|let me|let's|on the other hand|whereas|still)\b"
    r"|但|不过|然而|しかし|ただし|하지만|그러나",
    re.IGNORECASE,
)
# Words by which a reply looks again at what it said.
SECOND_LOOK = Guarded(
    r"\b(?:let me|let's|wait|however|hmm+|double.?check\w*|verify\w*|actually|on closer)\b",
    re.IGNORECASE,
)
CHECKS = Guarded(
    r"\b(?:let me|let's|check|look at|maybe|perhaps|could (?:(?:just )?as well |equally (?:well )?|just as easily )?be)\b",
    re.IGNORECASE,
)
# "(Earlier I said C; please ignore that.)" takes back what was said before, and nothing of the answer.
ASIDE = Guarded(
    r"(?:\(|(?<=[.!?\n])\s*|^)[^.!?()\n]{0,20}\b(?:earlier|previously|above|before)\b[^.!?()\n]{0,60}"
    r"\b(?:ignore|disregard|forget)\b[^.!?()\n]{0,40}(?:[.!]?\)|[.!]|$)"
    r"|(?:(?<=[.!?\n])|,)\s*(?:so |and )?(?:please )?(?:disregard|ignore|forget)\b[^.!?\n]{0,40}\b(?:earlier|previous|above|before|first|initial)\b[^.!?:\n]{0,80}[.!]?\s*$",
    re.IGNORECASE,
)
# "Let me know if you'd like to hear about options A, B and D!": what a reply offers at its end.
OFFER = Guarded(
    r"\n[^\w\n]*confidence\b[^\n]{0,60}$|(?:^|(?<=[.!?\n])|(?<=[.!?*\n]\s))\s*(?:please )?(?:let me know|feel free|would you like|do you want me|if you(?:'d| would) like (?:me|more|a|to)|if you (?:need|have any)|i(?:'m| am) happy to|i hope (?:this|that) helps|hope (?:this|that) helps)\b[^\n]{0,200}$",
    re.IGNORECASE,
)
# The start of a question that the model invents after its answer, or of the prompt that it repeats there.
INVENTED = re.compile(
    r"^[ \t]*(?:#{1,4}[ \t]*)?(?:\*\*)?\[?(?:end of (?:answer|response|reply)|task|follow-?up(?: question)?|bonus(?: question)?|variant|human|user|question|q|next question|new question|instruction"
    r"|problem|exercise|prompt|example|next|(?:now|please) (?:answer|consider|try|look at) [\w ]{0,40}"
    r"|here(?:'s| is) (?:another|the next)[\w ]{0,30}|another (?:question|example)|siguiente pregunta|pr(?:och|óx)\w+ (?:question|pergunta)|question suivante|prossima domanda|volgende vraag|следующий вопрос|(?:下一?(?:个|個|道)?|次の|다음 ?)(?:问题|問題|题目|題目|题|質問|질문|문제)|pregunta|pergunta|domanda|frage|nächste frage|vraag|pytanie|вопрос|soru|câu hỏi|pertanyaan|प्रश्न|سؤال|السؤال|问题|題目|题目|質問|問題|질문)(?:[ \t]*#?\d{1,3})?(?:\*\*)?[ \t]*(?:[:：.)\]]|$)"
    r"|^[ \t]*\d{1,2}[.)]\s+(?:how|what|which|where|who|when|why|is|are|does|do|did)\b[^\n]{0,300}\?\s*$"
    # A line across the reply, and a question behind it.
    r"|^[ \t]*(?:#{2,}|[-*_=]{3,})[ \t]*\n+[^\n]{3,300}\?[ \t]*$"
    r"|^[^\w\n]*(?:please )?(?:answer|respond|reply|choose|select|pick)(?: only| directly)? (?:with|from|one of|between|among|the (?:correct|best|right) (?:option|answer|letter)(?: from| among)?)\b[^\n]{0,160}$",
    re.IGNORECASE | re.MULTILINE,
)
# Words, characters and particles that need another behind them.
_NEEDS_MORE = frozenset(
    "the an and or but of to in on at with for from by is are was were be that which this been have has had will would should"
    " must may might can could then so show shows because since if as not its their his her between while when than".split()
)
_OPEN_ENDS = frozenset(",:([-为是的和与、，：（")
_LAST_WORD = re.compile(r"\w+$")


def breaks_off(text: str) -> bool:
    """Whether a text stops at a word which needs another, or within a bracket."""
    end = text[-16:].removesuffix("\n")
    if not end or end[-1] in _OPEN_ENDS:
        return bool(end)
    word = _LAST_WORD.search(end)
    return word is not None and (word[0] == "a" or fold(word[0]) in _NEEDS_MORE)


# Last words with which no Chinese, Japanese or Korean sentence ends: particles, and nouns that a sentence began with.
_CJK_CUT = re.compile(
    r"(?:[的在将把被从与和或但而是为给对向于]|[はがをにでへとの]|(?:[은는을를의와과에]|에서|에는|으로))$|(?:左手|右手|画面中|视频中|首先|接着|그리고|また|次に|まず|왼손|오른손)$"
)


def breaks_off_in_cjk(text: str) -> bool:
    """Whether a Chinese, Japanese or Korean text goes on behind a first clause and stops at a particle."""
    text = text.rstrip()
    return (
        not text.isascii()
        and bool(re.search(r"[,.:;] ?\S", text))
        and _CJK_CUT.search(text) is not None
    )


def stops_short(text: str) -> bool:
    """Whether a text, a short one too, stops within a sentence."""
    return is_unfinished(text, least=20)


def is_unfinished(text: str, least: int = 40) -> bool:
    """Whether a text of some length stops within a sentence."""
    return len(text) > (least if text.isascii() else 15) and text.rstrip()[-1:] not in set(
        ".!?)]}>\"'。…*|"
    )
