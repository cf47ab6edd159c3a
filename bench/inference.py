"""Asking models: planning and keying, frames read while a model works, kept frames, and Ctrl-C.

* *Planned and keyed*: 20,000 questions of one clip (eight frames; 40 recordings of 10 minutes) for three
  runs of one protocol, as `parallax run --dry-run` plans them. *Asked* is the same with a stand-in model
  that replies at once and looks at nothing, calls and answers stored; then an unchanged run. Everything
  in one process, whose peak memory counts.
* *Overlapped*: 240 questions about a video of 1088x1080 and 200 s, through the whole stage (frames
  decoded and kept, calls and answers stored). The stand-in model sleeps. Three runs in turns: it looks
  and does not sleep (preparing alone), it sleeps and does not look (inferring alone), it does both. It
  sleeps for as long as makes the two alike, where overlapping is hardest. Once it takes prompts as a
  server does, eight at a time, and makes JPEGs; once it is asked four at a time, as one in process.
* *Kept frames*: the same questions one after the other from frames that are kept, until each is a message
  with JPEGs.
* *Ctrl-C*: the same run as a command, in a process of its own, gets SIGINT while it reads and asks; every
  reply that was taken from the model until then is looked for in the store.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.measure import REPEATS, Figure, cpu_s, main, measure, peak_mb

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from resources.config import Settings
    from resources.models import Engine, Media, Prompt
    from resources.models.base import PreparedPrompt
    from resources.models.reply import Reply
    from resources.models.runs import RunConfig

MANY, RECORDINGS, LONG_S = 20_000, 40, 600
SOME, SHORT_S = 240, 200
RUNS = ("one", "two", "three")
AT_ONCE, IN_PROCESS = 8, 4
BENCHMARK, SOURCE = "egocross", "bench"
TICKS = 90_000
CONFIG = f"""
store = "tables"
page = "page.html"
[sources.{SOURCE}]
layout = "egoexolearn"
root = "raw"
[benchmarks.{BENCHMARK}]
sources = ["{SOURCE}"]
"""
RUN = """
[runs.{name}]
engine = "stand_in"
model = "{name}"
protocol = "direct"
concurrency = {in_process}
"""


# --- a store with questions ---------------------------------------------------------------------------


def question(number: int, recordings: int, video_s: int) -> dict[str, Any]:
    """A question about a clip of 4 to 60 s."""
    from expectations.schemas.identity import digest

    chance = int(digest([f"question {number}"])[:8], 16) / 2**32
    length = 4 + 56 * chance
    start = (number * 7919 % 1000) / 1000 * (video_s - 1 - length)
    recording = f"recording-{number % recordings:03}"
    texts = ("pick up the knife", "wash the cup", "open the drawer", f"stir the pot {number}")
    medium = {
        "role": "query",
        "recording_id": recording,
        "media_kind": "video",
        "start_s": round(start, 2),
        "end_s": round(start + length, 2),
        "times_s": [],
        "overlays": [],
        "content": digest([recording]),
    }
    return {
        "benchmark": BENCHMARK,
        "source": SOURCE,
        "pool": f"{SOURCE}/set",
        "subtask": f"subtask-{number % 5}",
        "recipe": "bench@1",
        "question_id": f"q{number:06}",
        "question_hash": digest([f"hash {number}"]),
        "recording_id": recording,
        "text": f"What will the person do next? ({number})",
        "options": [
            {"letter": x, "text": t, "value": t, "is_answer": x == "B"}
            for x, t in zip("ABCD", texts, strict=True)
        ],
        "media": [medium],
        "answer": "B",
        "chance": 0.25,
        "media_present": True,
        "rationale": [],
        "evidence": [],
        "licence": "none",
    }


def ticks(recording: str, stamps: Sequence[int], video_s: int) -> pl.DataFrame:
    """Ticks of 25 a second over a video with these stamps."""
    import numpy as np
    import polars as pl

    from expectations.schemas import TABLES

    pts = np.sort(np.asarray(stamps))
    shown = (pts - pts[0]) / TICKS
    t_s = np.arange(int(min(shown[-1], video_s) * 25)) / 25
    nearest = np.searchsorted((shown[1:] + shown[:-1]) / 2, t_s)
    known = {
        "source": pl.lit(SOURCE),
        "recording_id": pl.lit(recording),
        "grid": pl.lit("cfr25"),
        "tick": pl.int_range(len(t_s)),
        "t_s": pl.Series(t_s),
        "part": pl.lit(0),
        "source_frame": pl.Series(nearest),
        "source_pts": pl.Series(pts[nearest]),
        "residual_ms": pl.Series((shown[nearest] - t_s) * 1000),
    }
    schema = TABLES["frames"].schema
    return pl.select(**{n: known.get(n, pl.lit(None)).cast(dtype) for n, dtype in schema.items()})


def write_home(home: Path, questions: int, recordings: int, video: str = "") -> None:
    """Configuration and tables of an installation whose questions are there; no model was asked.

    Args:
        home: Folder to be made.
        questions: Number of questions.
        recordings: Number of recordings.
        video: The one video of all recordings; empty for none, of ten minutes.
    """
    import polars as pl

    from expectations.gates.registry import gates
    from expectations.schemas import TABLES
    from resources.config import load_settings
    from resources.media.packets import index_frames
    from resources.media.video import read_packets

    (home / "raw").mkdir(parents=True)
    runs = "".join(RUN.format(name=name, in_process=IN_PROCESS) for name in RUNS)
    (home / "parallax.toml").write_text(CONFIG + runs)
    store = load_settings(home / "parallax.toml").store
    video_s = SHORT_S if video else LONG_S
    stamps: Sequence[int] = [round(i * TICKS / 29) for i in range(29 * video_s)]
    if video:
        os.link(video, home / "raw" / "video.mp4")
        with open(video, "rb") as handle:
            stamps = index_frames(read_packets(handle)).pts.tolist()
    ids = [f"recording-{i:03}" for i in range(recordings)]
    rows = [
        {
            "source": SOURCE,
            "recording_id": uid,
            "take_id": uid,
            "view": "ego",
            "media_kind": "video",
            "time_base": "video",
            "media": "present",
            "media_paths": ["video.mp4"],
            "media_hashes": [uid],
            "licence": "none",
        }
        for uid in ids
    ]
    store.replace(TABLES["recordings"], SOURCE, ids, TABLES["recordings"].frame(rows))
    store.replace(
        TABLES["frames"], SOURCE, ids, pl.concat([ticks(uid, stamps, video_s) for uid in ids])
    )
    asked = [question(number, recordings, video_s) for number in range(questions)]
    table = TABLES["questions"].frame(asked)
    pools = table["pool"].unique().to_list()
    store.replace(TABLES["questions"], BENCHMARK, pools, table)
    needed = [g.name for g in gates().values() if g.mandatory and not g.per_protocol]
    names = ("benchmark", "source", "pool", "subtask", "question_id", "question_hash")
    verdicts = [
        {name: row[name] for name in names}
        | {"gate": gate, "protocol": "", "verdict": "pass", "message": "", "input_hash": ""}
        for row in asked
        for gate in needed
    ]
    judged = TABLES["question_gates"].frame(verdicts)
    store.replace(TABLES["question_gates"], BENCHMARK, pools, judged)


# --- a stand-in model ---------------------------------------------------------------------------------


class StandIn:
    """Sleeps instead of thinking; looks at its frames, or does not.

    Args:
        model: Name of the model.
        seconds: How long a prompt, or a group of prompts, takes.
        looks: Whether frames are looked at.
        noted: File that the key of every reply is written to once it was taken; None for none.
    """

    def __init__(self, model: str, seconds: float, looks: bool, noted: str | None = None) -> None:
        from resources.models import Capabilities

        self.capabilities = Capabilities(images=True, ignores_media=not looks)
        self.model = f"stand-in {model}"
        self._seconds = seconds
        self._looks = looks
        self._noted = noted

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """Replies of a group, after one sleep."""
        sent = [self._message(prompt, media) for prompt in batch]
        time.sleep(self._seconds)
        return [self._reply(p, n) for p, n in zip(batch, sent, strict=True)]

    def _note(self, replies: Sequence[Reply]) -> None:
        if self._noted:
            with open(self._noted, "a", encoding="utf-8") as file:
                file.writelines(f"{reply.call_key}\n" for reply in replies)

    def _message(self, prompt: Prompt, media: Media) -> int:
        from resources.models.base import message_parts

        if not self._looks:
            return 0
        shown = [part for part in message_parts(prompt, media) if not isinstance(part, str)]
        return sum(self._size(frame) for frame in shown)

    def _size(self, frame: np.ndarray) -> int:
        """Bytes of a frame as it is sent."""
        return frame.nbytes

    def _reply(self, prompt: Prompt, sent: int) -> Reply:
        from resources.models.reply import Reply

        return Reply(prompt.key, "ok", "B", bytes_hash=str(sent) if sent else None)


class StandInServer(StandIn):
    """The same, with several prompts under way, and frames as JPEG."""

    def _size(self, frame: np.ndarray) -> int:
        from resources.models.base import to_jpeg

        return len(to_jpeg(frame, "jpeg-90"))

    def stream(self, prompts: Iterator[PreparedPrompt]) -> Iterator[list[Reply]]:
        """Replies as they come."""
        from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

        def one() -> Reply | None:
            ready = next(prompts, None)
            return None if ready is None else self.ask([ready.prompt], ready.media)[0]

        with ThreadPoolExecutor(AT_ONCE) as pool:
            running = {pool.submit(one) for _ in range(AT_ONCE)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                replies = [reply for reply in (f.result() for f in done) if reply is not None]
                if replies:
                    yield replies
                    self._note(replies)
                running |= {pool.submit(one) for _ in replies}


def _installed(engine: Engine) -> None:
    import resources.models as models

    def given(run: RunConfig) -> Engine:
        engine.model = f"stand-in {run.model}"  # type: ignore[misc]
        return engine

    models.BUILT_IN["stand_in"] = given


def _settings(home: Path) -> Settings:
    from resources.config import load_settings

    return load_settings(home / "parallax.toml")


def _asked(home: Path, run: str) -> None:
    from assets.options import Options, silent
    from assets.predictions.stage import STAGE

    STAGE.refresh(_settings(home), f"{BENCHMARK}.{run}", Options(), silent)


# --- sides --------------------------------------------------------------------------------------------


def planning() -> dict:
    """20,000 questions for three runs: planned, asked, and run again."""
    from assets.options import Options
    from assets.predictions.stage import planned_calls

    out: dict[str, float | int] = {}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        pid = os.fork()  # what writing the tables takes is not part of it
        if pid == 0:
            write_home(home, MANY, RECORDINGS)
            os._exit(0)
        os.waitpid(pid, 0)
        _installed(StandInServer("", 0.0, looks=False))
        began = cpu_s()
        planned = [planned_calls(_settings(home), f"{BENCHMARK}.{r}", Options()) for r in RUNS]
        out["planned_cpu_s"] = cpu_s() - began
        out["due"] = sum(plan.n_asked for plan in planned)
        began = cpu_s()
        for run in RUNS:
            _asked(home, run)
        out["asked_cpu_s"] = cpu_s() - began
        began = cpu_s()
        for run in RUNS:
            _asked(home, run)
        out["again_cpu_s"] = cpu_s() - began
        out["peak_mb"] = peak_mb()
    return out


def video(path: str) -> dict:
    """The video: a piece of 20 s, over and over."""
    import bench.frame_index as source

    source.make_piece(f"{path}.piece.mp4")
    source.TIMES = SHORT_S // source.PIECE_S
    source.copy_piece(f"{path}.piece.mp4", path)
    return {}


def overlapping(path: str, kind: str) -> dict:
    """Preparing alone, inferring alone, and both at once: wall seconds."""
    engine_class = {"server": StandInServer, "in_process": StandIn}[kind]
    share = {"server": SOME / AT_ONCE, "in_process": SOME / IN_PROCESS}[kind]
    with tempfile.TemporaryDirectory() as folder:
        write_home(Path(folder) / "home", SOME, 1, path)
        warm_up = Path(folder) / "warm_up"
        _timed(Path(folder), warm_up, engine_class("", 0.0, looks=False))  # imports
        preparing = _timed(Path(folder), warm_up, engine_class("", 0.0, looks=True))
        seconds = preparing / share
        inferring = _timed(Path(folder), warm_up, engine_class("", seconds, looks=False))
        both = _timed(Path(folder), warm_up, engine_class("", seconds, looks=True))
    return {"preparing_s": preparing, "inferring_s": inferring, "both_s": both}


def _timed(folder: Path, home: Path, engine: StandIn) -> float:
    """Wall seconds of asking everything, by a store that holds no reply and with no frame kept."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(folder / "home", home)
    os.environ["PARALLAX_CACHE"] = str(home / "cache")
    _installed(engine)
    began = time.perf_counter()
    _asked(home, "one")
    return time.perf_counter() - began


