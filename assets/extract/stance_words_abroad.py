"""The tables of `stance_words.py` for Chinese, Japanese and Korean, and for Spanish, French and German."""

from __future__ import annotations

import re

from assets.extract.guarded import Guarded, for_folded

_ZH_ADVERB = r"(?:才|最|更|比较|就|显然|明显|应该|完全|均|都|也|则|是|为|的|要|会|较|很|非常|无疑|确实|应当|基本|选项|可能|更加|最为|相对|看起来|看上去|似乎|显得)*"
CHOSEN_AFTER_HAN = re.compile(
    rf"^[)\"']*\s*{_ZH_ADVERB}(?:是)?(?:正确|正確|对的|对(?![比照应着方])|符合|匹配|合适|合理|吻合|一致|相符|接近|贴切|恰当|准确|像|成立|无疑|莫属|胜出|答案|可能性(?:最|更|较|比较)?(?:大|高)|可能(?=\s*(?:[,.]|$))|可信|有可能)"
    rf"|^[)\"']*\s*(?:与|跟|和)[^,.\uE000-\uE019]{{1,14}}{_ZH_ADVERB}(?:相符|一致|匹配|吻合|符合|对应|相同|接近|相似)"
    r"|^[)\"']*\s*[はが]\s*[^,.\uE000-\uE019]{1,20}[とに]\s*(?:最も|一番|もっとも|よく|完全に|正確に)?\s*(?:よく)?(?:一致|対応|合致|該当)し(?:ます|て(?!い?(?:ない|ませ))|た)"
    r"|^[)\"']*\s*(?:而不是|而非|,?\s*不是|吧|了|,?\s*(?:因为|理由))|^[)\"']*\s*胜|^[)\"']*\s*比\s*[\uE000-\uE039][^,.]{0,6}(?:更|要|还|可能性)|^[)\"']*\s*(?:之?外|以外)[^,.]{0,8}(?:不|错|排除)"
    # Japanese
    r"|^[)\"']*\s*(?:番)?\s*(?:が|の方が|のほうが|の|こそ|のみが|だけが|、)?\s*(?:最も|一番|もっとも|正し|正解|適切|妥当|適当|一致し(?:ます|て|た)|該当し(?:ます|て)|対応し(?:ます|て)|当てはま[りる]|合って|合致し|ふさわし|近い|近く|答え|可能性が(?:最も|一番|より)?高|有力|自然|同じ)"
    r"|^[)\"']*\s*(?:が|の方が|のほうが)\s*より|^[)\"']*\s*であ(?:って|り)[,]?\s*[\uE000-\uE039][^.]{0,10}(?:ない|ません)"
    r"|^[)\"']*\s*(?:に(?:訂正|変更|修正)し|に該当|に一致|に対応|に当てはま|に違いあ|で間違い(?:な|あり)|しか(?:あり|考え)|でしょう|だろう|と(?:思|考え|判断|推測|推定|結論|見|なり|言え)|かと|だと(?:思|考)|を選|にし(?:ます|たい|ました)|です|だ(?!と思(?:いま|っ)した?が)|である|になり|とします)",
)  # fmt: skip
CHOSEN_BEFORE_HAN = re.compile(
    r"(?:不如(?:说)?(?:是|选)?|选定|锁定|是|为|選|选|选择|答案|属于|对应(?:于|的是)?|剩下?|剩余|应|倾向于?|即|认为|而是|故|所以|因此|只有|只能|一定|可能|只剩下?|换成|改为|改成|觉得|就|还是|答|匹配|符合|指向|支持|综上|总之|显然|非|判断|最终)\s*[:,]?\s*[(\"'\[]*$"
    r"|(?:答え|正解|回答|のは|よって|したがって|つまり|おそらく|たぶん|多分|きっと|結論(?:として|は)?|ゆえに|消去法(?:で|により)|残るのは|訂正)(?:は)?\s*[:,]?\s*[(\"'\[]*$",
)  # fmt: skip
RULED_OUT_AFTER_HAN = re.compile(
    r"^[)\"']*\s*(?:选项)?(?:也|都|明显|显然|均|则|是|就|并|皆|两个|三个|这两个|的)*(?:不(?!过)|错|没有|无法|未|可以排除|排除|可排除|被排除|有误|可能性(?:较|更|很|比较)?(?:低|小))"
    r"|^[)\"']*\s*(?:则|是|的|中|里|:)*[^,.\uE000-\uE019]{0,8}(?:不对|不符|不匹配|不一致|不正确|不可能|有误|不同)"
    r"|^[)\"']*\s*(?:相比)"
    # Japanese: a predicate is denied at its end.
    r"|^[)\"']*\s*(?:は|も|が|では|じゃ|でも|で)?\s*(?:なく|なくて|ない|ありま|違[いうっ]|誤|間違い(?!な|あり)|不正解|不適|除外|消え|考えにく|可能性(?:は|が)?低|より|よりも)"
    r"|^[)\"']*\s*(?:は|も|が|では|に|と)[^,.\uE000-\uE019]{0,16}(?:ません|ない(?!で)|ず(?:,|に)|異なり|違い)",
)  # fmt: skip
RULED_OUT_BEFORE_HAN = re.compile(
    r"(?:与其说(?:是)?|不是|并非|并不是|不选|不会是|排除(?:了|掉)?|不应该?是|而非|而不是|不太?可能是|不认为(?:答案)?是|不觉得是|不像是|相比(?:于|之下)?|与|跟|比(?:起)?|不等于|不符合|不属于|不同于|不能选)(?:(?:之前|刚才|先前|最初)?(?:提到|说|选|想)的?)?\s*(?:选项)?\s*[(\"'\[]*$",
)
ONLY_BEFORE_HAN = re.compile(r"(?:只有|唯有|仅有)\s*$")
# "Everything but B is wrong."
# "与选项C最为匹配": what agrees with an option does not leave it behind.
TOGETHER_BEFORE_HAN = re.compile(r"(?:与|跟|和|同)\s*(?:选项)?\s*[(\"'\[]*$")
EXCEPT_BEFORE_HAN = re.compile(r"除了?\s*(?:选项)?\s*$")
EXCEPT_AFTER_HAN = re.compile(r"^\s*(?:之外|以外|外)?\s*,?[^.]{0,12}(?:不|错|排除|没)")
# "D以外は一致しません", "D를 제외하고는 모두 틀립니다".
ONLY_AFTER_HAN = re.compile(
    r"^[)\"']*\s*(?:以外(?:の\S{1,6})?(?:は|も|に)[^.]{0,24}(?:ません|ない|違|除外|誤)|[을를]?\s*제외하(?:고|면)\S?[^.]{0,16}(?:틀|아니|않|제외|없)|(?:이|가)? 아닌 것은 모두)"
)
# "Alle außer D sind falsch", "todas menos D", "toutes sauf D".
EXCEPT_BEFORE_ABROAD = for_folded(
    r"\b(?:alle|todas|todos|toutes|tous|tutte|tutti|ninguna|ninguno|aucune?|keine?[sr]?)\b[^.,;]{0,30}?\b(?:außer|bis auf|menos|salvo|excepto|sauf|excepté|hormis|tranne|exceto)\s+(?:la |el |le |l'|o |a )?[(\"']*$"
)
WRONG_ABROAD = for_folded(
    r"^[^.;]{0,60}\b(?:falsch|incorrect\w*|fals[aeo]s?|fausses?|faux|ausgeschlossen|descartad\w*|exclue?s?|éliminé\w*|sbagliat\w*|errad\w*|passen nicht|scheiden aus|(?:no|ne|n'|nicht|pas)\b)"
)
CHOSEN_AFTER_KO = re.compile(
    r"^[)\"']*\s*번?\s*(?:이|가|은|는)\s*[^,.\uE000-\uE019]{1,20}(?:와|과|에)\s*(?:(?:가장|제일|더|잘|정확히|완전히)\s*){0,2}(?:일치|부합|대응|맞)(?!하지|지)|"
    r"^[)\"']*\s*번?\s*(?:이|가|은|는|을|를|의|만이?|만)?\s*(?:더|가장|제일|훨씬|정답|맞[는습아]|옳|적절|적합|유력|일치(?:합|하는|해)|해당|선택|고르|고릅|택하|택합|답|남|가깝|자연)"
    r"|^[)\"']*\s*번?\s*(?:입니다|이다|예요|이에요|요\b|인 것|일 것|일 가능성|이?라고 (?:생각|봅|판단|추정)|로 (?:보|판단|추정|생각|하)|에 해당|[와과] (?:가장 )?일치|뿐|의 가능성|\.)",
)
RULED_OUT_AFTER_KO = re.compile(
    r"^[)\"']*\s*번?\s*(?:은|는|이|가|도|을|를)?\s*(?:모두|둘 다|전부)?\s*(?:아니|아닙|아닌|틀[리렸립]|제외|배제|맞지 않|적절하지 않|일치하지 않|보다|[^,.\uE000-\uE019]{0,10}지 않)"
)
CHOSEN_BEFORE_KO = re.compile(
    r"(?:정답은|답은|결론은|것은|따라서|그러므로|그래서|그러니까|즉|결론적으로|아마도?|분명히|확실히|단계는|동작은|선택은|정답|답|결론|남는 것은)\s*[:,]?\s*[(\"'\[]*$"
)
_ROMANCE_BE = r"(?:es|sería|parece(?: ser)?|resulta(?: ser)?|debe ser|est|serait|semble|paraît|doit être|é|è|sarebbe|seria|parece|sembra|pare)(?: être)?"
CHOSEN_AFTER_ABROAD = for_folded(
    rf"^[)\"']*\s*{_ROMANCE_BE}\s+(?:\w+mente\s+|\w+ment\s+|sans doute\s+)?(?:la |el |lo |le |l'|il |a |o )?(?:que |qui )?(?:más |plus |mieux |più |mais )?(?:mejor |meilleure? |bonne |bon )?(?:correct|respuesta|réponse|risposta|resposta|opción|option|mejor|meilleur|migliore|melhor|prob[aá]b|provável|adecuad|plausib|verosímil|vraisemblable"
    r"|únic|unic|seule?\b|verdader|bonn?e?\b|juste|giust|corret|celle|celui|adapt|appropri|indicad|coincide|encaja|mejor)"
    r"|^[)\"']*\s*,?\s*(?:coincide|encaja|corresponde|concuerda|sí\b|oui\b|ja\b|porque|parce que|car\b|puesto que|ya que|correspond(?!e)|convient|colle|perché|weil\b|da\b|queda|reste|bleibt|passt(?! nicht)|stimmt(?! nicht)|trifft (?:\w+ )?zu|entspricht(?! nicht)|gewinnt"
    r"|gana|l'emporte|sagen\b|wählen\b|nehmen\b|sein\b|richtig\b|korrekt\b|übrig\b|,? ?y no\b|et (?:non|pas)\b|und nicht\b|e (?:non|não)\b|,? ?pas\b(?=\s*[\uE000-\uE019])|plutôt que|en lugar de|en vez de|statt\b|,? ?nicht\b(?=\s*[\uE000-\uE019])|,? ?no\b(?=\s*[\uE000-\uE019]))"
    r"|^[)\"']*\s*(?:ist|wäre|scheint|erscheint|dürfte|muss|klingt|wirkt)\s+(?:\w+lich |wohl |damit |also |hier |es )?(?:am |die |das |der |eindeutig )?(?:richtig|korrekt|wahrscheinlich|plausib|best|antwort|passend|ehest|lösung|einzig|zutreffend|naheliegend)",
)  # fmt: skip
CHOSEN_BEFORE_ABROAD = Guarded(
    r"(?:\b(?:es|sería|serían|sea|ser|elijo|escojo|selecciono|marco|quedo con|inclino por|diría(?: que)?|opto por|voto por|decanto por|prefiero|respuesta|opción|correcta|correcto|queda|sol[oa]|únicamente|probablemente|así que|entonces|tanto|conclusión|resumen|sino|final|eso"
    r"|est|c'est|serait|être|choisis|sélectionne|dirais(?: que)?|penche pour|retiens|opte pour|vote pour|m'arrête sur|se porte sur|réponse|option|correcte|reste(?: que)?|reste plus que|seule?|probablement|doute|donc|ainsi|conséquent|mais|s'agit de|résumé"
    r"|ist|wäre|lautet|sei|wähle|nehme|tippe auf|lege mich (?:\w+ )?auf|fällt auf|bleibe bei|für|würde|antwort|richtig|korrekt|bleibt(?: nur)?|nur|vermutlich|wahrscheinlich|wohl|also|daher|somit|folglich|deshalb|deswegen|sondern|bensì|mas sim|e sim|mais bien|mas|fico com|vou (?:de|com)|quedo con|ostatecznie|ostateczna odpowiedź to|finalmente|definitivamente|окончательно|uiteindelijk|slutligen|endgültig|finalement|akhirnya|cuối cùng|sonuçta|eher|passt|ehesten|besten|denke|glaube|meine|dass|ist es|dürfte|müsste|muss|fazit|lösung|entscheide mich für|würde sagen|wahrscheinlichsten"
    r"|scelgo|opto per|propendo per|punto su|escolho|risposta|resposta|è|é|quindi|dunque|perciò|logo|assim|portanto|dus|daarom|demnach|antwoord|därför|derfor|svaret är|svaret er|więc|zatem|dlatego|следовательно|значит|поэтому|итак|to jest|это|jadi|maka|yaitu|dolayısıyla|vậy|nên|chỉ còn(?: lại)?|còn lại|tersisa|kalan|pozostaje|zostaje|blijft|остаётся|остается|återstår|resta|rimane|sobra))\s*[:,]?\s*(?:(?:ich|es ist|c'est|es|la|el|lo|le|l'|l'option|la opción|la réponse|die|das|der|option|que|dass|a|o|est)\s+){0,3}[(\"'«„]*$",
    re.IGNORECASE,
)  # fmt: skip
RULED_OUT_AFTER_ABROAD = for_folded(
    r"^[)\"']*\s*(?:no\b|tampoco|n'|ne\b|(?:es|est|sont|son|ist|sind|war|était|fue)\s+(?:\w+ ){0,2}(?:incorrect\w*|falsch|falso|fals[ae]|faux|fausse|exclue?s?|éliminé\w*|descartad\w*|moins|menos|imposible|impossible|ausgeschlossen|unwahrscheinlich\w*|unmöglich|weniger|aus|nicht|pas)"
    r"|(?:est|sont) à (?:exclure|écarter|éliminer)|queda\w* (?:descartad|fuera|excluid)|fica (?:fora|de fora)|valt af|odpada|отпадает|faller bort|se descarta|(?:passt|stimmt|trifft|entspricht|zeigt|passen|stimmen)\s+(?:\w+ ){0,3}?nicht|scheide[tn] (?:\w+ )?aus|f[aä]ll(?:t|en) (?:\w+ )?(?:weg|aus))",
)  # fmt: skip
RULED_OUT_BEFORE_ABROAD = Guarded(
    r"\b(?:anders als|a diferencia de|contrairement à|ne (?:pense|crois) pas que (?:ce soit|c'est)|(?:glaube|denke) nicht,? dass es|non è|não é|no(?: (?:es|sería|puede ser|creo que sea|son))?|ni|en lugar de|en vez de|descart\w+|excepto|(?:más|menos|mejor|plus|mieux|moins) \w* ?que|pas|n'est pas|ni|plutôt que|au lieu de|loại (?:trừ|bỏ)|eliminasi|menyingkirkan|eliyorum|exclu\w*|esclud\w*|scart\w*|исключа\w*|wyklucz\w*|utesluter|udelukker|élimin\w*|elimin\w*|nicht|weder|noch|statt|anstatt|anstelle von|kein\w*|(?:besser|wahrscheinlicher|eher|mehr|näher) als|et non|y no|e non)\s+(?:(?:la|el|le|l'|die|das|der|option|a|o)\s+)*[(\"'«„]*$",
    re.IGNORECASE,
)
# "Non C ma D", "не C, а D", "C değil, D": what is denied, and what stands in its place.
_ONE = r"[\uE000-\uE039]"
_BETWEEN = rf"[^{_ONE[1:-1]}.;!?\n]"
_ITS_TEXT = rf"{_BETWEEN}{{0,40}}?"
NOT_BUT_ABROAD = Guarded(
    rf"\b(?:non(?: è)?|не|ні|nie(?: jest to)?|není|ne(?=\s)|inte|ikke|ei|bukan|nu(?: este)?|nem|não(?: é)?|no(?: es)?|not|nicht|pas|ne|niet|không phải(?: là)?|όχι|ليس|ليست|لا|نه|לא)\s+(?:{_ITS_TEXT}\s)?(?P<no>{_ONE}){_ITS_TEXT}"
    rf"\b(?:ma|bensì|а|але|lecz|ale|tylko|utan|men|vaan|melainkan|tetapi|tapi|ci|hanem|mas(?: sim)?|sino|sondern|mais|maar|but|nhưng|mà là|αλλά|بل|بلکه|אלא)\s+(?:plutôt |bien |rather |eher |più |rather it is )?(?:(?:la|il|lo|el|die|das|der|de|é|è|jest to|là|option|l')\s*)*[(\"'«„]*(?P<yes>{_ONE})"
    rf"|(?P<r_yes>{_ONE})(?<!not .)(?<!nicht .)(?<!pas .)(?<!no .)(?<!non .){_BETWEEN}{{0,60}}?,\s*(?:and |et |und |y |e )?(?:not|nicht|no|pas|non|não|niet|inte|ikke|не)\s+(?:(?:the|die|der|das|la|le|el|il|de)\s+)?(?P<r_no>{_ONE})"
    rf"|ไม่ใช่\s*(?P<th_no>{_ONE}){_ITS_TEXT}แต่(?:เป็น)?\s*(?P<th_yes>{_ONE})"
    rf"|(?P<tr_no>{_ONE})\s*(?:değil|नहीं|নয়)\s*,?\s*(?:बल्कि|বরং)?\s*(?P<tr_yes>{_ONE})",
    re.IGNORECASE,
)
LEANING_BEFORE_ABROAD = Guarded(
    r"\b(?:könnte(?: es)?|podría(?: ser)?|puede(?: ser)?|pourrait être|peut-être|quizás?|vielleicht|aber auch|pero también|mais aussi)\s+(?:(?:la|el|le|l'|die|das|der|option)\s+)*$",
    re.IGNORECASE,
)
LEANING_AFTER_ABROAD = for_folded(
    r"^[)\"']*\s*(?:都|均|皆|也)(?:是|很)?有?可能(?![性是])|^[)\"']*\s*(?:es posible|est possible|ist möglich|ist denkbar|podría|pourrait|könnte|también es posible|también podría"
    r"|也?有可能,|也?很?像,|也?看起来|也?(?:比较)?接近,|も(?:考えられ|可能|あり得|近い)|도 가능|도 비슷)",
)
