"""Writes a wearer's recording as a Pupil Invisible folder: native Companion form or Cloud export.

As on the device, gaze pixels and calibration refer to the 1088x1080 scene image; the video written
is a quarter-size copy of it (272x270), so that positions over the image size are the same in both.
Lens distortion is zero. No wearer is named.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from resources.worlds.household.clocks import PTS_HZ, Ints, Part, device_ns, parts
from resources.worlds.household.draw import Artist
from resources.worlds.household.gaze import Measured, measure
from resources.worlds.household.scene import camera_of
from resources.worlds.household.truth import Recording
from resources.worlds.tools.chance import digest
from resources.worlds.tools.encode import write_video

NATIVE_HZ: Final = 120.0
CLOUD_HZ: Final = 200.0
SCENE_PX: Final = (1088, 1080)


def _uuid(*keys: object) -> str:
    h = digest(*keys).hex()
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:32]}"


def recording_id(rec: Recording) -> str:
    """The device's id of the recording; it is not the dataset's video uid."""
    return _uuid(rec.uid, "pupil recording")


def cloud_folder(rec: Recording) -> str:
    """Folder name of a Cloud export: the name given to the recording and the start of its id."""
    return f"{rec.uid}-{recording_id(rec)[:8]}"


def _serial(rec: Recording) -> str:
    return "p" + digest(rec.home, "scene camera").hex()[:4]


def _info(rec: Recording) -> dict[str, Any]:
    return {
        "recording_id": recording_id(rec),
        "start_time": rec.clock.start_ns,
        "duration": int((rec.duration_s + rec.clock.delay_s) * 1e9),
        "data_format_version": "1.4",
        "app_version": "1.4.30-prod",
        "pipeline_version": "2.7.0",
        "calib_version": 1,
        "gaze_offset": [0.0, 0.0],
        "glasses_serial_number": digest(rec.home, "glasses").hex()[:5],
        "scene_camera_serial_number": _serial(rec),
        "wearer_id": _uuid(rec.performer.person_id, "wearer"),
        "android_device_model": "OnePlus 8",
        "android_device_name": "OnePlus8",
        "template_data": {"recording_name": rec.uid},
    }


def _matrix(rec: Recording) -> list[list[float]]:
    focal = camera_of(rec).focal_px
    fx, fy = focal * SCENE_PX[0] / rec.width_px, focal * SCENE_PX[1] / rec.height_px
    return [[fx, 0.0, SCENE_PX[0] / 2], [0.0, fy, SCENE_PX[1] / 2], [0.0, 0.0, 1.0]]


def _scene_px(rec: Recording, seen: Measured) -> npt.NDArray[np.float64]:
    """(N, 2) gaze in the device's scene image."""
    return seen.xy_px * np.divide(SCENE_PX, (rec.width_px, rec.height_px))


def _json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=4))


def _video(rec: Recording, part: Part, path: Path) -> None:
    write_video(
        path, Artist(rec).frames(part.t_s), part.pts.tolist(), PTS_HZ,
        (rec.width_px, rec.height_px), fps=rec.fps, b_frames=rec.b_frames,
    )  # fmt: skip


def write_native(rec: Recording, folder: Path) -> None:
    """Writes `pupil/<uid>/` as the Companion device leaves it (formats note, section B)."""
    folder.mkdir(parents=True, exist_ok=True)
    _json(folder / "info.json", _info(rec))
    serial = _serial(rec).encode()
    zeros = np.zeros(8)
    values = (np.array(_matrix(rec)), zeros, np.eye(3))
    (folder / "calibration.bin").write_bytes(
        serial + b"".join(v.astype("<f8").tobytes() for v in values)
    )
    seen = measure(rec, NATIVE_HZ, regular=False)
    for number, part in enumerate(parts(rec), 1):
        _video(rec, part, folder / f"PI world v1 ps{number}.mp4")
        part.stamps_ns.astype("<u8").tofile(folder / f"PI world v1 ps{number}.time")
        start, stop = part.span_s
        inside = (seen.t_s >= start - 0.15) & (seen.t_s < stop + 0.1)
        worn = (seen.worn[inside] * 255).astype("u1")
        if rec.quirk == "worn_short":
            worn = worn[:-2]
        _scene_px(rec, seen)[inside].astype("<f4").tofile(folder / f"gaze ps{number}.raw")
        device_ns(rec, seen.t_s[inside]).astype("<u8").tofile(folder / f"gaze ps{number}.time")
        worn.tofile(folder / f"worn ps{number}.raw")


def _gaze_csv(rec: Recording, seen: Measured, stamps: Ints, section: str, folder: Path) -> None:
    (fx, _, cx), (_, fy, cy), _ = _matrix(rec)
    x, y = _scene_px(rec, seen).T
    azimuth = np.degrees(np.arctan((x - cx) / fx))
    elevation = -np.degrees(np.arctan((y - cy) / fy))
    blink = pl.Series(seen.blink)
    pl.DataFrame(
        {
            "section id": [section] * x.size,
            "recording id": [recording_id(rec)] * x.size,
            "timestamp [ns]": stamps,
            "gaze x [px]": x,
            "gaze y [px]": y,
            "worn": np.where(seen.worn, "1.0", "0.0"),
            "fixation id": pl.Series([None] * x.size, dtype=pl.Int64),
            "blink id": blink.set(blink == 0, None),
            "azimuth [deg]": azimuth,
            "elevation [deg]": elevation,
        }
    ).write_csv(folder / "gaze.csv", float_precision=3)


def write_cloud(rec: Recording, folder: Path) -> None:
    """Writes `pupil/<uid>-<8 hex>/` as Pupil Cloud exports it (formats note, section A)."""
    folder.mkdir(parents=True, exist_ok=True)
    section = _uuid(rec.uid, "section")
    _json(folder / "info.json", _info(rec))
    lens = {
        "camera_matrix": _matrix(rec), "dist_coefs": [[0.0] * 8], "serial_number": _serial(rec),
        "version": "v1",
    }  # fmt: skip
    _json(folder / "scene_camera.json", lens)
    (part,) = parts(rec)
    _video(rec, part, folder / f"{section[:8]}_0.0-{rec.duration_s:.3f}.mp4")
    ids = {"section id": section, "recording id": recording_id(rec)}
    world = pl.DataFrame({"timestamp [ns]": part.stamps_ns})
    world.select(*(pl.lit(v).alias(k) for k, v in ids.items()), "timestamp [ns]").write_csv(
        folder / "world_timestamps.csv"
    )
    seen = measure(rec, CLOUD_HZ, regular=True)
    _gaze_csv(rec, seen, device_ns(rec, seen.t_s), section, folder)
    edges = device_ns(rec, np.array(seen.blinks_s).reshape(-1, 2))
    blinks = pl.DataFrame(
        {
            "blink id": pl.Series(range(1, len(edges) + 1), dtype=pl.Int64),
            "start timestamp [ns]": edges[:, 0],
            "end timestamp [ns]": edges[:, 1],
            "duration [ms]": (edges[:, 1] - edges[:, 0]) // 1_000_000,
        }
    )
    blinks.select(*(pl.lit(v).alias(k) for k, v in ids.items()), pl.all()).write_csv(
        folder / "blinks.csv"
    )