def kept(path: str) -> dict:
    """Milliseconds from a prompt to its message, with frames that are kept."""
    from assets.options import Options
    from assets.predictions.stage import Evaluation, prompts_of
    from assets.sources.stage import root_of
    from expectations.schemas import TABLES
    from resources.media.frame_cache import with_frame_cache
    from resources.media.reader import MediaReader

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        write_home(home, SOME, 1, path)
        os.environ["PARALLAX_CACHE"] = str(home / "cache")
        engine = StandInServer("", 0.0, looks=True)
        _installed(engine)
        _asked(home, "one")
        settings = _settings(home)
        evaluation = Evaluation(settings, f"{BENCHMARK}.one")
        recordings = settings.store.read(TABLES["recordings"], SOURCE)
        reader = MediaReader.of(root_of(settings, SOURCE), recordings, TABLES["images"].empty())
        media = with_frame_cache(reader)
        spent = []
        for prompt in prompts_of(evaluation, evaluation.questions(Options())):
            began = time.perf_counter()
            engine.ask([prompt], media)
            spent.append((time.perf_counter() - began) * 1000)
        files = [path.stat().st_size for path in (home / "cache" / "frames").rglob("*.frame")]
    return {
        "ms": statistics.median(spent),
        "worst_ms": max(spent),
        "frames": len(files),
        "kb": sum(files) / len(files) / 1000,
    }


