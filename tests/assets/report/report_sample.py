"""A small benchmark for tests of the page: eight questions of two subtasks, two runs, gates."""

from __future__ import annotations

import io
from typing import Any

import polars as pl
from PIL import Image, ImageDraw

from assets.questions.egoprox.planner import Call, Trace
from assets.questions.egoprox.tools import Result
from assets.report.model import build_page_model
from assets.report.parts import Box, Frame, PageModel, Place, Strip, SuitePage
from assets.report.plan_view import Outline, PlanView, Ray, Sector
from assets.scores.table import score
from expectations.schemas import TABLES
from expectations.schemas.judgements import TEST_CLASSES

HOSTILE = (
    """<script>alert("x")</script>'"><img src=http://evil.example/a.png onerror=alert(1)>"""
    "{{ 7*7 }}&amp;</style></textarea>javascript:alert(2)"
)
LETTERS = "ABC"
SUBTASKS = ("k3", "k4")
SAID = {"good": "Answer: B", "lost": "I cannot determine it."}


def jpeg(level: int = 90) -> bytes:
    """A picture with something to look at."""
    picture = Image.new("RGB", (160, 120), (level, 60, 70))
    ImageDraw.Draw(picture).ellipse((level % 90, 30, level % 90 + 40, 70), fill=(230, 200, 90))
    out = io.BytesIO()
    picture.save(out, "JPEG")
    return out.getvalue()


def questions(word: str = "") -> pl.DataFrame:
    """Four questions of each subtask; the second of each has no pixels here."""
    roles = ("query", *(f"option_{x}" for x in LETTERS))
    return TABLES["questions"].frame(
        {
            "benchmark": "b",
            "source": "src" + word,
            "pool": "p" + word,
            "subtask": subtask + word,
            "recipe": "recipe@1" + word,
            "question_id": f"id-{subtask}{i}" + word,
            "question_hash": f"{i}{subtask}" + word,
            "split": "val" + word,
            "recording_id": f"rec{i}" + word,
            "text": f"Which clip, {subtask} {i}?" + word,
            "options": [
                {
                    "letter": x,
                    "text": f"text {x}" + word,
                    "segment_id": x + word,
                    "value": None,
                    "is_answer": x == "B",
                }
                for x in LETTERS
            ],
            "media": [
                {
                    "role": role,
                    "recording_id": f"rec{i}" + word,
                    "segment_id": f"seg-{role}" + word,
                    "media_kind": "clip",
                    "start_s": float(k),
                    "end_s": k + 0.5,
                    "sampling": None,
                    "times_s": [],
                    "overlays": [],
                    "content": "c0ffee" + word,
                }
                for k, role in enumerate(roles)
            ],
            "answer": "B",
            "chance": 1 / 3,
            "media_present": i != 1,
            "answer_text": "the second" + word,
            "detailed_answer": "Both show a lid." + word,
            "rationale": [{"step": 1, "text": "A lid moves." + word, "evidence": ["e7" + word]}],
            "evidence": [{"table": "pairs" + word, "key": "pair7" + word, "role": "pair" + word}],
            "licence": "CC BY" + word,
        }
        for subtask in SUBTASKS
        for i in range(4)
    )


def gates(word: str = "") -> pl.DataFrame:
    """Verdicts on subtask k3 alone: question 0 is refused, 1 cannot be judged, the others pass."""
    verdict = {0: "refuse", 1: "unknown"}
    return TABLES["question_gates"].frame(
        {
            "benchmark": "b",
            "source": "src" + word,
            "pool": "p" + word,
            "subtask": "k3" + word,
            "question_id": f"id-k3{i}" + word,
            "question_hash": f"{i}k3" + word,
            "gate": gate + word,
            "protocol": "",
            "verdict": verdict.get(i, "pass") if gate == "margin" else "pass",
            "rule": "sector_border" + word,
            "value": 3.25,
            "threshold": 7.5,
            "message": "3.25 degrees to the border" + word,
        }
        for i in range(4)
        for gate in ("margin", "leak")
    )


