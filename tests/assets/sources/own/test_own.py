"""Own recordings: the sample against its truth, the page's example, and every fault by name."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assets.frames.stage import STAGE as FRAMES
from assets.options import Options, silent
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.own import LAYOUT
from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.flat.own import REFUSED, boxes, gaze, recordings_of, spans, write_own

if TYPE_CHECKING:
    from conftest import Source

DOCS = Path(__file__).parents[4] / "docs/own-recordings.md"
FAULTS = DOCS.read_text(encoding="utf-8").split("## Faults")[1]
SPEC = FlatSpec("lemma", takes=2, seed="own", render="small")
PATH = "recordings/tea.json"
GOOD: dict[str, Any] = {
    "form": "own recording 1",
    "recording": {"take": "t", "view": "ego", "width_px": 100, "height_px": 50},
    "nodes": [
        {"id": "P1", "kind": "person"},
        {"id": "P1/left", "kind": "hand", "of": "P1", "side": "left"},
        {"id": "a1", "kind": "action", "verb": "fill", "start_s": 1, "end_s": 2.5},
        {
            "id": "cup_1", "kind": "object", "name": "cup",
            "boxes": [{"t_s": 1.5, "x": 90, "y": 10, "width": 20, "height": 10,
                       "action": "a1", "moment": "contact"}],
        },
        {"id": "full", "kind": "state", "attribute": "content", "value": "full"},
    ],
    "edges": [
        {"id": "e1", "from": "P1", "to": "a1", "relation": "does", "hand": "left"},
        {"id": "e2", "from": "a1", "to": "cup_1", "relation": "direct object"},
        {"id": "e3", "from": "a1", "to": "P1/left", "relation": "with"},
        {"id": "e4", "from": "cup_1", "to": "full", "relation": "has_state",
         "action": "a1", "moment": "after"},
    ],
}  # fmt: skip


def read(part: str, document: object = None, media: tuple[str, ...] = ()) -> Rows:
    declared = LAYOUT.part(part)
    assert declared is not None
    text = json.dumps(GOOD if document is None else document)
    assert declared.claims(PATH)
    seen = {m: Medium(m, 1, f"hash of {m}", 9.0) for m in media if declared.claims_medium(m)}
    known = {"recording_id": "tea"} if declared.per_recording else None
    return declared.read(PartFiles("it", {PATH: text.encode()}, seen, known))


def all_rules(document: object) -> Counter:
    return Counter(
        (one["table"], one["rule"])
        for part in ("recordings", "segments", "objects")
        for one in read(part, document).refused
    )


def write_examples(root: Path) -> list[Path]:
    """Files of the page's fenced blocks that carry a path after their language."""
    text = DOCS.read_text(encoding="utf-8")
    written = []
    for path, content in re.findall(r"```\w+ (recordings/\S+)\n(.*?)```", text, re.DOTALL):
        written.append(root / path)
        written[-1].parent.mkdir(parents=True, exist_ok=True)
        written[-1].write_text(content, encoding="utf-8")
    return written


# -- the sample ------------------------------------------------------------------------------------