def command(home: str, noted: str) -> dict:
    """A run that is interrupted: the stage as a command calls it."""
    from pipelines.cli.interrupts import end_interrupted, interruptible

    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["PARALLAX_CACHE"] = str(Path(home) / "cache")
    _installed(StandInServer("", 0.3, looks=True, noted=noted))
    try:
        interruptible(lambda: _asked(Path(home), "one"))()
    except KeyboardInterrupt:
        end_interrupted()
    return {}


def interrupting(path: str) -> dict:
    """Seconds from Ctrl-C to the end of the command, and replies that were lost."""
    from assets.predictions.stage import Evaluation

    with tempfile.TemporaryDirectory() as folder:
        home, noted = Path(folder) / "home", Path(folder) / "noted"
        write_home(home, SOME, 1, path)
        noted.write_text("")
        words = [sys.executable, __file__, "--side", "command", str(home), str(noted)]
        running = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        while running.poll() is None and len(noted.read_text().split()) < SOME // 4:
            time.sleep(0.01)
        began = time.perf_counter()
        running.send_signal(signal.SIGINT)
        running.wait()
        seconds = time.perf_counter() - began
        _installed(StandInServer("", 0.0, looks=False))
        known = Evaluation(_settings(home), f"{BENCHMARK}.one").log.known()
        taken = set(noted.read_text().split())
        lost = taken - known.keys()
    return {"seconds": seconds, "taken": len(taken), "lost": len(lost), "code": running.returncode}


