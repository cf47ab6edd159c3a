"""Skill evaluation by pairwise votes: who does an action best or worst (EgoExoBench A.4).

"We use exocentric demonstration videos as references [and] construct transitive ranking chains from
pairwise skill annotations to derive candidate videos." A chain is one of four egocentric clips of one
action (table `skill_chains`), from four recordings. All six pairs of its clips were compared, and the
outcomes make an order without a cycle: a place in a chain of which only neighbours were compared is an
inference, not a judgement. The reading `paper` takes such chains too.

The reference is the demonstration that EgoBridge's referenced skill assessment gives the chain's best and
worst clip (table `skill_triplets`), or else another pair of the chain: an exocentric segment whose narration
names the action as something that is done. "The cut peppers" and "a plate of slices" are left out. Where
the narration was parsed, its labels decide; the vocabulary alone takes many a noun for its verb.

Each clip is asked about at most once as the best and once as the worst; of several chains that it leads or
ends, the one of lowest hash is taken. Clips are shown as they were judged, not cut: pace is part of skill.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import polars as pl

from assets.labels.narrated_verbs import READS as VERB_READS
from assets.labels.narrated_verbs import NarratedVerbs, Verb
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import BOTH_VIEWS, rows_of, rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
from expectations.word_kinds import BEFORE, words_of

RECIPE = Recipe(
    "egoexobench",
    "skill_evaluation",
    1,
    template(__file__, "skill_evaluation_egoexolearn.j2"),
    name="skill_evaluation_egoexolearn",
)
LENGTH = 4
_JUDGED = pl.col("mode") == "paper"


@dataclass(frozen=True, slots=True)
class Judged:
    """Clips and pairs of one set that were kept, and the references of its pairs.

    Attributes:
        action: Name of the action.
        spans: Recording, start and end of each clip.
        pairs: Pair of two clips, by both.
        references: Row of `skill_triplets` by pair.
    """

    action: str
    spans: dict[str, tuple[str, float, float]]
    pairs: dict[frozenset[str], str]
    references: dict[str, Mapping[str, Any]]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the chains of each action.

    Args:
        tables: Rows of `recordings`, `skill_chains`, `skill_pairs`, `skill_triplets`, and of `segments`
            and `labels` with those of the demonstrations.
        reading: Under `paper`, take chains of which only neighbours were compared too.
    """
    recipe = RECIPE.under(reading)
    recordings = {row["recording_id"]: row for row in tables["recordings"].iter_rows(named=True)}
    narrations = dict(tables["segments"].select("segment_id", "narration").iter_rows())
    shown = tables["skill_triplets"]["reference_segment_id"].implode()
    verbs = NarratedVerbs(tables["labels"].filter(pl.col("segment_id").is_in(shown)))
    chains = tables["skill_chains"].filter(
        _JUDGED & (pl.col("length") == LENGTH) & (pl.col("n_recordings") == LENGTH)
    )
    if not recipe.as_paper:
        chains = chains.filter("closed")
    judged = _judged(tables)
    for name, ends in (("best", 0), ("worst", -1)):
        led: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
        for chain in chains.iter_rows(named=True):
            led[chain["set"], chain["clip_ids"][ends]].append(chain)
        for (of, clip_id), candidates in sorted(led.items()):
            source = str(candidates[0]["source"])
            anchor = (name, of, clip_id)
            seed = recipe.id(source, *anchor)
            for chain in by_hash(candidates, seed, key=lambda c: str(c["chain_id"])):
                row = _question(
                    recipe,
                    name,
                    anchor,
                    chain["clip_ids"],
                    judged[of],
                    recordings,
                    narrations,
                    verbs,
                )
                if row is not None:
                    yield row
                    break
            else:
                refuse("demonstration_of_the_action")


def _question(
    recipe: Recipe,
    name: str,
    anchor: tuple[str, ...],
    clip_ids: Sequence[str],
    judged: Judged,
    recordings: Mapping[str, Mapping[str, Any]],
    narrations: Mapping[str, str | None],
    verbs: NarratedVerbs,
) -> Row | None:
    """The question of a chain; None without a demonstration of its action."""
    reference = _reference(clip_ids, judged, narrations, verbs)
    if reference is None:
        return None
    options = []
    for clip_id in clip_ids:
        uid, start_s, end_s = judged.spans[clip_id]
        own = (frozenset((clip_id, other)) for other in clip_ids if other != clip_id)
        evidence = (
            ("skill_pairs", f"{anchor[1]}/{judged.pairs[p]}") for p in own if p in judged.pairs
        )
        clip = Clip(recordings[uid], start_s, end_s)
        options.append(Option(judged.action, clip=clip, evidence=tuple(sorted(evidence))))
    segment_id = str(reference["reference_segment_id"])
    shown = Clip(
        recordings[reference["reference_recording_id"]],
        reference["reference_start_s"],
        reference["reference_end_s"],
        segment_id,
    )
    letters = recipe.letters(recipe.id(str(shown.recording["source"]), *anchor), options)
    right = 0 if name == "best" else -1
    answer = options[right]
    return recipe.question(
        anchor=anchor,
        text={
            "asked": name,
            "action": judged.action,
            "narration": narrations.get(segment_id) or "",
            "order": [letters[option.key] for option in options],
            "all_compared": not recipe.as_paper,
        },
        answer=answer,
        distractors=[option for option in options if option is not answer],
        media=[shown],
        roles=["reference"],
        evidence=[("segments", segment_id, "reference")],
    )