def test_the_sample(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    write_own(SPEC, tmp_path / "root", workers=1)
    source = source_of("own", tmp_path / "root")
    source.ingest()
    assert Counter((q["table"], q["rule"]) for q in source.quarantine()) == REFUSED
    takes = plan_flat(SPEC).takes
    cameras = {
        uid: (take, camera)
        for index, take in enumerate(takes)
        for uid, camera in recordings_of(take, index).items()
    }
    recordings = {r["recording_id"]: r for r in source.rows("recordings").rows(named=True)}
    assert recordings.keys() == cameras.keys() and len(cameras) == 3
    for uid, (take, camera) in cameras.items():
        row = recordings[uid]
        assert (row["take_id"], row["media"]) == (take.take_id, "present")
        assert row["view"] == ("exo" if camera == "master" else "ego")
        assert row["media_duration_s"] == pytest.approx(take.duration_s, abs=0.05)
        _segments(source, uid, take)
        _looks(source, uid, take, camera)
        _boxes(source, uid, take, camera)
    assert Counter(source.rows("clocks")["method"]) == {"alone": 1, "timesync": 2}


def _segments(source: Source, uid: str, take: Any) -> None:
    mine = pl.col("recording_id") == uid
    rows = source.rows("segments").filter(mine)
    assert set(rows.select("source_key", "start_s", "end_s", "actor_id").rows()) == {
        (a.action_id, a.start_s, a.end_s, a.actor) for a in take.actions
    }
    relations = source.rows("relations").filter(mine)
    does = relations.filter(pl.col("relation") == "verb")
    assert Counter(does.select("subject", "object", "hand_side").rows()) == Counter(
        (a.actor, a.verb, a.hand) for a in take.actions
    )
    states = source.rows("object_states").filter(mine)
    assert set(states.select("object_id", "attribute", "value", "start_s", "end_s").rows()) == {
        (thing.instance, *span) for thing in take.things for span in spans(take, thing.instance)
    }


def _looks(source: Source, uid: str, take: Any, camera: str) -> None:
    rows = source.rows("gaze_samples").filter(pl.col("recording_id") == uid)
    if camera != "ego":
        assert rows.is_empty()
        return
    size = take.camera("ego").width_px, take.camera("ego").height_px
    for row, (t_s, *place) in zip(rows.rows(named=True), gaze(take), strict=True):
        assert row["t_s"] == pytest.approx(t_s, abs=1e-3)
        if place[0] is None:
            assert (row["x"], row["y"], row["validity"]) == (None, None, "blink")
            continue
        shares = [v / n for v, n in zip(place, size, strict=True)]
        assert [row["x"], row["y"]] == pytest.approx(shares, abs=1e-3)
        assert row["validity"] in ("valid", "outside")
    assert (rows["validity"] == "valid").sum() > 100


def test_gaze_reaches_the_frames(tmp_path: Path, source_of: Callable[..., Source]) -> None:
    spec = FlatSpec("lemma", takes=1, seed="own", render="small")
    write_own(spec, tmp_path / "root", workers=1)
    source = source_of("own", tmp_path / "root")
    source.ingest()
    FRAMES.refresh(source.settings, "it", Options(), silent)
    (take,) = plan_flat(spec).takes
    camera = take.camera("ego")
    frames = source.rows("frames").filter(pl.col("gaze_x").is_not_null())
    assert frames.height > 100
    samples = [s for s in gaze(take) if s[1] is not None]
    for row in frames.rows(named=True):
        # A tick's gaze is the mean of the samples nearest to it; at 30 a second there are one or two.
        near = [
            (x / camera.width_px, y / camera.height_px)  # type: ignore[operator]
            for t_s, x, y in samples
            if abs(t_s - row["t_s"]) <= 0.0205
        ]
        for name, shares in zip(("gaze_x", "gaze_y"), zip(*near, strict=True), strict=True):
            assert min(shares) - 1e-3 <= row[name] <= max(shares) + 1e-3


def _boxes(source: Source, uid: str, take: Any, camera: str) -> None:
    rows = source.rows("boxes").filter(
        (pl.col("recording_id") == uid) & pl.col("object_id").is_not_null()
    )
    found = {(r["object_id"], r["t_s"], *r["raw"]) for r in rows.rows(named=True)}
    assert found == {
        (a.object, b["t_s"], b["x"], b["y"], b["width"], b["height"])
        for a in take.actions
        for b in boxes(take, camera, a, a.object)
    }
    assert found


def test_another_kind_of_flat_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="kind="):
        write_own(FlatSpec("easg"), tmp_path)


# -- the form --------------------------------------------------------------------------------------


def test_a_graph_becomes_rows() -> None:
    assert all_rules(GOOD) == {}
    made = read("segments")
    (segment,) = made.tables["segments"].rows(named=True)
    assert (segment["segment_id"], segment["start_s"], segment["end_s"]) == ("tea/a1", 1.0, 2.5)
    assert (segment["class_name"], segment["actor_id"]) == ("fill cup", "P1")
    columns = ("subject", "relation", "object", "role", "hand_side")
    assert made.tables["relations"].select(columns).rows() == [
        ("P1", "verb", "fill", None, "left"),
        ("fill", "direct object", "cup", "direct", "left"),
        ("fill", "with", "left hand", "hand", "left"),
    ]
    (state,) = made.tables["object_states"].rows(named=True)
    told = [state[n] for n in ("segment_id", "moment", "object", "attribute", "value", "start_s")]
    assert told == ["tea/a1", "after", "cup", "content", "full", None]
    (box,) = read("objects").tables["boxes"].rows(named=True)
    assert [box[n] for n in ("x_min", "y_min", "x_max", "y_max")] == pytest.approx(
        [0.9, 0.2, 1.0, 0.4]
    )
    assert (box["clipped"], box["moment"], box["segment_id"]) == (True, "contact", "tea/a1")


