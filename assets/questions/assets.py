"""Dagster assets of the questions stage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.questions.gating import STAGE as GATES
from assets.questions.gating import bring_up, is_fresh
from assets.questions.inputs import LEDGERS
from assets.questions.reads import all_reads

STAGE = StageDefinition(
    name="questions",
    summary="Questions with ordered options, media, answer and evidence; gates judge each of them.",
    tables=("questions", "question_gates"),
    partitions="benchmark",
    deps=tuple(sorted(all_reads() & LEDGERS.keys())),
    bring_up=bring_up,
    is_fresh=is_fresh,
    ledger={"question_gates": GATES.name},
    lineage={
        "questions": {
            "options": [
                ("pairs", "positive_segment_id"),
                ("pairs", "negative_segment_ids"),
                ("segments", "class_name"),
                ("boxes", "x_min"),
                ("spatial_facts", "sector"),
                ("graph_nodes", "name"),
            ],
            "media": [
                ("segments", "start_s"),
                ("segments", "end_s"),
                ("clocks", "offset_s"),
                ("spatial_facts", "t_s"),
                ("boxes", "t_s"),
                ("recordings", "media_hashes"),
            ],
            "answer": [
                ("pairs", "positive_segment_id"),
                ("segments", "segment_id"),
                ("boxes", "class_name"),
                ("spatial_facts", "value"),
                ("graph_edges", "to_node"),
            ],
            "question_id": [
                ("pairs", "query_segment_id"),
                ("pairs", "positive_recording_id"),
                ("segments", "segment_id"),
            ],
            "rationale": [("graph_edges", "relation"), ("graph_nodes", "boxes")],
            "evidence": [
                ("segments", "segment_id"),
                ("boxes", "box_id"),
                ("graph_edges", "edge_id"),
                ("spatial_facts", "fact_id"),
            ],
        },
        "question_gates": {
            "verdict": [
                ("questions", "answer"),
                ("questions", "media"),
                ("questions", "evidence"),
                ("frames", "t_s"),
            ],
            "question_hash": [("questions", "question_hash")],
        },
    },
)
