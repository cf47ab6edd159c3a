"""Cross-view association: the clip of the other view that shows the query's action (EgoBridge B6).

Four subtasks: ego to exo and exo to ego, with 5 and 20 options and the same queries. Chance is 20 %
and 5 %.

The options are clips. An option's `text` holds the narration of its segment for the protocol that
reads text in place of video (`blind_text`): with it the answer can be read off, so a protocol that
shows it together with the query's narration leaks. `questions.text` never holds a narration.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files

import jinja2
import polars as pl

from assets.pairs.choice import option_order, stable_hash
from assets.questions.kit.builder import Builder, Tables
from assets.questions.kit.clips import clips
from assets.questions.kit.identity import LETTERS, question_hash, question_id
from assets.questions.kit.needs import pairs_with
from expectations.schemas import TABLES
from expectations.schemas.readings import paper_recipe

BENCHMARK = "egobridge"
RECIPE = "association@1"
COUNTS = (5, 20)
ASKED_SPLITS = ("val", "test")
VIEWS = {"ego": "the camera wearer's own view", "exo": "an outside observer's view"}
# Prompts are plain text: escaping would change what a model reads.
_PROMPT = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False).from_string(  # noqa: S701
    files("assets.questions.egobridge")
    .joinpath("association.j2")
    .read_text(encoding="utf-8")
    .strip()
)


def make_questions(
    tables: Tables,
    *,
    shared_queries: bool = True,
    splits: tuple[str, ...] = ASKED_SPLITS,
    as_paper: bool = False,
) -> pl.DataFrame:
    """Questions of all four subtasks from the pairs of one or several pools.

    Args:
        tables: Rows of `pairs`, of `recordings`, and of `segments` with all fine segments of the
            recordings shown (neighbours bound the clips).
        shared_queries: Ask with 5 options only where 20 can be asked, as in the paper; else with 5
            wherever there are 4 negatives.
        splits: Splits asked about; the paper gives no pairs for training.
        as_paper: Take any other clips of the positive's recording as negatives ("randomly choose
            video clips from the same video"), whatever they show, and show segments as annotated.

    Returns:
        Rows of `questions` in key order.

    Raises:
        KeyError: A pair names a segment or recording that is not given or too short to show.
    """
    table = TABLES["questions"]
    pairs, segments, recordings = (tables[n] for n in ("pairs", "segments", "recordings"))
    shown = {
        (row["source"], row["segment_id"]): row
        for row in clips(segments, recordings, as_annotated=as_paper).iter_rows(named=True)
    }
    media = {
        (row["source"], row["recording_id"]): row
        for row in recordings.select(
            "source", "recording_id", "media", "media_hashes", "licence"
        ).iter_rows(named=True)
    }
    recipe = paper_recipe(RECIPE) if as_paper else RECIPE
    beside = _by_recording(shown) if as_paper else {}
    rows: list[dict[str, object]] = []
    for pair in pairs.filter(pl.col("split").is_in(splits)).iter_rows(named=True):
        if as_paper:
            pair["negative_segment_ids"] = _any_negatives(pair, beside)
        possible = 1 + len(pair["negative_segment_ids"])
        if shared_queries and possible < max(COUNTS):
            continue
        rows.extend(_question(recipe, pair, n, shown, media) for n in COUNTS if n <= possible)
    return table.frame(rows).sort(table.key)


def subtask_name(direction: str, count: int) -> str:
    """`association_ego2exo_k5` and the like."""
    return f"association_{direction}_k{count}"


@cache
def _text(direction: str, count: int) -> str:
    query_view, option_view = direction.split("2")
    return _PROMPT.render(
        query_view=VIEWS[query_view],
        option_view=VIEWS[option_view],
        count=count,
        first=LETTERS[0],
        last=LETTERS[count - 1],
    )


def _by_recording(shown: Mapping[tuple[str, str], Mapping[str, object]]) -> dict[str, list[str]]:
    """Segments that can be shown, by recording."""
    found: dict[str, list[str]] = defaultdict(list)
    for (_, segment_id), clip in shown.items():
        found[str(clip["recording_id"])].append(segment_id)
    return found


def _any_negatives(pair: Mapping[str, object], beside: Mapping[str, list[str]]) -> list[str]:
    """Other segments of the positive's recording, by hash of (query, segment)."""
    query, positive = str(pair["query_segment_id"]), str(pair["positive_segment_id"])
    others = (s for s in beside[str(pair["positive_recording_id"])] if s != positive)
    ranked = sorted(others, key=lambda s: (stable_hash("negative", query, s), s))
    return ranked[: max(COUNTS) - 1]


