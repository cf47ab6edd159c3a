"""Evidence that a reply cites: times, objects and boxes (EgoCoT-Bench, grounded rationales).

The canonical form is `Evidence(times, objects, boxes)`: seconds, names and `(x1, y1, x2, y2)` as they are given, each in
the order in which the reply cites them; a span of time gives its start and its end.

Rules, after the wrapping is off:

- JSON: every record with a time, an object or a box, under any of their usual names, in any nesting. Of several objects the
  last counts where words of correction lead to it.
- A table with columns of them; numbered or bulleted items; sentences ("at 4 s the cup is at [10, 20, 110, 220]").
- Four numbers in brackets are a box, a clock time in brackets is a time; numbers of items, of frames and lengths are neither.
- Objects are named in quotation marks or behind a label, beside a time, or before their box.
- One thing with two boxes that the reply does not decide between is ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from assets.extract.json_answers import Found, find_json
from assets.extract.readings import Read, is_cut, nothing_found, prepare
from assets.extract.times import readable, times_in
from assets.extract.wrapping import plain

Box = tuple[float, float, float, float]
Thing = TypeVar("Thing")
_Placed = tuple[int, int, Thing]
"""Something with its start and end in the text."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence in the order in which a reply cites it.

    Attributes:
        times: Seconds from the start.
        objects: Names, as they are worded.
        boxes: Corners x1, y1, x2, y2, in the unit that the reply was asked for.
    """

    times: tuple[float, ...] = ()
    objects: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.times or self.objects or self.boxes)


_TIME_KEYS = (
    "time",
    "timestamp",
    "t",
    "second",
    "seconds",
    "time_s",
    "start",
    "end",
    "times",
    "span",
    "time_span",
    "interval",
    "时间",
    "時刻",
    "時間",
    "시간",
)
_OBJECT_KEYS = (
    "object",
    "objects",
    "label",
    "name",
    "item",
    "entity",
    "物体",
    "对象",
    "物品",
    "オブジェクト",
    "물체",
    "객체",
    "대상",
)
_CORNER_KEYS = (
    ("x1", "y1", "x2", "y2"),
    ("x_min", "y_min", "x_max", "y_max"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("left", "top", "right", "bottom"),
)
_BOX_KEYS = (
    "box",
    "bbox",
    "boxes",
    "bounding_box",
    "bbox_2d",
    "region",
    "框",
    "边框",
    "枠",
    "領域",
    "位置",
    "박스",
    "상자",
    "영역",
)
_PROSE_KEYS = ("evidence", "citations", "citation", "grounding", "证据", "証拠", "근거")
_NUMBER = r"-?\d{1,5}(?:\.\d{1,6})?"
_BOX = re.compile(
    rf"[\[(<]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])>]"
)
_LABELLED = re.compile(
    rf"(?<![A-Za-z])(?:{'|'.join(_OBJECT_KEYS)})\s*(?:[:=]|is\s+(?=the\b|an?\b)|は|是)\s*(?:(?:the|an?)\s+)?[\"']?(?P<name>[^\"'\n;.\[\](){{}}|]{{1,60}})",
    re.IGNORECASE,
)
_QUOTED = (
    re.compile(r"\"(?P<name>[^\"\n]{2,60})\""),
    # Outside of words: "the wearer's hand".
    re.compile(r"(?<!\w)'(?P<name>[^'\n]{2,60})'(?!\w)"),
)
_WORDS = r"[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*){0,2}?"
# "[00:07] screwdriver", "2.0 s: kettle", "t=2s – mug –".
_BESIDE = re.compile(
    rf"[\])]?[ \t]*(?::|,|[-–—|]|(?<=[\])])|(?<=\])[ \t])[ \t]*(?:\b(?:the|a|an)\s+)?(?P<name>{_WORDS})\s*(?=$|[,;.\n|:\[(]|[ \t][-–—][ \t]|\b(?:is|are|at)\b)",
    re.IGNORECASE,
)
# "the cup is at [", "kettle @ 00:12", "a cup (4 s".
_BEFORE = re.compile(
    rf"(?:\b(?:the|a|an|his|her|its)\s+|(?:^|[.;:,\n|]|[-–—])\s*)(?P<name>{_WORDS})[\s,:–—-]*"
    r"(?:(?:is|are|was|lies|sits|stands|appears|seen|visible|located|shown)\s+)*(?:(?:at|in|within|inside|with|by|around)\s+|[@(]\s*)?"
    r"(?:(?:the|a)\s+)?(?:(?:bounding\s+)?box|bbox|region|position|位于|在|的位置[是为]?|は|が|の位置は)?\s*[:=(]?\s*$",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    rf"\b(?:the|a|an)\s+(?P<name>{_WORDS})(?=\s*(?:[,.;:(\[]|$|\b(?:is|are|was|were|at|in|on|and|from|to|with|for|lies|sits|appears|has|can"
    r"|moves|leaves|takes|touches|comes|goes|stands|of|into|onto|out|up|down|somewhere|begins|ends)\b))",
    re.IGNORECASE,
)
_FIELD = re.compile(r"<(time|timestamp|object|label|box|bbox)>([^<]{0,200})</\1>", re.IGNORECASE)
# Times and boxes of a text that are looked at, the last ones.
_MOST = 60
_ATTRIBUTE = re.compile(
    r"\b(time|timestamp|object|label|box|bbox)=[\"']([^\"'\n]{0,200})[\"']", re.IGNORECASE
)
_BARE_CELL = re.compile(rf"(\|\s*)({_NUMBER}(?:\s*,\s*{_NUMBER}){{3}})(\s*(?:\||$))", re.MULTILINE)
_TWO_POINTS = re.compile(
    rf"[(\[]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[)\]]\s*,\s*[(\[]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[)\]]"
)
_CORNERS = re.compile(
    rf"x1?\s*[:=]\s*({_NUMBER})\W+y1?\s*[:=]\s*({_NUMBER})\W+x2\s*[:=]\s*({_NUMBER})\W+y2\s*[:=]\s*({_NUMBER})",
    re.IGNORECASE,
)
_BARE_BOX = re.compile(
    rf"\b(box|bbox)\s*[:=]?\s*({_NUMBER}(?:\s*,\s*{_NUMBER}){{3}})(?!\d)", re.IGNORECASE
)
_BARE_TIME = re.compile(
    r"\b((?:time|timestamp|t)\s*[:=])\s*(\d{1,6}(?:\.\d{1,4})?)(?![\d.:]|\s*(?:s\b|sec|ms|min|[-–]))",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:correct(?:ion|ed)\b|sorry\b|no(?=[,:])|wait\b|or rather\b|scratch that\b|oops\b)|更正|訂正",
    re.IGNORECASE,
)
_NOT_NAMES = frozenset(
    "action step hand hands clip video moment wearer person picture image view start end answer question camera right left main only"
    " 証拠 证据 根拠 框 枠 边框 时间 時刻 t no yes for by as of with involved 在第 第 大约 约 corrected correction i we he she they you base evidence: first last next table's same other in front middle"
    " box bbox time at in is are the a an and or evidence object it there seen shown visible frame second seconds answer then box:"
    " this that here when while because so from to on".split()
)
_ITEM = re.compile(
    r"^\s*(?:[-*•]|\d{1,2}[.)]|\[\d{1,2}\]|evidence\s+\d{1,2}\s*[.:)]|step\s+\d{1,2}\s*[.:)])\s+",
    re.IGNORECASE | re.MULTILINE,
)
_CORRECTS = re.compile(
    r"\b(?:correction|corrected|sorry|wait|instead|rather|revised|actually|final|oops|scratch)\b|更正|訂正",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\b(?:or else|cannot decide|can't decide|either|alternatively)\b", re.IGNORECASE
)


def read_evidence(reply: str | None, truncated: bool = False) -> Read[Evidence]:
    """Evidence that a reply cites.

    Args:
        reply: Reply as it came.
        truncated: Whether the model was cut off (finish reason `length`).
    """
    prepared = prepare(reply, truncated=truncated)
    if prepared.stop is not None:
        return Read(None, *prepared.stop)
    text = _tag(prepared.whole)
    found = list(find_json(text))
    records = [(one, evidence) for one in found if (evidence := _of_json(one)) is not None]
    if records:
        last, evidence = records[-1]
        if not last.closed:
            complete = _complete(text[last.start :])
            return (
                Read(complete, "parsed", "open_json")
                if complete
                else Read(None, "truncated", "open_json")
            )
        if not evidence:
            return Read(None, "empty", "no_items")
        between = text[records[-2][0].end : last.start] if len(records) > 1 else ""
        if len(records) > 1 and not _CORRECTS.search(between):
            evidence = _joined([one for _, one in records])
        return Read(evidence, "parsed", "json")
    if re.match(r"\s*(?:```\w*\s*)?[\[{]\s*\"", text) and text.count("{") > text.count("}"):
        return Read(None, "truncated", "open_json")
    evidence = _in_table(text) or _in_text(readable(plain(text)))
    if not evidence:
        return nothing_found(prepared, "nothing_cited", truncated=truncated)
    if len(evidence.boxes) > 1 and _UNDECIDED.search(text):
        return Read(None, "ambiguous", "undecided")
    if truncated and is_cut(text):
        return Read(None, "truncated", "cut_off")
    return Read(evidence, "parsed", "text")


def _tag(text: str) -> str:
    """The contents of evidence fields, where there are any."""
    fields = re.findall(
        r"<(evidence|grounding|citations?)>(.{0,6000}?)</\1>", text, re.IGNORECASE | re.DOTALL
    )
    return "\n".join(body for _, body in fields) if fields else text


def _joined(parts: Sequence[Evidence]) -> Evidence:
    return Evidence(
        tuple(x for part in parts for x in part.times),
        tuple(x for part in parts for x in part.objects),
        tuple(x for part in parts for x in part.boxes),
    )


def _of_json(found: Found) -> Evidence | None:
    """Evidence of an object or a list; None if it is neither of evidence nor says that there is none."""
    evidence = _joined(list(_records(found.value)))
    if evidence:
        return evidence
    value = found.value
    says_none = isinstance(value, dict) and any(
        key.lower() in ("evidence", "citations", "grounding", *_TIME_KEYS, *_OBJECT_KEYS)
        for key in map(str, value)
    )
    return Evidence() if says_none else None


def _records(value: Any) -> Iterator[Evidence]:
    if isinstance(value, list):
        for part in value:
            yield from _records(part)
        return
    if not isinstance(value, dict):
        return
    fields = {str(key).strip().lower().replace(" ", "_"): field for key, field in value.items()}
    times = [t for key in _TIME_KEYS if key in fields for t in _seconds(fields[key])]
    objects = [name for key in _OBJECT_KEYS if key in fields for name in _names(fields[key])]
    boxes = [box for key in _BOX_KEYS if key in fields for box in _boxes(fields[key])]
    for key, field in fields.items():
        # Evidence told in a sentence.
        if isinstance(field, str) and key in _PROSE_KEYS:
            yield _in_text(readable(plain(field)))
    yield Evidence(tuple(times), tuple(objects), tuple(boxes))
    for key, field in fields.items():
        if key not in (*_TIME_KEYS, *_OBJECT_KEYS, *_BOX_KEYS) or (
            isinstance(field, list) and any(isinstance(one, dict) for one in field)
        ):
            yield from _records(field)


def _seconds(field: Any) -> list[float]:
    if isinstance(field, bool) or field is None or isinstance(field, dict):
        return []
    if isinstance(field, int | float):
        return [float(field)]
    if isinstance(field, list):
        return [t for one in field for t in _seconds(one)]
    text = readable(str(field))
    bare = re.fullmatch(rf"[^\w-]*({_NUMBER})(?:\s*(?:-|–|to|,)\s*({_NUMBER}))?\W*s?\W*", text)
    return [float(x) for x in bare.groups() if x] if bare else list(_times(text))


def _times(text: str) -> Iterator[float]:
    for one in times_in(text):
        for time in (one.first, one.last):
            if time is not None and time.seconds is not None:
                yield time.seconds


def _names(field: Any) -> list[str]:
    if isinstance(field, list):
        return [name for one in field for name in _names(one)]
    return [field.strip()] if isinstance(field, str) and field.strip() else []


def _boxes(field: Any) -> list[Box]:
    if isinstance(field, str):
        return [_box(match) for match in _BOX.finditer(field)]
    if isinstance(field, dict):
        corners = next((keys for keys in _CORNER_KEYS if keys[0] in field), _CORNER_KEYS[0])
        field = [field.get(key) for key in corners]
    if not isinstance(field, list):
        return []
    numbers = [number for x in field if (number := _coordinate(x)) is not None]
    if len(field) == len(numbers) == 4:
        x1, y1, x2, y2 = numbers
        return [(x1, y1, x2, y2)]
    return [box for one in field if isinstance(one, list | dict | str) for box in _boxes(one)]


def _coordinate(value: Any) -> float | None:
    if isinstance(value, str):
        return float(value) if re.fullmatch(_NUMBER, value.strip()) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _box(match: re.Match[str]) -> Box:
    x1, y1, x2, y2 = (float(x) if "." in x else int(x) for x in match.groups())
    return x1, y1, x2, y2


def _complete(text: str) -> Evidence:
    """Records that are complete in an object that breaks off later."""
    parts: list[Evidence] = []
    for inner in re.finditer(r"\{[^{}]{1,1000}\}", text):
        for found in find_json(inner[0]):
            evidence = _of_json(found)
            if evidence:
                parts.append(evidence)
    return _joined(parts)


def _in_table(text: str) -> Evidence:
    rows = [
        [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
        for line in text.split("\n")
        if line.strip().startswith("|")
    ]
    rows = [row for row in rows if not all(re.fullmatch(r"[:\- ]*", cell) for cell in row)]
    if len(rows) < 2:
        return Evidence()
    head = [re.sub(r"\s*\(.*?\)", "", cell).strip().lower().replace(" ", "_") for cell in rows[0]]
    parts: list[Evidence] = []
    for row in rows[1:]:
        fields = dict(zip(head, row, strict=False))
        parts.extend(_records(fields))
    return _joined(parts)


def _in_text(text: str) -> Evidence:
    """Times, boxes and names of a text in prose or in items."""
    text = _spelled_out(_ITEM.sub(lambda match: "\n" + " " * max(0, len(match[0]) - 1), text))
    boxes = [(match.start(), match.end(), _box(match)) for match in _BOX.finditer(text)]
    without = _BOX.sub(lambda match: " " * len(match[0]), text)
    times = [
        (one.start, one.end, time.seconds)
        for one in times_in(without)
        for time in (one.first, one.last)
        if time is not None and time.seconds is not None
    ]
    names = _objects(text, [one[:2] for one in boxes], [one[:2] for one in times])
    turn = _TAKEN_BACK.search(text)
    if turn is not None:
        boxes, times = _replaced(boxes, turn.start()), _replaced(times, turn.start())
        names = _replaced(names, turn.start())
    return Evidence(
        tuple(seconds for _, _, seconds in times),
        tuple(name for _, _, name in names),
        tuple(box for _, _, box in boxes),
    )


def _spelled_out(text: str) -> str:
    """Text in which fields, times without a unit and corners of boxes have their plain form."""
    text = _ATTRIBUTE.sub(r"\1: \2; ", _FIELD.sub(r"\1: \2; ", text))
    text = _BARE_CELL.sub(r"\1[\2]\3", text)
    text = _CORNERS.sub(r"[\1, \2, \3, \4]", _TWO_POINTS.sub(r"[\1, \2, \3, \4]", text))
    text = _BARE_BOX.sub(r"\1: [\2]", text)
    return _BARE_TIME.sub(r"\1 \2 s", text)


def _replaced(found: Sequence[_Placed[Thing]], at: int) -> list[_Placed[Thing]]:
    """What stands before a correction at `at`, less as many as follow it, and what follows."""
    before, after = [one for one in found if one[0] < at], [one for one in found if one[0] >= at]
    return [*before[: max(0, len(before) - len(after))], *after]


def _objects(
    text: str, boxes: Sequence[tuple[int, int]], times: Sequence[tuple[int, int]]
) -> list[_Placed[str]]:
    """Names: behind a label, in quotation marks, or in the clause of a time or a box; the surest first."""
    labelled = _placed(_LABELLED.finditer(text))
    if labelled:
        return labelled
    for marks in _QUOTED:
        if quoted := _placed(marks.finditer(text)):
            return quoted
    anchors = sorted([*boxes, *times])[-_MOST:]
    named: dict[int, _Placed[str]] = {}
    for at, (start, end) in enumerate(anchors):
        until = min(end + 300, anchors[at + 1][0] if at + 1 < len(anchors) else len(text))
        since = anchors[at - 1][1] if at else 0
        behind = _BESIDE.match(text[:until], end)
        before = _BEFORE.search(text[max(since, start - 80) : start])
        for match, shift in ((behind, 0), (before, max(since, start - 80))):
            if match is not None and (name := _name(match["name"])):
                place = match.start("name") + shift
                named.setdefault(place, (place, match.end("name") + shift, name))
        clause = re.split(r"[.;\n]\s|[.;\n]$", text[end:until])[0]
        for match in _PHRASE.finditer(clause):
            if name := _name(match["name"]):
                named.setdefault(
                    end + match.start("name"),
                    (end + match.start("name"), end + match.end("name"), name),
                )
                break
    found: list[_Placed[str]] = []
    for place in sorted(named):
        if not found or place >= found[-1][1]:
            found.append(named[place])
    return found


def _placed(matches: Iterator[re.Match[str]]) -> list[_Placed[str]]:
    """Names of matches, more than one where they stand in a list."""
    return [
        (*match.span(), name)
        for match in matches
        for part in re.split(r",|\band\b|、", match["name"])
        if (name := _name(part))
    ]


def _name(text: str) -> str:
    """A name without articles; empty where the words name no thing, as the letter of an option does."""
    name = re.sub(r"^(?:the|a|an)\s+", "", text.strip(" .,:;-–—\"'"), flags=re.IGNORECASE)
    words = name.lower().split()
    name = re.sub(r"(?:位于|出现|在|的|は|が|を|の)$", "", name)
    is_letter = re.fullmatch("[A-Za-z]", name) is not None
    is_name = words and not is_letter and not _NOT_NAMES.intersection((words[0], words[-1]))
    return name if is_name else ""
