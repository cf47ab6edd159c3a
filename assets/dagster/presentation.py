"""How tables look in the Dagster UI: group, owner, kind, and the columns that a preview starts with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_GROUPS: Mapping[str, tuple[str, ...]] = {
    "raw_files": ("files",),
    "media": ("recordings", "images", "clocks", "take_links", "frame_stamps"),
    "annotations": (
        "segments",
        "relations",
        "object_states",
        "objects_3d",
        "boxes",
        "tracks",
        "annotated_frames",
        "taxonomies",
        "splits",
        "released_frames",
        "released_rows",
        "imported_questions",
    ),
    "sensors": (
        "cameras",
        "gaze_samples",
        "gaze_rays",
        "camera_poses",
        "hand_joints",
        "body_joints",
    ),
    "people": ("listed_people", "skill_levels", "skill_votes", "reviews"),
    "labels": ("translations", "labels"),
    "statistics": ("statistics", "split_overlaps"),
    "bookkeeping": ("quarantine", "ledger"),
}
_GROUP = {table: group for group, tables in _GROUPS.items() for table in tables}
_OWNERS: Mapping[str, tuple[str, ...]] = {
    "team:data": ("raw_files", "media", "annotations", "people", "reviews", "bookkeeping"),
    "team:video": ("sensors", "frames"),
    "team:language": ("labels", "pairs"),
    "team:geometry": ("scene_graphs", "navigation", "keysteps"),
    "team:benchmarks": ("skill", "task_sets", "statistics", "questions", "question_reviews"),
    "team:models": ("predictions",),
    "team:evaluation": ("scores", "report"),
}
_OWNER = {group: owner for owner, groups in _OWNERS.items() for group in groups}
# What a table is about, shown on its node; others are plain tables.
_KINDS: Mapping[str, str] = {
    "recordings": "video",
    "streams": "video",
    "frames": "video",
    "frame_stamps": "video",
    "images": "image",
    "annotated_frames": "image",
    "boxes": "image",
    "gaze_samples": "gaze",
    "gaze_rays": "gaze",
    "cameras": "3d",
    "camera_poses": "3d",
    "objects_3d": "3d",
    "hand_joints": "3d",
    "body_joints": "3d",
    "calibrations": "3d",
    "spatial_facts": "3d",
    "segments": "text",
    "labels": "text",
    "translations": "text",
    "relations": "graph",
    "graph_patches": "graph",
    "graph_nodes": "graph",
    "graph_edges": "graph",
    "graph_coverage": "graph",
    "questions": "text",
    "question_gates": "gate",
    "wordings": "text",
    "calls": "model",
    "judgements": "model",
    "judge_tests": "model",
}
_FIRST: Mapping[str, tuple[str, ...]] = {
    "questions": ("text", "options", "answer", "subtask", "recording_id"),
    "question_gates": ("gate", "verdict", "message", "question_id", "subtask"),
    "question_reviews": ("subtask", "state", "verdict", "reason", "reviewer", "question_id"),
    "wordings": ("template", "wording", "status", "rule", "message"),
    "wording_reviews": ("domain", "state", "verdict", "reason", "reviewer", "wording_id"),
    "requests": ("question_id", "prompt"),
    "calls": ("reply", "status", "error", "prompt", "seconds"),
    "answers": ("letter", "right", "match", "status", "subtask", "recording_id"),
    "costs": ("model", "protocol", "n_calls", "dollars", "prompt_tokens", "completion_tokens"),
    "scores": ("slice", "metric", "value", "low", "high", "n", "n_unparsed", "n_errors"),
    "judgements": ("verdict", "mark", "reason", "rule", "reply", "judge", "question_id"),
    "judge_tests": ("test_class", "test", "text", "expected", "verdict", "mark", "reason"),
    "judged_scores": ("judge", "slice", "metric", "value", "low", "high", "n", "n_unjudged"),
    "groundings": (
        "status",
        "times_cited",
        "times_supported",
        "objects_cited",
        "objects_supported",
    ),
    "aligned_questions": ("subtask", "keyword", "round", "is_answered", "released_id"),
    "domain_gaps": ("slice", "domain", "daily_value", "value", "difference", "difference_low"),
    "domain_points": ("kind", "domain", "x", "y", "encoder"),
    "grounding_scores": ("slice", "metric", "value", "low", "high", "n", "n_unread"),
    "parity_answers": ("reader", "theirs", "ours", "agrees", "right", "our_right", "outcome"),
    "parity_scores": ("reader", "slice", "metric", "value", "ours", "effect", "n", "n_differ"),
    "segments": ("narration", "class_name", "start_s", "end_s", "kind", "recording_id"),
    "translations": ("original", "text", "status", "origin"),
    "labels": (
        "term",
        "class_label",
        "kind",
        "role",
        "body_part",
        "actor_id",
        "reader",
        "segment_id",
    ),
    "recordings": ("recording_id", "view", "scenario", "duration_s", "media", "split"),
    "quarantine": ("file", "row", "rule", "value", "message", "remedy"),
    "files": ("path", "bytes", "part", "is_media", "is_gone"),
}


def table_group(table: str, stage_group: str) -> str:
    """Group of a table in the graph; that of its stage, unless the stage is cut or shares a group."""
    return _GROUP.get(table, stage_group)


def group_owner(group: str) -> str:
    """Team that answers for a group."""
    return _OWNER[group]


def table_kind(table: str) -> str:
    """What a table is about, in a word."""
    return _KINDS.get(table, "table")


def preview_columns(table: str, columns: Sequence[str]) -> list[str]:
    """Columns of a table with those first that tell a reader what a row is.

    Args:
        table: Name of the table.
        columns: Its columns in stored order.
    """
    first = [name for name in _FIRST.get(table, ()) if name in columns]
    return [*first, *(name for name in columns if name not in first)]


def readable(value: object) -> object:
    """A value as a reader wants it in a preview: options as `A. text`, others as they are."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return value
    if not {"letter", "text"} <= value[0].keys():
        return value
    return "; ".join(f"{option['letter']}. {option['text']}" for option in value)
