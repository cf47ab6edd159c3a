"""A pair of videos (EgoExoBench, search for a duplicate: "VideoX-VideoY").

The canonical form is `(2, 5)`, the smaller number first: which is named first makes no difference.

Rules, after the wrapping is off:

- Two videos joined by a dash, "and", "&", "with" or words of likeness ("is the same as"), in figures, words or
  ordinals ("the fifth and the eighth video", 视频四和视频九); numbers alone only where nothing else is said.
- JSON with two videos, or one record per pair of which one is marked; a table or list with a verdict for each pair.
- What is said of a pair counts: "no", "differ", "only similar" rule it out, "identical", "yes" speak for it.
- A word of correction or conclusion leads to the last pair; two that nothing decides between are ambiguous, and so
  are three videos in a row, one video alone, a video twice, and one that does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assets.extract.json_answers import find_json
from assets.extract.readings import (
    Candidate,
    Read,
    is_cut,
    nothing_found,
    prepare,
    settle,
)
from assets.words.numerals import figures

Pair = tuple[int, int]

_VIDEO = r"(?:videos?|vids?|clips?|v|视频|視頻|影片|片段|動画|ビデオ|映像|비디오|영상|동영상)"
_NUMBERED = rf"(?:{_VIDEO}\s*(?:no\.?|number|nr\.?)?\s*[#_-]?\s*)?[#]?(?P<%s>\d{{1,2}})(?!\d|[.:]\d|%%|\s*(?:fps|s\b))(?:\s*(?:番|号|번))?(?:\s+{_VIDEO}\b)?"
_LINK = (
    r"[\])\"'`]*\s*(?:[-–—~/&+=]+|,?\s*\band\b|\bwith\b|<->|↔|和|与|與|跟|と|,|、|(?:과|와)"
    r"|\b(?:is|are|=)?\s*(?:exactly |completely |clearly )?(?:the same (?:video )?as|identical (?:to|with)|equal to|a (?:duplicate|copy) of"
    r"|duplicates?|matches|equals))\s*(?:the\s+)?[\[(\"'`]*"
)
_PAIR = re.compile(
    rf"(?<![\w.:/])(?P<label>{_VIDEO}\b|{_VIDEO}(?=\s*[#_\d-])|#)?"
    + _NUMBERED % "first"
    + _LINK
    + _NUMBERED % "second",
    re.IGNORECASE,
)
_THIRD = re.compile(
    rf"\s*(?:,|、|\band\b|&|和|と)\s*(?:and\s+)?(?:the\s+)?{_VIDEO}?\s*#?(\d{{1,2}})(?!\d|[.:]\d)",
    re.IGNORECASE,
)
# Pairs of a text that are looked at, the last ones.
_MOST = 60
_LABEL = re.compile(_VIDEO, re.IGNORECASE)
_GOOD = re.compile(
    r"\b(?:identical|same|duplicates?|yes|match(?:es|ing)?|equal|true|copies|copy|pair|similar)\b|[✓✔✅☑]|相同|一样|一致|重复|同じ|同一|一致|같|동일",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"\b(?:no|not|n't|differ\w*|distinct|only similar|merely similar|similar,? but|false|unlike|wrong)\b|n't\b|[✗✘❌×]|不同|不一样|不是|違|異な|다르|아니",
    re.IGNORECASE,
)
_SHARE = re.compile(r"(\d{1,3})\s*/\s*(\d{1,3})|(\d{1,3}(?:\.\d+)?)\s*%|\b([01]\.\d+)\b")


def read_pair(
    reply: str | None, n_videos: int | None = None, truncated: bool = False
) -> Read[Pair]:
    """Pair of videos that a reply answers with.

    Args:
        reply: Reply as it came.
        n_videos: Number of videos; they are numbered from 1. None where it is not known.
        truncated: Whether the model was cut off (finish reason `length`).
    """
    prepared = prepare(reply, truncated=truncated)
    if prepared.stop is not None:
        return Read(None, *prepared.stop)
    text = figures(prepared.text, ordinals=True)
    if truncated and is_cut(prepared.text):
        return nothing_found(prepared, "no_pair", truncated=True)
    found = list(_in_json(text)) or _in_rows(text) or list(_in_words(text))
    read = settle(text, found)
    # What a comparison that breaks off has named so far is not an answer.
    late = not found or found[-1].start > 40
    if read is None or (is_cut(prepared.text) and (read.value is None or late)):
        return nothing_found(prepared, "no_pair", truncated=truncated)
    if read.value is None:
        return read
    low, high = read.value
    if low == high or low < 1 or (n_videos is not None and high > n_videos):
        return Read(None, "ambiguous", "no_such_pair")
    return read


def _ordered(first: str | int, second: str | int) -> Pair:
    low, high = sorted((int(first), int(second)))
    return low, high


def _in_json(text: str) -> Iterator[Candidate[Pair]]:
    for one in find_json(text):
        pair = _of_value(one.value)
        if pair is not None:
            yield Candidate(pair, one.start, one.end, "json")
    bare = re.fullmatch(r"\W*\[\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\]\W*", text)
    if bare is not None:
        yield Candidate(_ordered(bare[1], bare[2]), 0, len(text), "list")


def _of_value(value: Any) -> Pair | None:
    if isinstance(value, str):
        found = list(_in_words(figures(value, ordinals=True)))
        return found[0].value if len({one.value for one in found}) == 1 else None
    if isinstance(value, dict):
        numbers = _numbers(list(value.values()))
        marks = [field for field in value.values() if isinstance(field, bool)]
        if len(numbers) == 2 and (not marks or all(marks)) and len(value) - len(marks) <= 3:
            return _ordered(*numbers)
        inner = [pair for field in value.values() if (pair := _of_value(field)) is not None]
        return inner[-1] if inner else None
    if not isinstance(value, list):
        return None
    numbers = _numbers(value)
    if len(value) == 2 and len(numbers) == 2:
        return _ordered(*numbers)
    marked = [
        one
        for one in value
        if isinstance(one, dict) and any(field is True for field in one.values())
    ]
    records = marked or (value if len(value) == 1 else [])
    pairs = {pair for one in records if (pair := _of_value(one)) is not None}
    return pairs.pop() if len(pairs) == 1 else None


def _numbers(values: list[Any]) -> list[int]:
    """Videos among values: whole numbers, and texts that name just one."""
    found: list[int] = []
    for one in values:
        if isinstance(one, int) and not isinstance(one, bool):
            found.append(one)
        elif isinstance(one, str) and re.fullmatch(
            rf"\W*(?:{_VIDEO})?\W*\d{{1,2}}\W*", figures(one), re.IGNORECASE
        ):
            found.append(int(re.findall(r"\d+", figures(one))[0]))
    return found


def _in_rows(text: str) -> list[Candidate[Pair]]:
    """One pair per line, with a verdict or a share for each; the only good one, or the highest."""
    rows: list[tuple[Candidate[Pair], str]] = []
    at = 0
    for line in text.split("\n"):
        pairs = list(_in_words(line, labelled=False))
        if pairs:
            one = pairs[0]
            comment = line[one.end :]
            rows.append((Candidate(one.value, at + one.start, at + one.end, "rows"), comment))
        at += len(line) + 1
    if len({one.value for one, _ in rows}) < 2:
        return []
    shares = [_share(comment) for _, comment in rows]
    known = [share for share in shares if share is not None]
    if len(known) == len(rows):
        best = [one for (one, _), share in zip(rows, shares, strict=True) if share == max(known)]
        return best if len(best) == 1 else []
    good = [one for one, comment in rows if _GOOD.search(comment) and not _BAD.search(comment)]
    bad = [one for one, comment in rows if _BAD.search(comment)]
    return good if len(good) == 1 and len(bad) == len(rows) - 1 else []


def _share(text: str) -> float | None:
    found = _SHARE.findall(text)
    if len(found) != 1:
        return None
    part, whole, percent, share = found[0]
    if part:
        return int(part) / int(whole) if int(whole) else None
    return float(percent) / 100 if percent else float(share)


def _in_words(text: str, *, labelled: bool = True) -> Iterator[Candidate[Pair]]:
    """Pairs that the text names and does not rule out."""
    found = list(_PAIR.finditer(text))[-_MOST:]
    alone = len(found) == 1 and len(re.findall(r"\d+", text)) == 2
    for match in found:
        named = match["label"] or _LABEL.search(match[0])
        if (
            labelled
            and not named
            and not (alone and match.start() < 80 and not re.search(r"\d", text[: match.start()]))
        ):
            continue
        third = _THIRD.match(text, match.end())
        if third is not None:
            yield Candidate(_ordered(0, 0), match.start(), third.end(), "three")
            continue
        clause = re.split(
            r"[.;\n]|\b(?:comparing|video\s*\d+\s*(?:-|–|and|with))",
            text[match.end() : match.end() + 200],
            maxsplit=1,
            flags=re.IGNORECASE,
        )[0][:160]
        main_clause = re.split(r",\s+but\b", clause)[0]
        only_alike = re.search(r"\bsimilar\b|\balike\b", main_clause) and len(main_clause) < len(
            clause
        )
        affirmed = re.match(r"\W*(?:yes|identical)\b", clause, re.IGNORECASE)
        if labelled and not affirmed and (only_alike or _BAD.search(main_clause)):
            continue
        if (
            labelled
            and re.search(
                r"\b(?:not|comparing|compare|compared)\s*$",
                text[max(0, match.start() - 20) : match.start()],
                re.IGNORECASE,
            )
            and not _GOOD.search(clause)
        ):
            continue
        yield Candidate(
            _ordered(match["first"], match["second"]), match.start(), match.end(), "pair"
        )
