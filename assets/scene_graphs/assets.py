"""Dagster assets of the scene graphs stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.scene_graphs.stage import MADE, READ, bring_up, is_fresh

_POSE = [("cameras", "qw"), ("boxes", "raw"), ("objects_3d", "tx"), ("camera_poses", "tx")]

STAGE = StageDefinition(
    name="scene_graphs",
    summary="Who did what to what, where things are seen, and facts measured in space.",
    tables=MADE,
    partitions="source",
    deps=tuple(name for names in READ.values() for name in names),
    bring_up=bring_up,
    is_fresh=is_fresh,
    lineage={
        "calibrations": {"residual_px": _POSE, "axis_angle_deg": _POSE},
        "spatial_facts": {
            "value": [*_POSE, ("boxes", "visibility")],
            "t_s": [("gaze_rays", "t_s"), ("hand_joints", "t_s"), ("annotated_frames", "t_s")],
            "object_name": [("objects_3d", "name")],
        },
        "graph_nodes": {
            "name": [
                ("relations", "object"),
                ("relations", "subject"),
                ("object_states", "object"),
                ("object_states", "value"),
                ("recordings", "person_id"),
            ],
            "boxes": [("boxes", "x_min")],
            "spans": [("segments", "start_s")],
        },
        "graph_edges": {
            "relation": [("relations", "relation")],
            "to_node": [("relations", "object"), ("object_states", "value")],
            "start_s": [("segments", "start_s"), ("object_states", "start_s")],
            "end_s": [("segments", "end_s"), ("object_states", "end_s")],
        },
    },
)
