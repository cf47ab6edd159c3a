"""Eight frames from each of many clips, against decord's batch call and a re-encoded clip each.

The file is that of the frame index (10 minutes, a key frame every 2 s). The 20 clips are as long as
EgoCross's: its 957 published test clips hold 1 to 91 frames at 0.5 fps (mean 22.5 s, as its Table 1
says), and every twentieth of them, in order of length, is taken here (6 to 112 s, mean 22.4 s). They
lie one after the other, hashed gaps apart.

* Ours chooses the frames by the index and takes all stamps of the video in one call. Building the
  index counts.
* decord gets the same frames by index, rising, in one batch call, as it is called by default (as many
  threads as there are cores), and with one thread. Opening counts, choosing does not.
* A re-encoded file per clip is what tools for clips write: from start to end, cut exactly, every
  frame at full size, x264 medium at its defaults, no sound; then its eight frames are decoded. Three
  clips (16, 10 and 6 s) are encoded, and all are counted by their seconds.

Ours and the re-encoding use one thread. The pixels of the first two are the same.
"""

from __future__ import annotations

import statistics
import sys
import tempfile

from bench.measure import REPEATS, Figure, cpu_s, main, measure

PER_CLIP, GAP_S, VIDEO_S = 8, 7, 600
LENGTHS_S = (16, 10, 6, 30, 112, 10, 16, 10, 24, 16, 10, 56, 10, 18, 16, 10, 30, 12, 20, 16)
CLIPS = len(LENGTHS_S)
CUT = slice(0, 3)  # clips that are encoded anew; the cost of all is scaled by their seconds


def clips() -> list[tuple[float, float]]:
    """Start and end of each clip, seconds, rising and apart."""
    from blake3 import blake3

    out, now = [], 0.0
    for number, length in enumerate(LENGTHS_S):
        share = int.from_bytes(blake3(f"clip {number}".encode()).digest()[:4], "big") / 2**32
        out.append((now + share * GAP_S, now + share * GAP_S + length))
        now += GAP_S + length
    return out


def make(path: str) -> dict:
    """The file: the 20 s piece over and over."""
    import bench.frame_index as source

    source.make_piece(f"{path}.piece.mp4")
    source.TIMES = VIDEO_S // source.PIECE_S
    source.copy_piece(f"{path}.piece.mp4", path)
    return {}


def _wanted(path: str) -> tuple[list[list[int]], list[float], list[int], float]:
    """Stamps of each clip, times and stamps of all frames, largest error over half the gap."""
    import numpy as np
    import polars as pl

    from expectations.schemas.sampling import SamplingRule, choose_frames
    from resources.media.packets import index_frames
    from resources.media.video import read_packets

    with open(path, "rb") as handle:
        stream = read_packets(handle)
    pts = index_frames(stream).pts
    times = (pts - pts[0]) / 90_000
    frames = pl.DataFrame(
        {"t_s": times, "source_pts": pts}
    ).with_columns(part=0, source_frame=pl.int_range(pl.len()))  # fmt: skip
    rule = SamplingRule.parse(f"midpoints({PER_CLIP})")
    chosen, worst = [], 0.0
    for start, end in clips():
        rows = choose_frames(frames, rule, start, end)
        chosen.append(rows["source_pts"].to_list())
        for at, off in rows.select("source_frame", "residual_ms").iter_rows():
            gap = max(np.diff(times[max(at - 1, 0) : at + 2]))
            worst = max(worst, abs(off) / 1000 / (gap / 2))
    return chosen, times.tolist(), pts.tolist(), worst


def ours(path: str) -> dict:
    """All stamps of the video in one call."""
    import expectations.schemas.sampling  # noqa: F401 - imports are apart, those of `_wanted` too
    from resources.media.video import read_frames

    began = cpu_s()
    chosen, _, _, worst = _wanted(path)
    spent = cpu_s() - began
    stamps = [stamp for clip in chosen for stamp in clip]
    began = cpu_s()
    with open(path, "rb") as handle:
        images = read_frames(handle, stamps)
    sums = [int(image.astype("u4").sum()) for image in images[:: PER_CLIP * 4]]
    return {
        "cpu_s": cpu_s() - began + spent,
        "worst": worst,
        "frames": len(images),
        "sums": sums,
    }


