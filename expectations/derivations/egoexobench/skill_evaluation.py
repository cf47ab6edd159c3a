"""Right option of skill evaluation: the order that votes give, or the levels of the performers (X12)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations, permutations
from typing import Any

from expectations.derivations.narrated_verbs import LABEL_COLUMNS, kinds_before, verbs_read
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    finite,
    listed,
    span_of,
)
from expectations.gates.statements import Choice, Each, Exact, Quote, Statement
from expectations.gates.tables import EvidenceTables

_OPTIONS = 4
_KINDS = ("best", "worst")
_REFERENCE_LABEL = "Late Expert"
_LABELS = ("novice", "early expert", "intermediate expert", "late expert")
_LEAST_LEVELS = 1.0
# Of four annotators three must agree.
_LEAST_AGREEMENT = 0.75
_SAME_S = 0.002
_WHOLE_S = 0.1
# A performance is seen where frames show its beginning, its middle and its end.
_PARTS = 3
# How narrations of demonstrations name the actions whose names are not released, as starts of words.
_STEMS: Mapping[str, tuple[str, ...]] = {
    "06": ("peel",),
    "13": ("cut", "dic"),
    "14": ("slic", "shred", "cut"),
    "15": ("chop", "minc", "cut"),
    "18": ("crack", "break", "knock"),
    "20": ("stir", "fry"),
}
_TEXT = "Which candidate video performs the task {asked} according to the reference video?"


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, _OPTIONS)
    asked = next((k for k in _KINDS if f" {k} " in question.text), None)
    notes.asks.append(Statement("question", (_TEXT,), {"asked": Choice(_KINDS, _KINDS)}, ()))
    if asked is None:
        raise CannotTell("the text asks neither for the best nor for the worst")
    reference = question.of_role("reference")
    if reference is None:
        raise CannotTell("no medium has the role reference")
    shown = {letter: question.shown_of(letter) for letter in question.letters}
    media = {letter: medium for letter, medium in shown.items() if medium is not None}
    if len(media) < len(question.options):
        raise CannotTell("an option has no medium")
    _check_views(reference, media, given, notes)
    for medium in question.media:
        _must_be_seen(medium, notes)
    if question.recipe.startswith("skill_evaluation_egoexo4d"):
        _by_levels(question, given, notes, asked, reference, media)
    elif question.recipe.startswith("skill_evaluation_egoexolearn"):
        _by_votes(question, given, notes, asked, reference, media)
    else:
        raise CannotTell(f"recipe {question.recipe} is not known to this derivation")


def _check_views(
    reference: Mapping[str, Any],
    media: Mapping[str, Mapping[str, Any]],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """The candidates are all of one view, and the reference is of the other."""
    own = given.recording(str(reference["recording_id"]))["view"]
    views = {x: given.recording(str(m["recording_id"]))["view"] for x, m in media.items()}
    wrong = sorted(x for x, view in views.items() if view == own)
    if wrong:
        notes.refuse(
            "consistent", "swapped_view", f"reference and options {listed(wrong)} are both {own}"
        )


def _must_be_seen(medium: Mapping[str, Any], notes: Derived) -> None:
    """Note that frames must show each third of a performance."""
    start, end = span_of(medium)
    part = (end - start) / _PARTS
    for n in range(_PARTS):
        span = (start + n * part, start + (n + 1) * part)
        notes.sights.append(
            Sight(str(medium["role"]), (span,), 0.0, f"third {n + 1} of the performance")
        )


def _check_texts(question: Question, notes: Derived, names: Iterable[str]) -> None:
    """Options read the same, so that a protocol of words tells nothing."""
    known = set(names)
    for option in question.options:
        if option["text"] not in known:
            notes.refuse(
                "consistent",
                "option_text",
                f"option {option['letter']} reads {option['text']!r}, the task is {listed(sorted(known))}",
            )


def _judge(notes: Derived, asked: str, order: list[list[str]], why: Mapping[str, str]) -> None:
    """Note which option is right: alone at the end of the order that is asked for.

    Args:
        notes: Filled in.
        asked: `best` or `worst`.
        order: Letters that are equal, best first.
        why: Reason by letter.
    """
    extreme = order[0] if asked == "best" else order[-1]
    for rank in order:
        for letter in rank:
            notes.option(letter, letter in extreme, why[letter])


# -- levels ----------------------------------------------------------------------------------------


def _by_levels(
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    asked: str,
    reference: Mapping[str, Any],
    media: Mapping[str, Mapping[str, Any]],
) -> None:
    ratings = {"reference": _rating(question, given, notes, reference, "reference")}
    for letter, medium in media.items():
        ratings[letter] = _rating(question, given, notes, medium, f"option_{letter}")
    expert = ratings["reference"]
    if expert["label"] != _REFERENCE_LABEL:
        notes.refuse(
            "consistent",
            "reference_not_expert",
            f"the reference's performer is rated {expert['label']}, not {_REFERENCE_LABEL}",
        )
    for name in ("task", "scale"):
        values = {str(rating[name]) for rating in ratings.values()}
        if len(values) > 1:
            notes.refuse(
                "consistent",
                f"another_{name}",
                f"the videos are of the {name}s {listed(sorted(values))}",
            )
    people = [str(rating["actor_id"]) for rating in ratings.values()]
    if len(set(people)) < len(people):
        notes.refuse(
            "consistent",
            "same_person",
            f"{len(set(people))} people perform in {len(people)} videos: somebody is shown twice",
        )
    _check_texts(question, notes, [str(expert["task"])])
    levels = {letter: int(ratings[letter]["level"]) for letter in media}
    ranks = sorted(set(levels.values()), reverse=True)
    order = [[x for x in sorted(levels) if levels[x] == level] for level in ranks]
    _judge(notes, asked, order, {x: f"its performer is rated {ratings[x]['label']}" for x in media})
    extreme = order[0] if asked == "best" else order[-1]
    if len(extreme) > 1:
        notes.refuse(
            "margin", "level_shared", f"options {listed(extreme)} have the same, {asked}, level"
        )
    ends = (
        (ranks[0], ranks[1]) if asked == "best" else (ranks[-2], ranks[-1]) if ranks[1:] else None
    )
    if len(ranks) > 1 and ends is not None:
        notes.margins.append(
            Margin("levels_apart", float(ends[0] - ends[1]), _LEAST_LEVELS, "levels", "next level")
        )
    labels = [
        {"letter": Exact(x), "label": Exact(str(ratings[x]["label"]))} for x in question.letters
    ]
    answer_rows = _rows(question, f"option_{question.answer}")
    notes.statements += [
        Statement(
            "the reference",
            ("The performer of the reference video is rated {label}.",),
            {"label": Choice((str(expert["label"]).casefold(),), _LABELS)},
            _rows(question, "reference"),
        ),
        Statement(
            "the candidates",
            ("The performers of the candidates are rated as follows: {labels}.",),
            {"labels": Each("{letter} {label}", tuple(labels))},
            tuple(row for x in question.letters for row in _rows(question, f"option_{x}")),
        ),
        _conclusion(question, asked, answer_rows),
    ]


def _rating(
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    medium: Mapping[str, Any],
    role: str,
) -> Mapping[str, Any]:
    """The level of who performs in a medium, which shows the whole of its recording."""
    recording = given.recording(str(medium["recording_id"]))
    take = str(recording["take_id"])
    scales = {e["key"].partition("/")[2] for e in question.evidence if e["table"] == "skill_levels"}
    rows = [r for r in given.rows("skill_levels", take_id=take) if r["scale"] in scales]
    if len(rows) != 1:
        raise CannotTell(f"take {take} of {role} has {len(rows)} levels of proficiency, not one")
    notes.rests_on(role, "recordings", [str(medium["recording_id"])])
    notes.rests_on(role, "skill_levels", [f"{take}/{rows[0]['scale']}"])
    start, end = span_of(medium)
    length = recording["duration_s"]
    if not finite(length) or start > _WHOLE_S or abs(end - length) > _WHOLE_S:
        notes.refuse(
            "consistent",
            "performance_cut",
            f"{role} shows {start:.2f}..{end:.2f} s of {length} s: a performance is shown whole",
        )
    return rows[0]


# -- votes -----------------------------------------------------------------------------------------


def _by_votes(
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    asked: str,
    reference: Mapping[str, Any],
    media: Mapping[str, Mapping[str, Any]],
) -> None:
    sets = {key.rpartition("/")[0] for key in question.keys_of("skill_pairs")}
    if len(sets) != 1:
        raise CannotTell(f"the evidence is of {len(sets)} sets of compared clips, not of one")
    (of,) = sets
    kept = [row for row in given.rows("skill_pairs", set=of) if row["state"] == "kept"]
    clips: dict[str, str] = {}
    for letter, medium in media.items():
        found = _clip(medium, kept)
        if found is None:
            notes.refuse(
                "consistent",
                "clip_not_compared",
                f"option {letter} shows {span_of(medium)[0]:.2f}..{span_of(medium)[1]:.2f} s of"
                f" {medium['recording_id']}, which nobody compared for set {of}",
            )
            raise CannotTell(f"option {letter} shows no clip of set {of}")
        clips[letter] = found
    uids = [str(m["recording_id"]) for m in media.values()]
    if len({*uids, str(reference["recording_id"])}) < len(uids) + 1:
        notes.refuse("consistent", "recording_twice", "two of the videos are of one recording")
    better = {
        (_side(row, "better"), _side(row, "worse")): row
        for row in kept
        if row["better"] is not None
    }
    _note_pairs(question, notes, of, clips, better)
    beats = _beaten(clips, better, direct=not question.as_paper)
    if beats is None:
        raise CannotTell("the comparisons do not tell the candidates' order")
    ranks = sorted(set(beats.values()), reverse=True)
    order = [[x for x in sorted(beats) if beats[x] == n] for n in ranks]
    if len(order) < len(clips):
        notes.refuse("margin", "no_order", "the comparisons of the candidates make no order")
    _judge(
        notes,
        asked,
        order,
        {x: f"it was judged better than {n} of the others" for x, n in beats.items()},
    )
    name = next(str(row["action_name"] or row["action"]) for row in kept)
    _check_texts(question, notes, [name])
    told = _check_reference(given, notes, reference, kept[0])
    compared = (
        "Annotators compared the candidates in pairs"
        if question.as_paper
        else ("Annotators compared every two of the candidates")
    )
    pairs = tuple(f"skill_pairs:{key}" for key in question.keys_of("skill_pairs"))
    ordered = [x for rank in order for x in rank]
    notes.statements += [
        Statement(
            "the reference",
            ('The reference video shows the action "{action}": "{narration}".',),
            {"action": Quote((name,)), "narration": Quote((told,))},
            (f"segments:{reference['segment_id']}",),
        ),
        Statement(
            "the order",
            (f"{compared} and judged their order to be {{order}}, best first.",),
            {
                "order": Choice(
                    (", ".join(ordered).casefold(),),
                    tuple(", ".join(one).casefold() for one in permutations(sorted(clips))),
                )
            },
            pairs,
        ),
        _conclusion(question, asked, _rows(question, f"option_{question.answer}")),
    ]


def _note_pairs(
    question: Question,
    notes: Derived,
    of: str,
    clips: Mapping[str, str],
    better: Mapping[tuple[str, str], Mapping[str, Any]],
) -> None:
    """Note the rows of the pairs, pairs that were not compared, and how far annotators agreed."""
    keys: dict[str, list[str]] = {letter: [] for letter in clips}
    for one, two in combinations(clips, 2):
        row = better.get((clips[one], clips[two])) or better.get((clips[two], clips[one]))
        if row is None:
            if not question.as_paper:
                notes.refuse(
                    "consistent", "not_compared", f"options {one} and {two} were never compared"
                )
            continue
        for letter in (one, two):
            keys[letter].append(f"{of}/{row['pair_id']}")
        if row["n_votes"] is not None:
            share = float(row["n_agree"]) / max(1, int(row["n_votes"]))
            what = f"share of the votes on options {one} and {two}"
            notes.margins.append(Margin("agreement", share, _LEAST_AGREEMENT, "of the votes", what))
    for letter, pairs in keys.items():
        notes.rests_on(f"option_{letter}", "skill_pairs", pairs)


def _beaten(
    clips: Mapping[str, str], better: Mapping[tuple[str, str], Any], *, direct: bool
) -> dict[str, int] | None:
    """How many of the others each candidate is better than; None if a pair cannot be told.

    Args:
        clips: Clip by letter.
        better: Pairs of a better and a worse clip.
        direct: Whether every pair must have been compared; else what follows from others counts.
    """
    wins = {(a, b) for a in clips for b in clips if (clips[a], clips[b]) in better}
    if not direct:
        for middle in clips:  # Warshall's closure
            wins |= {
                (a, b) for a in clips for b in clips if (a, middle) in wins and (middle, b) in wins
            }
    told = all((a, b) in wins or (b, a) in wins for a, b in combinations(clips, 2))
    return {a: sum((a, b) in wins for b in clips) for a in clips} if told else None


def _clip(medium: Mapping[str, Any], pairs: Iterable[Mapping[str, Any]]) -> str | None:
    """Id of the compared clip that a medium shows."""
    start, end = span_of(medium)
    for row in pairs:
        for side in ("first", "second"):
            if (
                row[f"{side}_recording_id"] == medium["recording_id"]
                and abs(row[f"{side}_start_s"] - start) <= _SAME_S
                and abs(row[f"{side}_end_s"] - end) <= _SAME_S
            ):
                return str(row[f"{side}_clip_id"])
    return None


def _side(row: Mapping[str, Any], which: str) -> str:
    """Id of the better or the worse clip of a pair."""
    better = row["better"]
    side = better if which == "better" else "second" if better == "first" else "first"
    return str(row[f"{side}_clip_id"])


def _check_reference(
    given: EvidenceTables, notes: Derived, reference: Mapping[str, Any], pair: Mapping[str, Any]
) -> str:
    """Note a reference that does not show its segment, or whose narration does not name the action.

    Returns:
        The narration.
    """
    segment = given.segment(reference["segment_id"])
    notes.rests_on("reference", "segments", [str(reference["segment_id"])])
    start, end = span_of(reference)
    same = segment["recording_id"] == reference["recording_id"]
    if (
        not same
        or abs(segment["start_s"] - start) > _SAME_S
        or abs(segment["end_s"] - end) > _SAME_S
    ):
        notes.refuse(
            "consistent",
            "shifted_time",
            f"the reference shows {start:.2f}..{end:.2f} s of {reference['recording_id']}, its segment"
            f" is {segment['start_s']:.2f}..{segment['end_s']:.2f} s of {segment['recording_id']}",
        )
    told = str(segment["narration"] or "")
    stems = _STEMS.get(str(pair["action"])) or (_stem(str(pair["action_name"] or "")),)
    spoken = re.findall(r"[a-z]+", told.casefold())
    parsed = [
        row for row in verbs_read(str(reference["segment_id"]), given) if row["status"] is not None
    ]
    by_labels = [
        row for row in parsed if row["status"] == "done" and str(row["term"]).startswith(stems)
    ]
    by_words = [at for at, w in enumerate(spoken) if w.startswith(stems) and _is_verb(spoken, at)]
    if not (by_labels if parsed else by_words):
        notes.refuse(
            "consistent",
            "reference_of_another_action",
            f"the reference's narration {told!r} does not name the action {pair['action_name']}",
        )
    return told


def _is_verb(words: list[str], at: int) -> bool:
    """Whether a word names what is done: "cut the pepper", not "the cut pepper" or "pepper slices"."""
    before = words[at - 1] if at else ""
    if words[at].endswith("s"):
        return "doer" in kinds_before(before)
    return not words[at].endswith("ed") and "determiner" not in kinds_before(before)


def _stem(name: str) -> str:
    """Start of the verb that an action's name begins with: `whip` of `Whipping cream`."""
    verb = (re.findall(r"[a-z]+", name.casefold()) or [""])[0].removesuffix("ing")
    return verb[:-1] if len(verb) > 2 and verb[-1] == verb[-2] else verb


