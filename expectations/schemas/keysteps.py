"""Tables of keysteps: in which order they are done, and where."""

from __future__ import annotations

from expectations.schemas.columns import FLOAT, INT, RECORDING, SOURCE, TEXT
from expectations.schemas.core import Column, Table

STEP_ORDER = Table(
    name="step_order",
    stage="keysteps",
    row="ordered pair of keysteps of a task, the first of which is done first in at least one take",
    key=("source", "scenario", "first_id", "second_id"),
    unit="scenario",
    columns=(
        SOURCE,
        Column("scenario", TEXT, "Task, as `recordings.scenario` names it."),
        Column("first_id", INT, "Keystep that comes first (`segments.class_id`).", low=0),
        Column("first_name", TEXT, "Its name."),
        Column("second_id", INT, "Keystep that comes second.", low=0),
        Column("second_name", TEXT, "Its name."),
        Column(
            "support",
            INT,
            "Takes in which the first keystep is over for good before the second begins.",
            low=1,
        ),
        Column(
            "exceptions",
            INT,
            "Takes in which the second comes first, or one begins before the other is over.",
            low=0,
        ),
    ),
)

STEP_PLACES = Table(
    name="step_places",
    stage="keysteps",
    row="keystep of a recording whose place in space is known",
    key=("source", "segment_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("segment_id", TEXT, "The keystep.", refers_to="segments.segment_id"),
        Column("world_frame_id", TEXT, "World of the position: metres, z up."),
        Column("x_m", FLOAT, "Position, x.", unit="m"),
        Column("y_m", FLOAT, "Position, y.", unit="m"),
        Column("z_m", FLOAT, "Position, z.", unit="m"),
        Column(
            "spread_m",
            FLOAT,
            "Root mean square distance of the samples on the ground from their mean: how far the hands, or the"
            " object, move during the step.",
            unit="m",
            low=0.0,
        ),
        Column("samples", INT, "Instants it is the mean of.", low=1),
        Column(
            "method",
            TEXT,
            "Mean of the wearer's hands while the step lasts, or of the one annotated object that its name names.",
            one_of=("hands", "object"),
        ),
        Column("object_id", TEXT, "That object.", nullable=True),
    ),
)

TABLES = (STEP_ORDER, STEP_PLACES)
