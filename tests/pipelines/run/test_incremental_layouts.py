"""The layouts beside EgoExoLearn's, gates and blind scores: what an edit reaches, and what not."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.questions.gating import STAGE as GATES
from assets.questions.gating import protocols_of
from assets.questions.stage import STAGE as QUESTIONS
from assets.questions.stage import builders_of, split_unit
from assets.stage import Inputs, Stage, Tables
from assets.translations.in_use import in_use
from expectations.gates import EvidenceTables, judge
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.store.tables import TableStore
from resources.worlds.flat import FlatSpec
from resources.worlds.flat.adt import write_adt
from resources.worlds.flat.easg import write_easg
from resources.worlds.flat.lemma import write_lemma
from resources.worlds.surgery import SurgerySpec, write_cholectrack20
from tests.pipelines import layout_edits as edits
from tests.pipelines.driver import score_by_hash

KILLED = -9
LAYOUTS = {"lemma": "lemma", "surgery": "cholectrack20", "adt": "adt", "easg": "easg"}
BENCHMARKS = {
    # Its source is named and not configured.
    "egobridge": ("house", "direct"),
    "egoexobench": ("lemma", "egoexobench_direct"),
    "egocross": ("surgery", "egocross_close"),
    "egoprox": ("adt", "egoprox_direct"),
    "egocot": ("easg", "egocot_reasoning"),
}


def configure(home: Path, benchmarks: tuple[str, ...], more: str = "", **entries: object) -> None:
    """Write a configuration with some of the benchmarks, their sources and the run `random`."""
    lines = ['store = "tables"', 'page = "page.html"']
    for name in benchmarks:
        source, protocol = BENCHMARKS[name]
        if source in LAYOUTS:
            root = f"raw/{source}"
            lines += [f"[sources.{source}]", f'layout = "{LAYOUTS[source]}"', f'root = "{root}"']
        lines += [f"[benchmarks.{name}]", f'sources = ["{source}"]', f'protocol = "{protocol}"']
        lines += [f"{key} = {value}" for key, value in entries.items()]
    lines += ["[runs.random]", 'engine = "random"', 'protocol = "own"', more]
    (home / "parallax.toml").write_text("\n".join(lines))


def scorer(home: Path, model: str = "a", limit: int | None = None) -> None:
    """Configure EgoCoT with an engine for the gate `blind`."""
    run = f'[runs.scorer]\nengine = "by_hash"\nmodel = "{model}"\nprotocol = "option_text"\n'
    entries: dict[str, object] = {"blind": '"scorer"'}
    if limit is not None:
        entries["blind_limit"] = limit
    configure(home, ("egobridge", "egocot"), run + 'benchmarks = ["egobridge"]', **entries)


def tables_of(outcome: Any) -> dict:
    """Digests of what the inputs decide; calls, their costs and the listing keep history."""
    return {k: v for k, v in outcome.digests.items() if k[0] not in {"calls", "costs", "files"}}


def moved(before: Any, after: Any) -> dict[str, set[str]]:
    """Units whose rows differ, by table and partition."""
    old, new = tables_of(before), tables_of(after)
    found: dict[str, set[str]] = {}
    for key in old.keys() | new.keys():
        if old.get(key) != new.get(key):
            found.setdefault(f"{key[0]}.{key[1]}", set()).add(key[2])
    return found


def read(home: Path, table: str, partition: str) -> pl.DataFrame:
    """Rows of a table."""
    return TableStore(str(home / "tables")).read(TABLES[table], partition)


def fork(home: Path, to: Path) -> Path:
    """A copy of an installation; its raw files and tables are shared until they are replaced."""
    shutil.copytree(
        home, to, copy_function=_share, ignore=shutil.ignore_patterns("result-*", "*.lock")
    )
    return to


def _share(source: str, target: str) -> None:
    if source.endswith(".toml"):
        shutil.copy2(source, target)
    else:
        Path(target).hardlink_to(source)


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small world per layout, written and not read."""
    home = tmp_path_factory.mktemp("raw")
    for kind, write, takes in (
        ("lemma", write_lemma, 2),
        ("adt", write_adt, 2),
        ("easg", write_easg, 2),
    ):
        write(FlatSpec(kind=kind, takes=takes, render="small"), home / kind, workers=1)
    write_cholectrack20(
        SurgerySpec(videos=3, duration_s=40, render="small"), home / "surgery", workers=1
    )
    return home


