"""Replies that decline to answer, in English, Chinese, Japanese, Korean, seven languages of Europe and six others."""

from __future__ import annotations

import re
from functools import lru_cache

from assets.extract.guarded import Guarded, GuardedTable

_CANNOT = r"\b(?:cannot|can\s?not|can't|could not|couldn't)"
# Each says by itself that a text does not answer.
_REFUSALS = GuardedTable(
    (str(at), Guarded(pattern, re.IGNORECASE))
    for at, pattern in enumerate(
        (
            rf"(?:{_CANNOT}|\bunable to|\bnot able to|\bimpossible to|\bnot possible to|\bisn't possible to)\s+(?:\w+\s+)?"
            r"(?:determin|tell|answer|identif|decid|say|see|help|assist|process|choos|provid|view|access|watch"
            r"|analy[sz]e|make|compar|match|rank|judge|evaluat|inspect|examin|recogni|distinguish|verify|play|open)",
            rf"{_CANNOT} be (?:determin|told|answer|identif|decid|seen|inferred|known|established)",
            r"\bi(?:'m| am) sorry\b|^sorry\b|\bi apologi[sz]e\b|\bdo(?:n't| not) (?:know|have (?:access|enough))",
            r"^\W*(?:content|response|output|message) (?:was |has been |is )?(?:filtered|blocked|removed|withheld)\W*$",
            r"\b(?:do(?:es)?|did)(?:n't| not) (?:provide|contain|give|show|offer|include) (?:enough|sufficient) (?:\w+ )?(?:information|evidence|context|detail)",
            r"\b(?:not enough|insufficient|no (?:sufficient|visual)) (?:information|evidence|context|input)",
            r"\b(?:so |and )?i(?:'m| am) not (?:giving|going to give|answering|choosing|picking|selecting)\b",
            r"\bdo(?:n't| not) want to (?:guess|choose|pick|answer)\b",
            r"\bnone of (?:the (?:\w+ )?(?:options|answers|choices|videos|clips|above|candidates|statements|alternatives|given|provided|listed|ones|four|five|three)|these|them|those)\b|\bneither\b[^.!?\n]{0,40}\bcan be (?:confirmed|determined|verified|established|ruled in)\b|\bno (?:correct |right )?(?:answer|option)\b|^failed to obtain\b",
            r"\b(?:answer|option|choice)\s*(?:is|:)\s*(?:none|unknown|unclear|undetermined)\b",
            r"\bno (?:video|image|frame)s? (?:was|were|is|are|has been|have been)?\s*"
            r"(?:provided|attached|visible|shown|included|given)",
            r"\b(?:do(?:n't| not) have the ability|(?:won't|will not|refuse to|rather not) (?:rate|judge|assess|comment|say|identif|guess|answer|speculat|choos)"
            r"|abstain|did(?:n't| not) load|no way to (?:tell|know|get|determine|say))",
            r"\bnot enough (?:\w+ )?(?:information|evidence|context|input|detail)|\b(?:video|image|frame|clip|file)s? (?:is|are|was|were|seems?|appears?)"
            r" (?:not |un)(?:available|accessible|included|attached|loaded|visible|provided|shown)",
            r"\b(?:please|could you|can you|would you)(?: please)?(?: try to)? (?:re-?)?(?:upload|provide|share|attach|send|describe)",
            r"\b(?:isn't|is not) something (?:that )?i (?:can|may|will)\b|\b(?:guidelines|polic(?:y|ies)) (?:do(?:es)?(?:n't| not)|prevents?|prohibits?|forbids?)\b",
            r"\b(?:could(?:n't| not)|did(?:n't| not)|can(?:'t|not)|failed to|unable to) (?:be )?load",
            r"\bif you (?:could |can )?(?:re-?)?(?:send|upload|provide|share|attach)\b",
            r"\bi(?:'d| would)? need (?:to (?:see|watch|view)|access to)\b",
            r"\bno (?:ability|capability|means|way) (?:to|of) (?:process|see|view|watch|analy[sz]|access|see|view|watch)\w*\b",
            r"\bi (?:do not|don't|did not|didn't) (?:see|have|receive) (?:any|the|a|an|access)\b",
            r"\b(?:unclear|undetermined|indeterminate|undeterminable)\b",
            r"^\W*(?:idk|i dunno|dunno|unanswerable|(?:i )?(?:really |honestly )?(?:have )?no idea|pass)\W*$|\bi(?:'ll| will|'d| would)? (?:have to |rather )?pass on (?:this|it|that)\b|\bi (?:really |honestly )?have no idea\b|\bno way (?:of|to) (?:know|tell|say)(?:ing)?\b|\b(?:question|this) is unanswerable\b",
            r"\bno access to (?:the |any )?(?:video|image|frame|clip|visual|file|media|footage|recording|picture|stream)",
            # In the first person any verb declines: "I can't compare the clips", "I won't rank people".
            r"\bi\s+(?:really |simply |just |also |unfortunately |regrettably |therefore |thus |still )*"
            r"(?!(?:cannot|can't|couldn't) (?:\w+ )?(?:exclude|rule|think of|see any|find any|spot any|be (?:\w+ )?(?:sure|certain)|imagine|help but)\b)(?:cannot|can\s?not|can't|won't|will not|refuse|(?:must |have to |respectfully |would )?decline|have to pass|couldn't"
            r"|do(?:n't| not) (?:support|feel comfortable|have (?:the |any )?(?:capabilit|abilit|means|permission|way|visual))"
            r"|lack (?:the )?(?:abilit|information|capabilit|context))",
            r"\bi(?:'m| am) (?:not (?:comfortable|able|allowed|permitted|capable|in a position|going to)|unable|incapable)\b",
            r"\b(?:against|violat\w+) (?:my|the|our) (?:guidelines|polic(?:y|ies))",
            r"\b(?:insufficient|too (?:dark|blurry|unclear)) to\b|\bas an? (?:text-based |large )?(?:ai|language) ?(?:language )?model,? i\b",
        )
    )
)
_CJK = Guarded(
    r"(?:无法|没办法|没有办法|難以|無法|没法)(?:确定|判断|回答|查看|看到|观看|识别|得知|分辨|提供|访问|处理|从|判斷|確定|識別|根据|给出|比较|直接|协助|帮)"
    r"|不能(?:确定|判断|回答)|抱歉|对不起|不知道|不确定|(?:没有|未)(?:足够|提供|上传|收到)|难以(?:确定|判断)|看不(?:到|清)"
    r"|申し訳|すみません|判断できませ|判断でき[ずな]|わかりません|分かりません|回答できませ|お答えできませ"
    r"|特定できませ|見ることができませ|確認できませ|不明です|答えられませ|決められませ"
    r"|죄송|알\s?수\s?없|판단할\s?수\s?없|답할\s?수\s?없|대답할\s?수\s?없|볼\s?수\s?없|모르겠|확인할\s?수\s?없"
    r"|결정할\s?수\s?없|(?:판단|답변|답|확인|식별|특정|구별)\S{0,4}\s?(?:어렵|힘듭|불가)|(?:고르|선택하|답하|대답하)지\s?않겠|드리기\s?어렵|제공할\s?수\s?없|도와드릴\s?수\s?없"
    r"|(?:判断|特定|回答|識別|断定|推測|確認)\S{0,6}(?:困難|難し|しかね|いたしかね|できかね|不可能)|(?:お答え|回答|判断|特定)(?:する)?こと(?:が|は)でき(?:ません|ない)|お手伝いでき|お応えでき|拒否"
    r"|没有?(?:看到|收到|见到)[^,.]{0,8}(?:上传|视频|图片|画面|附件)|请(?:您)?(?:重新|先)?(?:提供|上传|发送)|(?:アップロード|添付|提供)して(?:ください|いただ)|(?:업로드|첨부|제공)해\s?(?:주|주시)"
    r"|不便(?:回答|透露)|不予回答|拒绝",
)


