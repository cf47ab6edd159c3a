"""Right option of dominant object: the tool that a hand is at in most pictures of the clip (C2)."""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations.boxes import operator_words, tool_name
from expectations.derivations.egocross._annotated_clips import (
    READS,
    boxes_of,
    is_tool,
    joined,
    pictures_of,
    sent_of,
    tools_offered,
)
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    span_of,
)
from expectations.gates.statements import Each, Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import tokens

_CLIP_S = (10.0, 10.0)
_LEAST_LEAD, _LEAST_SHARE = 2, 0.2
_SEEN_S = 0.01
_OURS = re.compile(r"Which tool does the (.+?) use longest in this video\?")
_THEIRS = re.compile(
    r"Which tool was the (.+?) predominantly interacting with in the video segment"
)
_SIDE = re.compile(r"(?:camera wearer|operator)'s (left|right) hand")
_ASKS = "Which tool does the {hand} use longest in this video?"
_ASKS_AS_PAPER = (
    "Which tool was the {hand} predominantly interacting with in the video segment from {start}s to"
    " {end}s?"
)
Row = dict[str, Any]
# Tool, whether it is beyond doubt, and the boxes that say so.
Held = tuple[str, bool, tuple[str, ...]]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    said = (_THEIRS if question.as_paper else _OURS).search(question.text)
    if said is None:
        raise CannotTell("the text names no hand")
    hand = said[1]
    side = _SIDE.fullmatch(hand)
    kinds = ("tools",) if side is None else ("tools", "hands")
    pictures = pictures_of(question, given, notes, _CLIP_S, kinds)
    boxes = boxes_of(question.recording_id, given)
    held = {
        n: _operated(boxes.get(n, []), hand) if side is None else _met(boxes.get(n, []), side[1])
        for n in pictures
    }
    certain = _count(held, list(pictures), certain=True)
    if not certain:
        why = f"the {hand} uses no tool in the clip"
        notes.refuse("consistent", "hand_uses_nothing", why)
        raise CannotTell(why)
    most = max(certain.values())
    first = min(tool for tool, n in certain.items() if n == most)
    _note_lead(question, notes, held, first, sent_of(pictures, *span_of(question.query)))
    for letter, name in tools_offered(question, given, notes):
        n = certain.get(name, 0)
        notes.option(letter, n == most, f"the {hand} is at it in {n} pictures, at most in {most}")
    at = tuple((t, t) for n, t in pictures.items() if any(h[:2] == (first, True) for h in held[n]))
    notes.sights.append(Sight("query", at, _SEEN_S, f"the {hand} at the {first}"))
    _note_evidence(question, notes, held, certain, first, hand)


def _note_lead(
    question: Question, notes: Derived, held: dict[int, list[Held]], first: str, sent: set[int]
) -> None:
    """How far the tool leads, in all pictures and in those sent; under `paper` doubt does not count."""
    for what, numbers in (("all", [*held]), ("sent", [n for n in held if n in sent])):
        lead = _lead(held, numbers, first, doubted=not question.as_paper)
        least = 1.0
        if not question.as_paper and what == "all":
            least = max(_LEAST_LEAD, _LEAST_SHARE * len(numbers))
        if what == "all" or not question.as_paper:
            why = f"{first} to the next tool, in {what} pictures"
            notes.margins.append(Margin(f"lead_{what}", lead, least, "pictures", why))


def _lead(held: dict[int, list[Held]], numbers: list[int], first: str, doubted: bool) -> int:
    mine = _count(held, numbers, certain=True).get(first, 0)
    others = _count(held, numbers, certain=not doubted)
    return mine - max((n for tool, n in others.items() if tool != first), default=0)


def _count(held: dict[int, list[Held]], numbers: list[int], certain: bool) -> dict[str, int]:
    """Pictures in which the hand is at each tool, or may be."""
    counts: dict[str, int] = {}
    for n in numbers:
        for tool in {tool for tool, sure, _ in held[n] if sure or not certain}:
            counts[tool] = counts.get(tool, 0) + 1
    return counts


