"""Chinese in traditional characters, read in simplified ones: the tables of words know these alone.

Only characters that such tables may hold are changed, one by one, in a reply and in the options alike. Japanese and Korean
keep theirs, since their own words are written with some of them.
"""

from __future__ import annotations

import re

# Each traditional character, and behind it the simplified one.
_PAIRS = (
    "選选項项對对應应該该為为還还確确認认無无沒没與与視视頻频畫画並并個个這这樣样說说話话實实際际錯错誤误換换變变題题問问標标準准適适較较嗎吗來来時时後后過过從从據据"
    "斷断觀观們们給给讓让會会當当總总終终結结論论綜综顯显則则傾倾覺觉兩两幀帧動动鏡镜頭头處处開开關关裡里裏里屬属於于獨独請请擇择識识別别難难謝谢訂订檢检細细節节徵征"
    "圖图勝胜餘余貼贴輸输種种極极議议證证稱称邊边雖虽盡尽計计點点聲声級级僅仅將将產产語语譯译現现發发線线經经數数麼么車车門门間间長长見见寫写讀读聽听轉转進进離离遠远"
    "側侧單单雙双電电燈灯糾纠剛刚"
)
_SIMPLIFIED = dict(zip(map(ord, _PAIRS[::2]), _PAIRS[1::2], strict=True))
_KANA_OR_HANGUL = re.compile(r"[\u3041-\u30fa\u30fc\uac00-\ud7af]")


def is_chinese(text: str) -> bool:
    """Whether a text may be Chinese: it has characters beyond ASCII and none of Japanese or Korean alone."""
    return not text.isascii() and _KANA_OR_HANGUL.search(text) is None


def simplify(text: str) -> str:
    """Text with simplified characters."""
    return text if text.isascii() else text.translate(_SIMPLIFIED)
