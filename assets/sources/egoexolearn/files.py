"""Where the files of EgoExoLearn lie, and the form of its ids."""

from __future__ import annotations

import re

from assets.sources.pupil_invisible.files import GAZE_FILES

LICENCE = "MIT (annotations); videos under the dataset's own terms"
_TAS = "temporal_action_segmentation_benchmark/tas_annotation"
META = "video_meta_downsampled.json"
SEMANTIC = f"{_TAS}/semantic_en.json"
COARSE = "annotations/coarse_annotations.tar.gz"
BUNDLE = rf"{_TAS}/splits/(?:ego|exo|ego_gaze)_(?:train|val|test)_annotations\.bundle"
_PLANNING = "action_anticipation_planning_benchmark/planning_annotation"
PLANNING_LIST = rf"{_PLANNING}/annotation/(?:train|val|test)_(?:ego|exo|ego_gaze)_anno_list\.txt"
PLANNING_BUNDLE = rf"{_PLANNING}/splits/(?:ego|exo|ego_gaze)_(?:train|val|test)_annotations\.bundle"
PLANNING_COTRAIN = rf"{_PLANNING}/annotation/cotrain_[a-z_]+_anno_list\.txt"
# The folder's name is misspelt in the release.
_ANTICIPATION = "action_anticipation_planning_benchmark/anticpation_annotation"
VALID_CLASSES = rf"{_ANTICIPATION}/balanced_full_annotation/valid_(?:verbs|nouns)\.txt"
ANTICIPATION_TABLE = (
    rf"{_ANTICIPATION}/balanced_full_annotation/(?:ego|exo)_(?:train|val|test)_valid\.csv"
)
ANTICIPATION_COTRAIN = rf"{_ANTICIPATION}/(?:verb|noun)(?:_gazed)?/list_[a-z]+_cotraining\.txt"
TAXONOMY = r"annotations/narration_(?:verb|noun)_taxonomy\.csv"
FINE = r"annotations/fine_annotation_\w+\.csv"
SESSIONS = "sessions.csv"
SKILL_LIST = r"skill_benchmark/annotations/skill_(?:train|val|test)\.txt"
SKILL_VOTES = "skill_benchmark/annotations/skill_votes.csv"
ASSOCIATION = r"association_benchmark/annotations/(?:ego|exo)_(?:train|val|test)\.csv"

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_UID = UID.pattern
FRAMES = rf"{_TAS}/gts_fps25/(?P<recording>{_UID})\.txt"
PUPIL = rf"pupil/({_UID})(?:-[0-9a-f]{{8}})?/[^/]+\.mp4"
RELEASED = rf"videos/({_UID})\.mp4"
GAZE = (
    rf"(?:gazes_30fps_npy/(?P<recording>{_UID})\.npy"
    rf"|pupil/(?P<recording_folder>{_UID})(?:-[0-9a-f]{{8}})?/{GAZE_FILES})"
)


def uid_or_none(value: object) -> str | None:
    """The value if it is a video uid."""
    return value if isinstance(value, str) and UID.fullmatch(value) else None