def test_the_examples_of_the_page_are_read_whole(
    tmp_path: Path, source_of: Callable[..., Source]
) -> None:
    written = write_examples(tmp_path / "root")
    assert {path.suffix for path in written} == {".json", ".csv"}
    source = source_of("own", tmp_path / "root")
    source.ingest()
    assert source.quarantine() == []
    # Every node, edge, box and sample that the page shows, counted in the page itself.
    graphs = [json.loads(p.read_text()) for p in written if p.suffix == ".json"]
    nodes = [n for g in graphs for n in g["nodes"]]
    edges = [e for g in graphs for e in g["edges"]]
    (samples,) = [p.read_text().splitlines()[1:] for p in written if p.suffix == ".csv"]
    expected = {
        "recordings": len(graphs),
        "segments": sum(n["kind"] == "action" for n in nodes),
        "relations": sum(e["relation"] != "has_state" for e in edges),
        "object_states": sum(e["relation"] == "has_state" for e in edges),
        "boxes": sum(len(n.get("boxes", ())) for n in nodes),
        "gaze_samples": len(samples),
    }
    assert {name: source.rows(name).height for name in expected} == expected
    assert source.rows("gaze_samples")["validity"].to_list() == [
        "valid", "valid", "blink", "outside",
    ]  # fmt: skip
    wearer = source.rows("relations").filter(pl.col("relation") == "verb")
    assert set(wearer["subject"]) == {"Ada"}
    assert source.rows("recordings")["person_id"].to_list() == ["P1", None]


def test_a_video_without_a_graph_and_a_graph_without_a_video() -> None:
    made = read("recordings", media=("recordings/lone.mp4",))
    (row,) = made.tables["recordings"].rows(named=True)
    assert (row["recording_id"], row["media"]) == ("tea", "missing")
    assert [(one["file"], one["rule"]) for one in made.refused] == [
        ("recordings/lone.mp4", "no_graph")
    ]


def node(at: int, **said: object) -> Callable[[dict], None]:
    return lambda d: d["nodes"][at].update(said)


def edge(at: int, **said: object) -> Callable[[dict], None]:
    return lambda d: d["edges"][at].update(said)


def box(**said: object) -> Callable[[dict], None]:
    return lambda d: d["nodes"][3]["boxes"][0].update(said)


def about(**said: object) -> Callable[[dict], None]:
    return lambda d: d["recording"].update(said)


def two_people(*said: dict[str, Any], **recording: Any) -> Callable[[dict], None]:
    """A second person who does something, with further fields of both people."""

    def change(d: dict) -> None:
        d["nodes"].insert(1, {"id": "P2", "kind": "person"})
        d["nodes"].append({"id": "a2", "kind": "action", "verb": "wave", "start_s": 1, "end_s": 2})
        d["edges"].append({"id": "e5", "from": "P2", "to": "a2", "relation": "does"})
        for person, fields in zip(d["nodes"], said, strict=False):
            person.update(fields)
        d["recording"].update(recording)

    return change


