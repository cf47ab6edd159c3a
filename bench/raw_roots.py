"""What looking at raw roots costs: a listing of 30,000 unchanged files, and a JSON document of 2 GB.

The document has the form of Ego4D's `fho_main.json`: 1,500 videos, of which each holds some 100
actions with boxes; it is read into recordings and segments, one line of it is edited, and it is read
again.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.measure import Figure, cpu_s, main, measure, peak_mb

FILES, BOUND_S = 30_000, 5.0
VIDEOS, SIZE, BOUND_MB = 1_500, 2_000_000_000, 1_000
PLUGIN = """
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.json_streaming import json_members
from assets.sources.layout import Layout, Part, Rows
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES


def read_recordings(part):
    rows = []
    for path, pieces in part.large.items():
        for _, video in json_members(pieces(), ["videos"]):
            rows.append({
                "source": part.source, "recording_id": video["video_uid"],
                "take_id": video["video_uid"], "view": "ego", "media_kind": "video",
                "time_base": "pts", "media": "missing", "media_paths": [], "media_hashes": [],
                "duration_s": video["video_metadata"]["duration_sec"], "licence": "x",
                "source_file": path, "source_key": video["video_uid"]})
    return Rows({"recordings": TABLES["recordings"].frame(rows)})


def read_segments(part):
    rows, reader = [], RowReader("segments")
    for path, pieces in part.large.items():
        def of(_, video):
            return {"rows": [{
                "source": part.source, "recording_id": video["video_uid"], "segment_id": a["uid"],
                "kind": "fine", "start_s": a["start_sec"], "end_s": a["end_sec"], "is_point": False,
                "narration": a["narration_text"], "source_file": path, "source_key": a["uid"]}
                for i in video["annotated_intervals"] for a in i["narrated_actions"]]}
        for made in reader.large_json(path, pieces(), ["videos"], of):
            rows += made["rows"]
    return Rows({"segments": TABLES["segments"].frame(rows)}, tuple(reader.refused))


LAYOUT = Layout("large", "Large", "CC0", "verified", (
    Part("recordings", read_recordings, None, large=r"fho_main\\.json"),
    Part("segments", read_segments, None, large=r"fho_main\\.json"),
))
"""


def relist(where: str) -> dict[str, Any]:
    """CPU seconds of the second of two listings."""
    from assets.sources.manifest import take_manifest
    from assets.sources.registry import layout
    from resources.roots.open import open_root
    from resources.store.tables import TableStore

    base = Path(tempfile.mkdtemp(dir=where))
    try:
        for video in range(1, 30):
            folder = base / "raw" / "Training" / f"VID{video:02d}" / "Frames"
            folder.mkdir(parents=True)
            for number in range(-(-FILES // 29)):
                (folder / f"{number:06d}.png").write_bytes(b"x")
        declared = layout("cholectrack20")
        store = TableStore(str(base / "tables"))
        take_manifest(store, "bench", declared, open_root(str(base / "raw"), declared.knows))
        began = cpu_s()
        root = open_root(str(base / "raw"), declared.knows)
        again = take_manifest(store, "bench", declared, root)
        return {"cpu_s": cpu_s() - began, "files": len(again.files), "read": again.hashed}
    finally:
        shutil.rmtree(base)


def write_large(path: Path) -> None:
    """The document; lines are actions."""
    each = SIZE // VIDEOS
    boxes = json.dumps(
        [
            {"frame_number": n, "boxes": [{"x": n / 7, "y": n / 3, "width": 88.1, "height": 9.5}]}
            for n in range(130)
        ]
    )
    with path.open("w", encoding="utf-8") as out:
        out.write('{"version": "v2", "metadata": {"a": []}, "videos": [\n')
        for video in range(VIDEOS):
            head = {"video_uid": f"video-{video:05d}", "video_metadata": {"duration_sec": 9000.0}}
            out.write((",\n" if video else "") + json.dumps(head)[:-1])
            out.write(', "annotated_intervals": [{"clip_uid": null, "narrated_actions": [\n')
            done, at = 0, 0
            while done < each:
                line = (
                    f'{{"uid": "{video:05d}-{at:05d}", "start_sec": {at}.25, "end_sec": {at + 1}.5, '
                    f'"narration_text": "#C C picks up thing {at % 97}", "frames": {boxes}}}'
                )
                out.write((",\n" if at else "") + line)
                done, at = done + len(line) + 2, at + 1
            out.write("\n]}]}")
        out.write("\n]}\n")


def read_large(where: str, times: str) -> dict[str, Any]:
    """Read the document as it lies; what was made, and at what cost."""
    from assets.sources.registry import layout
    from assets.sources.stage import ingest
    from resources.roots.open import open_root
    from resources.store.tables import TableStore

    base = Path(where)
    declared = layout("large", ("plugin.py",), base)
    began, wall = cpu_s(), time.monotonic()
    store = TableStore(str(base / "tables"))
    reports = ingest(store, "bench", declared, open_root(str(base / "raw"), declared.knows))
    return {
        "times": times,
        "cpu_s": cpu_s() - began,
        "wall_s": time.monotonic() - wall,
        "peak_mb": peak_mb(),
        "segments": sum(report.rows("segments") for report in reports),
        "changed": [len(report.changed) for report in reports],
    }


def figures() -> list[Figure]:
    """Both figures."""
    listed = measure(__file__, "relist", tempfile.gettempdir())
    base = Path(tempfile.mkdtemp())
    try:
        (base / "raw").mkdir()
        (base / "plugin.py").write_text(PLUGIN, encoding="utf-8")
        large = base / "raw" / "fho_main.json"
        write_large(large)
        first = measure(__file__, "read_large", str(base), "first", repeats=1)
        size = large.stat().st_size
        with large.open("r+b") as handle:
            handle.seek(size // 2)
            handle.readline()
            while b"picks up" not in (line := handle.readline()):
                pass
            handle.seek(-len(line), os.SEEK_CUR)
            handle.write(line.replace(b"picks up", b"puts off"))
        second = measure(__file__, "read_large", str(base), "second", repeats=1)
    finally:
        shutil.rmtree(base)
    peak = max(first["peak_mb"], second["peak_mb"])
    return [
        Figure(
            f"re-listing {listed['files']:,} unchanged files ({listed['read']} read)",
            f"{listed['cpu_s']:.1f} CPU s",
            f"<= {BOUND_S:.0f} CPU s",
            listed["cpu_s"] <= BOUND_S and listed["read"] == 0,
            "",
        ),
        Figure(
            f"a JSON document of {size / 1e9:.1f} GB into {first['segments']:,} segments, twice",
            f"{peak:.0f} MB at most, {first['cpu_s']:.0f} CPU s; one line edited moves "
            f"{second['changed']} units of recordings and segments",
            f"<= {BOUND_MB} MB, [0, 1]",
            peak <= BOUND_MB and second["changed"] == [0, 1],
            "",
        ),
    ]


if __name__ == "__main__":
    sys.exit(main(__file__, figures, {"relist": relist, "read_large": read_large}))
