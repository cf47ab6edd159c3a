"""Frame index of a 30-minute VFR H.264 file with B-frames, against decoding and re-encoding it.

The file is a 20 s piece, stream-copied 90 times. Decoding and the x264 medium re-encode to 25 fps
are timed on the piece and scaled by 90. Where real videos are given (`PARALLAX_SHARED`), the index of
each that decodes without error is compared with the stamps of a full decode.
"""

from __future__ import annotations

import os
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from bench.measure import Figure, cpu_s, main, measure, peak_mb, unmeasured

TIMES = 90
PIECE_S = 20
TICKS = 90_000


def _pictures(n: int):
    """A room seen from a moving head: a panorama with detail at every scale, and sensor noise."""
    import numpy as np

    rng = np.random.default_rng(7)
    size = 2400
    far = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None]) + 1 / size
    room = np.fft.irfft2(np.fft.rfft2(rng.normal(size=(size, size))) / far**1.2)
    room = 120 + 45 * room / room.std()
    tints = [1.0, 0.9, 0.8]
    room = np.stack([room * t for t in tints], axis=2).clip(0, 255).astype(np.int16)
    noise = np.rint(rng.normal(0, 2, (1400, 1400, 1))).astype(np.int16)
    # The head turns and stops: a smooth path of up to about 20 px a frame.
    pace = np.cumsum(rng.normal(0, 1, (2, n)), axis=1)
    path = 600 + 550 * np.sin(np.cumsum(np.tanh(pace / 8) * 0.02, axis=1))
    for down, right in path.T.astype(int).tolist():
        y, x = rng.integers(0, 300, 2)
        picture = room[down : down + 1080, right : right + 1088]
        yield (picture + noise[y : y + 1080, x : x + 1088]).clip(0, 255).astype(np.uint8)


def make_piece(path: str) -> dict:
    """20 s of 1088x1080 at about 29 fps, irregular stamps, x264's defaults (B-frames), 2 s groups."""
    import av
    import numpy as np

    rng = np.random.default_rng(7)
    gaps = rng.choice([2900, 3000, 3300, 3700], p=[0.3, 0.4, 0.25, 0.05], size=29 * PIECE_S)
    stamps = np.concatenate([[0], np.cumsum(gaps)[:-1]]).tolist()
    with av.open(path, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=29)
        stream.width, stream.height, stream.pix_fmt = 1088, 1080, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, TICKS)
        stream.options = {"preset": "medium", "g": "58"}
        stream.codec_context.thread_count = 1  # more would cut every picture into slices
        for stamp, picture in zip(stamps, _pictures(len(stamps)), strict=True):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = stamp, Fraction(1, TICKS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return {}


def copy_piece(piece: str, path: str) -> dict:
    """The piece `TIMES` times over, packets copied with shifted stamps."""
    import av

    with av.open(path, "w", format="mp4") as out:
        target = None
        shift = 0
        for _ in range(TIMES):
            with av.open(piece) as container:
                stream = container.streams.video[0]
                target = target or out.add_stream_from_template(stream)
                last = 0
                for packet in container.demux(stream):
                    if packet.dts is None or packet.pts is None:
                        continue
                    last = max(last, packet.pts + 3000)
                    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                    packet.stream = target
                    out.mux(packet)
            shift += last
    return {}


def index(path: str) -> dict:
    """Our side: packets, streams and the 25 fps grid."""
    from assets.frames.build import build_frames
    from expectations.schemas import TABLES
    from resources.media.video import read_packets

    row = {"source": "bench", "recording_id": "r", "media_paths": ["long.mp4"]}
    nothing = [TABLES[n].empty() for n in ("frame_stamps", "gaze_samples")]
    began = cpu_s()
    with open(path, "rb") as handle:
        stream = read_packets(handle)
    made = build_frames(row, [stream], *nothing)
    spent = cpu_s() - began
    peak = peak_mb()
    frames = made.streams["frames"].sum()
    return {"cpu_s": spent, "peak_mb": peak, "frames": frames, "ticks": made.frames.height}


def index_alone(path: str) -> dict:
    """Presented stamps and the 25 fps grid as arrays, without the tables they are stored in."""
    from assets.frames.grid import constant_rate
    from assets.frames.timeline import Part, place_parts
    from resources.media.packets import index_frames
    from resources.media.video import read_packets

    with open(path, "rb") as handle:
        stream = read_packets(handle)
    pts = index_frames(stream).pts
    part = Part(0, pts, stream.time_base_num, stream.time_base_den)
    timeline, _ = place_parts([part], {}, recording_id="r")
    grid = constant_rate(timeline.stamps, timeline.unit)
    return {"peak_mb": peak_mb(), "ticks": len(grid.frame)}


def decode(path: str) -> dict:
    """Every frame decoded, one thread."""
    import av

    began = cpu_s()
    with av.open(path) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = 1
        frames = sum(1 for _ in container.decode(stream))
    return {"cpu_s": cpu_s() - began, "frames": frames}


def reencode(path: str) -> dict:
    """Every tick of a 25 fps grid encoded anew, x264 medium."""
    import av

    began = cpu_s()
    with av.open(path) as source, tempfile.NamedTemporaryFile(suffix=".mp4") as target:
        stream = source.streams.video[0]
        stream.codec_context.thread_count = 1
        with av.open(target.name, "w") as out:
            made = out.add_stream("libx264", rate=25)
            made.width, made.height, made.pix_fmt = 1088, 1080, "yuv420p"
            made.options = {"preset": "medium"}
            made.codec_context.thread_count = 1
            tick, before = 0, None
            for frame in source.decode(stream):
                while before is not None and 2 * tick / 25 < before[0] + float(frame.time or 0):
                    before[1].pts, before[1].time_base = tick, Fraction(1, 25)
                    out.mux(made.encode(before[1]))
                    tick += 1
                before = (float(frame.time or 0), frame)
            out.mux(made.encode())
    return {"cpu_s": cpu_s() - began, "ticks": tick}


def equal_to_decode() -> dict:
    """Real videos whose index is compared with the stamps of a full decode."""
    import av

    from resources.media.packets import index_frames
    from resources.media.video import VideoError, read_packets

    same, different, broken = [], [], []
    folder = Path(os.environ.get("PARALLAX_SHARED", "/nonexistent")) / "data" / "videos"
    suffixes = {".mp4", ".mkv", ".mov", ".webm", ".avi", ".m4v", ".ts"}
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in suffixes):
        try:
            with path.open("rb") as handle:
                read = read_packets(handle)
            found = index_frames(read).pts.tolist()
            with av.open(str(path)) as container:
                stream = container.streams[read.index]
                shown = [f.pts for f in container.decode(stream) if f.pts is not None]
        except (VideoError, OSError, ValueError, IndexError, av.FFmpegError):
            broken.append(path.name)
            continue
        (same if found == sorted(set(shown)) else different).append(path.name)
    return {"same": len(same), "different": different, "unreadable": len(broken)}