# Hindi, Arabic, Vietnamese, Turkish, Indonesian and Polish.
_FURTHER_ABROAD = Guarded(
    r"(?:नहीं (?:दे|देख|बता|कर|पहचान|जान) ?(?:सक|पा)|असमर्थ|संभव नहीं|माफ़ (?:कीजिए|करें)|क्षमा करें|(?:لا (?:أستطيع|يمكنني|يمكن)|لا أقدر|عذر[اً]|آسف|غير قادر|يتعذر)"
    r"|không thể (?:xác định|trả lời|xem|nhìn|biết|chọn|cung cấp)|xin lỗi|rất tiếc|\b(?:üzgünüm|maalesef|(?:cevap|yanıt)\w* veremi\w+|yanıtlayam\w+|cevaplayam\w+|belirleyem\w+|göremiyor\w*|mümkün değil)"
    r"|\btidak (?:dapat|bisa|mungkin|mampu)\b|\b(?:maaf)\b|\bnie (?:mogę|jestem w stanie|można|da się|potrafię)\b|\bprzepraszam\b|\bprzykro mi\b)",
    re.IGNORECASE,
)
# French, German, Spanish, Italian, Portuguese, Dutch and Russian.
_ABROAD = Guarded(
    r"\b(?:je ne (?:peux|suis) pas|je ne vois pas|je n'en sais rien|je ne sais pas|não sei (?:dizer|responder)|no sé (?:decir|cuál)|non (?:lo )?so(?: dire)?\b|(?:ich )?weiß (?:es |ich )?nicht|impossible de (?:déterminer|voir|répondre)|désolée?|(?:kann|können) (?:ich |wir )?[^.!?\n]{0,80}\bnicht\b"
    r"|(?:kann|können) [^.!?\n]{0,80}\bkeine (?:antwort|aussage|angabe)\b|lässt sich [^.!?\n]{0,40}\bnicht\b|no se puede (?:determinar|saber|responder)|no tengo acceso|je n'ai pas accès|on ne peut pas|kein(?:e|en)? (?:zugriff|möglichkeit)|(?:keine|leider keine) (?:bilder|videos?|frames)|aucune (?:vidéo|image)|ningún (?:vídeo|video|imagen)|lo siento|no (?:puedo|es posible)|mi dispiace|non (?:posso|riesco|è possibile)|desculpe|lamento|prefiero no (?:responder|elegir|contestar|comentar|opinar|valorar)|preferisco non (?:scegliere|rispondere)|prefiro não (?:responder|escolher)|préfère ne pas (?:répondre|choisir)"
    r"|não (?:posso|consigo|é possível)|ik kan [^.!?\n]{0,60}\bniet\b|het spijt me)\b|извините|к сожалению|не могу|невозможно|на жаль|не можу|неможливо|вибачте",
    re.IGNORECASE,
)


@lru_cache(64)
def is_refusal(text: str) -> bool:
    """Whether a text says anywhere that it does not answer."""
    return bool(
        any(one.found_unguarded(text) for _, one in _REFUSALS.that_may_match(text))
        or _ABROAD.found_in(text)
        or _FURTHER_ABROAD.found_in(text)
        or (not text.isascii() and _CJK.found_in(text))
    )
