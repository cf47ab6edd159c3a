r"""How a dataset declares its layout on disk: parts, their files, and the function that reads them.

A dataset is a module or a package with a `LAYOUT`: a folder beside this file, or named by `plugins` in
the configuration (a module, or the path of a Python file or of a folder with `__init__.py`). What its author needs to know:

- A `Part` fills fixed tables (`PART_TABLES`), so that stages behind know where a table comes from.
  Only `recordings` is required (a layout of people's decisions has `reviews` alone). Columns are declared in `expectations/schemas/`;
  `TABLES[name].frame(rows)` makes the frame from dicts and leaves absent columns null.
- A part names its files by a regular expression over whole paths under the root. It is read either
  *per source* (files that hold all recordings; rows are assigned to recordings afterwards, so that
  one edited line moves one recording) or *per recording* (the path names the recording, in a group
  `recording`; the reader gets the columns it `needs` of that recording too).
- Media are named by a second expression and never opened by a reader: it gets their content
  identity and length, and puts paths and identities into `media_paths` and `media_hashes`.
- A reader is a pure function from `PartFiles` to `Rows`: no file is opened, nothing is logged. What
  cannot become a row becomes a `Refusal`; `RowReader` makes rows of CSV and JSON lists, and rejects
  those whose function raises `Malformed`. Files that several parts read are a `Document`, parsed once
  per ingest. Contracts (ranges, keys, references, times inside
  the video) are applied afterwards, to every dataset alike.

A whole dataset:

    def read_recordings(part):
        reader = RowReader("recordings")
        rows = [
            {**row, "source": part.source, "source_key": row["recording_id"]}
            for path, data in part.files.items()
            for _, row in reader.csv(path, data, ("id", "camera"), recording)
        ]
        return Rows({"recordings": TABLES["recordings"].frame(rows)}, tuple(reader.refused))

    LAYOUT = Layout("mine", "My dataset", "CC-BY-4.0", "verified",
                    parts=(Part("recordings", read_recordings, r"list\.csv", r"videos/.+\.mp4"),))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import polars as pl

from assets.sources.documents import Document, Documents, T
from assets.sources.reading.row_reader import RowReader
from expectations.contracts import Refusal

PART_TABLES: dict[str, tuple[str, ...]] = {
    "recordings": ("recordings", "images", "clocks", "take_links"),
    "segments": ("segments", "relations", "object_states"),
    "sensors": (
        "frame_stamps",
        "cameras",
        "gaze_samples",
        "gaze_rays",
        "camera_poses",
        "hand_joints",
        "body_joints",
    ),
    "objects": ("objects_3d", "boxes", "tracks", "annotated_frames"),
    "people": ("listed_people",),
    "skills": ("skill_levels", "skill_votes"),
    "questions": ("imported_questions",),
    "taxonomies": ("taxonomies",),
    "splits": ("splits",),
    "released_frames": ("released_frames",),
    "released_lists": ("released_rows",),
    "reviews": ("reviews",),
}
"""Tables that each part of a layout fills."""
TABLE_PARTS = {table: part for part, tables in PART_TABLES.items() for table in tables}
"""Part of a layout that fills each table of the sources."""

_SHAREABLE = re.compile(r"CC0|CC[ -]BY(?!.*ND)|own recording", re.IGNORECASE)
_OF_RECORDINGS = ("segments", "sensors", "objects", "released_frames")


@dataclass(frozen=True, slots=True)
class Medium:
    """A media file: its pixels are identified here and read by later stages.

    `duration_s` is what the container states, None if it cannot be opened.
    """

    path: str
    bytes: int
    content: str
    duration_s: float | None = None


@dataclass(frozen=True, slots=True)
class PartFiles:
    """What a part's reader is given.

    Attributes:
        source: Name of the source.
        files: Content by path under the root, ascending by path.
        media: Media files by path.
        large: Files too large to hold, by path: a call gives the content anew from its beginning,
            in pieces. `json_streaming` cuts such a JSON document into members.
        recording: Columns of `recordings` that the part needs (parts read per recording), else None.
        documents: What other parts of this ingest have parsed already.
    """

    source: str
    files: Mapping[str, bytes]
    media: Mapping[str, Medium] = field(default_factory=dict)
    recording: Mapping[str, object] | None = None
    large: Mapping[str, Callable[[], Iterable[bytes]]] = field(default_factory=dict)
    documents: Documents = field(default_factory=Documents)

    def document(self, document: Document[T], reader: RowReader | None = None) -> T:
        """Value of files that several parts read, parsed once per ingest.

        Args:
            document: The document.
            reader: Takes its refusals. One part of a layout passes it; the others leave it out, so
                that each refusal is recorded once.
        """
        value, refused = self.documents.parsed(document, self.files)
        if reader is not None:
            reader.refused += refused
        return value


@dataclass(frozen=True, slots=True)
class Rows:
    """What a reader makes of a part.

    Attributes:
        tables: Rows by table, in the tables' schemas.
        refused: What could not become a row, and why.
        files: File of a recording's rows, by table and recording, for tables whose rows do not name
            it; a contract's refusal of such a row names the file then.
    """

    tables: Mapping[str, pl.DataFrame]
    refused: tuple[Refusal, ...] = ()
    files: Mapping[tuple[str, str], str] = field(default_factory=dict)


Reader = Callable[[PartFiles], Rows]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a layout.

    Attributes:
        name: One of `PART_TABLES`.
        read: Function from files to rows.
        files: Pattern of paths whose content is read, None where there are none; a group whose
            name starts with `recording` makes it per recording (several, where a recording's files
            lie in several places; those that match at once are joined by `_`). A path that matches
            without any of them is shared: every recording's reading gets it.
        media: Pattern of paths that are media, never opened by the reader.
        version: What else decides the rows (a published revision), if anything.
        needs: Columns of `recordings` a reader per recording looks at; it gets no others, and is
            asked again when one of them changes.
        large: Pattern of paths whose content may be too large to hold: the reader gets it piece by
            piece. Only of parts read per source; such a path need not be in `files`.
    """

    name: str
    read: Reader
    files: str | None
    media: str | None = None
    version: str = ""
    needs: tuple[str, ...] = ("recording_id", "media_paths")
    large: str | None = None

    def __post_init__(self) -> None:
        if self.name not in PART_TABLES:
            raise ValueError(f"part {self.name!r} is not one of {sorted(PART_TABLES)}")
        if self.per_recording and self.name not in _OF_RECORDINGS:
            raise ValueError(f"part {self.name!r} cannot be read per recording")
        if "recording_id" not in self.needs:
            raise ValueError(f"part {self.name!r}: `needs` must name recording_id")
        if self.large is not None and self.per_recording:
            raise ValueError(f"part {self.name!r}: large files are read per source")

    @property
    def per_recording(self) -> bool:
        """Whether the path names the recording."""
        return self.files is not None and any(
            name.startswith("recording") for name in re.compile(self.files).groupindex
        )

    def claims(self, path: str, any_case: bool = False) -> bool:
        """Whether the part reads this file."""
        flags = re.IGNORECASE if any_case else 0
        if self.files is not None and re.fullmatch(self.files, path, flags) is not None:
            return True
        return self.is_large(path, any_case)

    def is_large(self, path: str, any_case: bool = False) -> bool:
        """Whether the part reads this file piece by piece."""
        flags = re.IGNORECASE if any_case else 0
        return self.large is not None and re.fullmatch(self.large, path, flags) is not None

    def claims_medium(self, path: str, any_case: bool = False) -> bool:
        """Whether the part knows this file as media."""
        flags = re.IGNORECASE if any_case else 0
        return self.media is not None and re.fullmatch(self.media, path, flags) is not None

    def is_shared(self, path: str) -> bool:
        """Whether a claimed path belongs to all recordings of a part read per recording."""
        match = None if self.files is None else re.fullmatch(self.files, path)
        return match is not None and not any(
            value is not None
            for name, value in match.groupdict().items()
            if name.startswith("recording")
        )

    def recording_of(self, path: str) -> str:
        """Recording a claimed path belongs to."""
        match = None if self.files is None else re.fullmatch(self.files, path)
        if match is None:
            raise ValueError(f"part {self.name} does not claim {path!r}")
        return "_".join(
            value
            for name, value in match.groupdict().items()
            if name.startswith("recording") and value is not None
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """A dataset's layout on disk.

    Attributes:
        name: Name used in the configuration.
        title: Name of the dataset.
        licence: Licence that travels with its rows.
        certainty: How the layout is known: on real files, from documentation, or inferred.
        parts: Its parts; `recordings` first.
        redistribution: Whether the licence lets frames be passed on; where nothing is declared,
            Creative Commons licences do (those without derivatives do not), and others do not.
        hashed_splits: Whether recordings without a published split get one by hash, unless the
            configuration says otherwise (see `splits`).
        assumed: What of it stands neither in a file of the release that was seen, nor in its
            documentation or its authors' code; empty where nothing is assumed.
        folder: Folder that may hold `published.toml` (figures its publication prints, see
            `expectations.published`) and `release_sizes.csv` (see `release_sizes`).
        sample: Writes a small simulated release under a folder, for `parallax sample`. Only layouts
            from outside the repository have it; the others' worlds are in `resources.worlds`.
    """

    name: str
    title: str
    licence: str
    certainty: Literal["verified", "documented", "inferred"]
    parts: tuple[Part, ...]
    redistribution: Literal["allowed", "forbidden"] | None = None
    hashed_splits: bool = False
    assumed: str = ""
    folder: Path | None = None
    sample: Callable[[Path], None] | None = None

    def __post_init__(self) -> None:
        names = [part.name for part in self.parts]
        # Decisions of people judge other sources' rows: they bring no recordings of their own.
        leads = names == ["reviews"] or (names[:1] == ["recordings"] and "reviews" not in names)
        if not leads or len(set(names)) != len(names):
            raise ValueError(f"layout {self.name}: `recordings` comes first and no part twice")
        if self.certainty == "inferred" and not self.assumed:
            raise ValueError(f"layout {self.name} is inferred: `assumed` says what is")

    def text_beside(self, name: str) -> str:
        """Text of a file in the layout's folder; empty where there is no such file."""
        path = None if self.folder is None else self.folder / name
        return path.read_text(encoding="utf-8") if path is not None and path.is_file() else ""

    def part(self, name: str) -> Part | None:
        """A part by name, None if the layout has none."""
        return next((p for p in self.parts if p.name == name), None)

    @property
    def may_be_passed_on(self) -> bool:
        """Whether frames may be shown to others."""
        if self.redistribution is not None:
            return self.redistribution == "allowed"
        return _SHAREABLE.match(self.licence) is not None

    def knows(self, path: str) -> bool:
        """Whether a part claims a path."""
        return self.claim(path) is not None

    def claim(self, path: str, any_case: bool = False) -> tuple[str, bool] | None:
        """Part that claims a path and whether as media; None for files of no use here.

        Args:
            path: Path under the root.
            any_case: Whether upper and lower case are taken for equal.
        """
        for part in self.parts:
            if part.claims(path, any_case):
                return part.name, False
            if part.claims_medium(path, any_case):
                return part.name, True
        return None