def decord_batch(path: str) -> dict:
    """The same frames by index, as called by default."""
    return _decord(path, 0)


def decord_one_thread(path: str) -> dict:
    """The same frames by index, one thread."""
    return _decord(path, 1)


def _decord(path: str, threads: int) -> dict:
    import decord

    chosen, _, pts, _ = _wanted(path)
    place = {stamp: at for at, stamp in enumerate(pts)}
    began = cpu_s()
    reader = decord.VideoReader(path, num_threads=threads)
    images = reader.get_batch([place[s] for clip in chosen for s in clip]).asnumpy()
    sums = [int(image.astype("u4").sum()) for image in images[:: PER_CLIP * 4]]
    return {"cpu_s": cpu_s() - began, "frames": len(images), "sums": sums}


def subclips(path: str) -> dict:
    """A re-encoded file per clip, then its eight frames."""
    import av

    began = cpu_s()
    frames = 0
    for start, end in clips()[CUT]:
        with tempfile.NamedTemporaryFile(suffix=".mp4") as target:
            with av.open(path) as source, av.open(target.name, "w") as out:
                stream = source.streams.video[0]
                stream.codec_context.thread_count = 1
                source.seek(int(start * 90_000), stream=stream)
                made = out.add_stream("libx264", rate=30)
                made.width, made.height, made.pix_fmt = 1088, 1080, "yuv420p"
                assert stream.time_base is not None
                made.time_base = made.codec_context.time_base = stream.time_base
                made.options = {"preset": "medium"}
                made.codec_context.thread_count = 1
                for frame in source.decode(stream):
                    if frame.time is None or frame.time < start:
                        continue
                    if frame.time > end:
                        break
                    frame.pict_type = 0
                    out.mux(made.encode(frame))
                out.mux(made.encode())
            with av.open(target.name) as cut:
                shown = cut.streams.video[0]
                shown.codec_context.thread_count = 1
                chosen = {int((i + 0.5) * shown.frames / PER_CLIP) for i in range(PER_CLIP)}
                for number, frame in enumerate(cut.decode(shown)):
                    if number in chosen:
                        frame.to_ndarray(format="rgb24")
                        frames += 1
    return {"cpu_s": (cpu_s() - began) * sum(LENGTHS_S) / sum(LENGTHS_S[CUT]), "frames": frames}


def figures() -> list[Figure]:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/video.mp4"
        measure(__file__, "make", path, repeats=1)
        # In turns: what else the machine does weighs on both alike.
        sides = ("ours", "decord_batch", "decord_one_thread")
        turns = [
            tuple(measure(__file__, side, path, repeats=1) for side in sides)
            for _ in range(REPEATS)
        ]
        cut = measure(__file__, "subclips", path)
    mine = turns[-1][0] | {"cpu_s": statistics.median(turn[0]["cpu_s"] for turn in turns)}
    batch = turns[-1][1]
    less, less_alone = (
        statistics.median(turn[side]["cpu_s"] / turn[0]["cpu_s"] for turn in turns)
        for side in (1, 2)
    )
    close = all(abs(a - b) <= 0.01 * b for a, b in zip(mine["sums"], batch["sums"], strict=True))
    what = f"{PER_CLIP} frames from each of {CLIPS} clips (6 to 112 s) of a 1088x1080 video"
    each = mine["cpu_s"] / CLIPS
    return [
        Figure(
            f"{what}: the frame nearest in time",
            f"largest error {mine['worst']:.2f} of half the gap between neighbours",
            "<= 1.00",
            mine["worst"] <= 1.0 + 1e-6,
            "",
        ),
        Figure(
            f"{what}, against decord's batch call (same frames and pixels)",
            f"{less:.2f} times less CPU ({each:.2f} CPU-s a clip); {less_alone:.2f} times where decord "
            "is given one thread",
            ">= 2.5 times",
            close and less >= 2.5,
            "",
        ),
        Figure(
            f"{what}, against a re-encoded file per clip (x264 medium, 3 clips scaled by seconds)",
            f"{cut['cpu_s'] / mine['cpu_s']:.1f} times less CPU",
            ">= 30 times",
            cut["frames"] == 3 * PER_CLIP and cut["cpu_s"] / mine["cpu_s"] >= 30,
            "",
        ),
    ]


SIDES = {f.__name__: f for f in (make, ours, decord_batch, decord_one_thread, subclips)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