@pytest.fixture(scope="module")
def whole(raw: Path, server: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """All five benchmarks, brought up to date once."""
    home = tmp_path_factory.mktemp("whole") / "home"
    shutil.copytree(raw, home / "raw")
    configure(home, tuple(BENCHMARKS))
    return home, server.succeed(home)


@pytest.fixture(scope="module")
def graphs(raw: Path, server: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """EASG and EgoCoT alone with a blind engine, brought up to date once."""
    home = tmp_path_factory.mktemp("graphs") / "home"
    shutil.copytree(raw / "easg", home / "raw" / "easg")
    scorer(home)
    return home, server.succeed(home)


def clips_of(home: Path) -> list[str]:
    """EASG clips, ascending."""
    return sorted(p.stem for p in (home / "raw" / "easg" / edits.CLIPS).glob("*.mp4"))


def test_an_unchanged_run_enters_nothing_opens_nothing_and_commits_nothing(whole, server):
    home, first = whole
    for benchmark in BENCHMARKS.keys() - {"egobridge"}:
        assert read(home, "questions", benchmark).height > 0
        assert read(home, "answers", f"{benchmark}.random").height > 0
    assert {"frames_of_images", "measure", "make_graph", "judge"} <= first.told["entered"].keys()
    again = server.succeed(home, digest=False)
    assert again.told["calls"] == {}
    assert again.told["commits"] == 0


def test_a_benchmark_whose_source_is_not_configured_is_empty_and_no_failure(whole):
    home, first = whole
    assert read(home, "questions", "egobridge").is_empty()
    assert first.told["reports"]["questions.egobridge"]["computed"] == []
    assert first.told["reports"]["scores.egobridge.random"]["held_back"] == []


def edit_everything(home: Path) -> dict[str, str]:
    """One edit per layout; gives the recording or take of each."""
    raw = home / "raw"
    edits.shorten_interval(raw / "lemma", "26k-22-2-2", 3)
    operations = sorted((raw / "surgery").glob("*/*/*.json"))
    boxes = next(p for p in operations if not (p.parent / "Frames").exists())
    edits.move_box(boxes)
    painted = next(p.parent for p in operations if (p.parent / "Frames").exists())
    edits.repaint(sorted((painted / "Frames").iterdir())[7])
    walked = min((raw / "adt").iterdir())
    edits.edit_row(walked / "aria_trajectory.csv", 90, lambda r: r.update(tx_world_device="2.5"))
    clip, other = clips_of(home)
    edits.edit_graph(raw / "easg", clip)
    # A shorter or longer video of the other clip.
    video = raw / "easg" / edits.CLIPS
    content = (video / f"{clip}.mp4").read_bytes()
    edits.rewrite(video / f"{other}.mp4", content)
    return {
        "boxes": boxes.stem,
        "painted": painted.name,
        "walked": walked.name,
        "clip": clip,
        "other": other,
    }


def test_one_edit_in_each_layout_reaches_its_own_and_equals_a_run_from_scratch(
    whole, server, tmp_path
):
    base, first = whole
    home = fork(base, tmp_path / "edited")
    at = edit_everything(home)
    edited = server.succeed(home)
    rows = moved(first, edited)

    def units(table: str, source: str) -> set[str]:
        return rows.get(f"{table}.{source}", set())

    # LEMMA: one agent of one take, in a file of all takes.
    take = "26k-22-2-2"
    assert units("segments", "lemma") == {f"{take}|fpv1"}
    assert units("recordings", "lemma") == units("frames", "lemma") == set()
    lemma = {f"lemma/{r}@1/{take}" for r in ("action_relation_lemma", "object_relation")}
    # Recipes that learn from all takes of a source are made again as a whole.
    of_source = ("action_order", "action_prediction_egome", "action_prediction_lemma")
    corpus = {f"lemma/{r}@1/all" for r in of_source}
    for table in ("questions", "question_gates"):
        assert units(table, "egoexobench") >= {f"lemma/action_relation_lemma@1/{take}"}
        assert units(table, "egoexobench") <= lemma | corpus
    made = edited.computed("questions.egoexobench")
    assert made >= lemma | corpus
    assert not any("26k-11-1-1" in u for u in made), "the other take is left alone"
    # CholecTrack20: a box of one operation, a picture of another.
    assert units("boxes", "surgery") == {at["boxes"]}
    assert units("recordings", "surgery") == {at["painted"]}
    places = ("object_localisation", "object_localisation_enigma51")
    surgery = {f"surgery/{kind}@1/{at[k]}" for kind in places for k in ("boxes", "painted")}
    # What is often the answer is judged over the whole source there too.
    kinds = (
        *("animal_identification", "interaction_identification"),
        *("next_action", "next_direction", "next_phase"),
        *("dominant_object", "object_counting", "object_not_visible"),
        *("special_action_identification", "sport_identification"),
        *("action_sequence_identification", "next_interaction"),
        *(
            f"{kind}_enigma51"
            for kind in ("dominant_object", "object_counting", "object_not_visible")
        ),
    )
    cells = {f"surgery/{kind}@1/all" for kind in kinds}
    localised = (
        *("action_localisation", "action_localisation_enigma51"),
        *("action_localisation_cholectrack20", "interaction_localisation"),
    )
    cells |= {f"surgery/{kind}@1/{at['painted']}" for kind in localised}
    assert edited.computed("questions.egocross") == surgery | cells
    assert f"surgery/object_localisation@1/{at['painted']}" in units("questions", "egocross")
    assert edited.entered("frames_of_images") == {at["painted"]}
    # ADT: one row of one trajectory.
    assert units("camera_poses", "adt") == {at["walked"]}
    assert units("recordings", "adt") == units("frames", "adt") == units("boxes", "adt") == set()
    asked = (
        *("intention_approximate@1", "intention_relative@2"),
        *("exploration_approximate@1", "exploration_relative@1"),
    )
    adt = {f"adt/{recipe}/{at['walked']}" for recipe in asked}
    # What is often the answer is judged over the whole source.
    adt |= {f"adt/exploitation_{kind}@1/all" for kind in ("approximate", "relative")}
    assert edited.computed("scene_graphs.adt") == {at["walked"]}
    assert edited.computed("questions.egoprox") <= adt
    # EASG: a graph of one clip in a file of all clips, the video of the other.
    assert units("relations", "easg") == {at["clip"]}
    assert units("recordings", "easg") == units("frames", "easg") == {at["other"]}
    assert at["clip"] in units("graph_edges", "easg")

    assert edited.entered("read_packets") <= {f"{at['other']}.mp4"}
    assert edited.entered("open") <= {f"{at['other']}.mp4"}
    for key in rows:
        assert key.partition(".")[0] not in {"taxonomies", "splits"}, key

    scratch = tmp_path / "scratch"
    shutil.copytree(home / "raw", scratch / "raw")
    shutil.copy(home / "parallax.toml", scratch)
    assert tables_of(server.succeed(scratch)) == tables_of(edited)

    shutil.rmtree(home / "raw")
    shutil.copytree(base / "raw", home / "raw")
    back = server.succeed(home)
    assert moved(first, back) == {}
    # What was asked before is not asked again: the calls were kept.
    calls = {k for k in first.digests if k[0] == "calls"} | {
        k for k in edited.digests if k[0] == "calls"
    }
    assert {k for k in back.digests if k[0] == "calls"} == calls


def test_a_take_removed_and_added_again_displaces_no_question_of_another(whole, server, tmp_path):
    base, _ = whole
    home = tmp_path / "home"
    shutil.copytree(base / "raw" / "lemma", home / "raw" / "lemma")
    configure(home, ("egoexobench",))
    edits.without_takes(home / "raw" / "lemma", ["26k-22-2-2"])
    alone = server.succeed(home)
    shutil.rmtree(home / "raw" / "lemma")
    shutil.copytree(base / "raw" / "lemma", home / "raw" / "lemma")
    both = server.succeed(home)
    added = {u for us in moved(alone, both).values() for u in us}
    questions = {k: v for k, v in alone.digests.items() if k[0] in ("questions", "question_gates")}
    assert len(questions) == 4  # of action and object relation, and their verdicts
    assert questions.items() <= both.digests.items()
    assert not any(u.startswith("26k-11-1-1") for u in added), added
    edits.without_takes(home / "raw" / "lemma", ["26k-22-2-2"])
    # Allowed, so that the files that are gone are not named in quarantine.
    again = server.succeed(home, options={"allow_deletes": True})
    assert moved(alone, again) == {}


def units_of(
    stage: Stage, settings: Settings, benchmark: str
) -> Iterator[tuple[str, Tables, Tables]]:
    """Each unit with the rows it is computed from: in the declared columns, and in all."""
    every = replace(stage, reads=dict.fromkeys(stage.reads), lineage={})
    inputs = Inputs(settings, every, benchmark)
    for unit in inputs.units().values():
        assert unit.reads is not None
        whole = replace(unit, reads=dict.fromkeys(unit.reads))
        (some,), (all_,) = inputs.batches([unit]), inputs.batches([whole])
        yield unit.name, in_use(some.of(unit)), in_use(all_.of(whole))


def test_builders_and_gates_use_no_column_they_do_not_declare(whole):
    """Else an edit of that column would leave their rows as they were."""
    home, _ = whole
    settings = load_settings(home / "parallax.toml")
    for benchmark in BENCHMARKS.keys() - {"egobridge"}:
        recipes = builders_of(benchmark)
        for name, declared, every in units_of(QUESTIONS, settings, benchmark):
            builder = recipes[split_unit(name)[1]]
            assert builder.make(declared).equals(builder.make(every)), name
        for name, *both in units_of(GATES, settings, benchmark):
            questions = settings.store.read(TABLES["questions"], benchmark, [name])
            verdicts_on = []
            for tables in both:
                frames = tables["frames"].partition_by("recording_id", as_dict=True)
                rest = {n: rows for n, rows in tables.items() if n != "frames"}
                by_recording = {str(k[0]): rows for k, rows in frames.items()}
                protocols = protocols_of(settings, benchmark)
                verdicts_on.append(
                    judge(questions, EvidenceTables(rest, by_recording, protocols, {}))
                )
            assert verdicts_on[0].equals(verdicts_on[1]), name


# -- the gate `blind` ------------------------------------------------------------------------------


def verdicts(home: Path) -> dict[str, str]:
    """Verdict of the gate `blind` by question."""
    rows = read(home, "question_gates", "egocot").filter(pl.col("gate") == "blind")
    return dict(rows.select("question_id", "verdict").iter_rows())


def refused_by(home: Path, model: str) -> set[str]:
    """Questions whose answer the engine finds, worked out from its definition."""
    return {
        row["question_id"]
        for row in read(home, "questions", "egocot").iter_rows(named=True)
        if row["answer"]
        == max(
            (o["letter"] for o in row["options"]),
            key=lambda x: score_by_hash(model, row["question_hash"], x),
        )
    }


def calls_of(home: Path) -> pl.DataFrame:
    """Calls of the blind engine."""
    return read(home, "calls", "egocot.scorer")


def test_a_question_refused_by_another_engine_leaves_and_comes_back_unasked(
    graphs, server, tmp_path
):
    base, first = graphs
    home = fork(base, tmp_path / "home")
    before = refused_by(home, "a")
    assert {q for q, v in verdicts(home).items() if v == "refuse"} == before
    answered = set(read(home, "answers", "egocot.random")["question_id"])
    assert answered == verdicts(home).keys() - before
    now, model = next(
        (found, name)
        for name in "bcdefghijklmnop"
        if (found := refused_by(home, name)) - before and before - found
    )
    scorer(home, model=model)
    other = server.succeed(home)
    assert {q for q, v in verdicts(home).items() if v == "refuse"} == now
    assert other.entered("make_questions") == set()
    assert other.entered("judge") == {k[2] for k in first.digests if k[0] == "questions"}
    out, into = now - before, before - now
    for table in ("requests", "answers"):
        left = set(read(home, table, "egocot.random")["question_id"])
        assert left == answered - out | into
    counted = read(home, "scores", "egocot.random").filter(pl.col("slice") == "micro")["n"]
    assert counted.to_list() == [len(answered - out | into)]
    assert other.entered("build_prompt") == into
    scorer(home)
    back = server.succeed(home)
    assert moved(first, back) == {}
    assert "by_hash" not in back.told["calls"]
    assert back.entered("build_prompt") == out
    # Asked once each, however often they came and went.
    calls = read(home, "calls", "egocot.random")
    assert calls["call_key"].is_unique().all()
    assert set(calls["question_id"]) == answered | into


def test_an_engine_error_is_no_verdict_and_is_tried_again_while_good_calls_stay(
    graphs, server, tmp_path
):
    base, _ = graphs
    home = fork(base, tmp_path / "home")
    good = calls_of(home).height
    (home / "engine-fails").touch()
    scorer(home, model="b")
    server.succeed(home)
    assert set(verdicts(home).values()) == {"unknown"}
    assert (calls_of(home)["status"] == "error").sum() == good
    (home / "engine-fails").unlink()
    retried = server.succeed(home, digest=False)
    assert retried.told["calls"]["by_hash"] == good
    assert {q for q, v in verdicts(home).items() if v == "refuse"} == refused_by(home, "b")
    assert "unknown" not in verdicts(home).values()
    rested = server.succeed(home, digest=False)
    assert (rested.told["calls"], rested.told["commits"]) == ({}, 0)
    scorer(home)
    back = server.succeed(home)
    assert "by_hash" not in back.told["calls"]
    assert verdicts(home) == verdicts(base)


def test_with_a_limit_the_same_questions_are_scored_whatever_is_made_again(
    graphs, server, tmp_path
):
    base, _ = graphs
    home = fork(base, tmp_path / "home")
    scorer(home, limit=3)
    limited = server.succeed(home)
    assert "by_hash" not in limited.told["calls"]
    scored = {q for q, v in verdicts(home).items() if v != "unknown"}
    by_recipe = read(home, "questions", "egocot").sort("question_hash").group_by("recipe").head(3)
    assert scored == set(by_recipe["question_id"])
    assert {verdicts(base)[q] for q in scored} == {verdicts(home)[q] for q in scored}
    again = server.succeed(home)
    assert again.told["commits"] == 0


def test_interrupted_between_calls_and_verdicts_nothing_is_paid_twice(graphs, server, tmp_path):
    base, _ = graphs
    home = fork(base, tmp_path / "goal")
    scorer(home, model="c")
    goal = server.succeed(home)
    asked = goal.told["calls"]["by_hash"]
    at = goal.told["committed"].index("calls") + 1
    home = fork(base, tmp_path / "home")
    scorer(home, model="c")
    assert server.run(home, die={"after_commit": at}).status == KILLED
    paid = calls_of(home).filter(pl.col("model") == "by-hash@c").height
    assert paid > 0
    resumed = server.succeed(home)
    assert resumed.told["calls"].get("by_hash", 0) == asked - paid
    assert tables_of(resumed) == tables_of(goal)


def seer(home: Path, orders: int = 3) -> None:
    """Configure EgoCoT with a model that names letters, without video and with one frame of each clip."""
    run = '[runs.seer]\nengine = "by_hash"\nmodel = "s"\nprotocol = "own"\n'
    keys = {"blind": '"seer"', "single_frame": '"seer"', "single_frame_limit": 4}
    entries = keys | {"blind_limit": 4, "option_orders": orders}
    configure(home, ("egobridge", "egocot"), run + 'benchmarks = ["egobridge"]', **entries)


def test_killed_while_orders_are_asked_nothing_is_paid_twice(graphs, server, tmp_path):
    """Three orders of each question, without video and with one frame; then a fourth order alone."""
    base, _ = graphs
    home = fork(base, tmp_path / "goal")
    seer(home)
    goal = server.succeed(home)
    asked = goal.told["calls"]["by_hash"]
    rows = read(home, "question_gates", "egocot").filter(pl.col("model").is_not_null())
    assert asked == 3 * rows.height
    assert set(rows["gate"]) == {"blind", "single_frame"}
    assert (set(rows["orders"]), set(rows["model"])) == ({3}, {"by-hash@s"})
    # The same content is named in every order: right always or never.
    assert set(rows["value"]) <= {0.0, 1.0}
    assert rows.filter(pl.col("value") == 1.0)["verdict"].to_list() == ["refuse"] * int(
        rows["value"].sum()
    )
    at = goal.told["committed"].index("calls") + 1
    killed = fork(base, tmp_path / "home")
    seer(killed)
    assert server.run(killed, die={"after_commit": at}).status == KILLED
    paid = read(killed, "calls", "egocot.seer").height
    assert 0 < paid < asked
    resumed = server.succeed(killed)
    assert resumed.told["calls"].get("by_hash", 0) == asked - paid
    assert tables_of(resumed) == tables_of(goal)
    rested = server.succeed(killed, digest=False)
    assert (rested.told["calls"], rested.told["commits"]) == ({}, 0)
    seer(killed, orders=4)
    more = server.succeed(killed, digest=False)
    assert more.told["calls"]["by_hash"] == rows.height, (
        "of each question the order it was not asked in"
    )


# -- killed ----------------------------------------------------------------------------------------


def change_graphs(home: Path) -> None:
    """Edits that reach the scene graphs and verdicts of both clips."""
    for clip in clips_of(home):
        edits.edit_graph(home / "raw" / "easg", clip)
    scorer(home, model="b")


@pytest.mark.slow
def test_killed_among_graphs_and_gates_the_next_run_repairs(graphs, server, tmp_path):
    base, _ = graphs
    home = fork(base, tmp_path / "goal")
    change_graphs(home)
    goal = server.succeed(home)
    committed = goal.told["committed"]
    points = {t: committed.index(t) + 1 for t in ("graph_edges", "question_gates", "answers")}
    for table, at in points.items():
        home = fork(base, tmp_path / table)
        change_graphs(home)
        # Before it is the marks; after it some of the tables: the ledger says neither is whole.
        where = "before_commit" if table == "answers" else "after_commit"
        assert server.run(home, die={where: at}).status == KILLED
        repaired = server.succeed(home)
        assert tables_of(repaired) == tables_of(goal), table
        shutil.rmtree(home)


# -- code ------------------------------------------------------------------------------------------


@pytest.fixture
def edited(graphs: tuple[Path, Any], tmp_path: Path, served: Callable) -> Callable:
    """Copies repository and installation, edits the former, runs it on the latter."""
    from tests.pipelines.conftest import CODE, REPOSITORY

    def run(edit: Callable[[Path], None]) -> tuple[Path, Any]:
        code = tmp_path / "elsewhere" / "project"
        code.mkdir(parents=True)
        for name in CODE:
            place = REPOSITORY / name
            if place.is_dir():
                shutil.copytree(place, code / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(place, code / name)
        edit(code)
        home = fork(graphs[0], tmp_path / "home")
        return home, served(code).succeed(home)

    return run


def append(path: Path, old: str, new: str) -> None:
    """Replace text that stands in a file exactly once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name} has {old!r} {text.count(old)} times"
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("what", ["gate", "sampling", "template"])
def test_a_changed_gate_or_rule_judges_again_and_a_template_builds_again(what, graphs, edited):
    _, first = graphs
    pools = {k[2] for k in first.digests if k[0] == "questions"}

    def edit(code: Path) -> None:
        if what == "gate":
            gate = code / "expectations" / "gates" / "margin.py"
            append(gate, "nothing here lies near a border", "no border is near")
        elif what == "sampling":
            rules = code / "assets" / "questions" / "egocot" / "protocols.toml"
            text = rules.read_text(encoding="utf-8")
            head, name, tail = text.partition("[egocot_reasoning]")
            tail = tail.replace('"endpoints(16)"', '"endpoints(12)"', 1)
            rules.write_text(head + name + tail, encoding="utf-8")
        else:
            folder = code / "assets" / "questions" / "egocot"
            template = folder / "active_object_grounding.j2"
            head, line, tail = template.read_text(encoding="utf-8").partition("question %}\n")
            template.write_text(f"{head}{line}Look. {tail}", encoding="utf-8")

    _, outcome = edited(edit)
    rows = moved(first, outcome)
    if what == "template":  # the template of one recipe
        pools = {pool for pool in pools if "/active_object_grounding@" in pool}
    assert outcome.entered("judge") == pools
    for name in ("build_frames", "read_packets", "open", "measure", "make_graph"):
        assert outcome.entered(name) == set()
    clips = {p.rsplit("/", 1)[1] for p in pools}
    assert outcome.entered("make_questions") == (clips if what == "template" else set())
    if what == "template":
        assert rows["questions.egocot"] == pools
    else:
        assert "questions.egocot" not in rows
        assert "by_hash" not in outcome.told["calls"]
    assert outcome.told["reports"]["questions.egobridge"]["computed"] == []