def replies(asked: pl.DataFrame, word: str = "") -> tuple[pl.DataFrame, pl.DataFrame]:
    """Calls and answers: one run is always right, the other never gives a letter."""
    calls, answers = [], []
    for q in asked.iter_rows(named=True):
        for run, reply in SAID.items():
            right = run == "good"
            key = {"benchmark": "b", "run": run + word, "question_id": q["question_id"]}
            key |= {"question_hash": q["question_hash"], "attempt": 0}
            key |= {"call_key": f"key-{run}-{q['question_id']}"}
            calls.append(
                key
                | {
                    "protocol": "direct/1" + word,
                    "model": "model@7" + word,
                    "prompt": "Name the letter." + word,
                    "media_recipe": "{}",
                    "reply": reply + word,
                    "status": "ok",
                    "asked_at": "2026-01-01T00:00:00Z",
                    "seconds": 0.1,
                }
            )
            answers.append(
                key
                | {
                    "subtask": q["subtask"],
                    "recording_id": q["recording_id"],
                    "letter": "B" if right else None,
                    "status": "parsed" if right else "refused",
                    "rule": "answer_is" + word,
                    "right": right,
                    "chance": 1 / 3,
                }
            )
    return TABLES["calls"].frame(calls), TABLES["answers"].frame(answers)


def strips_everywhere() -> dict[tuple[str, str], Strip]:
    """Eight frames of every medium of every question: a page as tall as real ones."""
    strip = Strip(tuple(Frame(jpeg(), i / 10, 4 / 3) for i in range(8)), "midpoints(8)", 8)
    roles = ("query", *(f"option_{x}" for x in LETTERS))
    return {(uid, role): strip for uid in questions()["question_id"] for role in roles}


def strips(word: str = "") -> dict[tuple[str, str], Strip]:
    """Two frames of the query of question 2 of each subtask: gaze on both, boxes on the first."""
    boxes = (
        Box("sent", "candidate" + word, 0.1, 0.2, 0.4, 0.6),
        Box("annotated", "lid" + word, 0.5, 0.5, 0.9, 0.8),
    )
    frames = (
        Frame(jpeg(), 0.1, 4 / 3, (0.25, 0.5), boxes),
        Frame(jpeg(40), 0.3, 4 / 3, (0.3, 0.5)),
    )
    strip = Strip(frames, "midpoints(8)" + word, 8)
    return {(f"id-{subtask}2" + word, "query"): strip for subtask in SUBTASKS}


def plan(word: str = "") -> PlanView:
    """The camera at (2, 3) looks north; a lid lies ahead to its right, at (3, 4), beside a table."""
    corners = ((-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1))

    def outline(name: str, x: float, y: float) -> Outline:
        return Outline(name + word, tuple((x + dx, y + dy) for dx, dy in corners))

    return PlanView(
        camera=(2.0, 3.0),
        heading_deg=90.0,
        origin=(2.0, 3.0),
        goal=outline("lid", 3.0, 4.0),
        goal_at=(3.0, 4.0),
        sectors=tuple(
            Sector(letter + word, letter == "B", turn - 22.5, turn + 22.5)
            for letter, turn in (("A", 0.0), ("B", 45.0), ("C", 135.0))
        ),
        gaze=(Ray((2.0, 3.0), (2.0, 4.5), 0.0), Ray((2.0, 3.0), (3.0, 4.0), 1.0)),
        free=((1.0, 2.0, 3.0, 3.5),),
        things=(outline("table", 1.0, 4.0),),
    )


