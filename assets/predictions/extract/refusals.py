"""Replies that decline to answer, in English, Chinese, Japanese and Korean."""

from __future__ import annotations

import re

_CANNOT = r"\b(?:cannot|can\s?not|can't|could not|couldn't)"
_REFUSAL = re.compile(
    rf"(?:{_CANNOT}|\bunable to|\bnot able to|\bimpossible to|\bnot possible to)\s+(?:\w+\s+)?"
    r"(?:determin|tell|answer|identif|decid|say|see|help|assist|process|choos|provid|view|access|watch"
    r"|analy[sz]e|make)"
    rf"|{_CANNOT} be (?:determin|told|answer|identif|decid|seen|inferred|known|established)"
    r"|\bi(?:'m| am) sorry\b|^sorry\b|\bi apologi[sz]e\b|\bdo(?:n't| not) (?:know|have (?:access|enough))"
    r"|\b(?:not enough|insufficient|no (?:sufficient|visual)) (?:information|evidence|context|input)"
    r"|\bnone of (?:the|these|them)\b|\bno (?:correct |right )?(?:answer|option)\b|^failed to obtain\b"
    r"|\b(?:answer|option|choice)\s*(?:is|:)\s*(?:none|unknown|unclear|undetermined)\b"
    r"|\bno (?:video|image|frame)s? (?:was|were|is|are|has been|have been)?\s*"
    r"(?:provided|attached|visible|shown|included|given)"
    r"|\b(?:do(?:n't| not) have the ability|(?:won't|will not|refuse to|rather not) (?:identif|guess|answer|speculat|choos)"
    r"|abstain|did(?:n't| not) load|no way to (?:tell|know|get|determine|say))"
    r"|\b(?:unclear|undetermined|indeterminate|undeterminable)\b",
    re.IGNORECASE,
)
_CJK = re.compile(
    r"无法(?:确定|判断|回答|查看|看到|观看|识别|得知|分辨|提供|访问|处理|从)|無法(?:確定|判斷|回答|查看|看到)"
    r"|不能(?:确定|判断|回答)|抱歉|对不起|不知道|不确定|(?:没有|未)(?:足够|提供|上传|收到)|难以(?:确定|判断)|看不(?:到|清)"
    r"|申し訳|すみません|判断できま|判断でき[ずな]|わかりません|分かりません|回答できま|お答えできま"
    r"|特定できま|見ることができま|確認できま|不明です|答えられま|決められま"
    r"|죄송|알\s?수\s?없|판단할\s?수\s?없|답할\s?수\s?없|대답할\s?수\s?없|볼\s?수\s?없|모르겠|확인할\s?수\s?없"
    r"|결정할\s?수\s?없",
)


def is_refusal(text: str) -> bool:
    """Whether a text says anywhere that it does not answer."""
    return bool(_REFUSAL.search(text) or (not text.isascii() and _CJK.search(text)))