def figures() -> list[Figure]:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        piece, long = f"{folder}/piece.mp4", f"{folder}/long.mp4"
        measure(__file__, "make_piece", piece, repeats=1)
        measure(__file__, "copy_piece", piece, long, repeats=1)
        ours = measure(__file__, "index", long)
        alone = measure(__file__, "index_alone", long)
        slow = {
            name: measure(__file__, name, piece)["cpu_s"] * TIMES for name in ("decode", "reencode")
        }
    what = f"frame index of 30 min 1088x1080 VFR H.264 with B-frames ({ours['frames']:,} frames)"
    scaled = "timed on 20 s and scaled by 90"
    found = [
        Figure(
            f"{what}, against an x264 medium re-encode to 25 fps ({scaled})",
            f"{slow['reencode'] / ours['cpu_s']:,.0f} times less CPU "
            f"({ours['cpu_s']:.2f} against {slow['reencode']:,.0f} CPU-s)",
            ">= 2,000 times",
            slow["reencode"] / ours["cpu_s"] >= 2000,
            "",
        ),
        Figure(
            f"the same, against decoding ({scaled})",
            f"{slow['decode'] / ours['cpu_s']:,.0f} times less CPU ({slow['decode']:,.0f} CPU-s)",
            ">= 300 times",
            slow["decode"] / ours["cpu_s"] >= 300,
            "",
        ),
        Figure(
            "its peak memory, imports included: stamps and grid as arrays",
            f"{alone['peak_mb']:.0f} MB ({ours['peak_mb']:.0f} MB with polars and the tables)",
            "< 100 MB",
            alone["peak_mb"] < 100 and alone["ticks"] == ours["ticks"],
            "",
        ),
    ]
    what = "stamps equal to a full decode, on every real video that decodes without error"
    if not os.environ.get("PARALLAX_SHARED"):
        lacks = "set PARALLAX_SHARED to the folder of real videos"
        return [*found, unmeasured(what, "all equal", lacks)]
    real = measure(__file__, "equal_to_decode", repeats=1)
    told = f"{real['same']} equal, {len(real['different'])} different"
    all_equal = bool(real["same"]) and not real["different"]
    told += f" ({real['unreadable']} do not decode)"
    return [*found, Figure(what, told, "all equal", all_equal)]


SIDES = {
    f.__name__: f
    for f in (make_piece, copy_piece, index, index_alone, decode, reencode, equal_to_decode)
}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
