"""Columns and types that several tables share."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from expectations.schemas.core import Column, Rule

TEXT = pl.String()
FLOAT = pl.Float64()
INT = pl.Int64()
BOOL = pl.Boolean()

SOURCE = Column("source", TEXT, "Named root that holds one dataset's layout.")

RECORDING = Column("recording_id", TEXT, "One camera's stream, by the source's own key.")

SOURCE_FILE = Column("source_file", TEXT, "File under the source's root that holds the row.")

SOURCE_KEY = Column(
    "source_key",
    TEXT,
    "Key of the row inside that file, never its position: a line put in before moves no other row.",
)

QUATERNION = (
    Column("qw", FLOAT, "Unit quaternion, w.", nullable=True),
    Column("qx", FLOAT, "Unit quaternion, x.", nullable=True),
    Column("qy", FLOAT, "Unit quaternion, y.", nullable=True),
    Column("qz", FLOAT, "Unit quaternion, z.", nullable=True),
)

POSITION = (
    Column("tx", FLOAT, "Translation, x.", unit="m", nullable=True),
    Column("ty", FLOAT, "Translation, y.", unit="m", nullable=True),
    Column("tz", FLOAT, "Translation, z.", unit="m", nullable=True),
)

POSE_COLUMNS = tuple(replace(c, nullable=False) for c in (*POSITION, *QUATERNION))

_NORM = sum((pl.col(f"q{a}") ** 2 for a in "wxyz"), pl.lit(0.0)).sqrt()


def unit_quaternion(*, keep_null: bool = False) -> Rule:
    """Rule that a rotation is a unit quaternion; `keep_null` lets rows without one pass."""
    whole = (_NORM - 1).abs() < 1e-3
    return Rule(
        "unit_quaternion",
        whole.fill_null(True) if keep_null else whole,
        "rotation is not a unit quaternion",
        "check the order of the components (w first) and the file",
    )
