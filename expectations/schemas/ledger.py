"""Tables the store keeps about its own work: raw files, units, and rows in quarantine."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import BOOL, FLOAT, INT, SOURCE, TEXT
from expectations.schemas.core import Column, Table

FILES = Table(
    name="files",
    stage="sources",
    row="file under a source's root",
    key=("source", "path"),
    unit="path",
    columns=(
        SOURCE,
        Column("path", TEXT, "Path under the root, with forward slashes."),
        Column("bytes", INT, "Size.", unit="B", low=0),
        Column(
            "stamp", TEXT, "Modification time or ETag: equal stamps skip hashing.", volatile=True
        ),
        Column(
            "content",
            TEXT,
            "Content identity; `sampled:` marks large media not hashed whole, `verified:` such ones "
            "that changed where no sample was taken.",
        ),
        Column("part", TEXT, "Part of the layout that claims the file.", nullable=True),
        Column("is_media", BOOL, "Whether the file holds pixels."),
        Column(
            "duration_s",
            FLOAT,
            "Length a media file's container states; null if it cannot be opened.",
            unit="s",
            nullable=True,
            low=0.0,
        ),
        Column(
            "archive",
            TEXT,
            "Archive under the root that holds the file; null for a file of its own.",
            nullable=True,
            volatile=True,
        ),
        Column(
            "whole",
            TEXT,
            "Hash of every byte of large media, once verified.",
            nullable=True,
            volatile=True,
        ),
        Column(
            "unread_members",
            INT,
            "Members of an archive that no part of the layout reads; null for other files.",
            nullable=True,
            low=0,
        ),
        Column(
            "unread_media",
            INT,
            "Those of them that look like media by their names.",
            nullable=True,
            low=0,
        ),
        Column(
            "unread_first",
            pl.List(TEXT),
            "Names of the first few of them, those that look like media before others.",
            nullable=True,
        ),
        Column(
            "is_gone",
            BOOL,
            "True for a file of the layout that is gone, until it is back or deletes are allowed; "
            "null for files that are there.",
            nullable=True,
        ),
    ),
)

TABLE_CONTENT = pl.Struct(
    {
        "table": TEXT,
        "rows": INT,
        "columns": pl.List(pl.Struct({"column": TEXT, "hash": TEXT})),
    }
)

LEDGER = Table(
    name="ledger",
    stage="platform",
    row="unit of work of a stage",
    key=("stage", "partition", "unit"),
    unit="unit",
    columns=(
        Column("stage", TEXT, "Stage."),
        Column("partition", TEXT, "Source, benchmark, or benchmark and run."),
        Column("unit", TEXT, "Unit of work inside the partition."),
        Column("input_hash", TEXT, "Hash of inputs, parameters, code and schema."),
        Column(
            "code",
            TEXT,
            "Hash of the code and contracts that computed it; null where no version recorded it.",
            nullable=True,
        ),
        Column("status", TEXT, "A unit being written is not to be read.", one_of=("ok", "writing")),
        Column("content_hash", TEXT, "Hash of all its rows and refusals; empty while writing."),
        Column("n_rows", INT, "Rows in all tables; zero is a result.", low=0),
        Column("n_refused", INT, "Rows in quarantine.", low=0),
        Column("tables", pl.List(TABLE_CONTENT), "Hash of each column of each table."),
        Column("finished_at", TEXT, "UTC time, ISO 8601.", volatile=True),
    ),
)

TABLES = (
    FILES,
    LEDGER,
)