def _question(
    recipe: str,
    pair: dict[str, object],
    count: int,
    shown: dict[tuple[str, str], dict[str, object]],
    media_of: dict[tuple[str, str], dict[str, object]],
) -> dict[str, object]:
    source, direction = str(pair["source"]), str(pair["direction"])
    subtask = subtask_name(direction, count)
    query_id, positive_id = str(pair["query_segment_id"]), str(pair["positive_segment_id"])
    identity = question_id(
        BENCHMARK, subtask, recipe, source, query_id, str(pair["positive_recording_id"])
    )
    negatives = list(pair["negative_segment_ids"])[: count - 1]  # type: ignore[call-overload]
    candidates = [positive_id, *negatives]
    ordered = [candidates[i] for i in option_order(identity, candidates)]

    media = [_medium(shown[source, query_id], "query", media_of)]
    options: list[dict[str, object]] = []
    for letter, segment_id in zip(LETTERS, ordered, strict=False):
        clip = shown[source, segment_id]
        options.append(
            {
                "letter": letter,
                "text": clip["narration"] or "",
                "segment_id": segment_id,
                "value": None,
                "is_answer": segment_id == positive_id,
            }
        )
        media.append(_medium(clip, f"option_{letter}", media_of))
    text = _text(direction, count)
    recordings = [media_of[source, str(m["recording_id"])] for m in media]
    return {
        "benchmark": BENCHMARK,
        "source": source,
        "pool": pair["pool"],
        "subtask": subtask,
        "recipe": recipe,
        "question_id": identity,
        "question_hash": question_hash(text, options, media),
        "split": pair["split"],
        "recording_id": pair["query_recording_id"],
        "text": text,
        "options": options,
        "media": media,
        "answer": next(o["letter"] for o in options if o["is_answer"]),
        "chance": 1.0 / count,
        "media_present": all(r["media"] == "present" for r in recordings),
        "rationale": [],
        "evidence": [
            {"table": name, "key": medium["segment_id"], "role": medium["role"]}
            for medium in media
            for name in ("segments", "labels")
        ],
        "licence": "; ".join(sorted({str(r["licence"]) for r in recordings})),
    }


def _medium(
    clip: dict[str, object],
    role: str,
    media_of: dict[tuple[str, str], dict[str, object]],
) -> dict[str, object]:
    recording = media_of[str(clip["source"]), str(clip["recording_id"])]
    hashes = recording["media_hashes"] or ()
    return {
        "role": role,
        "recording_id": clip["recording_id"],
        "segment_id": clip["segment_id"],
        "media_kind": "clip",
        "start_s": clip["clip_start_s"],
        "end_s": clip["clip_end_s"],
        "sampling": None,
        "times_s": [],
        "overlays": [],
        "content": "+".join(hashes) if recording["media"] == "present" else "",  # type: ignore[arg-type]
    }


BUILDER = Builder(
    benchmark=BENCHMARK,
    subtasks=tuple(subtask_name(d, n) for d in ("ego2exo", "exo2ego") for n in COUNTS),
    recipe=RECIPE,
    unit="pool",
    reads={
        "pairs": None,
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s", "narration"),
        "recordings": ("recording_id", "media", "media_hashes", "licence", "duration_s"),
    },
    make=make_questions,
    make_as_paper=partial(make_questions, as_paper=True),
    files=("association.j2",),
    needs=pairs_with(max(COUNTS) - 1, ASKED_SPLITS),
    limits=f"pairs of {' and '.join(ASKED_SPLITS)} with {max(COUNTS) - 1} negatives",
)
