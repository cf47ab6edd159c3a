"""Which frames a video presents, and when: from its packets, without decoding.

A container stores packets in decoding order. What a viewer sees is another set in another order:
edit lists hide packets, B-frames reorder them, broken files repeat or lack stamps. The rules here
turn packets into the stamps a full decode would present (exactly, on every file that decodes
without a fault), and name what they drop or repair.

The index says what the container promises. Whether a frame's bytes decode is found out when it is
read: a file that breaks at frame 28 of 50 has an index of 50.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from expectations.contracts import Refusal, first_few

PACKETS = np.dtype(
    [
        ("order", np.int64),
        ("pts", np.int64),
        ("dts", np.int64),
        ("is_discard", np.bool_),
        ("is_keyframe", np.bool_),
        ("is_corrupt", np.bool_),
        ("is_hidden", np.bool_),
    ]
)
"""One packet: storage order, stamps in the stream's time base (`NO_STAMP` if absent), hidden by an edit
list, decodable alone, flagged damaged or cut, and never shown by its codec (VP8's alternate
references, empty samples)."""

NO_STAMP = int(np.iinfo(np.int64).min)


def packet_array(columns: Mapping[str, Any]) -> np.ndarray:
    """Packets from their columns (one value stands for all rows); a stamp of None is absent.

    Raises:
        KeyError: A column is missing.
    """
    out = np.empty(len(columns["order"]), dtype=PACKETS)
    for name in PACKETS.names or ():
        values = columns[name]
        if name in ("pts", "dts") and isinstance(values, (list, tuple)):
            values = [NO_STAMP if value is None else value for value in values]
        out[name] = values
    return out


@dataclass(frozen=True, slots=True)
class Stream:
    """One video stream as its container tells it.

    Attributes:
        packets: Packets in stored order, shape (n,), dtype `PACKETS`.
        index: Index of the chosen stream in its container.
        candidates: Indexes of all video streams there, cover pictures included.
        codec: Codec name.
        width_px: Stored width.
        height_px: Stored height.
        rotation_deg: Clockwise turn (0, 90, 180, 270) that makes the image upright; null if no
            frame could be decoded to tell.
        time_base_num: Stamp unit in seconds, numerator.
        time_base_den: Stamp unit in seconds, denominator.
        declared_frames: Frame count the container states; null if it states none.
        fault: Why reading stopped before the end of the file; null if it did not.
    """

    packets: np.ndarray
    index: int
    candidates: tuple[int, ...]
    codec: str
    width_px: int
    height_px: int
    rotation_deg: int | None
    time_base_num: int
    time_base_den: int
    declared_frames: int | None = None
    fault: str | None = None

    def __post_init__(self) -> None:
        if self.packets.dtype != PACKETS:
            raise ValueError(f"packets have dtype {self.packets.dtype}, wanted {PACKETS}")
        if self.rotation_deg not in (0, 90, 180, 270, None):
            raise ValueError(f"rotation {self.rotation_deg} is not a quarter turn")
        if self.time_base_num < 1 or self.time_base_den < 1:
            raise ValueError(f"time base {self.time_base_num}/{self.time_base_den} is not positive")


@dataclass(frozen=True, slots=True)
class Index:
    """Presented frames of one stream.

    Attributes:
        pts: Stamps, int64, strictly rising, in the stream's time base.
        stored: Packet order of each presented frame, int64, same length.
        reordered: Whether stored order differs from presentation.
        discarded: Packets an edit list hides.
        duplicates: Packets dropped since an earlier one holds their stamp.
        unstamped: Packets without a presentation stamp (repaired or dropped).
        refusals: What was dropped or repaired, one row per rule.
    """

    pts: np.ndarray
    stored: np.ndarray
    reordered: bool
    discarded: int
    duplicates: int
    unstamped: int
    refusals: tuple[Refusal, ...]


def index_frames(
    stream: Stream, *, recording_id: str | None = None, file: str | None = None
) -> Index:
    """Presented frames of a stream.

    Rules, in order (each names its refusal, except where nothing is lost):

    * `truncated`: reading stopped early, or fewer packets than the container declares: what was
      read counts.
    * `undecodable_lead`: packets stored before the first key frame are dropped.
    * `corrupt_packet`: packets the container flags as damaged or cut short stay, with a warning:
      most decoders present them, and one that does not says so when the frame is read.
    * hidden packets (never shown by their codec) and packets an edit list hides are left out.
    * `open_lead`: packets stored right after the first key frame but stamped before it need a
      picture that the file does not hold (an open group of pictures, cut at its start): dropped.
    * `missing_stamp`: a packet without a presentation stamp takes its decoding stamp where the
      stream is not reordered (they are equal there), or where no packet has a presentation stamp
      (then the i-th presented frame takes the i-th decoding stamp); else it is dropped.
    * `duplicate_stamp`: of packets with one stamp the first stored is kept.
    * `non_monotone_stamp`: decoding stamps that fall back mean stamps are not a clock; frames stay
      in stamp order and the row warns.

    Negative stamps are stamps like any other: time zero is the first presented frame.

    Args:
        stream: Packets and facts.
        recording_id: For refusals.
        file: For refusals.

    Returns:
        The index; it may be empty.
    """
    p = stream.packets
    has_pts, has_dts = p["pts"] != NO_STAMP, p["dts"] != NO_STAMP
    pts = p["pts"] if has_pts.all() else np.where(has_pts, p["pts"], 0)
    dts = p["dts"] if has_dts.all() else np.where(has_dts, p["dts"], 0)
    key = p["is_keyframe"]
    discard = p["is_discard"]
    corrupt = p["is_corrupt"]
    order = p["order"]
    keep = ~p["is_hidden"] & ~discard
    refusals: list[Refusal] = []

    def note(rule: str, hit: np.ndarray, of: np.ndarray, message: str, remedy: str) -> None:
        if hit.any():
            refusals.append(
                Refusal(
                    file=file,
                    row=f"packets {first_few(order[hit])}",
                    rule=rule,
                    value=f"{int(hit.sum())} packets, stamps {first_few(of[hit])}",
                    message=message,
                    remedy=remedy,
                    table="streams",
                    recording_id=recording_id,
                )
            )

    declared = stream.declared_frames
    if stream.fault is not None or (declared is not None and len(p) < declared):
        refusals.append(
            Refusal(
                file=file,
                row=None,
                rule="truncated",
                value=f"{len(p)} of {declared if declared is not None else 'unknown'} packets",
                message=f"the file ends early: {stream.fault or 'packets are missing'}",
                remedy="copy the file again from its origin",
                table="streams",
                recording_id=recording_id,
            )
        )

    first_key = int(np.argmax(key)) if key.any() else len(order)
    lead = keep & (np.arange(len(order)) < first_key)
    note(
        "undecodable_lead",
        lead,
        pts,
        "packets before the first key frame cannot be decoded; left out",
        "cut the file at a key frame, or re-export it",
    )
    open_lead = keep & _open_lead(pts, has_pts, first_key)
    note(
        "open_lead",
        open_lead,
        pts,
        "pictures before the first key frame need one the file does not hold; left out",
        "cut the file at a closed group of pictures",
    )
    keep = keep & ~lead & ~open_lead
    note(
        "corrupt_packet",
        keep & corrupt,
        pts,
        "packets the container flags as damaged or cut short; kept, their pixels may be wrong",
        "copy the file again from its origin",
    )

    stamps, has = _with_decoding_stamps(pts, dts, has_pts, has_dts)
    unstamped = keep & ~has_pts
    note(
        "missing_stamp",
        unstamped,
        dts,
        f"no presentation stamp: {int((unstamped & has).sum())} took their decoding stamp, "
        f"{int((unstamped & ~has).sum())} left out",
        "remux the file into a container with presentation stamps (mkv, mp4)",
    )
    keep = keep & has

    back = np.zeros(len(order), dtype=bool)
    back[1:] = has_dts[1:] & has_dts[:-1] & (dts[1:] < dts[:-1])
    note(
        "non_monotone_stamp",
        back,
        dts,
        "decoding stamps fall back; frames are ordered by stamp, not as stored",
        "check whether files were joined; list the parts as files of their own",
    )

    kept = np.flatnonzero(keep)
    # A stable sort keeps storage order among equal stamps, so that the first stored one wins.
    ranked = kept[np.argsort(stamps[kept], kind="stable")]
    shown = stamps[ranked]
    fresh = np.ones(len(ranked), dtype=bool)
    fresh[1:] = shown[1:] != shown[:-1]
    taken = np.zeros(len(order), dtype=bool)
    taken[ranked[~fresh]] = True
    note(
        "duplicate_stamp",
        taken,
        stamps,
        "stamp already taken by an earlier packet; left out",
        "check how the file was written; a remux does not bring the time back",
    )
    stored = order[ranked[fresh]]
    return Index(
        pts=shown[fresh].astype(np.int64, copy=False),
        stored=stored.astype(np.int64, copy=False),
        reordered=bool(np.any(np.diff(stored) < 0)),
        discarded=int(discard.sum()),
        duplicates=int(taken.sum()),
        unstamped=int(unstamped.sum()),
        refusals=tuple(refusals),
    )


def _open_lead(pts: np.ndarray, has_pts: np.ndarray, first_key: int) -> np.ndarray:
    """The run of packets right after the first key frame that are shown before it."""
    hit = np.zeros(len(pts), dtype=bool)
    if first_key < len(pts) and has_pts[first_key]:
        early = has_pts[first_key + 1 :] & (pts[first_key + 1 :] < pts[first_key])
        run = len(early) if early.all() else int(np.argmin(early))
        hit[first_key + 1 : first_key + 1 + run] = True
    return hit


def _with_decoding_stamps(
    pts: np.ndarray, dts: np.ndarray, has_pts: np.ndarray, has_dts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Stamps with decoding stamps in place of missing ones, where those mean the same."""
    if has_pts.all():
        return pts, has_pts
    both = has_pts & has_dts
    in_order = bool(np.all(pts[both] == dts[both]))  # also true where no packet has a pts
    if not in_order:
        return pts, has_pts
    return np.where(has_pts, pts, dts), has_pts | has_dts
