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


def agreement_columns(annotators: str) -> tuple[Column, ...]:
    """Columns of the agreement of annotators (see `assets.agreement`).

    Args:
        annotators: Who they are, as a subject.
    """
    return (
        Column("n_annotators", INT, f"{annotators} with a judgement that is compared.", low=0),
        Column("n_items", INT, "Items that at least two of them judged.", low=0),
        Column(
            "alpha",
            FLOAT,
            "Krippendorff's alpha for nominal labels over these items; 0 is chance, 1 perfect agreement. Null"
            " where it is not defined.",
            nullable=True,
            high=1.0,
        ),
        Column(
            "alpha_low",
            FLOAT,
            "Lower end of its 95 % interval, clustered by recording.",
            nullable=True,
        ),
        Column("alpha_high", FLOAT, "Upper end.", nullable=True),
        Column(
            "kappa",
            FLOAT,
            "Mean of Cohen's kappa over pairs of annotators, each over the items that both judged; null where"
            " it is defined for no pair.",
            nullable=True,
            low=-1.0,
            high=1.0,
        ),
        Column(
            "multi_kappa",
            FLOAT,
            "Kappa of all annotators (Davies and Fleiss) over the items that all of them judged; null where"
            " there is none, or it is not defined.",
            nullable=True,
            high=1.0,
        ),
        Column(
            "agreement_reason",
            TEXT,
            "Why a coefficient or the interval is null; null where none is.",
            nullable=True,
        ),
    )