def _operated(rows: list[Row], hand: str) -> list[Held]:
    """Tools of an operator; a tool of nobody may be anybody's."""
    asked = tuple(t for t in tokens(hand) if t != "the")
    found: list[Held] = []
    for row in filter(is_tool, rows):
        operator = row["operator"]
        if operator is None or operator_words(str(operator)) == asked:
            tool = joined(row["class_name"]) or ""
            found.append((tool, operator is not None, (str(row["box_id"]),)))
    return found


def _met(rows: list[Row], side: str) -> list[Held]:
    """Tools whose box meets that of a hand of the wearer; certain if neither meets anything else."""
    hands = [row for row in rows if not is_tool(row)]
    tools = [row for row in rows if is_tool(row)]
    mine = [h for h in hands if (h["hand_owner"], h["hand_side"]) == ("wearer", side)]
    found: list[Held] = []
    for hand in mine:
        near = [tool for tool in tools if _overlap(hand, tool) > 0]
        for tool in near:
            others = [h for h in hands if _overlap(h, tool) > 0]
            sure = len(near) == len(others) == len(mine) == 1
            keys = (str(tool["box_id"]), str(hand["box_id"]))
            found.append((joined(tool["class_name"]) or "", sure, keys))
    return found


def _overlap(a: Row, b: Row) -> float:
    """Area that two boxes share, as a share of the picture; 0 where one has no place."""
    if a["x_min"] is None or b["x_min"] is None:
        return 0.0
    across = min(a["x_max"], b["x_max"]) - max(a["x_min"], b["x_min"])
    down = min(a["y_max"], b["y_max"]) - max(a["y_min"], b["y_min"])
    return max(0.0, across) * max(0.0, down)


def _note_evidence(
    question: Question,
    notes: Derived,
    held: dict[int, list[Held]],
    certain: dict[str, int],
    first: str,
    hand: str,
) -> None:
    keys: dict[str, set[str]] = {}
    sure: dict[str, set[str]] = {}
    for tool, is_sure, boxes in (use for n in held for use in held[n]):
        keys.setdefault(tool, set()).update(boxes)
        sure.setdefault(tool, set()).update(boxes if is_sure else ())
    every = {key for of_tool in keys.values() for key in of_tool}
    notes.rests_on("answer", "boxes", sure[first])
    notes.rests_on("context", "boxes", every - sure[first])
    frames = {
        f"annotated_frames:{k}" for e in notes.evidence for k in e.keys if e.role == "coverage"
    }
    rows = (*sorted(frames), *sorted(f"boxes:{key}" for key in every))
    start_s, end_s = span_of(question.query)
    names = {"hand": Name((hand,), tokens)}
    span = {"start": Number(0.0, _SEEN_S), "end": Number(end_s - start_s, _SEEN_S)}
    asks = _ASKS_AS_PAPER if question.as_paper else _ASKS
    slots = {**names, **span} if question.as_paper else names
    notes.asks.append(Statement("question", (asks,), slots, rows))
    lead = _lead(held, [*held], first, doubted=not question.as_paper)
    counts = [{"tool": tool_name(t), "n": Number(n, 0.0)} for t, n in sorted(certain.items())]
    right = tuple(sorted(f"boxes:{key}" for key in sure[first]))
    notes.statements += [
        Statement(
            "pictures of each tool",
            ("In the {n} annotated pictures of the clip the {hand} uses these tools: {tools}.",),
            {
                "n": Number(len(held), 0.0),
                "hand": Name((_hand_in_words(hand),), tokens),
                "tools": Each("{tool} in {n}", tuple(counts)),
            },
            rows,
            cited=(
                frozenset(frames),
                *(frozenset(f"boxes:{k}" for k in sure[tool]) for tool in certain),
            ),
        ),
        Statement(
            "lead",
            ("It uses the {tool} in at least {lead} more pictures than any other tool.",),
            {"tool": tool_name(first), "lead": Number(lead, 0.0)},
            right,
        ),
    ]


def _hand_in_words(hand: str) -> str:
    """A hand as explanations name it, whichever way the question does."""
    side = _SIDE.fullmatch(hand)
    return hand if side is None else f"camera wearer's {side[1]} hand"


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("dominant_object",),
    reads=READS,
    derive=_derive,
    recipes=("dominant_object",),
    explained_in=("detailed_answer", "rationale"),
)
