"""Where the files of LEMMA lie, and the forms of its ids.

Known from the authors' code and from projects that read the dataset; no raw file was seen (format
note on LEMMA and EgoTaskQA). Ids are written with hyphens by the authors and with underscores by
others: both name one video.
"""

from __future__ import annotations

import re

LICENCE = "LEMMA research licence (annotations and videos under the dataset's own terms)"
FPS = 24.0
"""Rate of annotation frames (the authors' interval code)."""
EXO = "master"
"""Name of the third-person view."""

VID = r"\d+[a-z][-_]\d+[-_]\d+[-_]\d+"
VIEW = rf"fpv[1-9]|{EXO}"
INTERVALS = (
    r"(?:annotations/)?(?:new_annotations/)?"
    r"(?:per_act_intervals|action_intervals_w_tasks)\.json"
)
LENGTHS = r"(?:annotations/)?metadata/lengths\.json"
VOCABULARY = (
    r"(?:annotations/)?metadata/(actions|objects|tasks|hois|all_(?:acts|objs|tasks|hois))\.json"
)
SPLIT = r"(?:annotations/)?splits/(\w+)_(train|val|test)\.json"
STATES = r"(?:raw/|annotations/)?parsed\.json"
QUESTIONS = r"(?:data/)?(?:qa/)?(?:(direct|indirect)/(train|val|test)_qas|tagged_qas)\.json"
VIDEO = rf"(?:videos/)?(?P<vid>{VID})/(?P<view>{VIEW})\.mp4"
IMAGE = (
    rf"(?:videos/)?(?P<vid_of_image>{VID})/(?P<view_of_image>{VIEW})/img_(?P<image>\d{{5}})\.jpg"
)
# Copies before resizing lie beside the pictures as img_ori_*; their numbers repeat, so they do not count as pictures.

_SCENES = {"k": "kitchen", "l": "living room"}
_VID = re.compile(VID)
_PID = re.compile(r"P[1-9]")


def vid_or_none(value: object) -> str | None:
    """Id of a video with hyphens, if the value is one."""
    if isinstance(value, str) and _VID.fullmatch(value):
        return value.replace("_", "-")
    return None


def scene_of(vid: str) -> str | None:
    """Kind of place: the letter of the id is taken for it (inferred; no document says so)."""
    return _SCENES.get(vid.partition("-")[0][-1:])


def is_person(value: object) -> bool:
    """Whether the value names an agent: `P1`, `P2`."""
    return isinstance(value, str) and _PID.fullmatch(value) is not None


def view_of(pid: str) -> str:
    """View of an agent's own camera: `fpv1` of `P1`."""
    return f"fpv{pid[1:]}"


def recording_of(vid: str, view: str) -> str:
    """Id of the recording of one view."""
    return f"{vid}|{view}"