def _reference(
    clip_ids: Sequence[str],
    judged: Judged,
    narrations: Mapping[str, str | None],
    verbs: NarratedVerbs,
) -> Mapping[str, Any] | None:
    """Demonstration of the chain's best and worst clip, or else of its first pair that has one.

    A demonstration counts if its narration says that the action is done.
    """
    ends = frozenset((clip_ids[0], clip_ids[-1]))
    pairs = [ends, *(frozenset(two) for two in combinations(clip_ids, 2))]
    found = (judged.references.get(judged.pairs.get(pair, "")) for pair in pairs)
    return next(
        (
            row
            for row in found
            if row is not None
            and is_done(
                narrations.get(row["reference_segment_id"]) or "",
                row["word"],
                verbs.of(row["reference_segment_id"]),
            )
        ),
        None,
    )


def is_done(narration: str, word: str, verbs: Sequence[Verb] = ()) -> bool:
    """Whether a narration says a verb of something that is done, not of how a thing is.

    "Cut the pepper" and "the right hand slices it" do, "the cut pepper" and "pepper slices" do not.

    Args:
        narration: The narration.
        word: The verb, as written.
        verbs: Verbs of the narration; they decide if it was parsed, otherwise the word before does.
    """
    if any(verb.was_parsed for verb in verbs):
        return any(v.term == word and v.was_parsed and v.is_done for v in verbs)
    words = ["", *re.findall(r"[a-z]+", narration.casefold())]
    wanted = re.findall(r"[a-z]+", word.casefold())[-1:]
    for before, found in pairwise(words):
        third = found.endswith("s") and not found.endswith("ss")
        if found in wanted and (
            before in words_of(BEFORE, "doer")
            if third
            else before not in words_of(BEFORE, "determiner")
        ):
            return True
    return False


def _judged(tables: Tables) -> dict[str, Judged]:
    """What was kept of each set."""
    found: dict[str, Judged] = {}
    kept = tables["skill_pairs"].filter(_JUDGED & (pl.col("state") == "kept"))
    for row in kept.sort("set", "pair_id").iter_rows(named=True):
        action = row["action_name"] or row["action"]
        own = found.setdefault(row["set"], Judged(action, {}, {}, {}))
        for side in ("first", "second"):
            place = tuple(row[f"{side}_{part}"] for part in ("recording_id", "start_s", "end_s"))
            own.spans[row[f"{side}_clip_id"]] = place
        own.pairs.setdefault(
            frozenset((row["first_clip_id"], row["second_clip_id"])), row["pair_id"]
        )
    for row in tables["skill_triplets"].filter(_JUDGED).iter_rows(named=True):
        if row["set"] in found:
            found[row["set"]].references[row["pair_id"]] = row
    return found


_PLACES = tuple(
    f"{side}_{part}"
    for side in ("first", "second")
    for part in ("clip_id", "recording_id", "start_s", "end_s")
)

BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={
        "recordings": RECORDING_COLUMNS,
        "segments": ("segment_id", "narration"),
        "labels": VERB_READS,
        "skill_chains": ("set", "mode", "length", "closed", "clip_ids", "chain_id", "n_recordings"),
        "skill_pairs": ("set", "mode", "action", "action_name", "pair_id", "state", *_PLACES),
        "skill_triplets": (
            "set",
            "mode",
            "pair_id",
            "word",
            "reference_segment_id",
            "reference_recording_id",
            "reference_start_s",
            "reference_end_s",
        ),
    },
    needs=(
        BOTH_VIEWS,
        rows_of("skill_pairs", "no pairs of clips that were compared for skill"),
        rows_where(
            "skill_chains",
            ("mode", "length", "closed", "n_recordings"),
            _JUDGED
            & (pl.col("length") == LENGTH)
            & pl.col("closed")
            & (pl.col("n_recordings") == LENGTH),
            "no four clips of four recordings of which all six pairs were compared without a cycle",
        ),
        rows_of("skill_triplets", "no demonstration whose narration names the action"),
    ),
    limits=(
        "four clips of four recordings of which all six pairs were compared without a cycle, and a"
        " demonstration of the action in their split"
    ),
    rules=("demonstration_of_the_action",),
)