def figures() -> list[Figure]:
    """All figures."""
    plan = measure(__file__, "planning", repeats=1)
    what = f"{MANY:,} questions x {len(RUNS)} runs"
    found = [
        Figure(
            f"{what} planned and keyed (8 frames of one clip each, {RECORDINGS} recordings)",
            f"{plan['planned_cpu_s']:.1f} CPU-s; {plan['asked_cpu_s']:.0f} CPU-s asked and stored",
            "< 60 CPU-s",
            plan["planned_cpu_s"] < 60 and plan["due"] == MANY * len(RUNS),
        ),
        Figure(
            f"{what}, run again unchanged",
            f"{plan['again_cpu_s']:.1f} CPU-s",
            "< 15 CPU-s",
            plan["again_cpu_s"] < 15,
        ),
        Figure(
            f"{what}, peak memory of planning, asking and running again",
            f"{plan['peak_mb']:.0f} MB",
            "< 1000 MB",
            plan["peak_mb"] < 1000,
        ),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/video.mp4"
        measure(__file__, "video", path, repeats=1)
        for kind, words in (
            ("server", f"{AT_ONCE} prompts at once"),
            ("in_process", f"in process, {IN_PROCESS} prompts together"),
        ):
            # Ratios within a turn: what else the machine does weighs on all three alike.
            turns = [
                measure(__file__, "overlapping", path, kind, repeats=1) for _ in range(REPEATS)
            ]
            ratio = statistics.median(
                turn["both_s"] / max(turn["preparing_s"], turn["inferring_s"]) for turn in turns
            )
            last = turns[-1]
            found.append(
                Figure(
                    f"{SOME} questions overlapped, against the longer of preparing alone and inferring"
                    f" alone ({words})",
                    f"{ratio:.2f} times ({last['preparing_s']:.1f} s, {last['inferring_s']:.1f} s, both"
                    f" {last['both_s']:.1f} s)",
                    "<= 1.15 times",
                    ratio <= 1.15,
                )
            )
        warm = measure(__file__, "kept", path)
        found.append(
            Figure(
                "a question of 8 frames from kept frames, until its JPEGs are made",
                f"{warm['ms']:.1f} ms (worst {warm['worst_ms']:.0f} ms; {warm['kb']:.0f} kB a frame)",
                "< 50 ms",
                warm["ms"] < 50,
            )
        )
        ended = measure(__file__, "interrupting", path)
        found.append(
            Figure(
                "Ctrl-C while frames are read and prompts are under way",
                f"{ended['seconds']:.1f} s, {ended['lost']} of {ended['taken']} replies lost",
                "<= 2 s, none lost",
                ended["seconds"] <= 2 and not ended["lost"] and ended["taken"] < SOME,
            )
        )
    return found


SIDES = {f.__name__: f for f in (planning, video, overlapping, kept, command, interrupting)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
