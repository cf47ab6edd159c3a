"""Tables of the scene graphs: cameras as geometry uses them, nodes, edges, coverage, spatial facts."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import FLOAT, INT, POSE_COLUMNS, RECORDING, SOURCE, TEXT
from expectations.schemas.core import Column, Rule, Table
from expectations.schemas.reviews import PATCH_COLUMNS

CALIBRATIONS = Table(
    name="calibrations",
    stage="scene_graphs",
    row="camera model of a recording, as released or estimated from boxes",
    key=("source", "recording_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("method", TEXT, "Where it comes from.", one_of=("stated", "estimated")),
        Column(
            "model",
            TEXT,
            "Projection model.",
            one_of=("opencv_rational", "pinhole", "kannala_brandt", "fisheye624"),
        ),
        Column("image_space", TEXT, "Pixels it speaks of.", one_of=("upright", "sensor", "stored")),
        Column("width_px", INT, "Image width.", unit="px", low=1),
        Column("height_px", INT, "Image height.", unit="px", low=1),
        Column("fx_px", FLOAT, "Focal length, x.", unit="px", low=0.0),
        Column("fy_px", FLOAT, "Focal length, y.", unit="px", low=0.0),
        Column("cx_px", FLOAT, "Principal point, x.", unit="px"),
        Column("cy_px", FLOAT, "Principal point, y.", unit="px"),
        Column("distortion", pl.List(FLOAT), "Coefficients in the model's order."),
        # T_device_camera
        *POSE_COLUMNS,
        Column(
            "axis_angle_deg",
            FLOAT,
            "Angle between the camera's axis and the device's z.",
            unit="deg",
        ),
        Column(
            "residual_px",
            FLOAT,
            "Median distance of projected 3D centres to their 2D boxes; null if not measured.",
            unit="px",
            nullable=True,
        ),
        Column("boxes_used", INT, "2D boxes the residual was measured on.", low=0),
    ),
)

_SPAN = pl.Struct({"start_s": FLOAT, "end_s": FLOAT})

_BOX = pl.Struct(
    {
        "t_s": FLOAT,
        "x_min": FLOAT,
        "y_min": FLOAT,
        "x_max": FLOAT,
        "y_max": FLOAT,
        "box_id": TEXT,
    }
)

GRAPH_NODES = Table(
    name="graph_nodes",
    stage="scene_graphs",
    row="person, hand, thing, action or state of a recording's scene graph",
    key=("source", "node_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("node_id", TEXT, "Recording, kind and instance."),
        Column("kind", TEXT, "Kind.", one_of=("person", "hand", "object", "action", "state")),
        Column(
            "name",
            TEXT,
            "Name as shown: lower case, blanks for underscores; `camera wearer` for the person of an"
            " ego recording.",
        ),
        Column("instance", TEXT, "Instance or track, where the source tells.", nullable=True),
        Column(
            "hand_side", TEXT, "Side of a hand.", nullable=True, one_of=("left", "right", "both")
        ),
        Column(
            "spans",
            pl.List(_SPAN),
            "When it takes part, ascending; empty for what is only boxed, or only in a state.",
        ),
        Column("boxes", pl.List(_BOX), "Where it is seen, upright picture, ascending in time."),
        Column("source_table", TEXT, "Table of the row it comes from."),
        Column("source_row", TEXT, "Key of that row."),
    ),
)

GRAPH_EDGES = Table(
    name="graph_edges",
    stage="scene_graphs",
    row="relation between two nodes over a span",
    key=("source", "edge_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("edge_id", TEXT, "Hash of its ends, relation, span and source row."),
        Column("from_node", TEXT, "Node it starts at.", refers_to="graph_nodes.node_id"),
        Column(
            "relation",
            TEXT,
            "`does`, `acts_on`, `holds`, `has_state`, `located`, `causes`, or a preposition. `located` leads from a"
            " thing to a place; it lasts from the end of the action that put it there, and for an instant where only"
            " a taking tells of the place.",
        ),
        Column("to_node", TEXT, "Node it ends at.", refers_to="graph_nodes.node_id"),
        Column("start_s", FLOAT, "Start.", unit="s", low=0.0),
        Column("end_s", FLOAT, "End.", unit="s", low=0.0),
        Column(
            "hand_side",
            TEXT,
            "Hand that acts, where known.",
            nullable=True,
            one_of=("left", "right", "both"),
        ),
        Column(
            "role",
            TEXT,
            "Part the end plays.",
            nullable=True,
            one_of=(
                "direct",
                "recipient",
                "tool",
                "hand",
                "container",
                "source",
                "target",
                "location",
                "other",
            ),
        ),
        Column(
            "function",
            TEXT,
            "What an action uses a thing for: `target` (the direct object), `tool` or `container`; null where"
            " its role and preposition tell none.",
            nullable=True,
            one_of=("target", "tool", "container"),
        ),
        Column(
            "caused_by",
            TEXT,
            "Of a state, of `causes` and of `located`: edge from the action to the thing whose state it changed, or"
            " which it put there; null where nothing changed or nothing tells. `causes` leads from that action to the state, and lasts from its"
            " start to the state's.",
            nullable=True,
        ),
        Column(
            "preposition",
            TEXT,
            "Of `located`: how the thing is to the place; `at` where only a taking from it is known.",
            nullable=True,
            one_of=("on", "in", "under", "near", "at"),
        ),
        Column(
            "ended_by",
            TEXT,
            "Of `located`: edge from the action to the thing with which it ends; null where it ends with the last"
            " annotated action, and for an instant.",
            nullable=True,
        ),
        Column("segment_id", TEXT, "Segment it was annotated in.", nullable=True),
        Column(
            "source_table",
            TEXT,
            "Table of the row it comes from: `relations`, `object_states` of annotated states, `tracks` of"
            " annotated movements, or `labels` where a source only narrates.",
        ),
        Column(
            "source_row",
            TEXT,
            "Key of that row. Of `labels`: segment, reader, clause, kind, first character and class label,"
            " joined by `|`.",
        ),
    ),
    rules=(
        Rule(
            "cause_is_named",
            (pl.col("relation") != "causes") | pl.col("caused_by").is_not_null(),
            "a cause that names no action on a thing",
            "report this: the graph is wrong",
        ),
        Rule(
            "place_is_named",
            (pl.col("relation") == "located") == pl.col("preposition").is_not_null(),
            "a place without its preposition, or a preposition without a place",
            "report this: the graph is wrong",
        ),
    ),
)

GRAPH_COVERAGE = Table(
    name="graph_coverage",
    stage="scene_graphs",
    row="part of a recording in which something was annotated throughout (needed to conclude absence)",
    key=("source", "coverage_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("coverage_id", TEXT, "Recording, kind and first row, joined by `|`."),
        Column(
            "kind",
            TEXT,
            "What was annotated: `actions`, or `boxes` of all things of a kind, which `annotated_frames` names."
            " A recording without a row of a kind was not annotated for it.",
            one_of=("actions", "boxes"),
        ),
        Column(
            "start_s",
            FLOAT,
            "Start of the first annotated action, or first frame of a run.",
            unit="s",
            low=0.0,
        ),
        Column(
            "end_s", FLOAT, "End of the last of these actions, or last frame.", unit="s", low=0.0
        ),
        Column("n", INT, "Actions, or frames, that are annotated in it.", low=1),
        Column(
            "source_table",
            TEXT,
            "Table of the rows it follows from; `labels` where a source only narrates.",
            one_of=("relations", "labels", "annotated_frames"),
        ),
        Column("first_row", TEXT, "Key of the row that it starts with."),
        Column("last_row", TEXT, "Key of the row that it ends with."),
    ),
    rules=(
        Rule(
            "ends_after_it_starts",
            pl.col("start_s") <= pl.col("end_s"),
            "coverage that ends before it starts",
            "report this: the graph is wrong",
        ),
    ),
)

GRAPH_PATCHES = Table(
    name="graph_patches",
    stage="scene_graphs",
    row="decision of a reviewer that a scene graph follows",
    key=("source", "patched_table", "patched_row"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column(
            "patched_table",
            TEXT,
            "Table of the row.",
            one_of=("relations", "object_states", "boxes"),
        ),
        Column("patched_row", TEXT, "Key of the row."),
        Column(
            "verdict",
            TEXT,
            "Whether the row makes nothing of the graph, or what `value` says.",
            one_of=("reject", "correct"),
        ),
        Column("reason", TEXT, "What was wrong with it.", one_of=tuple(PATCH_COLUMNS)),
        Column(
            "value", TEXT, "Columns as they are right, as JSON; null of a rejection.", nullable=True
        ),
        Column("reviewer", TEXT, "Who decided; several names separated by `, `."),
    ),
)

SPATIAL_FACTS = Table(
    name="spatial_facts",
    stage="scene_graphs",
    row="spatial fact at an instant or over a span, independent of any question",
    key=("source", "fact_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("fact_id", TEXT, "Operator, object and time."),
        Column(
            "operator",
            TEXT,
            "What was measured. `near_view` are spans in which a thing projects into the picture or just"
            " beside it: outside of them it is out of view for certain, where no boxes tell.",
            one_of=(
                "bearing",
                "distance",
                "visible",
                "near_view",
                "fixation",
                "contact",
                "afford",
                "place",
                "displacement",
                "displacement_bearing",
                "place_visible",
            ),
        ),
        Column("object_id", TEXT, "Object it concerns."),
        Column("object_name", TEXT, "Its name as shown."),
        Column("t_s", FLOAT, "Instant, or start of the span.", unit="s"),
        Column("end_s", FLOAT, "End of the span; null for an instant.", unit="s", nullable=True),
        Column("frame", TEXT, "Frame of reference.", one_of=("camera", "image", "world")),
        Column("plane", TEXT, "Plane of a direction.", one_of=("ground", "image", "none")),
        Column(
            "value",
            FLOAT,
            "Bearing in degrees (right positive, in (-180, 180]), distance in metres (`afford`,"
            " `place`: how far the object is moved; `displacement`: how far it still has to go), share"
            " visible.",
            nullable=True,
        ),
        Column(
            "sector",
            INT,
            "Sector on the ring: 0 front, clockwise, eight of 45 degrees.",
            nullable=True,
            low=0,
            high=7,
        ),
        Column(
            "margin_deg",
            FLOAT,
            "Distance of the bearing to its sector's border.",
            unit="deg",
            nullable=True,
        ),
        Column(
            "uncertainty",
            FLOAT,
            "How far off the value may be, in its unit, where the thing's place is the mean place of a hand;"
            " null where it was annotated.",
            nullable=True,
            low=0.0,
        ),
        Column(
            "hand_side", TEXT, "Hand of a contact.", nullable=True, one_of=("left", "right", "both")
        ),
        Column(
            "calibration", TEXT, "Calibration used.", nullable=True, one_of=("stated", "estimated")
        ),
        Column("evidence", pl.List(TEXT), "Keys of the rows it rests on, as `table:key`."),
    ),
    rules=(
        Rule(
            "direction_is_whole",
            ~pl.col("operator").is_in(["bearing", "displacement_bearing"])
            | (
                pl.col("value").is_between(-180, 180, closed="right")
                & pl.col("sector").is_not_null()
                & (pl.col("plane") != "none")
            ),
            "direction without value, sector or plane",
            "report this: the geometry is wrong",
        ),
    ),
)

TABLES = (CALIBRATIONS, GRAPH_PATCHES, GRAPH_NODES, GRAPH_EDGES, GRAPH_COVERAGE, SPATIAL_FACTS)