# -- both ------------------------------------------------------------------------------------------


def _conclusion(question: Question, asked: str, rows: tuple[str, ...]) -> Statement:
    return Statement(
        "the conclusion",
        ("Candidate video {answer} therefore shows the {asked} performance.",),
        {"answer": Exact(question.answer), "asked": Exact(asked)},
        rows,
    )


def _rows(question: Question, role: str) -> tuple[str, ...]:
    """Rows the evidence names under a role."""
    return tuple(f"{e['table']}:{e['key']}" for e in question.evidence if e["role"] == role)


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("skill_evaluation",),
    reads={
        "recordings": ("recording_id", "take_id", "view", "duration_s"),
        "segments": ("segment_id", "recording_id", "start_s", "end_s", "narration"),
        "labels": ("recording_id", "term", *LABEL_COLUMNS),
        "skill_levels": ("take_id", "actor_id", "scale", "task", "level", "label"),
        "skill_pairs": (
            "set",
            "action",
            "action_name",
            "pair_id",
            "first_clip_id",
            "first_recording_id",
            "first_start_s",
            "first_end_s",
            "second_clip_id",
            "second_recording_id",
            "second_start_s",
            "second_end_s",
            "better",
            "state",
            "n_votes",
            "n_agree",
        ),
    },
    derive=_derive,
    recipes=("skill_evaluation_egoexo4d", "skill_evaluation_egoexolearn"),
    explained_in=("detailed_answer",),
)
