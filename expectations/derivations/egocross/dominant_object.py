"""Right option of dominant object: the tool that a hand is at in most pictures of the clip (C2)."""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations.boxes import tool_name
from expectations.derivations.egocross._annotated_clips import (
    REFINED_READS,
    Counted,
    annotation_of,
    boxes_of,
    is_of_bench,
    pictures_of,
    sent_of,
    tools_offered,
)
from expectations.derivations.egocross._hand_holds import held_by_points
from expectations.derivations.egocross._held import Held, met, operated
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

_CLIP_S, _BENCH_CLIP_S = (10.0,), (20.0, 30.0)
_LEAST_LEAD, _LEAST_SHARE = 2, 0.2
_SEEN_S = 0.01
_OURS = re.compile(
    r"(?:Which tool does|Which of these things is) the (.+?) (?:use|in contact with) longest in this"
    r" video\?"
)
_THEIRS = re.compile(
    r"Which tool was the (.+?) predominantly interacting with in the video segment"
)
_COUNTED = "In the {n} annotated pictures of the clip the {hand} uses these tools: {tools}."
_COUNTED_AT_BENCH = (
    "In {n} annotated pictures of the clip, a second apart, the {hand} is in contact with these"
    " things: {tools}."
)
_LEADS = "It uses the {tool} in at least {lead} more pictures than any other tool."
_LEADS_AT_BENCH = (
    "It is in contact with the {tool} in at least {lead} more pictures than with any other thing."
)
_SIDE = re.compile(r"(?:camera wearer|operator)'s (left|right) hand")
_ASKS = "Which tool does the {hand} use longest in this video?"
_ASKS_OF_BENCH = "Which of these things is the {hand} in contact with longest in this video?"
_ASKS_AS_PAPER = (
    "Which tool was the {hand} predominantly interacting with in the video segment from {start}s to"
    " {end}s?"
)
Row = dict[str, Any]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    said = (_THEIRS if question.as_paper else _OURS).search(question.text)
    if said is None:
        raise CannotTell("the text names no hand")
    hand = said[1]
    side = _SIDE.fullmatch(hand)
    of_bench, counted = is_of_bench(question), None
    if of_bench and side is not None:
        counted = Counted(given, annotation_of(question).taxonomy)
        pictures = pictures_of(question, given, notes, _BENCH_CLIP_S, apart=True)
        uses_of = held_by_points(question, given, notes, pictures, side[1])
    else:
        pictures = pictures_of(question, given, notes, _CLIP_S, hands=side is not None)
        boxes = boxes_of(question.recording_id, given)
        uses_of = {
            n: operated(boxes.get(n, []), hand) if side is None else met(boxes.get(n, []), side[1])
            for n in pictures
        }
    certain = _count(uses_of, list(pictures), certain=True)
    if not certain:
        why = f"the {hand} uses no tool in the clip"
        notes.refuse("consistent", "hand_uses_nothing", why)
        raise CannotTell(why)
    most = max(certain.values())
    first = min(tool for tool, n in certain.items() if n == most)
    _note_lead(question, notes, uses_of, first, sent_of(pictures, *span_of(question.query)))
    for letter, name in tools_offered(question, given, notes, counted):
        n = certain.get(name, 0)
        notes.option(letter, n == most, f"the {hand} is at it in {n} pictures, at most in {most}")
    sure = {n for n, uses in uses_of.items() if any(h.tool == first and h.sure for h in uses)}
    at = tuple((t, t) for n, t in pictures.items() if n in sure)
    notes.sights.append(Sight("query", at, _SEEN_S, f"the {hand} at the {first}"))
    _note_evidence(question, notes, uses_of, certain, first, hand)


def _doubts_count(question: Question) -> bool:
    """Whether a tool that the hand may use counts against the one it uses longest."""
    return is_of_bench(question) or not question.as_paper


def _note_lead(
    question: Question, notes: Derived, held: dict[int, list[Held]], first: str, sent: set[int]
) -> None:
    """How far the tool leads, in all pictures and in those sent (under `paper` in all alone)."""
    for what, numbers in (("all", [*held]), ("sent", [n for n in held if n in sent])):
        lead = _lead(held, numbers, first, doubted=_doubts_count(question))
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
        for tool in {use.tool for use in held[n] if use.sure or not certain}:
            counts[tool] = counts.get(tool, 0) + 1
    return counts


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
    events: set[str] = set()
    for use in (use for uses in held.values() for use in uses):
        keys.setdefault(use.tool, set()).update(use.boxes)
        sure.setdefault(use.tool, set()).update(use.boxes if use.sure else ())
        events.update(use.told)
    every = {key for of_tool in keys.values() for key in of_tool}
    notes.rests_on("answer", "boxes", sure[first])
    notes.rests_on("context", "boxes", every - sure[first])
    frames = {
        f"annotated_frames:{k}" for e in notes.evidence for k in e.keys if e.role == "coverage"
    }
    for table in sorted({row.partition(":")[0] for row in events}):
        points = {row.partition(":")[2] for row in events if row.startswith(f"{table}:")}
        notes.rests_on("event", table, points)
    rows = (*sorted(frames), *sorted(f"boxes:{key}" for key in every), *sorted(events))
    start_s, end_s = span_of(question.query)
    names = {"hand": Name((hand,), tokens)}
    span = {"start": Number(0.0, _SEEN_S), "end": Number(end_s - start_s, _SEEN_S)}
    of_bench = is_of_bench(question)
    ours = _ASKS_OF_BENCH if of_bench else _ASKS
    asks = _ASKS_AS_PAPER if question.as_paper else ours
    slots = {**names, **span} if question.as_paper else names
    notes.asks.append(Statement("question", (asks,), slots, rows))
    lead = _lead(held, [*held], first, doubted=_doubts_count(question))
    counts = [{"tool": tool_name(t), "n": Number(n, 0.0)} for t, n in sorted(certain.items())]
    right = tuple(sorted(f"boxes:{key}" for key in sure[first]))
    notes.statements += [
        Statement(
            "pictures of each tool",
            (_COUNTED_AT_BENCH if of_bench else _COUNTED,),
            {
                "n": Number(len(held), 0.0),
                "hand": Name((hand if of_bench else _hand_in_words(hand),), tokens),
                "tools": Each("{tool} in {n}", tuple(counts)),
            },
            rows,
            cited=(
                frozenset(frames),
                *(frozenset(f"boxes:{k}" for k in sure[tool]) for tool in certain),
                *((frozenset(events),) if events else ()),
            ),
        ),
        Statement(
            "lead",
            (_LEADS_AT_BENCH if of_bench else _LEADS,),
            {"tool": tool_name(first), "lead": Number(lead, 0.0)},
            right,
        ),
    ]


def _hand_in_words(hand: str) -> str:
    """A hand of surgery as explanations name it, whichever way the question does."""
    side = _SIDE.fullmatch(hand)
    return hand if side is None else f"camera wearer's {side[1]} hand"


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("dominant_object",),
    reads={
        **REFINED_READS,
        "segments": ("recording_id", "segment_id", "kind", "is_point", "class_name", "start_s"),
        "relations": (
            *("recording_id", "relation_id", "segment_id", "object", "role", "hand_side"),
        ),
    },
    derive=_derive,
    recipes=("dominant_object", "dominant_object_enigma51"),
    explained_in=("detailed_answer", "rationale"),
)
