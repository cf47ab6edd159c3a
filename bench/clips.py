"""Eight frames from each of many clips, against decord's batch call and a re-encoded clip each.

The file is that of the frame index (10.5 minutes, a key frame every 2 s); 21 clips of 4 to 30 s (from
segments of one action to task clips) lie at hashed places, apart. Ours chooses the frames by the index
and takes all stamps of the video in one call; decord gets the same frames by index, rising, in one
batch call; the third cuts each clip at its times, encodes it anew (x264 medium, its default) and
decodes its eight frames. One thread each, and the same pixels from the first two.
"""

from __future__ import annotations

import sys
import tempfile

from bench.measure import Figure, cpu_s, main, measure

PER_CLIP, SLOT_S = 8, 30
LENGTHS_S = (4, 6, 8, 10, 15, 20, 30) * 3
CLIPS = len(LENGTHS_S)
CUT = slice(2, 5)  # clips that are encoded anew; the cost of all is scaled by their seconds


def clips() -> list[tuple[float, float]]:
    """Start and end of each clip, seconds, rising and apart."""
    from blake3 import blake3

    out = []
    for slot, length in enumerate(LENGTHS_S):
        share = int.from_bytes(blake3(f"clip {slot}".encode()).digest()[:4], "big") / 2**32
        start = slot * SLOT_S + share * (SLOT_S - length)
        out.append((start, start + length))
    return out


def make(path: str) -> dict:
    """The file: the 20 s piece over and over."""
    import bench.frame_index as source

    source.make_piece(f"{path}.piece.mp4")
    source.TIMES = CLIPS * SLOT_S // source.PIECE_S
    source.copy_piece(f"{path}.piece.mp4", path)
    return {}


def _wanted(path: str) -> tuple[list[list[int]], list[float], list[int], float]:
    """Stamps of each clip, times and stamps of all frames, largest error over half the gap."""
    import numpy as np
    import polars as pl

    from assets.frames.index import index_frames
    from assets.predictions.sampling import SamplingRule, choose_frames
    from resources.video import read_packets

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
    from resources.video import read_frames

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
    """The same frames by index, one thread."""
    import decord

    chosen, _, pts, _ = _wanted(path)
    place = {stamp: at for at, stamp in enumerate(pts)}
    began = cpu_s()
    reader = decord.VideoReader(path, num_threads=1)
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
                shown = list(cut.decode(video=0))
                step = len(shown) / PER_CLIP
                frames += len(
                    [shown[int((i + 0.5) * step)].to_ndarray(format="rgb24") for i in range(8)]
                )
    return {"cpu_s": (cpu_s() - began) * sum(LENGTHS_S) / sum(LENGTHS_S[CUT]), "frames": frames}


def figures() -> list[Figure]:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/video.mp4"
        measure(__file__, "make", path, repeats=1)
        mine = measure(__file__, "ours", path)
        batch = measure(__file__, "decord_batch", path)
        cut = measure(__file__, "subclips", path)
    close = all(abs(a - b) <= 0.01 * b for a, b in zip(mine["sums"], batch["sums"], strict=True))
    what = f"{PER_CLIP} frames from each of {CLIPS} clips of a 1088x1080 video"
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
            f"{batch['cpu_s'] / mine['cpu_s']:.1f} times less CPU ({each:.2f} CPU-s a clip)",
            ">= 2.5 times",
            close and batch["cpu_s"] / mine["cpu_s"] >= 2.5,
            "",
        ),
        Figure(
            f"{what}, against a re-encoded file per clip (x264 medium, 3 clips scaled by seconds)",
            f"{cut['cpu_s'] / mine['cpu_s']:.1f} times less CPU",
            ">= 30 times",
            cut["cpu_s"] / mine["cpu_s"] >= 30,
            "",
        ),
    ]


SIDES = {f.__name__: f for f in (make, ours, decord_batch, subclips)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
