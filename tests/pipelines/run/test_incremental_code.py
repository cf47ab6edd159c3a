"""What an edit of code, prompts or vocabulary recomputes (30 recordings, a copy of the repository)."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.pipelines import edits

REPOSITORY = Path(__file__).parents[3]
CODE = ("assets", "expectations", "pipelines", "resources", "dagster.yaml")
STAGES = (
    *("read_recordings", "read_segments", "read_sensors", "read_taxonomies", "read_splits"),
    *("build_frames", "parse_labels", "find_candidates", "make_questions", "build_prompt"),
    *("extract_answers", "score"),
)


@pytest.fixture
def edited(
    tmp_path: Path, many: Any, copy: Callable, served: Callable
) -> Callable[[Callable[[Path], None]], tuple[Any, dict[str, set[str]]]]:
    """Copies repository and installation, edits the former, runs it on the latter."""

    def run(edit: Callable[[Path], None]) -> tuple[Any, dict[str, set[str]]]:
        code = tmp_path / "elsewhere" / "project"
        code.mkdir(parents=True)
        for name in CODE:
            place = REPOSITORY / name
            if place.is_dir():
                shutil.copytree(place, code / name)  # compiled modules too: times are kept
            else:
                shutil.copy(place, code / name)
        edit(code)
        outcome = served(code).succeed(copy(many).home)
        before, after = many.outcome.digests, outcome.digests
        moved: dict[str, set[str]] = {}
        for key in before.keys() | after.keys():
            if before.get(key) != after.get(key):
                moved.setdefault(key[0], set()).add(key[2])
        return outcome, moved

    return run


def replace(path: Path, old: str, new: str) -> None:
    """Replace text that stands in a file exactly once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name} has {old!r} {text.count(old)} times"
    path.write_text(text.replace(old, new), encoding="utf-8")


def comment(path: Path) -> None:
    """Reword every comment and docstring and annotate every variable, changing no behaviour."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
            at = node.body[0].lineno - 1
            lines[at] = lines[at].replace('"""', '"""Reworded. ', 1)
        if isinstance(node, ast.FunctionDef) and node.returns and node.end_lineno:
            returned = ast.unparse(node.returns)
            for at in range(node.lineno - 1, node.body[0].lineno - 1):
                lines[at] = lines[at].replace(f"-> {returned}:", f"-> {returned} | object:")
    path.write_text("# A new first comment.\n" + "".join(lines) + "\n# And a last one.\n", "utf-8")


def test_comments_docstrings_annotations_and_the_projects_place_move_nothing(edited):
    def edit(code: Path) -> None:
        for path in (code / "assets").rglob("*.py"):
            comment(path)

    outcome, moved = edited(edit)
    assert outcome.told["entered"] == {}
    assert outcome.told["commits"] == 0
    assert moved == {}


def test_a_helper_of_one_stage_recomputes_it_and_what_its_change_reaches(edited, many):
    """Longer segments only: fewer candidates in every pool, nothing before pairs."""

    def edit(code: Path) -> None:
        path = code / "assets" / "pairs" / "candidates.py"
        text = path.read_text(encoding="utf-8")
        changed, n = re.subn(r"(?m)^(MIN_SEGMENT_S\b.*= *)[\d.]+", r"\g<1>1.2", text)
        assert n == 1
        path.write_text(changed, encoding="utf-8")

    outcome, moved = edited(edit)
    pool_of = edits.pools(many.raw)
    assert outcome.entered("find_candidates") == pool_of.keys()
    for name in STAGES[: STAGES.index("find_candidates")]:
        assert outcome.entered(name) == set()
    # Training pools hold pairs and are asked nothing, but their pairs are read.
    assert outcome.entered("make_questions") == moved["pairs"]
    assert moved["candidates"] == moved["pairs"] == set(pool_of.values())
    assert moved["questions"] == {
        f"house/association@1/{p}" for p in pool_of.values() if "train" not in p
    }
    # Captions are told with clips that association chose, and sets and splits are counted.
    assert moved.keys() - {"task_sets", "split_overlaps", "statistics"} == {
        "candidates",
        "candidate_counts",
        "pairs",
        "questions",
        "question_funnels",
        "question_gates",
        "requests",
        "calls",
        "costs",
        "answers",
        "scores",
    }


def test_a_prompt_template_asks_again_and_touches_nothing_before(edited, many):
    def edit(code: Path) -> None:
        path = code / "assets" / "protocols" / "prompts" / "letter.j2"
        path.write_text("Think.\n" + path.read_text(encoding="utf-8"), encoding="utf-8")

    outcome, moved = edited(edit)
    asked = {unit for table, _, unit in many.outcome.digests if table == "answers"}
    assert outcome.entered("build_prompt") == asked
    assert outcome.entered("extract_answers") == asked
    for name in STAGES[: STAGES.index("build_prompt")]:
        assert outcome.entered(name) == set()
    assert moved.keys() <= {"requests", "calls", "costs", "answers", "scores"}
    # One new call each; those made before stay.
    assert len(moved["calls"]) == len(asked)
    assert {k for k in many.outcome.digests if k[0] == "calls"} <= outcome.digests.keys()


def test_a_question_template_rewords_the_questions_only(edited, many):
    def edit(code: Path) -> None:
        # The gate holds the wording that it accepts: both change together.
        replace(
            code / "assets" / "questions" / "egobridge" / "association.j2",
            "The query clip shows",
            "This clip, the query, shows",
        )
        replace(
            code / "expectations" / "derivations" / "egobridge" / "association.py",
            "The query clip shows",
            "This clip, the query, shows",
        )

    outcome, moved = edited(edit)
    pools = set(edits.pools(many.raw).values())
    assert outcome.entered("make_questions") == pools
    for name in STAGES[: STAGES.index("make_questions")]:
        assert outcome.entered(name) == set()
    assert moved["questions"] == {f"house/association@1/{p}" for p in pools if "train" not in p}
    assert moved.keys() == {
        *("questions", "question_gates", "requests", "calls", "costs", "answers", "scores"),
    }


def test_a_term_of_the_vocabulary_supplement_reaches_the_narrations_that_use_it(edited, many):
    """The word stands in some narrations and in no released term."""
    word = "simmer"
    uses = {
        row["video_uid"]
        for row in edits.narrations(many.raw)
        if re.search(rf"\b{word}\b", row["narration_en"].lower())
    }
    pool_of = edits.pools(many.raw)
    assert 0 < len(uses) < len(pool_of) / 2

    def edit(code: Path) -> None:
        path = code / "assets" / "labels" / "supplement.csv"
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text.rstrip()}\nnoun,{word},water,a test\n", encoding="utf-8")

    outcome, moved = edited(edit)
    # Every narration is parsed with the new vocabulary; only those that use the word change.
    assert outcome.entered("parse_labels") == pool_of.keys()
    assert moved["labels"] <= uses
    assert moved["labels"]
    reached = {pool_of[uid] for uid in moved["labels"]}
    assert outcome.entered("find_candidates") == {u for u, p in pool_of.items() if p in reached}
    assert moved.get("questions", set()) <= {f"house/association@1/{p}" for p in reached}
    for name in ("read_segments", "read_sensors", "build_frames"):
        assert outcome.entered(name) == set()
