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

from assets.sources import own
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.own import LAYOUT
from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.own import REFUSED, boxes, recordings_of, spans, write_own

if TYPE_CHECKING:
    from conftest import Source

DOCS = Path(__file__).parents[3] / "docs/own-recordings.md"
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


@pytest.mark.parametrize("rule", sorted(set(re.findall(r"`([a-z_]+)`", FAULTS))))
def test_every_rule_of_the_page_is_one_of_the_readers(rule: str) -> None:
    known = "".join(
        (Path(own.__file__).parent / name).read_text(encoding="utf-8")
        for name in ("own.py", "own_graph.py", "guard.py", "stage.py")
    )
    assert rule in ("form", "does", "wears_camera", "ego") or f'"{rule}"' in known


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


@pytest.mark.parametrize(
    ("change", "table", "rule"),
    [
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
    ],
)  # fmt: skip
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


@pytest.mark.parametrize("text", [b"", b"[", b"[]", b"\xff", b'{"form": NaN}'])
def test_files_that_are_no_graph_give_no_row(text: bytes) -> None:
    declared = LAYOUT.part("recordings")
    assert declared is not None
    made = declared.read(PartFiles("it", {PATH: text}))
    assert made.tables["recordings"].is_empty()
    assert len(made.refused) == 1
