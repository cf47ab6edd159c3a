"""What a reply says of each option by itself: ticks, boxes, yes and no, percentages, ranks.

"A ✗, B ✓", "- [x] B", "Is it A? No. Is it B? Yes.", a table with a verdict in each row, one line of the
options that is bold, "C (correct)", "A: 10 %, B: 70 %", "B > A > C". Two letters at least must be named;
one that stands out is the answer, two that do so equally leave it open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from assets.extract.declarations import last_declaration
from assets.extract.guarded import Guarded
from assets.extract.wrapping import plain

# A letter that no other follows.
_CAPITAL = re.compile(r"[A-Z](?![\w'])")
_GOOD_BOX = re.compile(r"\[\s*[xX✓✔]\s*\]|[✓✔✅☑🗹🟢👍⭐★√○◯]|👉|\(\s*[•●xX]\s*\)")
# Boxes of other fonts, and boxes in one line: "( ) A ( ) B (•) C".
_BOXES = str.maketrans(dict.fromkeys("⬜◻▢🔲◽⬚", "☐") | dict.fromkeys("🔘", "☑"))
_BOX = r"(?:\[[ xX✓✔]?\]|\([ •●xX]?\)|[☐☑☒✅])[ \t]*\(?[A-Z](?![\w'])"
_BOXED_LINE = re.compile(rf"^[ \t]*{_BOX}[^\n]{{0,80}}?[ \t]{_BOX}", re.MULTILINE)
# What every box holds: that is found much faster.
_MAY_BE_BOX = re.compile(r"[\[(][ •●xX✓✔]?[\])]|[☐☑☒✅]")
_BOX_BEFORE = re.compile(rf"[ \t]+(?={_BOX})")
_NOT = r"(?:not|isn't|never|hardly)"
_BAD = re.compile(
    rf"\b(?:no|wrong|incorrect|false|unlikely|implausible|impossible|less likely|excluded|eliminated"
    rf"|ruled out|out|refuted|rejected|contradicted|unsupported|inconsistent|mismatch|dismissed|discarded|{_NOT}\s+(?:\w+\s+)?"
    r"(?:correct|right|true|match\w*|fit\w*|it|this|likely|possible|plausible|certain))\b"
    r"|n't\s+(?:\w+\s+)?(?:correct|right|true|match\w*|fit\w*|it|this|likely|possible|plausible)\b"
    r"|\b(?:incorrect[aeo]s?|fals[aeo]|falsch|faux|fausse|nein|non|nie|нет|hayır|não|nej|nee|unwahrscheinlich|passt nicht)\b"
    r"|(?<!\S)[否错误誤](?!\S)|不对|错误|不正确|不是|不符|不合|排除|不可能|違い?ます|誤り|不正解|該当しま|아니|틀",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"\b(?:yes|correct|certain(?:ly)?|definite(?:ly)?|(?:is )?right(?! \w)|true|match(?:es)?|fits?|likely|plausible|supported|confirmed|consistent|this (?:one|is it))\b|\b(?:correct[aeo]s?|richtig|korrekt|vrai|juste|verdader[ao]|sí|sì|oui|ja|tak|да|evet|sim|passt)\b"
    r"|(?<!\S)[是对正](?!\S)|正确|正解|符合|适合|最合适|対応します|맞[는습아음다]|正しい|正しく",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"\b(?:could|might|may|maybe|possibly|perhaps)\b", re.IGNORECASE)
_SHARE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*(?:%|/\s*(?:5|10|100)\b)")
_SCORED = Guarded(r"\b(?:scores?|points?|ratings?|votes?|similarity)\b", re.IGNORECASE)
_SCORES = re.compile(r"(?<![A-Za-z0-9])([A-Z])\s*[:=]\s*(\d{1,3}(?:\.\d+)?)(?![\d%/])")
_SHARE_ON = Guarded(
    r"(\d{1,3}(?:\.\d+)?)\s?% (?:(?:on|for|to|in favou?r of|sure of) )?\(?([A-Z])(?![\w'])"
)
_PROBABILITY = Guarded(
    r"(?<![A-Za-z0-9])(?:P\()?([A-Z])\)?\s*[:=]\s*(0?\.\d+|[01](?:\.0+)?)(?![\d%/])"
)
_RANKED = Guarded(
    r"\b(?:rank\w*|order\w*|from|sorted)\b(?P<lead>[^:\n]{0,80})(?::|\b(?:them|options|videos)\b)\s*(?P<list>[A-Z](?:\s*[,>]\s*[A-Z]){2,})(?!\w)",
    re.IGNORECASE,
)
# "Most likely first:", and each letter on a line that has its number.
_RANKED_LINES = Guarded(
    r"(?:(?:^|\n)(?P<lead>[^\n]{0,120})\n+|^)(?P<list>1[.)][ \t]*\(?[A-Z]\)?\.?[ \t]*(?:\n+\d[.)][ \t]*\(?[A-Z]\)?\.?[ \t]*){1,9})\s*$"
)
_BEST = re.compile(r"\b(?:most|best|rank\w*|order\w*|highest|least|worst|lowest)\b")
_ROW = re.compile(r"^[ \t]*\|(.{1,400}?)\|?[ \t]*$", re.MULTILINE)
_ROW_LABEL = re.compile(
    r"(?:(?i:option|choice|video|clip)\s+)?\(?([A-Z])(?:[).:]|\b(?!')\s*$|\s*[(–—-])"
)
_FIGURE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*(?:%|/\s*\d{1,3})?")
_GRADES = {
    "very low": 0.0,
    "low": 1.0,
    "weak": 1.0,
    "poor": 1.0,
    "medium": 2.0,
    "moderate": 2.0,
    "partial": 2.0,
    "high": 3.0,
    "strong": 3.0,
    "good": 3.0,
    "very high": 4.0,
    "excellent": 4.0,
    "perfect": 4.0,
}
_GRADED = re.compile(
    r"scor|likel|probab|confiden|similar|match|rating|plausib|fit|%", re.IGNORECASE
)
_GOOD_CELL = re.compile(
    r"(?:yes|true|correct|right|match(?:es)?|fits|✓|✔|✅|☑)\W*(?:\w+\W*){0,3}", re.IGNORECASE
)
_VERDICT_TITLE = re.compile(
    r"\b(?:better|best|answer|correct|verdict|final|overall|match(?:es)?|fits?|choice|chosen|selected|conclusion)\b",
    re.IGNORECASE,
)
_TICKED_CELL = re.compile(r"[xX✓✔✅☑●•]")
_CELL = re.compile(
    r"(?:yes|no|true|false|in?correct|right|wrong|partial(?:ly)?|maybe|no match|mismatch|match(?:es)?|fits|[✓✔✅☑✗✘❌❎×-])"
    r"\W*(?:\w+\W*){0,3}",
    re.IGNORECASE,
)
# Columns in which "yes" speaks against an option, and those in which it says nothing for it.
_EXCLUDES = re.compile(
    r"\b(?:exclud\w*|eliminat\w*|ruled|reject\w*|dismiss\w*|wrong|mismatch|contradict\w*)\b",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"\b(?:done|already|against|different|differs?|visible|seen|shown|present|in view|occluded|blurr\w*)\b",
    re.IGNORECASE,
)
_RISING = re.compile(r"(?:\(?[A-Z]\)?\s*(?:<|≺)\s*)+\(?([A-Z])\)?")
_RANKS = re.compile(
    r"(?<![\w])\(?([A-Z])\)?(?:\s*(?:>+|≻)\s*\(?[A-Z]\)?)+(?:\s*>\s*(?:the )?(?:others?|rest))?(?!\w)"
)


class Verdict(NamedTuple):
    """Letter that stands out (None if two do so equally) and the rule that found it."""

    letter: str | None
    rule: str


def read_verdicts(text: str, letters: Sequence[str]) -> Verdict | None:
    """Letter that what is said of each option singles out.

    Args:
        text: Reply without its wrapping; markdown still in it.
        letters: Letters of the question.
    """
    ranks = _RANKS.fullmatch(text.strip(" .!*"))
    if ranks is not None and ranks[1] in letters:
        return Verdict(ranks[1], "ranking")
    if "●" in text:
        text = text.replace("○", "☐").replace("●", "☑")
    if not text.isascii():
        text = text.translate(_BOXES)
    if _MAY_BE_BOX.search(text) and _BOXED_LINE.search(text):
        text = _BOX_BEFORE.sub("\n", text)
    rising = _RISING.fullmatch(text.strip(" .!*"))
    if rising is not None and rising[1] in letters:
        return Verdict(rising[1], "ranking")
    ordered = _RANKED.search(text)
    if ordered is not None:
        named = re.findall(r"[A-Z]", ordered["list"])
        # A list of small letters ranks no options.
        if named and set(named) <= set(letters) and len(set(named)) == len(named):
            lead = ordered["lead"].lower()
            rises = re.search(r"\b(?:least|worst|lowest)\b.*\bto\b", lead)
            return Verdict(named[-1 if rises else 0], "ranking")
    listed = _RANKED_LINES.search(text)
    if listed is not None:
        named = re.findall(r"[A-Z](?=\)?\.?[ \t]*(?:\n|$))", listed["list"])
        if set(named) <= set(letters) and len(set(named)) == len(named):
            lead = (listed["lead"] or "").lower()
            rises = re.search(r"\b(?:least|worst|lowest)\b.*\bto\b", lead)
            return Verdict(named[-1 if rises else 0] if _BEST.search(lead) else None, "ranking")
    probabilities = _PROBABILITY.findall(text)
    if len(probabilities) > 1 and len(dict(probabilities)) == len(probabilities):
        shares = {x: float(p) for x, p in probabilities if x in letters}
        if len(shares) == len(probabilities) and 0.9 < sum(shares.values()) < 1.1:
            return single_highest(shares, "probabilities")
    scores = _SCORES.findall(text) if _SCORED.search(text) else []
    if set(letters) == {letter for letter, _ in scores} and len(scores) == len(letters):
        return single_highest({letter: float(score) for letter, score in scores}, "scores")
    shares_on = _SHARE_ON.findall(text)
    if len(shares_on) > 1 and {letter for _, letter in shares_on} <= set(letters):
        return single_highest({letter: float(share) for share, letter in shares_on}, "percentages")
    tabled = _table(text, letters) if text.count("|") > 6 else None
    if tabled is not None:
        return tabled
    parts = _parts(text, letters)
    if len({letter for letter, _, _ in parts}) < 2:
        return None
    return (
        _only_correct(text, letters)
        or _marked(parts)
        or _crossed(parts, letters)
        or _shares(parts)
        or _worded(parts, letters)
        or _contrasted(parts, letters)
        or _bold(text, letters)
    )


# "Option C – drives through. Correct.": a line of an option that ends with the verdict.
_LINE_OF_OPTION = re.compile(
    r"^[ \t]*(?:[-•*][ \t]+)?(?:\*\*)?(?:(?i:option|choice|video|clip)\s+)?\(?(?P<letter>[A-Z])\)?(?:\*\*)?\s*[-–—:.)]+[ \t]*(?P<rest>[^\n]{1,400})$",
    re.MULTILINE,
)
_ENDS_CORRECT = re.compile(
    r"(?:[.;,:!]\s+|\s[-–—]\s+)(?:(?:this|that|it) is |so )?(?:correct|right|the answer|yes|true|(?:most |very )?likely|✓|✔|✅)(?: answer| one)?[.!*]*$",
    re.IGNORECASE,
)


# An arrow behind a line of the list: "← my answer".
_POINTED_AT = re.compile(
    r"^[ \t]*(?:[-•*][ \t]+)?(?:\*\*)?(?:(?i:option|choice)\s+)?\(?(?P<letter>[A-Z])[).:][^\n]{0,300}?(?:←|⬅|<-+|<=+)[ \t]*(?:(?i:my |the |this is (?:my |the )?)?(?i:answer|choice|pick|this(?: one)?|correct|selected|here|정답|답|正解|答え|(?:正确)?答案|respuesta|réponse|antwort|risposta|resposta|ответ))?[ \t.!*]*$",
    re.MULTILINE,
)


def _only_correct(text: str, letters: Sequence[str]) -> Verdict | None:
    """The only option whose line an arrow points at or ends by calling it correct, where each has a line."""
    lines = [one for one in _LINE_OF_OPTION.finditer(text) if one["letter"] in letters]
    if len({one["letter"] for one in lines}) < max(2, len(letters) - 1):
        return None
    good = {one["letter"] for one in _POINTED_AT.finditer(text) if one["letter"] in letters}
    good = good or {one["letter"] for one in lines if _ENDS_CORRECT.search(one["rest"])}
    return Verdict(good.pop(), "only_correct") if len(good) == 1 else None


def _table(text: str, letters: Sequence[str]) -> Verdict | None:
    """The only row of a table of options whose verdict is good, or whose score is highest."""
    lines = list(_ROW.finditer(text))
    # What a reply concludes below its table stands above it.
    if not lines or last_declaration(plain(text[lines[-1].end() :])) is not None:
        return None
    rows = [[cell.strip(" *_`") for cell in line[1].split("|")] for line in lines]
    rows = [cells for cells in rows if any(cell.strip(":- ") for cell in cells)]
    if rows and sum(_row_letter([cell], letters) is not None for cell in rows[0]) >= max(
        2, len(letters) - 1
    ):
        # Options are columns.
        widest = max(map(len, rows))
        rows = [
            list(column)
            for column in zip(*([*row, *[""] * (widest - len(row))] for row in rows), strict=True)
        ]
    head = next((cells for cells in rows if _row_letter(cells, letters) is None), [])
    by_letter = {
        letter: cells for cells in rows if (letter := _row_letter(cells, letters)) is not None
    }
    if len(by_letter) < max(2, len(letters) - 1) or len(rows) - len(by_letter) > 1:
        return None
    found: set[str | None] = set()
    described = False
    columns = range(1, max(map(len, by_letter.values())))
    # A column of verdicts says more than those that describe.
    verdicts = [at for at in columns if at < len(head) and _VERDICT_TITLE.search(head[at])]
    for column in verdicts or columns:
        cells = {x: row[column] if column < len(row) else "" for x, row in by_letter.items()}
        title = head[column] if column < len(head) else ""
        filled = [x for x, cell in cells.items() if cell]
        if len(filled) == 1 and len(by_letter) == len(letters):
            # One cell of the row is ticked, and the others are empty.
            if _TICKED_CELL.fullmatch(cells[filled[0]]):
                found.add(filled[0])
        elif all(_FIGURE.fullmatch(cell) for cell in cells.values()):
            if _GRADED.search(title):
                shares = {x: float(_FIGURE.fullmatch(cell)[1]) for x, cell in cells.items()}  # pyright: ignore[reportOptionalSubscript]
                found.add(single_highest(shares, "table").letter)
        elif all(cell.lower() in _GRADES for cell in cells.values()):
            if _GRADED.search(title) and not _EXCLUDES.search(title):
                found.add(
                    single_highest(
                        {x: _GRADES[c.lower()] for x, c in cells.items()}, "table"
                    ).letter
                )
        elif all(_CELL.fullmatch(cell) for cell in cells.values()):
            yes = [x for x, cell in cells.items() if _GOOD_CELL.fullmatch(cell)]
            good = [x for x in cells if x not in yes] if _EXCLUDES.search(title) else yes
            if _EXCLUDES.search(title) or not _DESCRIBES.search(title):
                found.add(good[0] if len(good) == 1 else None)
            else:
                described = True
    if not found:
        return Verdict(None, "table") if described else None
    return Verdict(found.pop() if len(found) == 1 else None, "table")


def _row_letter(cells: Sequence[str], letters: Sequence[str]) -> str | None:
    label = _ROW_LABEL.match(cells[0]) if cells else None
    return label[1] if label is not None and label[1] in letters else None


def _parts(text: str, letters: Sequence[str]) -> list[tuple[str, str, str]]:
    """Letters that start a line, a cell or a clause, with what stands before and after each.

    What stands before starts with a line's end where the letter starts a line.
    """
    if len(set(_CAPITAL.findall(text)).intersection(letters)) < 2:
        return []
    found = list(_label("".join(letters)).finditer(text))
    # No list of options is so long.
    if not 1 < len(found) <= 60:
        return []
    ends = [match.start() for match in found[1:]] + [len(text)]
    return [
        (
            match["letter"],
            ("\n" if match.start() == 0 or match["before"][:1] == "\n" else "") + match["box"],
            text[match.end() : end],
        )
        for match, end in zip(found, ends, strict=True)
    ]


@lru_cache(64)
def _label(letters: str) -> re.Pattern[str]:
    """A letter that starts a line, a cell or a clause, with its box."""
    return re.compile(
        r"(?P<before>(?:^|\n|[|,;.?!]|(?<=[✓✔✅☑✗✘❌❎☒☐□\]])|(?=\s?[✓✔✅☑🗹✗✘❌❎☒☐□])|(?<=[🟢🔴👍👎×√○]))"
        r"(?:[ \t]*(?:[-*•]|\d{1,2}[.)]))?[ \t]*(?P<box>(?:\[[ xX✓✔]?\]|\([ •●xX]?\)(?=[ *]*\(?[A-Z](?:[\s.)]|$))|[✓✔✅☑🗹✗✘❌❎☒☐□👉🟢🔴⭐★])?)"
        r"[ \t]*[*_`]*(?i:(?:is it|what about|could it be|option|choice|video|clip|answer|选项|選項|選択肢|보기|选)\s*(?<![A-Za-z]))?(?i:(?:is it|what about|could it be|option|choice|video|clip|answer)\s+)?)"
        rf"\(?(?P<letter>[{letters}])(?![\w'])",
    )


def _marked(parts: Sequence[tuple[str, str, str]]) -> Verdict | None:
    """Ticks and boxes before a letter or behind it."""
    # "A✗ B✓" has its marks behind the letters, "✗A ✓B" before them.
    before = any(box[:1] == "\n" and box.strip() for _, box, _ in parts) or bool(
        parts[0][1].strip()
    )
    later = [box for _, box, _ in parts[1:]] + [""]
    good = {
        letter
        for (letter, box, after), following in zip(parts, later, strict=True)
        if _GOOD_BOX.search(box if before else after[:400] + following)
    }
    if not good:
        return None
    return Verdict(good.pop() if len(good) == 1 else None, "mark")


_CROSS = re.compile(r"\s*[)*.:]*\s*[✗✘❌❎×]")


def _crossed(parts: Sequence[tuple[str, str, str]], letters: Sequence[str]) -> Verdict | None:
    """The only option without a cross, where every other one has its own and nothing else is said."""
    later = [box.strip() for _, box, _ in parts[1:]] + [""]
    if parts[0][1].strip():
        return None
    crossed = {
        letter
        for (letter, _, after), following in zip(parts, later, strict=True)
        if _CROSS.match(after + following)
    }
    left = set(letters) - crossed
    bare = all(len(after.strip()) < 4 for _, _, after in parts)
    return Verdict(left.pop(), "crossed") if len(left) == 1 and bare else None


def _shares(parts: Sequence[tuple[str, str, str]]) -> Verdict | None:
    """Percentages, one for each letter named."""
    shares: dict[str, float] = {}
    for letter, _, after in parts:
        numbers = _SHARE.findall(after[:400])
        if len(numbers) != 1 or letter in shares:
            return None
        shares[letter] = float(numbers[0])
    return single_highest(shares, "percentages")


def single_highest(shares: dict[str, float], rule: str) -> Verdict:
    """Letter with the highest share; none if two have it."""
    most = max(shares.values())
    best = [letter for letter, share in shares.items() if share == most]
    return Verdict(best[0] if len(best) == 1 else None, rule)


_SHORT_VERDICT = re.compile(
    r"[\s)\]:.,*_`|?]*(?:->|=>|→|[-–—=:|(]|is|was)?[\s*_`|(]*"
    r"([\w' ]{2,24}?|[是否对错误正])[\s)*_`|.!,;:]*(?:(?:because|since|as)\b.*|(?<=[,;.:])\s.*|[-–—]\s.*|\(.*)?",
    re.IGNORECASE,
)
_ENDING_VERDICT = re.compile(
    r"(?:[(\[]|[-–—:|←>]|<-+)\s*(?:the\s+)?([\w' ]{2,24}?)(?:\s+(?:answer|option|choice))?"
    r"[\s)\].!*_`|]*$"
)


def _worded(parts: Sequence[tuple[str, str, str]], letters: Sequence[str]) -> Verdict | None:
    """A short verdict in words right behind each letter, or in brackets at the end of its line."""
    good: set[str] = set()
    bad: set[str] = set()
    joined = False
    for letter, _, after in parts:
        # "which of A, B, C, D is right": said of none of them.
        listed, joined = joined, not after.strip(" ,")
        line = after.split("\n", 1)[0]
        if len(line) > 200:
            return None
        short = _SHORT_VERDICT.fullmatch(line)
        ending = _ENDING_VERDICT.search(line)
        words = " ".join(match[1].strip() for match in (short, ending) if match is not None)
        if _BAD.search(words):
            bad.add(letter)
        elif _MAYBE.search(words):
            continue
        elif _GOOD.search(words):
            if listed:
                return None
            good.add(letter)
    if len(good) == 1 and (bad or len({letter for letter, _, _ in parts}) >= len(letters) - 1):
        return Verdict(good.pop(), "verdict")
    if len(good) > 1:
        return Verdict(None, "verdict")
    return None


_AGAINST = re.compile(
    r"\b(?:wrong|different|differs|missing|lacks|fails|too|another|other|not|no|never|without|mismatch\w*|incorrect|opposite|instead|only partial\w*|less)\b|n't\b|不|没有|错|違|ない|ません|다르|않",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"\b(?:same|right|match\w*|agree\w*|identical|consistent|correct|fits?|exactly|everything|all|perfect\w*|yes)\b|相同|一致|符合|同じ|일치|같",
    re.IGNORECASE,
)


def _contrasted(parts: Sequence[tuple[str, str, str]], letters: Sequence[str]) -> Verdict | None:
    """The only option of a list of all of which nothing speaks against, and something for it.

    "A: wrong room. B: right room, wrong person. C: right room, right person. D: other day."
    """
    said: dict[str, str] = {}
    for letter, _, after in parts:
        if letter in said or len(after) > 240:
            return None
        said[letter] = after
    if set(said) != set(letters) or len(said) < 3:
        return None
    clean = [letter for letter, after in said.items() if not _AGAINST.search(after)]
    if len(clean) == 1 and _FOR.search(said[clean[0]]):
        return Verdict(clean[0], "contrast")
    return None


def _bold(text: str, letters: Sequence[str]) -> Verdict | None:
    """One line of the list of options that is bold, all others not."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    option = re.compile(rf"(?:[-•]\s*|\d{{1,2}}[.)]\s+)?(\*\*|__)?\(?([{''.join(letters)}])[).:]")
    # What stands above the list is not part of it.
    while lines and option.match(lines[0]) is None:
        lines = lines[1:]
    found = [match for line in lines if (match := option.match(line)) is not None]
    if len(found) < len(letters) - 1 or len(found) < len(lines):
        return None
    bold = [match[2] for match in found if match[1]]
    return Verdict(bold[0], "bold_line") if len(bold) == 1 else None
