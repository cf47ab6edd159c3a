"""Takes and recordings of Ego-Exo4D."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assets.sources.documents import Document
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.json import document_of, member_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number
from assets.sources.recording_rows import video_media
from expectations.schemas import TABLES

LICENCE = "Ego-Exo4D Licence Agreement"
TAKES = "takes.json"
SPLITS = r"annotations/splits\.json"
VIDEO = r"(?:[^/]+/)*takes/([^/]+)/frame_aligned_videos/(?:downscaled/\d+/)?([^/]+\.mp4)"
"""Mirrors unpack parts into doubled folders (`takes/takes/<take>`): only the end of a path counts."""

FPS = 30.0
_NO_CAMERAS = {"collage", "best_exo"}


@dataclass(frozen=True, slots=True)
class Camera:
    """One camera of a take.

    Attributes:
        recording_id: Take and camera.
        cam_id: As the dataset names it.
        is_ego: Worn by the performer.
        device: `aria`, `hero10` and so on.
        video: File name of its frame-aligned video.
    """

    recording_id: str
    cam_id: str
    is_ego: bool
    device: str | None
    video: str


@dataclass(frozen=True, slots=True)
class Take:
    """A take.

    Attributes:
        uid: Its uuid, by which annotations name it.
        name: Its folder.
        capture: Name of the capture it was cut from.
        start: First row of the capture's `timesync.csv`.
        end: Row after the last.
        cameras: Its cameras.
        said: The whole record.
    """

    uid: str
    name: str
    capture: str
    start: int
    end: int
    cameras: tuple[Camera, ...]
    said: Mapping[str, object]

    @property
    def ego(self) -> Camera | None:
        """The Aria: some takes have a second camera on the head, and ids of the Aria vary."""
        worn = [c for c in self.cameras if c.is_ego]
        return next((c for c in worn if c.cam_id.startswith("aria")), worn[0] if worn else None)


def _parse_takes(files: Mapping[str, bytes], reader: RowReader) -> Mapping[str, Take]:
    """Takes by uuid."""
    if TAKES not in files:
        reader.reject(
            TAKES, None, "file_missing", None, "the list of takes is absent", f"restore {TAKES}"
        )
        return {}
    found: dict[str, Take] = {}
    for at, row in reader.json(TAKES, files[TAKES], lambda item: {"take": _take(item)}):
        take: Take = row["take"]
        reader.keep_first(found, take.uid, take, file=TAKES, row=at)
    return found


def _take(item: object) -> Take:
    if not isinstance(item, dict):
        raise Malformed("take is not an object", item)
    uid, name = (text_or_none(item.get(key), key) for key in ("take_uid", "take_name"))
    if uid is None or name is None or "/" in name:
        raise Malformed("take without take_uid or take_name", name)
    capture = item.get("capture")
    capture = capture if isinstance(capture, dict) else {}
    start, end = (whole_number(item.get(f"timesync_{key}_idx")) for key in ("start", "end"))
    if end <= start or start < 0:
        raise Malformed(f"timesync rows {start} to {end} do not exist", end)
    return Take(
        uid,
        name,
        text_or_none(capture.get("capture_name"), "capture_name") or re.sub(r"_\d+$", "", name),
        start,
        end,
        tuple(_cameras(name, item.get("frame_aligned_videos"), capture.get("cameras"))),
        item,
    )


def _cameras(take: str, videos: object, listed: object) -> Iterator[Camera]:
    known = {
        c["cam_id"]: c
        for c in (listed if isinstance(listed, list) else [])
        if isinstance(c, dict) and isinstance(c.get("cam_id"), str)
    }
    if not isinstance(videos, dict):
        raise Malformed("frame_aligned_videos is not an object", str(videos)[:80])
    for cam_id, streams in sorted(videos.items()):
        if cam_id in _NO_CAMERAS:
            continue
        if not isinstance(streams, dict):
            raise Malformed(f"the streams of {cam_id} are not an object", str(streams)[:80])
        # An Aria has grey and eye cameras beside its RGB camera; others have one stream, "0".
        stream = streams.get("rgb") or streams.get("0")
        path = stream.get("relative_path") if isinstance(stream, dict) else None
        if not isinstance(path, str):
            continue
        said = known.get(cam_id, {})
        is_aria = cam_id.startswith("aria")
        device = said.get("device_type")
        yield Camera(
            f"{take}|{cam_id}",
            cam_id,
            bool(said.get("is_ego", is_aria)),
            device if isinstance(device, str) else ("aria" if is_aria else None),
            path.rsplit("/", 1)[-1],
        )


def _parse_splits(files: Mapping[str, bytes], reader: RowReader) -> Mapping[str, str]:
    """Split of each take, by uuid."""
    path = next(iter(files), None)
    if path is None:
        return {}
    try:
        listed = member_of(document_of(files[path]), "take_uid_to_split", dict)
    except Malformed as error:
        reader.unreadable(path, error)
        return {}
    found = {}
    for uid, split in listed.items():
        if split in ("train", "val", "test"):
            found[uid] = split
        else:
            reader.reject(
                path,
                uid,
                "unknown_split",
                split,
                "split is not one of train, val, test",
                "correct the list",
            )
    return found


TAKE_LIST = Document("recordings", re.escape(TAKES), _parse_takes)
"""Takes by uuid; `recordings` records what is wrong with the list."""

SPLIT_LIST = Document("splits", SPLITS, _parse_splits)
"""Split of each take, by uuid; `splits` records what is wrong with the list."""


def read_recordings(part: PartFiles) -> Rows:
    """One recording per camera of a take, the Aria's RGB camera and each GoPro."""
    reader = RowReader("recordings")
    media = _media(part.media)
    splits = part.document(SPLIT_LIST)
    rows, clocks = [], []
    for take in part.document(TAKE_LIST, reader).values():
        frames = take.end - take.start
        stated = reader.make(
            TAKES, take.uid, lambda t=take: {"s": number(t.said.get("duration_sec"))}
        )
        if stated is not None and abs(stated["s"] - frames / FPS) > 1.5 / FPS:
            reader.reject(
                TAKES, take.uid, "contradicting_length", stated["s"],
                f"the take is stated to be {stated['s']:g} s long and spans {frames} synchronous frames",
                "check timesync_start_idx and timesync_end_idx", take.ego.recording_id if take.ego else None,
            )  # fmt: skip
        if take.ego is None:
            reader.reject(
                TAKES, take.uid, "no_ego_camera", take.name, "take without a camera that is worn",
                "check the capture's cameras",
            )  # fmt: skip
        named = take.said.get("frame_aligned_videos")
        told = {c.cam_id for c in take.cameras}.union(_NO_CAMERAS)
        for cam_id in sorted(set(named if isinstance(named, dict) else ()) - told):
            reader.reject(
                TAKES, take.uid, "camera_without_video", cam_id,
                f"{take.name} has no colour video of {cam_id} (stream `rgb` or `0`)",
                "restore takes.json, or nothing if the camera failed",
            )  # fmt: skip
        for camera in take.cameras:
            medium = media.get((take.name, camera.video))
            rows.append(
                {
                    **_recording(take, camera, medium),
                    "source": part.source,
                    "split": splits.get(take.uid),
                    "duration_s": None if stated is None else stated["s"],
                }
            )
            clocks.append(
                {
                    "source": part.source,
                    "recording_id": camera.recording_id,
                    "take_id": take.name,
                    "offset_s": 0.0,
                    "rate": 1.0,
                    "method": "frame_aligned",
                    "source_file": TAKES,
                }
            )
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "clocks": TABLES["clocks"].frame(clocks),
    }
    return Rows(tables, tuple(reader.refused))


def _recording(take: Take, camera: Camera, medium: Medium | None) -> dict:
    def said(key: str) -> str | None:
        value = take.said.get(key)
        return None if value is None else str(value)

    return {
        "recording_id": camera.recording_id,
        "take_id": take.name,
        "view": "ego" if camera.is_ego else "exo",
        "device": camera.device,
        "scenario": said("task_name"),
        "scene": said("parent_task_name"),
        "environment_id": said("physical_setting_uid"),
        "person_id": said("participant_uid"),
        **video_media(medium),
        "declared_frames": take.end - take.start,
        "declared_fps": FPS,
        "licence": LICENCE,
        "source_file": TAKES,
        "source_key": f"{take.uid}/{camera.cam_id}",
    }


def _media(media: Mapping[str, Medium]) -> dict[tuple[str, str], Medium]:
    """Frame-aligned videos by take and file name; whole ones go before downscaled ones."""
    found: dict[tuple[str, str], Medium] = {}
    for path in sorted(media, key=lambda p: ("/downscaled/" in p, len(p), p)):
        match = re.fullmatch(VIDEO, path)
        if match is not None:
            found.setdefault((match[1], match[2]), media[path])
    return found
