"""One fault after another in every field of a question, nested ones included.

Faults are made from a question alone, so that they fit any subtask: the small worlds here, or the
questions of a whole store. What the question shows is hashed anew after each fault, except where the
fault is that it was not.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from assets.questions.kit.identity import question_hash
from expectations.schemas import TABLES

Row = dict[str, Any]
FieldFault = tuple[str, str, Row]
_SWAPS = (
    ("left", "right"),
    ("top", "bottom"),
    ("front", "back"),
    ("ego", "exo"),
    ("wearer's own", "outside observer's"),
    ("looks at", "touches"),
)
_NEGATIONS = (
    ("nothing", "everything"),
    (" is ", " is not "),
    (" most ", " least "),
    (" shows ", " does not show "),
    ("was '", "was not '"),
    ("does ", "does not "),
)
_NUMBER = re.compile(r"(?<![\w|.])\d+(?:\.\d+)?(?![\w|])")
_HASH = "0" * 32
# A question's id is opaque: it follows from the anchors of its recipe, of which nothing is shown.
FREE = {"question_id"}


def fields() -> set[str]:
    """Names of all leaves of a row of `questions`, as `media[].overlays[].t_s`."""

    def leaves(name: str, dtype: Any) -> Iterator[str]:
        if isinstance(dtype, pl.List):
            yield from leaves(f"{name}[]", dtype.inner)
        elif isinstance(dtype, pl.Struct):
            for field in dtype.fields:
                yield from leaves(f"{name}.{field.name}", field.dtype)
        else:
            yield name

    schema = TABLES["questions"].schema
    return {leaf for name, dtype in schema.items() for leaf in leaves(name, dtype)}


def field_faults(
    row: Row, other: Row, optional: frozenset[tuple[str, str]]
) -> Iterator[FieldFault]:
    """Faulty copies of a question, each with its field and the fault's name.

    Args:
        row: A good question.
        other: Another question of the same benchmark, about something else.
        optional: Table and role of evidence that the question may but need not name.
    """

    def evidence(row: Row, other: Row) -> Iterator[Change]:
        return _evidence(row, other, optional)

    for maker in (_columns, _texts, _options, _media, _overlays, _rationale, evidence):
        for field, name, change in maker(row, other):
            faulty = copy.deepcopy(row)
            change(faulty)
            if faulty == row:
                continue
            if field != "question_hash":
                shown = (faulty["text"], faulty["options"], faulty["media"])
                faulty["question_hash"] = question_hash(*shown)
            yield field, name, faulty


Change = tuple[str, str, Callable[[Row], Any]]


def _put(name: str, value: Any) -> Callable[[Row], Any]:
    return lambda q: q.update({name: value})


def _in(part: str, at: int, name: str, value: Any) -> Callable[[Row], Any]:
    return lambda q: q[part][at].update({name: value})


def _columns(row: Row, other: Row) -> Iterator[Change]:
    yield "benchmark", "unknown", _put("benchmark", "another")
    yield "source", "another", _put("source", "another")
    yield "pool", "of another recipe", _put("pool", f"{row['source']}/another@1/unit")
    yield "subtask", "unknown", _put("subtask", "another")
    yield "recipe", "unknown", _put("recipe", "another@1")
    yield "question_hash", "another", _put("question_hash", _HASH)
    yield "question_hash", "text changed", _put("text", row["text"] + " Look closely.")
    yield "question_hash", "option changed", _in("options", 0, "text", "the moon")
    yield (
        "question_hash",
        "clip changed",
        _in("media", 0, "start_s", row["media"][0]["start_s"] + 0.01),
    )
    yield "split", "another", _put("split", "another")
    yield "split", "removed", _put("split", None)
    yield "recording_id", "another", _put("recording_id", "another")
    letters = [o["letter"] for o in row["options"]]
    wrong = next(x for x in letters if x != row["answer"])
    yield "answer", "another letter", _put("answer", wrong)
    yield "answer", "no letter", _put("answer", "Z")

    def move_key(q: Row) -> None:
        q["answer"] = wrong
        for o in q["options"]:
            o["is_answer"] = o["letter"] == wrong
        if q["answer_text"] is not None:
            q["answer_text"] = next(o["text"] for o in q["options"] if o["is_answer"])

    yield "answer", "key moved", move_key
    yield "chance", "doubled", _put("chance", min(1.0, 2 * row["chance"]))
    yield "chance", "removed", _put("chance", None)
    yield "media_present", "flipped", _put("media_present", not row["media_present"])
    distractor = next(o["text"] for o in row["options"] if not o["is_answer"])
    yield "answer_text", "of a distractor", _put("answer_text", distractor)
    yield "answer_text", "removed", _put("answer_text", None)
    for kind in ("sequences", "open"):
        yield "answer_kind", kind, _put("answer_kind", kind)
    for visible in (True, False):
        yield "answer_visible", str(visible), _put("answer_visible", visible)
    added = [{"number": 1, "text": "the moon", "value": "moon"}]
    for name in ("number", "text", "value"):
        yield f"candidates[].{name}", "added", _put("candidates", added)
    yield "licence", "removed", _put("licence", "")
    yield "licence", "another", _put("licence", "Public domain")
    yield "licence", "one more", _put("licence", f"{row['licence']}; Public domain")


def _texts(row: Row, other: Row) -> Iterator[Change]:
    for field in ("text", "detailed_answer"):
        text = row[field]
        if text is None:
            yield field, "added", _put(field, "It is so.")
            continue
        for name, changed in spoiled(text, row, other[field]):
            yield field, name, _put(field, changed)
        if field == "detailed_answer":
            yield field, "removed", _put(field, None)
            yield field, "half left out", _put(field, text[: text.find(". ") + 1])


def spoiled(text: str, row: Row, other: str | None = None) -> Iterator[tuple[str, str]]:
    """A text with one of its claims changed, and what was done to it."""
    yield "one more sentence", f"{text} The moon is made of cheese."
    yield "nonsense", "It is so."
    if other and other != text:
        yield "of another question", other
    for one, two in _SWAPS:
        if re.search(rf"\b({one}|{two})\b", text):
            swap = {one: two, two: one}
            found = re.sub(rf"\b({one}|{two})\b", lambda m: swap[m[0]], text)
            yield f"{one} and {two} swapped", found
    for plain, negated in _NEGATIONS:
        if plain in text:
            yield f"negated ({negated.strip()})", text.replace(plain, negated, 1)
    numbers = list(_NUMBER.finditer(text))
    for i, found in enumerate(numbers):
        value, step = float(found[0]), 0.3 if "." in found[0] else 3
        digits = len(found[0].partition(".")[2])
        for sign in (1, -1):
            if value + sign * step >= 0:
                shifted = f"{value + sign * step:.{digits}f}"
                changed = text[: found.start()] + shifted + text[found.end() :]
                yield f"number {i + 1} {'raised' if sign > 0 else 'lowered'}", changed
    # Each name that options give is exchanged for another option's.
    names = [str(o["text"]) for o in row["options"] if o["text"]]
    for one, two in zip(names, names[1:] + names[:1], strict=True):
        if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text):
            changed = re.sub(rf"(?<![\w-]){re.escape(one)}(?![\w-])", lambda _: two, text)
            yield f"option {names.index(one) + 1} named as {names.index(two) + 1}", changed
    letters = [str(o["letter"]) for o in row["options"]]
    for found in re.finditer(r"(?<=video )[A-T]\b", text):
        wrong = next(x for x in letters if x != found[0])
        yield "letter changed", text[: found.start()] + wrong + text[found.end() :]
    if re.search(r'"(.+?)"', text):
        yield "quotation changed", re.sub(r'"(.+?)"', '"flies to the moon"', text, count=1)


def _options(row: Row, other: Row) -> Iterator[Change]:
    options = row["options"]
    for i, option in enumerate(options):
        nearest = options[(i + 1) % len(options)]
        of = "answer" if option["is_answer"] else "distractor"
        yield (
            "options[].letter",
            f"{of}: taken twice",
            _in("options", i, "letter", nearest["letter"]),
        )
        yield "options[].letter", f"{of}: removed", _in("options", i, "letter", None)
        yield (
            "options[].text",
            f"{of}: flies to the moon",
            _in("options", i, "text", "flies to the moon"),
        )
        yield (
            "options[].text",
            f"{of}: another option's",
            _in("options", i, "text", nearest["text"]),
        )
        yield "options[].text", f"{of}: removed", _in("options", i, "text", "")
        segment = nearest["segment_id"] or "another"
        yield "options[].segment_id", f"{of}: another", _in("options", i, "segment_id", segment)
        if option["segment_id"] is not None:
            yield "options[].segment_id", f"{of}: removed", _in("options", i, "segment_id", None)
        if option["value"] is not None:
            yield (
                "options[].value",
                f"{of}: another's",
                _in("options", i, "value", nearest["value"]),
            )
            yield "options[].value", f"{of}: removed", _in("options", i, "value", None)
        yield "options[].value", f"{of}: unknown", _in("options", i, "value", "unknown")
        mark = not option["is_answer"]
        yield "options[].is_answer", f"{of}: flipped", _in("options", i, "is_answer", mark)
        yield "options[].is_answer", f"{of}: removed", _in("options", i, "is_answer", None)


def _media(row: Row, other: Row) -> Iterator[Change]:
    for i, medium in enumerate(row["media"]):
        of = str(medium["role"]).partition("_")[0]
        start, end = medium["start_s"], medium["end_s"]
        yield "media[].role", f"{of}: unknown", _in("media", i, "role", "bonus")
        yield "media[].role", f"{of}: reference", _in("media", i, "role", "reference")
        yield "media[].recording_id", f"{of}: another", _in("media", i, "recording_id", "another")
        yield "media[].segment_id", f"{of}: unknown", _in("media", i, "segment_id", "unknown")
        if medium["segment_id"] is not None:
            yield "media[].segment_id", f"{of}: removed", _in("media", i, "segment_id", None)
        yield "media[].media_kind", f"{of}: unknown", _in("media", i, "media_kind", "hologram")
        yield "media[].media_kind", f"{of}: image", _in("media", i, "media_kind", "image")
        length = end - start
        shift = 2.0 + 0.37 * length
        yield "media[].end_s", f"{of}: later", _in("media", i, "end_s", end + shift)
        yield "media[].end_s", f"{of}: before its start", _in("media", i, "end_s", start - 1.0)
        yield "media[].start_s", f"{of}: far later", _in("media", i, "start_s", end - 0.1 * length)
        yield "media[].start_s", f"{of}: negative", _in("media", i, "start_s", -5.0)

        def move(q: Row, i: int = i, shift: float = shift) -> None:
            q["media"][i]["start_s"] += shift
            q["media"][i]["end_s"] += shift

        yield "media[].start_s", f"{of}: clip moved", move
        yield "media[].sampling", f"{of}: no rule", _in("media", i, "sampling", "telepathy(3)")
        yield "media[].sampling", f"{of}: given", _in("media", i, "sampling", "given")
        yield "media[].times_s[]", f"{of}: outside", _in("media", i, "times_s", [end + 9.0])
        yield "media[].times_s[]", f"{of}: not asked for", _in("media", i, "times_s", [start])
        yield "media[].content", f"{of}: another", _in("media", i, "content", _HASH)
        yield "media[].content", f"{of}: removed", _in("media", i, "content", "")


def _overlays(row: Row, other: Row) -> Iterator[Change]:
    sides = {"x_min": 0.1, "y_min": 0.2, "x_max": 0.4, "y_max": 0.5}
    start = row["media"][0]["start_s"]
    box = {"kind": "box", "label": "", "colour": "red", "width": 0.01, "t_s": start, **sides}

    def drawn(**changed: Any) -> Callable[[Row], Any]:
        return _in("media", 0, "overlays", [{**box, **changed}])

    field = "media[].overlays[]"
    yield f"{field}.kind", "unknown", drawn(kind="arrow")
    wrong = next(o["text"] or "it" for o in row["options"] if not o["is_answer"])
    yield f"{field}.label", "names a distractor", drawn(label=wrong)
    yield f"{field}.colour", "box of nothing", drawn(colour="blue")
    yield f"{field}.width", "as wide as the picture", drawn(width=1.0)
    yield f"{field}.t_s", "outside", drawn(t_s=start - 50.0)
    for side, value in (("x_min", 0.5), ("y_min", 0.9), ("x_max", 1.4), ("y_max", float("nan"))):
        yield f"{field}.{side}", "no box", drawn(**{side: value})
    yield f"{field}.x_min", "box of nothing", drawn()


def _rationale(row: Row, other: Row) -> Iterator[Change]:
    steps = row["rationale"]
    field = "rationale[]"
    keys = [f"{e['table']}:{e['key']}" for e in row["evidence"]][:1]
    if not steps:
        for name in ("step", "text", "evidence[]"):
            added = [{"step": 1, "text": "It is so.", "evidence": keys}]
            yield f"{field}.{name}", "added", _put("rationale", added)
        return
    yield f"{field}.step", "all removed", _put("rationale", [])
    for i, step in enumerate(steps):
        yield f"{field}.step", "another number", _in("rationale", i, "step", 9)
        rest = [{**s, "step": n} for n, s in enumerate(steps[:i] + steps[i + 1 :], 1)]
        yield f"{field}.step", f"step {i + 1} left out", _put("rationale", rest)
        for name, text in spoiled(step["text"], row):
            yield f"{field}.text", f"step {i + 1}: {name}", _in("rationale", i, "text", text)
        yield f"{field}.text", f"step {i + 1}: removed", _in("rationale", i, "text", "")
        yield f"{field}.evidence[]", f"step {i + 1}: removed", _in("rationale", i, "evidence", [])
        later = steps[(i + 1) % len(steps)]["evidence"]
        if not set(later) & set(step["evidence"]):
            yield (
                f"{field}.evidence[]",
                f"step {i + 1}: the next",
                _in("rationale", i, "evidence", later),
            )
        known = [f"{e['table']}:{e['key']}" for e in row["evidence"]]
        absent = [*step["evidence"], f"{known[0]}x"]
        yield (
            f"{field}.evidence[]",
            f"step {i + 1}: unknown",
            _in("rationale", i, "evidence", absent),
        )

    def exchange(q: Row) -> None:
        first, last = q["rationale"][0], q["rationale"][-1]
        first["text"], last["text"] = last["text"], first["text"]

    yield f"{field}.text", "first and last exchanged", exchange


def _evidence(row: Row, other: Row, optional: frozenset[tuple[str, str]]) -> Iterator[Change]:
    rows = row["evidence"]
    counts: dict[tuple[str, str], int] = {}
    for e in rows:
        what = (e["table"], e["role"])
        counts[what] = counts.get(what, 0) + 1
    for i, e in enumerate(rows):
        of = f"{e['table']} as {e['role'].partition('_')[0]}"
        what = (e["table"], e["role"])
        if what not in optional and (counts[what] == 1 or e["table"] != "spatial_facts"):
            yield "evidence[].key", f"{of}: removed", _put("evidence", rows[:i] + rows[i + 1 :])
        yield "evidence[].key", f"{of}: unknown", _in("evidence", i, "key", f"{e['key']}x")
        borrowed = next(
            (
                o["key"]
                for o in other["evidence"]
                if (o["table"], o["role"]) == (e["table"], e["role"])
                and o["key"] not in {r["key"] for r in rows}
            ),
            None,
        )
        if borrowed:
            yield (
                "evidence[].key",
                f"{of}: of another question",
                _in("evidence", i, "key", borrowed),
            )
        yield "evidence[].table", f"{of}: another table", _in("evidence", i, "table", "recordings")
        yield "evidence[].role", f"{of}: another role", _in("evidence", i, "role", "bonus")
        yield "evidence[].role", f"{of}: removed", _in("evidence", i, "role", None)
    yield "evidence[].key", "doubled", _put("evidence", [*rows, rows[0]])
    yield "evidence[].key", "all removed", _put("evidence", [])