def trace(word: str = "") -> Trace:
    """Two calls, the last of which finds a direction."""
    seen = Result(
        {"in_view_s": ["0.0 to 2.5" + word], "in_view_at_the_end": False}, ("f:1" + word,)
    )
    found = Result({"turn_deg": 43.5, "to_the": "right" + word}, ("f:2" + word,), turn_deg=43.5)
    calls = (
        Call("visibility", "lid" + word, seen),
        Call("spatial_calculator", "lid" + word, found),
    )
    return Trace(calls, "B" + word, agrees=True)


def judged(word: str = "") -> dict[str, pl.DataFrame]:
    """Scores of a judge that was tested and of one that was not, and how far they agree."""
    common = {"benchmark": "b", "run": "good" + word, "model": "judge@1" + word, "mode": "paper"}
    counts = {"n": 7, "n_unjudged": 2, "n_by_rule": 3, "n_clusters": 4}
    untested = {f"n_tests_{name}": 0 for name in (*TEST_CLASSES, "unjudged")}
    tested = {
        "error_rate_right": 0.0,
        "n_tests_right": 18,
        "n_tests_unjudged": 1,
        "error_rate_wrong": 0.125,
        "n_tests_wrong": 24,
        "error_rate_adversarial": 0.25,
        "n_tests_adversarial": 12,
        "error_rate_perturbed": 0.5,
        "n_tests_perturbed": 20,
    }
    rows = [
        {"judge": "strict" + word, "slice": "micro", "metric": metric, **common, **counts, **tested}
        | {"value": value, "low": value / 2, "high": value}
        for metric, value in (("judged_accuracy", 0.625), ("reasoning_score", 3.25))
    ]
    rows.append(
        {"judge": "new" + word, "slice": "micro", "metric": "judged_accuracy", "value": None}
        | {**common, "mode": "parity", **counts, **untested}
    )
    pair = {"benchmark": "b", "run": "good" + word, "kind": "open"}
    pair |= {"first_judge": "new" + word, "second_judge": "strict" + word}
    pair |= {"n": 5, "n_one_sided": 1, "agreement": 0.8, "kappa": 0.55, "n_marks": 0}
    return {
        "judged_scores": TABLES["judged_scores"].frame(rows),
        "agreements": TABLES["judge_agreements"].frame([pair]),
        "judgements": TABLES["judgements"].frame(
            {"question_id": uid, "question_hash": of_hash, "run": "good" + word, "sample": sample}
            | {"judge": "strict" + word, "kind": "open", "verdict": verdict, "mark": mark}
            | {"reason": "no lid" + word, "rule": "judge" + word, "reply": "I say" + word}
            for uid, of_hash in questions(word).select("question_id", "question_hash").iter_rows()
            for sample, verdict, mark in ((0, "wrong", 1.5), (1, "unjudged", None))
        ),
    }


