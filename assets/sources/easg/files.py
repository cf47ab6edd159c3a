"""Where the files of Ego-EASG lie, the form of its ids, and the rate of its frames."""

from __future__ import annotations

import re

LICENCE = "Ego4D licence agreement (annotations and videos)"
FPS = 30.0
"""Canonical videos and clips of Ego4D run at exactly this rate."""

DOWNSTREAM = r"(?:easg-downstream/)?ALL_GRAPHS_FOR_DOWNSTREAM\.json"
PICKLE = r"(?:easg-generation/)?(?:annts_in_new_format/)?easg_(train|val)\.pkl"
_PREPARED = r"(?:easg-labeling-system/)?(?:input-preparation/)?"
NARRATIONS = rf"{_PREPARED}narration_annotation_mappings_unict_all\.json"
VIDEO_UIDS = rf"{_PREPARED}clip_video_uids_mapping\.json"
MASTER = r"(?:[A-Za-z0-9_-]+/)?EASG_unict_master_final(?:_upd)?\.json"
EGO4D = r"(?:v[12]/)?ego4d\.json"
GRAPHS = rf"{DOWNSTREAM}|{PICKLE}|{MASTER}|{EGO4D}"
VOCABULARY = r"(?:easg-generation/)?(?:annts_in_new_format/)?(verbs|objects)\.txt"

UID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
CLIP = rf"(?:v[12]/)?clips(?:_540ss)?/({UID})\.mp4"

_UID = re.compile(UID)
_GRAPH = re.compile(rf"({UID})_(\d{{1,9}})")


def uid_or_none(value: object) -> str | None:
    """The value if it is the id of a clip or video."""
    return value if isinstance(value, str) and _UID.fullmatch(value) else None


def graph_place(value: object) -> tuple[str, int] | None:
    """Clip and frame that the id of a graph, `<clip_uid>_<PNR frame of the clip>`, tells."""
    match = _GRAPH.fullmatch(value) if isinstance(value, str) else None
    return None if match is None else (match[1], int(match[2]))
