"""Writes takes of a flat as Ego4D's own JSON: one or two wearers, narrations, hands and objects, gaze.

Where two people wear cameras the second video starts later, and the two are tied by a set with
offsets. One video is listed and not here, one is here as a clip alone, and a few rows are broken
(`REFUSED`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np

from resources.worlds.flat import Action, Flat, FlatSpec, Sight, Take, plan_flat
from resources.worlds.flat.files import Progress, each_take, write_csv, write_json
from resources.worlds.tools.chance import digest
from resources.worlds.tools.encode import write_video

FPS: Final = 30
LATE_S: Final = 1.5
"""How much later the second camera of a take starts."""
CLIPPED: Final = 2
"""Take whose video is here as a clip alone."""
CLIP_START_S: Final = 4.0
GAZE_HZ: Final = 50
_LEAST_PX: Final = 6
_PLACES: Final = ("flat_kitchen", None)
_SAID: Final = {
    "get": "picks up",
    "put": "puts down",
    "turn on": "turns on",
    "turn off": "turns off",
}
_VERBS: Final = {"get": "take_(pick,_grab,_get)", "put": "put_(place,_leave,_drop)"}
REFUSED: Final = {
    ("segments", "unreadable_row"): 2,
    ("segments", "rejected_action"): 1,
    ("segments", "no_valid_action"): 1,
    ("segments", "redacted"): 1,
    ("boxes", "unreadable_row"): 1,
    ("clocks", "set_not_valid"): 1,
}
"""What readers must refuse, by table and rule."""


@dataclass(frozen=True, slots=True)
class Video:
    """A wearer's video of a take.

    Attributes:
        uid: Its id.
        take: The take.
        index: Number of the take.
        camera: Name of the camera.
        wearer: Who wears it.
        start_s: Take time at which it starts.
        frames: How many it has, 30 a second.
    """

    uid: str
    take: Take
    index: int
    camera: str
    wearer: str
    start_s: float
    frames: int

    @property
    def duration_s(self) -> float:
        """Its length."""
        return self.frames / FPS

    @property
    def clip_uid(self) -> str:
        """Id of the clip cut from it."""
        return _uid("clip", self.uid)

    @property
    def actions(self) -> list[Action]:
        """Actions of anybody that lie inside the video."""
        return [
            a
            for a in self.take.actions
            if a.start_s > self.start_s and a.end_s < self.start_s + self.duration_s
        ]

    def frame(self, t_s: float) -> int:
        """Frame that shows a time of the take."""
        return round((t_s - self.start_s) * FPS)

    def sights(self, frame: int) -> dict[str, Sight]:
        """What the picture of a frame shows."""
        return self.take.sights(self.camera, self.take.picture_time(self.start_s + frame / FPS))


def _uid(*parts: object) -> str:
    return str(UUID(bytes=digest("ego4d", *map(str, parts)), version=4))


ABSENT: Final = _uid("absent")
"""A video that is listed, redacted and not here."""


def videos(take: Take, index: int) -> list[Video]:
    """Videos of a take, a wearer each."""
    made = []
    for agent in take.agents:
        start = 0.0 if agent.camera == "ego" else LATE_S
        uid = _uid(take.spec.seed, take.take_id, agent.camera)
        count = int((take.duration_s - start) * FPS)
        made.append(Video(uid, take, index, agent.camera, agent.person_id, start, count))
    return made


def videos_of(flat: Flat) -> list[Video]:
    """All videos."""
    return [video for index, take in enumerate(flat.takes) for video in videos(take, index)]


# -- ego4d.json ------------------------------------------------------------------------------------


def _listed(video: Video) -> dict[str, Any]:
    camera = video.take.camera(video.camera)
    return {
        "video_uid": video.uid,
        "duration_sec": video.duration_s,
        "scenarios": [video.take.task.capitalize()],
        "video_metadata": {
            "fps": 30.0,
            "num_frames": video.frames,
            "video_codec": "h264",
            "display_resolution_width": camera.width_px,
            "display_resolution_height": camera.height_px,
        },
        "split_em": None,
        "split_av": "multi" if video.index == 1 else None,
        "split_fho": ("train", "val")[video.index % 2],
        "device": "Flat Cam",
        "physical_setting_name": _PLACES[video.index % 2],
        "fb_participant_id": 400 + int(video.wearer[1:]) + 10 * video.index,
        "has_gaze": video.index == 0,
        "has_redacted_regions": False,
        "redacted_intervals": [],
    }


def _metadata(flat: Flat) -> dict[str, Any]:
    all_videos = videos_of(flat)
    absent = {
        **_listed(all_videos[0]), "video_uid": ABSENT, "split_fho": None, "duration_sec": 61.5,
        "fb_participant_id": None, "physical_setting_name": None, "has_redacted_regions": True,
    }  # fmt: skip
    sets = []
    for index, take in enumerate(flat.takes):
        mine = videos(take, index)
        if len(mine) > 1:
            sets.append(
                {
                    "concurrent_video_set_id": 70 + index,
                    "valid": True,
                    "videos": [
                        {"video_uid": v.uid, "video_start_offset_sec": v.start_s} for v in mine
                    ],
                }
            )
    doubt = [{"video_uid": all_videos[0].uid, "video_start_offset_sec": 0.0},
             {"video_uid": ABSENT, "video_start_offset_sec": 3.0}]  # fmt: skip
    sets.append({"concurrent_video_set_id": 99, "valid": False, "videos": doubt})
    return {
        "date": "260101",
        "version": "v2",
        "description": "sample",
        "videos": [*(_listed(video) for video in all_videos), absent],
        "concurrent_video_sets": sets,
        "physical_settings": [{"name": "flat_kitchen", "fb_physical_setting_id": 1}],
        "clips": [
            {
                "clip_uid": video.clip_uid,
                "video_uid": video.uid,
                "video_start_sec": CLIP_START_S,
                "video_end_sec": video.duration_s,
                "video_start_frame": int(CLIP_START_S * FPS),
                "video_end_frame": video.frames,
            }
            for video in all_videos
            if video.camera == "ego"
        ],
    }


# -- narration.json --------------------------------------------------------------------------------


def narration_text(video: Video, action: Action) -> str:
    """An action as its narrator writes it."""
    who = "#C C" if action.actor == video.wearer else "#O A man X"
    return (
        f"{who} {_SAID.get(action.verb, action.verb + 's')} the {video.take.name_of(action.object)}"
    )


def _narrations(video: Video) -> dict[str, Any]:
    first, second = (_uid(video.uid, "pass", n) for n in (1, 2))

    def point(action: Action, uid: str, text: str) -> dict[str, Any]:
        at = action.contact_s - video.start_s
        return {
            "timestamp_sec": at,
            "timestamp_frame": round(at * FPS),
            "_unmapped_timestamp_sec": at,
            "narration_text": text,
            "annotation_uid": uid,
        }

    told = [point(a, first, narration_text(video, a) + "\n") for a in video.actions]
    again = [point(a, second, f"{narration_text(video, a)}  #unsure") for a in video.actions[::2]]
    if video.index == 0:
        again.append({**again[0], "timestamp_sec": "soon"})
    summary = {
        "start_sec": 0.0,
        "end_sec": video.duration_s,
        "summary_text": f"#summary #C C did the task {video.take.task}\n",
        "annotation_uid": first,
    }
    return {
        "status": "complete",
        "narration_pass_1": {"narrations": told, "summaries": [summary]},
        "narration_pass_2": {"narrations": again, "summaries": []},
    }


# -- fho_main.json ---------------------------------------------------------------------------------


def _box(sight: Sight, kind: str, noun: str | None) -> dict[str, Any]:
    return {
        "object_type": kind,
        "structured_noun": noun,
        "instance_number": None if noun is None else 1,
        "bbox": {
            "x": float(sight.x_min),
            "y": float(sight.y_min),
            "width": float(sight.x_max - sight.x_min),
            "height": float(sight.y_max - sight.y_min),
        },
    }


def moments(video: Video, action: Action) -> dict[str, int]:
    """Frames of an action by their type."""
    return {
        "pre_frame": video.frame(action.start_s),
        "pnr_frame": video.frame(action.contact_s),
        "post_frame": video.frame(action.end_s),
    }


def boxed(video: Video, action: Action, frame: int) -> Iterator[tuple[str, str | None, Sight]]:
    """What is boxed in a frame: type, noun and bounds."""
    seen = video.sights(frame)
    wanted = [("object_of_change", video.take.name_of(action.object), action.object)]
    wanted += [(f"{s}_hand", None, f"{action.actor}/{s}") for s in ("left", "right")]
    for kind, noun, instance in wanted:
        sight = seen.get(instance)
        if sight is not None and sight.pixels >= _LEAST_PX:
            yield kind, noun, sight


def _action(video: Video, action: Action, *, framed: bool) -> dict[str, Any]:
    frames = moments(video, action)
    start, end = action.start_s - video.start_s, action.end_s - video.start_s
    return {
        "warnings": [],
        "uid": _uid(video.uid, action.action_id),
        "start_sec": start,
        "end_sec": end,
        "start_frame": frames["pre_frame"],
        "end_frame": frames["post_frame"],
        "is_valid_action": True,
        "is_partial": False,
        # What counts from the clip lies elsewhere than what counts from the video.
        "clip_start_sec": start + 8.0,
        "clip_end_sec": end + 8.0,
        "narration_timestamp_sec": action.contact_s - video.start_s,
        "narration_text": narration_text(video, action),
        "narration_annotation_uid": _uid(video.uid, "pass", 1),
        "structured_verb": _VERBS.get(action.verb, action.verb.replace(" ", "_")),
        "freeform_verb": action.verb,
        "state_transition": None,
        "critical_frames": frames,
        "frames": [
            {
                "frame_number": frame,
                "frame_type": moment,
                "boxes": [_box(s, kind, noun) for kind, noun, s in boxed(video, action, frame)],
            }
            for moment, frame in frames.items()
        ]
        if framed
        else None,
        "is_rejected": False,
        "is_invalid_annotation": False,
        "reject_reason": None,
        "stage": "final",
    }


def own_actions(video: Video) -> list[Action]:
    """Actions of the wearer that lie inside the video."""
    return [action for action in video.actions if action.actor == video.wearer]


def _interval(video: Video) -> dict[str, Any]:
    # Boxes are drawn in takes of two and in the first; elsewhere actions have none, as in the release.
    framed = video.index < CLIPPED
    actions = [_action(video, action, framed=framed) for action in own_actions(video)]
    if video.index == 0:
        last = actions[-1]
        actions[1]["uid"] = None
        actions.append({**last, "uid": _uid("rejected"), "is_rejected": True,
                        "reject_reason": "hand not visible"})  # fmt: skip
        actions.append({**last, "uid": _uid("invalid"), "is_valid_action": False})
        actions.append({**last, "uid": _uid("broken"), "start_sec": None})
        # As hands of another file are written: a middle, which is not a box.
        actions[0]["frames"][0]["boxes"].append(
            {"object_type": "left_hand", "structured_noun": None, "bbox": [120.0, 80.5]}
        )
    return {
        "clip_id": "1",
        "clip_uid": video.clip_uid,
        "start_sec": 0.0,
        "end_sec": video.duration_s,
        "narrated_actions": actions,
        "redacted": False,
    }


def _hands_and_objects(flat: Flat) -> dict[str, Any]:
    out = []
    for video in videos_of(flat):
        camera = video.take.camera(video.camera)
        meta = {"fps": 30.0, "num_frames": video.frames, "duration_sec": video.duration_s,
                "width": camera.width_px, "height": camera.height_px, "rotation": None}  # fmt: skip
        intervals = [_interval(video)]
        out.append(
            {"video_uid": video.uid, "video_metadata": meta, "annotated_intervals": intervals}
        )
    return {
        "version": "v2",
        "date": "260101",
        "description": "sample",
        "metadata": "",
        "videos": out,
    }


# -- gaze and videos -------------------------------------------------------------------------------


def gaze_point(video: Video, t_s: float) -> tuple[float, float]:
    """Where the wearer looks, in shares of the picture, 0 at the left and at the top."""
    camera = video.take.camera(video.camera)
    _, point = video.take.gaze_target(t_s, video.wearer)
    pose = video.take.camera_pose(video.camera, t_s)
    x, y = camera.project(pose.to_local(np.asarray(point)))
    return float(x / camera.width_px), float(y / camera.height_px)


def _gaze(video: Video, root: Path) -> None:
    rows = []
    for n in range(int(video.duration_s * GAZE_HZ)):
        t_s = n / GAZE_HZ
        x, y = gaze_point(video, video.start_s + t_s)
        # Pupil's software counts from the bottom; the numbers of pictures do not start at 0.
        rows.append([0, t_s, t_s, 10583.0 + n * FPS // GAZE_HZ, 1.0, x, 1 - y, "", ""])
    header = (
        "component_idx,component_timestamp_s,canonical_timestamp_s,world_index,confidence,"
        "norm_pos_x,norm_pos_y,base_data,gaze_point_3d_x"
    )
    write_csv(root / f"v2/gaze/{video.uid}.csv", header, rows)


def _write(take: Take, root: Path) -> str:
    """Draws the videos of one take."""
    index = int(take.take_id.rpartition("_")[2]) - 1
    for video in videos(take, index):
        if take.spec.render == "none":
            continue
        clipped = index == CLIPPED
        first = int(CLIP_START_S * FPS) if clipped else 0
        name = f"clips/{video.clip_uid}" if clipped else f"full_scale/{video.uid}"
        path = root / f"v2/{name}.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        camera = take.camera(video.camera)
        times = [video.start_s + n / FPS for n in range(first, video.frames)]
        write_video(
            path, take.frames(video.camera, times), range(len(times)), FPS,
            (camera.width_px, camera.height_px), fps=FPS, repeated=True,
        )  # fmt: skip
    return take.take_id


def write_ego4d(
    spec: FlatSpec, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes takes of kind `lemma`, one or two wearers each, in this layout (see `side_by_side.Writer`)."""
    flat = plan_flat(spec, "lemma")
    told = {video.uid: _narrations(video) for video in videos_of(flat)}
    write_json(root / "ego4d.json", _metadata(flat))
    write_json(
        root / "v2/annotations/narration.json",
        {"videos": {**told, ABSENT: {"status": "redacted"}}},
    )
    write_json(root / "v2/annotations/fho_main.json", _hands_and_objects(flat))
    _gaze(videos_of(flat)[0], root)
    each_take(_write, flat.takes, root, progress, workers)
