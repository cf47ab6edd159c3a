"""Tables of the navigation stage: where a person can walk, and ways to the things they look for."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import FLOAT, INT, RECORDING, SOURCE, TEXT
from expectations.schemas.core import Column, Rule, Table

_POINT = pl.Struct({"x_m": FLOAT, "y_m": FLOAT})
_STEP = pl.Struct({"turn_deg": FLOAT, "distance_m": FLOAT})

FREE_SPACE = Table(
    name="free_space",
    stage="navigation",
    row="occupancy map of a recording's surroundings, as one or more ways are planned on it",
    key=("source", "recording_id", "map_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("map_id", TEXT, "Hash of the map."),
        Column("world_frame_id", TEXT, "World of its coordinates: metres, z up."),
        Column("floor_m", FLOAT, "Height of the floor in the world.", unit="m"),
        Column("cell_m", FLOAT, "Side of a cell.", unit="m", low=0.0),
        Column("row", INT, "First row: its middle lies at y = (row + 0.5) cells."),
        Column("column", INT, "First column: its middle lies at x = (column + 0.5) cells."),
        Column("rows", INT, "Rows.", low=1),
        Column("columns", INT, "Columns.", low=1),
        Column(
            "runs",
            pl.List(INT),
            "Lengths of runs of equal cells, row by row, by turns occupied and free; the first is of occupied"
            " cells and may be 0.",
        ),
        Column("in_the_way", pl.List(TEXT), "Objects whose boxes occupy cells, sorted."),
    ),
    rules=(
        Rule(
            "runs_cover_the_map",
            pl.col("runs").list.sum() == pl.col("rows") * pl.col("columns"),
            "runs do not cover the map",
            "report this: the map is written wrong",
        ),
    ),
)

PATHS = Table(
    name="paths",
    stage="navigation",
    row="way from where the wearer stands at an instant to an object",
    key=("source", "path_id"),
    unit="recording_id",
    columns=(
        SOURCE,
        RECORDING,
        Column("path_id", TEXT, "Recording, object and time."),
        Column("map_id", TEXT, "Map it is planned on."),
        Column("object_id", TEXT, "Object it leads to."),
        Column("object_name", TEXT, "Its name as shown."),
        Column("t_s", FLOAT, "Instant.", unit="s", low=0.0),
        Column("camera", _POINT, "Where the camera is then, on the ground."),
        Column(
            "heading_deg",
            FLOAT,
            "Direction of the camera's axis on the ground, counter-clockwise from the world's x, in"
            " (-180, 180].",
            unit="deg",
            low=-180.0,
            high=180.0,
        ),
        Column(
            "start_offset_m",
            FLOAT,
            "From the camera to the first waypoint, on the ground.",
            unit="m",
            low=0.0,
        ),
        Column(
            "goal_offset_m",
            FLOAT,
            "From the last waypoint to the middle of the object, on the ground.",
            unit="m",
            low=0.0,
        ),
        Column(
            "cost", FLOAT, "Cost on the grid, in steps of a cell with 0.5 per 45 degrees.", low=0.0
        ),
        Column("grid_waypoints", pl.List(_POINT), "Start, bends and goal of the way over cells."),
        Column(
            "waypoints", pl.List(_POINT), "The same without bends that free sight makes needless."
        ),
        Column(
            "steps",
            pl.List(_STEP),
            "Turn (right positive, the first from the camera's axis) and length of each piece between"
            " `waypoints`.",
        ),
        Column("length_m", FLOAT, "Length of the steps.", unit="m", low=0.0),
        Column(
            "seen_share",
            FLOAT,
            "Share of the steps' length that lies between lines of sight to things the wearer saw in the 8 s"
            " before: no wall crosses it, though walls may have no boxes.",
            low=0.0,
            high=1.0,
        ),
        Column("evidence", pl.List(TEXT), "Keys of the rows it rests on, as `table:key`."),
    ),
    rules=(
        Rule(
            "a_step_between_waypoints",
            pl.col("steps").list.len() + 1 == pl.col("waypoints").list.len(),
            "steps and waypoints do not match",
            "report this: the way is written wrong",
        ),
    ),
)

TABLES = (FREE_SPACE, PATHS)
