"""A chain of actions: the steps in order and the direction of each move between them (EgoProx).

The canonical form is `Chain((4, 7, 1), ("G", "A"))` for the reply `[[4, 7, 1], ["G", "A"]]`: ids of candidates, and
letters of directions, one fewer than steps.

Rules, after the wrapping is off:

- Two lists: `[[4,7,1],[G,A]]` with or without quotation marks, closed or without its last bracket; steps may be
  "step 4", directions letters (glued ones too: "HC"), words ("front-left", 左前) or both ("A (right)").
- An object with steps and directions under any of their usual names, or a list of records of one each.
- A table with a column of ids and one of moves; two labelled lists; two fields.
- Steps and directions in turns ("5 -(F)-> 4 -(D)-> 9"), first all steps and then all directions, or steps and
  then each move ("from 2 to 7 front-left").
- The last chain counts if a word of correction or conclusion leads to it; examples of the format and what is
  taken back do not. Two that nothing decides between are ambiguous.
- A chain whose directions are not one fewer than its steps, or that names a step or a direction that does not exist,
  is not a chain: ambiguous. One that names a step twice is read: it is wrong, and clear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from assets.extract.directions import directions_in
from assets.extract.json_answers import find_json
from assets.extract.readings import (
    Candidate,
    Read,
    is_cut,
    nothing_found,
    prepare,
    settle,
)
from assets.extract.wrapping import plain

EGOPROX_DIRECTIONS: Mapping[str, str] = {
    "A": "right", "B": "left", "C": "front", "D": "back",
    "E": "front-right", "F": "front-left", "G": "back-left", "H": "back-right",
}  # fmt: skip
"""Letters of the directions in EgoProx."""


class Chain(NamedTuple):
    """Ids of the steps in order, and the letters of the moves between them."""

    steps: tuple[int, ...]
    edges: tuple[str, ...]


_TWO_LISTS = re.compile(
    r"\[\s*\[(?P<steps>[^\[\]{}]{1,400})\]\s*[,;]?\s*(?:\[(?P<edges>[^\[\]{}]{0,400})\]"
    r"|(?P<quote>[\"'])(?P<text>[^\"'\[\]]{1,200})(?P=quote)|(?P<glued>[A-Z]{1,20})(?=\s*\]))"
)
_OPEN_LISTS = re.compile(r"\[\s*\[[^\[\]{}]{0,400}(?:\]\s*,?\s*(?:\[[^\[\]{}]{0,400})?)?$")
_STEP_KEYS = {
    "steps", "ids", "id", "nodes", "node", "chain", "order", "sequence", "actions", "step_ids", "candidates", "steps_ids",
    "action_ids", "步骤", "顺序", "手順", "단계",
}  # fmt: skip
_EDGE_KEYS = {
    "directions", "dirs", "dir", "edges", "edge", "moves", "direction", "move", "movements", "transitions", "方向", "방향",
}  # fmt: skip
_STEP_KEY = re.compile(
    r"\b(?:steps?|ids?|nodes?|candidates?|actions?)\b|步骤|手順|단계|编号", re.IGNORECASE
)
_EDGE_KEY = re.compile(
    r"\b(?:directions?|dirs?|edges?|moves?|movements?)\b|方向|移动|移動|방향", re.IGNORECASE
)
_LABELLED = re.compile(
    r"(?:\b(?:steps?|ids?|nodes?|order|sequence|actions?|chain)|步骤|顺序|手順|順番|단계|순서)\W{0,4}(?:依次为|依次是|为|是|は|:|=|>)"
    r"[\s\[(]*(?P<steps>\d{1,3}(?:[\s\])]*(?:,|;|->|→|>|、|と|\s)[\s\[(]*\d{1,3}){1,20})",
    re.IGNORECASE,
)
_LABELLED_EDGES = re.compile(
    r"(?:\b(?:directions?|dirs?|edges?|moves?)|方向|移动|移動|방향)\W{0,4}(?:依次为|依次是|为|是|は|:|=|>)\s*(?P<edges>[^\n.]{1,200})",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9_.:])(?P<step>\d{1,3})(?![A-Za-z0-9_:%]|\.\d)|(?<![A-Za-z])(?P<edge>[A-Z])(?![A-Za-z'])"
)
# Steps and directions of the longest chain.
_LONGEST = 60
_ARROW_LINE = re.compile(r"->|→|⇒|➜|=>|\d\s*[-–—]+\s*\(?[A-Z]")
_COUNT = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)|\d{1,3}\s+(?:steps?|candidates?|moves?|seconds?|s)\b)|(?:step|no\.?)\s*\d{1,2}\s*[:.)]\s*(?=\D)",
    re.IGNORECASE,
)


def read_chain(
    reply: str | None,
    directions: Mapping[str, str] = EGOPROX_DIRECTIONS,
    n_candidates: int | None = None,
    truncated: bool = False,
) -> Read[Chain]:
    """Chain that a reply answers with.

    Args:
        reply: Reply as it came.
        directions: Name of each direction's letter ("back-left").
        n_candidates: Number of candidates; ids run from 1. None where it is not known.
        truncated: Whether the model was cut off (finish reason `length`).
    """
    prepared = prepare(reply, truncated=truncated)
    if prepared.stop is not None:
        return Read(None, *prepared.stop)
    text = prepared.text
    found = list(_in_lists(text, directions)) or list(_in_json(text, directions))
    if found and _OPEN_LISTS.search(text[found[-1].end :]):
        found = []
    if not found and not _OPEN_LISTS.search(text):
        one = (
            _in_table(prepared.whole, directions)
            or _labelled(prepared.whole, directions)
            or _in_turns(text, directions)
        )
        found = [one] if one is not None else []
    read = settle(text, found)
    if read is None or (truncated and is_cut(text)):
        return nothing_found(prepared, "no_chain", truncated=truncated)
    chain = read.value
    if chain is None:
        return read
    if len(chain.edges) != len(chain.steps) - 1:
        cut = truncated or (
            read.rule == "two_lists" and not text.rstrip(" `.\n").endswith(("]", "}"))
        )
        return Read(None, "truncated" if cut and is_cut(text) else "ambiguous", "lengths_differ")
    if n_candidates is not None and not all(1 <= step <= n_candidates for step in chain.steps):
        return Read(None, "ambiguous", "no_such_step")
    return read


def _chain(
    steps: Sequence[Any], edges: Sequence[Any], directions: Mapping[str, str]
) -> Chain | None:
    """Chain of raw items; None if one of them is neither a step nor a direction."""
    numbers = [_step(one) for one in steps]
    letters = [_edge(one, directions) for one in edges]
    if not numbers or None in numbers or None in letters:
        return None
    return Chain(
        tuple(n for n in numbers if n is not None), tuple(x for x in letters if x is not None)
    )


def _step(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return int(value) if value == int(value) else None
    found = re.findall(r"\d+", str(value))
    return int(found[0]) if len(found) == 1 and len(found[0]) < 4 else None


def _edge(value: Any, directions: Mapping[str, str]) -> str | None:
    text = str(value).strip(" \"'()[]<>.")
    if text.upper() in directions:
        return text.upper()
    named = {found.name for found in directions_in(text, bare=True)}
    letters = [letter for letter, name in directions.items() if {name} == named]
    labelled = re.match(r"([A-Za-z])\b\W+\w", text)
    if labelled is not None and labelled[1].upper() in directions:
        return labelled[1].upper() if letters in ([], [labelled[1].upper()]) else None
    return letters[0] if len(letters) == 1 else None


def _items(text: str) -> list[str]:
    if re.fullmatch(r"\s*[A-Z]{2,20}\s*", text):
        return list(text.strip())
    parts = re.split(r"[,;、|]|->|→|\s{2,}", text)
    if len(parts) == 1 and re.fullmatch(r"\s*\w{1,3}(?:\s+\w{1,3})*\s*", text):
        parts = text.split()
    return [one for one in parts if one.strip()]


def _in_lists(text: str, directions: Mapping[str, str]) -> Iterator[Candidate[Chain]]:
    for match in _TWO_LISTS.finditer(text):
        edges = match["edges"] if match["edges"] is not None else match["text"] or match["glued"]
        chain = _chain(_items(match["steps"]), _items(edges), directions)
        if chain is not None:
            end = match.end() + (text[match.end() : match.end() + 1] == "]")
            yield Candidate(chain, match.start(), end, "two_lists")


def _in_json(text: str, directions: Mapping[str, str]) -> Iterator[Candidate[Chain]]:
    for one in find_json(text):
        chain = _of_value(one.value, directions)
        if chain is not None and one.closed:
            yield Candidate(chain, one.start, one.end, "json")


def _of_value(value: Any, directions: Mapping[str, str]) -> Chain | None:
    if isinstance(value, str):
        return next((one.value for one in _in_lists(value, directions)), None) or (
            one.value if (one := _in_turns(value, directions)) is not None else None
        )
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(part, list) for part in value):
            return _chain(value[0], value[1], directions)
        records = [part for part in value if isinstance(part, dict)]
        return _of_records(records, directions) if len(records) == len(value) else None
    if not isinstance(value, dict):
        return None
    fields = {str(key).strip().lower().replace(" ", "_"): field for key, field in value.items()}
    steps = next((f for key, f in fields.items() if key in _STEP_KEYS), None)
    edges = next((f for key, f in fields.items() if key in _EDGE_KEYS), None)
    if isinstance(steps, list) and edges is None and all(isinstance(one, dict) for one in steps):
        return _of_records(steps, directions)
    steps = _items(steps) if isinstance(steps, str) else steps
    edges = _items(edges) if isinstance(edges, str) else edges
    if isinstance(steps, list) and isinstance(edges, list):
        return _chain(steps, edges, directions)
    inner = [chain for f in fields.values() if (chain := _of_value(f, directions)) is not None]
    return inner[-1] if inner else None


def _of_records(records: Sequence[dict[str, Any]], directions: Mapping[str, str]) -> Chain | None:
    """One record per step, the last one without a move (or the first, where each says how it was reached)."""
    steps: list[Any] = []
    edges: list[Any] = []
    for record in records:
        fields = {str(key).strip().lower(): field for key, field in record.items()}
        named = [
            f
            for key, f in fields.items()
            if key in ("id", "step", "node", "candidate", "step_id", "action")
        ]
        moves = [f for key, f in fields.items() if _EDGE_KEY.search(key)]
        if not named:
            return None
        steps.append(named[0])
        edges.extend(f for f in moves[:1] if f not in (None, "", "-", "–", "none"))
    return _chain(steps, edges, directions) if len(edges) == len(steps) - 1 else None


def _in_table(text: str, directions: Mapping[str, str]) -> Candidate[Chain] | None:
    rows = [
        [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
        for line in text.split("\n")
        if line.strip().startswith("|")
    ]
    rows = [row for row in rows if not all(re.fullmatch(r"[:\- ]*", cell) for cell in row)]
    if len(rows) < 3:
        return None
    head = rows[0]
    ids = [
        at for at, cell in enumerate(head) if re.search(r"\bid\b|candidate", cell, re.IGNORECASE)
    ]
    ids = ids or [at for at, cell in enumerate(head) if _STEP_KEY.search(cell)]
    moves = [at for at, cell in enumerate(head) if _EDGE_KEY.search(cell)]
    if not ids or not moves:
        return None
    body = [row for row in rows[1:] if len(row) > max(ids[0], moves[0])]
    edges = [cell for row in body if _edge(cell := row[moves[0]], directions) is not None]
    chain = _chain([row[ids[0]] for row in body], edges, directions)
    if chain is None:
        return None
    return Candidate(chain, text.index("|"), text.rindex("|") + 1, "table")


def _labelled(text: str, directions: Mapping[str, str]) -> Candidate[Chain] | None:
    """Steps behind one label, directions behind another."""
    text = plain(text)
    steps, edges = list(_LABELLED.finditer(text)), list(_LABELLED_EDGES.finditer(text))
    if not steps or not edges or edges[-1].start() < steps[-1].start():
        return None
    body = re.split(r"</|\s[-–—]\s|[.;。]\s", edges[-1]["edges"].strip(" []()"))[0]
    chain = _chain(re.findall(r"\d+", steps[-1]["steps"]), _items(body.strip(" []()")), directions)
    if chain is None:
        return None
    return Candidate(chain, steps[-1].start(), edges[-1].end(), "labels")


def _in_turns(text: str, directions: Mapping[str, str]) -> Candidate[Chain] | None:
    """Steps and directions in turns, within a line or over the whole of a short text."""
    lines = [line for line in text.split("\n") if _ARROW_LINE.search(line)][-10:]
    for part in (*reversed(lines), *([text] if len(text) < 600 else [])):
        tokens = _tokens(part, directions)
        chain = _from_turns(tokens)
        if chain is not None:
            start = text.index(part)
            return Candidate(chain, start, start + len(part), "turns")
    return None


def _tokens(text: str, directions: Mapping[str, str]) -> list[int | str]:
    """Steps and letters of directions in order."""
    found: list[tuple[int, int | str]] = []
    body = _COUNT.sub(lambda match: " " * len(match[0]), text)
    letters = {name: letter for letter, name in directions.items()}
    for word in directions_in(body):
        if word.name in letters:
            found.append((word.start, letters[word.name]))
            body = body[: word.start] + " " * (word.end - word.start) + body[word.end :]
    for match in _TOKEN.finditer(body):
        if match["step"] is not None:
            found.append((match.start(), int(match["step"])))
        elif match["edge"] in directions and not (
            match["edge"] == "A" and re.match(r"\s+[a-z]", body[match.end() : match.end() + 3])
        ):
            found.append((match.start(), match["edge"]))
    tokens = [token for _, token in sorted(found, key=lambda one: one[0])]
    if len(tokens) > _LONGEST:
        return []
    # "E (front-right)" names one direction twice.
    return [
        token
        for at, token in enumerate(tokens)
        if not (
            at
            and isinstance(token, str)
            and token == tokens[at - 1]
            and _twice(text, token, directions)
        )
    ]


def _twice(text: str, letter: str, directions: Mapping[str, str]) -> bool:
    words = re.escape(directions[letter]).replace(r"\-", r"[-\s]")
    return (
        re.search(rf"\b{letter}\s?[(:=-]\s?{words}|{words}\s?\(\s?{letter}", text, re.IGNORECASE)
        is not None
    )


def _from_turns(tokens: Sequence[int | str]) -> Chain | None:
    kinds = "".join("n" if isinstance(token, int) else "d" for token in tokens)
    numbers = [token for token in tokens if isinstance(token, int)]
    letters = [token for token in tokens if isinstance(token, str)]
    if re.fullmatch(r"n(?:dn){1,20}", kinds) or (
        re.fullmatch(r"n{2,20}d{1,20}", kinds) and len(letters) == len(numbers) - 1
    ):
        return Chain(tuple(numbers), tuple(letters))
    # "2, 7, 10; from 2 to 7 front-left, from 7 to 10 right".
    match = re.fullmatch(r"(n{2,20}?)((?:nnd)+)", kinds)
    if match is None:
        return None
    steps = numbers[: len(match[1])]
    moves = numbers[len(match[1]) :]
    pairs = list(zip(moves[::2], moves[1::2], strict=True))
    return Chain(tuple(steps), tuple(letters)) if pairs == list(pairwise(steps)) else None