FAULT_CASES: list[tuple[Callable[[dict], object], str | None, str]] = [
        (lambda d: d.update(form="own recording 2"), "recordings", "unknown_form"),
        (lambda d: d.update(nodes={}), "recordings", "unreadable_file"),
        (lambda d: d.pop("edges"), "recordings", "unreadable_file"),
        (lambda d: d.update(recording=[]), "recordings", "unreadable_file"),
        (about(view="above"), "recordings", "unreadable_row"),
        (about(split="dev"), "recordings", "unreadable_row"),
        (about(colour="red"), "recordings", "unreadable_row"),
        (about(take_offset_s="late"), "recordings", "unreadable_row"),
        (about(width_px=0), "recordings", "unreadable_row"),
        (node(4, kind="mood"), "segments", "unknown_kind"),
        (node(4, kind=["state"]), "segments", "unknown_kind"),
        (node(4, id="cup_1"), "segments", "id_twice"),
        (node(4, colour="red"), "segments", "unknown_field"),
        (node(4, value=7), "segments", "unreadable_row"),
        (node(2, end_s=1), "segments", "span_without_length"),
        (node(2, end_s="2"), None, ""),
        (node(2, step_order="2"), None, ""),
        (node(2, essential="yes"), "segments", "unreadable_row"),
        (node(2, step_order=-1), "segments", "unreadable_row"),
        (node(1, side="upper"), "segments", "unreadable_row"),
        (node(1, of="P2"), "segments", "unknown_node"),
        (lambda d: d["nodes"].append({**d["nodes"][3], "id": "cup_2", "name": "Cup "}),
         "segments", "name_twice"),
        (lambda d: d["nodes"].append("cup"), "segments", "unreadable_row"),
        (edge(1, to="pan"), "segments", "unknown_node"),
        (edge(1, id="e1"), "segments", "id_twice"),
        (edge(1, to="P1"), "segments", "edge_does_not_fit"),
        (edge(0, relation="sees"), "segments", "edge_does_not_fit"),
        (edge(0, relation="sees"), "segments", "action_without_actor"),
        (edge(1, start_s=1, end_s=2), "segments", "span_without_state"),
        (edge(1, hand="third"), "segments", "unreadable_row"),
        (edge(1, weight=1), "segments", "unknown_field"),
        (edge(3, moment="later"), "segments", "unreadable_row"),
        (edge(3, action="cup_1"), "segments", "unknown_node"),
        (edge(3, start_s=0), "segments", "unreadable_row"),
        (lambda d: d["edges"].append({**d["edges"][0], "id": "e9"}), "segments", "two_actors"),
        (box(width=0), "boxes", "unreadable_row"),
        (box(x=None), "boxes", "unreadable_row"),
        (box(action="a7"), "boxes", "unknown_node"),
        (box(moment=None), "boxes", "unreadable_row"),
        (box(moment="pnr"), "boxes", "unreadable_row"),
        (box(depth=1), "boxes", "unknown_field"),
        (lambda d: (d["recording"].pop("width_px"), d["recording"].pop("height_px")),
         "boxes", "box_without_size"),
        (node(0, name=7), "segments", "unreadable_row"),
        (node(0, wears_camera="yes"), "segments", "unreadable_row"),
        (two_people({"name": "Ada"}, {"name": " ada"}), "segments", "name_twice"),
        (two_people(), "segments", "no_wearer"),
        (two_people(person="p1"), "segments", "no_wearer"),
        (two_people({"wears_camera": False}), None, ""),
        (two_people({"wears_camera": True}, {"wears_camera": True}), "segments", "two_wearers"),
        (two_people({}, {"wears_camera": True}, person="P1"), "segments", "two_wearers"),
        (two_people({"wears_camera": False}, person="P1"), "segments", "two_wearers"),
        (two_people({"wears_camera": True}, view="exo"), "segments", "wearer_not_ego"),
        (two_people(view="exo"), None, ""),
        (node(0, wears_camera=False), None, ""),
        (lambda d: d["nodes"].append({"id": "jug", "kind": "object", "name": "jug"}),
         "segments", "node_alone"),
        (lambda d: d["nodes"].append({"id": "h", "kind": "hand", "of": "P1", "side": "right"}),
         "segments", "node_alone"),
        (lambda d: d["edges"].pop(3), "segments", "node_alone"),
    ]  # fmt: skip


@pytest.mark.parametrize(("change", "table", "rule"), FAULT_CASES)
def test_every_fault_is_refused_by_name(
    change: Callable[[dict], object], table: str | None, rule: str
) -> None:
    document = copy.deepcopy(GOOD)
    change(document)
    found = all_rules(document)
    if table is None:
        assert found == {}
    else:
        assert (table, rule) in found


def test_the_page_names_every_fault_and_no_other() -> None:
    named = {n for line in FAULTS.splitlines() if line.startswith("| `")
             for n in re.findall(r"`([a-z_]+)`", line.split("|")[1])}  # fmt: skip
    elsewhere = {"no_graph", "unknown_recording", "gaze_without_size", "gaze_not_ego"}
    assert named == {rule for _, table, rule in FAULT_CASES if table is not None} | elsewhere