def read_otherwise(answers: pl.DataFrame, word: str = "") -> dict[str, pl.DataFrame]:
    """What a published extractor reads: A in place of B in every other reply, and nothing in the rest."""
    rows = [
        {name: row[name] for name in ("benchmark", "run", "question_id", "question_hash", "sample")}
        | {name: row[name] for name in ("call_key", "attempt", "subtask", "recording_id")}
        | {"reader": "released" + word, "kind": "published", "version": "code@1" + word}
        | {"ours": row["letter"], "our_status": row["status"], "our_right": row["right"]}
        | {"outcome": "read" if reads else "unread", "theirs": "A" + word if reads else None}
        | {"agrees": not reads and row["letter"] is None, "right": False}
        for i, row in enumerate(answers.iter_rows(named=True))
        for reads in [i // 2 % 2 == 0]
    ]
    return {"parity_answers": TABLES["parity_answers"].frame(rows)}


def model(word: str = "", **changes: Any) -> PageModel:
    """The benchmark's page; `word` is put into every text that comes from data."""
    asked = questions(word)
    calls, answers = replies(asked, word)
    stages = ["not_chosen", "sets", "negatives_5", "negatives_5", "negatives_20"]
    given: dict[str, Any] = {
        "title": "Parallax" + word,
        "benchmark": "b",
        "questions": asked,
        "gates": gates(word),
        "published": [f"id-k3{i}" + word for i in (2, 3)],
        "calls": calls,
        "answers": answers,
        "scores": score(answers),
        "candidates": candidates(stages, "src" + word),
        "quarantine": quarantine(word),
        "recordings": pl.DataFrame(
            {
                "source": ["src" + word] * 3,
                "media": ["present", "present", "missing"],
                "licence": ["CC BY" + word] * 3,
            }
        ),
        "source_status": {"src" + word: "listed" + word, "gone": "absent"},
        "strips": strips(word),
        "places": {
            (uid, "pairs" + word, "pair7" + word): Place(
                "pairs" + word, "pair7" + word, "", "says it" + word, "file.csv" + word, "7" + word
            )
            for uid in asked["question_id"]
        },
        "plans": {"id-k32" + word: plan(word)},
        "traces": {"id-k32" + word: trace(word)},
        "others": ["b", "c"],
        "protocol_notes": {"direct/1" + word: "Eight frames." + word},
        "baselines": {"lost" + word: "guesses a letter" + word},
        "state": "5f4f" + word,
        "is_sample": True,
        "per_subtask": 2,
        "costs": costs(word),
        **judged(word),
        **read_otherwise(answers, word),
    }
    return build_page_model(**(given | changes))


def costs(word: str = "") -> pl.DataFrame:
    """Costs of a run with a price and an estimate, and of one with neither."""
    table = TABLES["costs"]
    plain = dict.fromkeys(table.schema) | {
        "benchmark": "b",
        "run": "free" + word,
        "model": "random" + word,
        "protocol": "direct/1" + word,
        "n_questions": 4,
        "n_calls": 4,
        "n_failed": 0,
        "n_uncounted": 4,
        "seconds": 0.5,
        "n_estimated": 0,
    }
    dear = plain | {
        "run": "dear" + word,
        "model": "some-vlm" + word,
        "n_calls": 6,
        "n_failed": 2,
        "n_uncounted": 1,
        "prompt_tokens": 12_000,
        "cached_tokens": 800,
        "completion_tokens": 90,
        "seconds": 200.0,
        "dollars": 0.125,
        "n_estimated": 3,
        "estimated_prompt_tokens": 9_500,
        "estimated_completion_tokens": 64,
        "estimated_dollars": 0.0975,
        "compared_prompt_tokens": 9_000,
        "compared_completion_tokens": 70,
        "compared_dollars": 0.1,
    }
    return table.frame([plain, dear])


def suite_links(word: str = "") -> dict[str, tuple[SuitePage, ...]]:
    """Pages about the suites of benchmark `b` and source `src`."""
    results = {
        "b": {"questions": "7 of 7 expectations hold"},
        "src": {
            "frames": "5 of 6 expectations hold; not: gaze_in_picture",
            "labels": "9 of 9 expectations hold",
        },
    }
    return {
        name: tuple(
            SuitePage(table, f"../page-checks/{table}.{name}.html", result + word)
            for table, result in found.items()
        )
        for name, found in results.items()
    }


def candidates(stages: list[str], source: str) -> pl.DataFrame:
    """Candidates that ended at these stages."""
    return TABLES["candidates"].frame(
        {"source": source, "pair_id": str(i), "stage": stage} for i, stage in enumerate(stages)
    )


def quarantine(word: str) -> pl.DataFrame:
    """Three refusals of two rules."""
    return TABLES["quarantine"].frame(
        {
            "source": "src" + word,
            "stage": "sources" + word,
            "unit": "u",
            "refusal": str(i),
            "file": f"fine_{i}.csv" + word,
            "row": "12" + word,
            "rule": rule + word,
            "value": "-3.2" + word,
            "message": "segment ends before its start" + word,
            "remedy": "correct the times" + word,
        }
        for i, rule in enumerate(["end_after_start", "reference", "end_after_start"])
    )