@pytest.mark.parametrize(
    ("change", "person", "subjects"),
    [
        pytest.param(lambda d: None, "P1", ["P1"], id="the only person"),
        pytest.param(about(person="P1"), "P1", ["P1"], id="named by the recording"),
        pytest.param(lambda d: (about(person="Ada")(d), node(0, name="Ada")(d)), "Ada",
                     ["camera wearer"], id="named by name"),
        pytest.param(about(person="U-17"), "U-17", ["camera wearer"], id="a participant code"),
        pytest.param(two_people(person="P2"), "P2", ["P1", "P2"], id="one of two, named"),
        pytest.param(two_people({}, {"wears_camera": True}), "P2", ["P1", "P2"], id="marked"),
        pytest.param(two_people({"id": "c"}, {"wears_camera": True}), "P2",
                     ["person c", "P2"], id="the other is called as wearers are"),
        pytest.param(two_people({"name": "Ada"}, {"name": "Bo"}, person="P1"), "P1",
                     ["Ada", "Bo"], id="names"),
        pytest.param(two_people(), None, ["P1", "P2"], id="unknown"),
        pytest.param(two_people({}, {"wears_camera": True}, person="P1"), None, ["P1", "P2"],
                     id="contradiction"),
        pytest.param(two_people(view="exo"), None, ["P1", "P2"], id="exo"),
    ],
)  # fmt: skip
def test_who_wears_the_camera(
    change: Callable[[dict], object], person: str | None, subjects: list[str]
) -> None:
    document = copy.deepcopy(GOOD)
    change(document)
    if document["nodes"][0]["id"] == "c":
        document["edges"][0]["from"] = document["nodes"][2]["of"] = "c"
    (row,) = read("recordings", document).tables["recordings"].rows(named=True)
    assert row["person_id"] == person
    relations = read("segments", document).tables["relations"]
    assert relations.filter(pl.col("relation") == "verb")["subject"].to_list() == subjects


def test_a_person_is_boxed_under_the_name() -> None:
    document = copy.deepcopy(GOOD)
    place = {"t_s": 1.0, "x": 1, "y": 1, "width": 9, "height": 9}
    document["nodes"].append({"id": "P2", "kind": "person", "name": "Bo", "boxes": [place]})
    document["recording"]["person"] = "P1"
    assert all_rules(document) == {}
    boxes = read("objects", document).tables["boxes"]
    assert ("Bo", "P2") in boxes.select("class_name", "person_id").rows()


# -- gaze ------------------------------------------------------------------------------------------

GAZE = "recordings/tea.gaze.csv"


def read_gaze(text: str, **recording: object) -> Rows:
    declared = LAYOUT.part("sensors")
    assert declared is not None and declared.claims(GAZE)
    known = {"recording_id": "tea", "view": "ego", "width_px": 200, "height_px": 100} | recording
    return declared.read(PartFiles("it", {GAZE: text.encode()}, {}, known))


def test_gaze_is_read_in_shares_of_the_picture() -> None:
    made = read_gaze("t_s,x,y,validity\n0,50,25,\n0.5,,,\n1,20,10,not_worn\n1.5,20,101,valid\n")
    assert made.refused == ()
    assert made.tables["gaze_samples"].select("sample", "t_s", "x", "y", "validity").rows() == [
        (0, 0.0, 0.25, 0.25, "valid"),
        (1, 0.5, None, None, "flagged"),
        (2, 1.0, 0.1, 0.1, "not_worn"),
        (3, 1.5, 0.1, 1.01, "outside"),
    ]
    # Other columns in another order, without validity.
    made = read_gaze("y,t_s,x\n25,0,50\n")
    assert made.tables["gaze_samples"].select("x", "y", "validity").rows() == [
        (0.25, 0.25, "valid")
    ]


@pytest.mark.parametrize(
    ("text", "recording", "rule", "left"),
    [
        ("t_s,x,y\n0,50,25\n", {"view": "exo"}, "gaze_not_ego", 0),
        ("t_s,x,y\n0,50,25\n", {"width_px": None, "height_px": None}, "gaze_without_size", 0),
        ("t_s,x\n0,50\n", {}, "unreadable_file", 0),
        ("", {}, "unreadable_file", 0),
        ("t_s,x,y\nsoon,50,25\n1,50,25\n", {}, "unreadable_row", 1),
        ("t_s,x,y\n0,left,25\n1,50,25\n", {}, "unreadable_row", 1),
        ("t_s,x,y,validity\n0,50,25,tired\n1,50,25,valid\n", {}, "unreadable_row", 1),
        ("t_s,x,y,pupil_mm\n0,50,25,3\n", {}, "unknown_field", 1),
    ],
)
def test_every_fault_of_gaze_is_refused_by_name(
    text: str, recording: dict, rule: str, left: int
) -> None:
    made = read_gaze(text, **recording)
    assert [one["rule"] for one in made.refused] == [rule]
    assert made.tables["gaze_samples"].height == left


@pytest.mark.parametrize("text", [b"", b"[", b"[]", b"\xff", b'{"form": NaN}'])
def test_files_that_are_no_graph_give_no_row(text: bytes) -> None:
    declared = LAYOUT.part("recordings")
    assert declared is not None
    made = declared.read(PartFiles("it", {PATH: text}))
    assert made.tables["recordings"].is_empty()
    assert len(made.refused) == 1
