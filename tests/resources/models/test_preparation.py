"""Frames read ahead: the same pixels, in order, once each, within bounds; faults stay where they belong."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from resources.media.crops import Crop
from resources.models.base import (
    Capabilities,
    Media,
    PreparedPrompt,
    ask_each,
    decode_clip,
    message_parts,
)
from resources.models.calls import asking
from resources.models.calls.asking import arriving_replies
from resources.models.calls.preparation import Preparation
from resources.models.engines.random_letter import RandomEngine
from resources.models.prompt import Clip, Prompt
from resources.models.reply import Reply

SIDE, HEIGHT, WIDTH = 36, 36, 64
FRAME_BYTES = HEIGHT * WIDTH * 3


def picture(recording: str, part: int, stamp: int, scale: int = 2) -> np.ndarray:
    """A frame that no other recording, part or stamp has."""
    seed = [*recording.encode(), part, stamp]
    small = np.random.default_rng(seed).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    return small.repeat(scale, 0).repeat(scale, 1)


class Recordings:
    """Media that note what they read.

    Attributes:
        passes: Recording and stamps of each pass, as the frames were taken.
        broken: Stamps that cannot be had.
    """

    def __init__(self, *broken: tuple[str, int]) -> None:
        self.passes: list[tuple[str, list[int]]] = []
        self.broken = set(broken)
        self.may_read = threading.Semaphore(1 << 30)

    def __call__(self, recording: str, part: int, stamps: list[int]) -> list[np.ndarray]:
        return [image for _, image in self.each(recording, part, stamps)]

    def each(
        self, recording: str, part: int, stamps: Sequence[int]
    ) -> Iterator[tuple[int, np.ndarray]]:
        noted: list[int] = []
        self.passes.append((recording, noted))
        fault = None
        for stamp in stamps:
            if (recording, stamp) in self.broken:
                fault = fault or OSError(f"frame {stamp} of {recording} is damaged")
                continue
            self.may_read.acquire()
            noted.append(stamp)
            yield stamp, picture(recording, part, stamp)
        if fault is not None:
            raise fault

    @property
    def n_read(self) -> int:
        return sum(len(noted) for _, noted in self.passes)


def clip(recording: str, stamps: Sequence[int], role: str = "query", **more: Any) -> Clip:
    frames = tuple((0, stamp, stamp / 10) for stamp in stamps)
    return Clip(role, recording, f"content of {recording}", 0.0, 9.0, frames, **more)


def prompt(name: str, *clips: Clip) -> Prompt:
    return Prompt(name, (*clips, "Which?"), choices=("A", "B"), short_side_px=SIDE, item=name)


def passing_by(n: int, recordings: str = "uv") -> list[Prompt]:
    """Prompts of a few frames each, neighbours overlapping, one recording after the other."""
    return [
        prompt(f"{name}{i:03}", clip(name, range(2 * i, 2 * i + 4)))
        for name in recordings
        for i in range(n)
    ]


def sent(ready: PreparedPrompt) -> list[Any]:
    return message_parts(ready.prompt, ready.media)


def wait_until(condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


# --- what is prepared ---------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_prompts_come_in_order_with_the_pixels_that_are_sent_without_preparation(
    threads: int,
) -> None:
    crops = (Crop("gaze", 0.2, 0.8), Crop("centre", 0.5, 0.5))
    prompts = [
        *passing_by(5),
        prompt("cropped", clip("u", (0, 2), crops=crops), clip("v", (8, 4, 4), "option_A")),
        prompt("whole", clip("u", (0, 2))),
        prompt("text"),
    ]
    media = Recordings()
    found = list(Preparation(prompts, media, threads=threads))
    assert [one.prompt for one in found] == prompts
    read = media.n_read
    for one in found:
        expected = message_parts(one.prompt, Recordings())
        for mine, theirs in zip(sent(one), expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert media.n_read == read, "all of it was in memory"


def test_a_recording_is_read_in_one_pass_of_rising_stamps_and_each_frame_once() -> None:
    prompts = passing_by(40)
    media = Recordings()
    assert len(list(Preparation(prompts, media, threads=1))) == 80
    assert [recording for recording, _ in media.passes] == ["u", "v"]
    assert [stamps for _, stamps in media.passes] == [list(range(82))] * 2


def test_threads_read_a_recording_in_turns_of_rising_stamps_and_each_frame_once() -> None:
    media = Recordings()
    assert len(list(Preparation(passing_by(40), media, threads=3))) == 80
    stretches = sorted(media.passes)
    assert len(stretches) == 2 * 4
    assert [s for _, stamps in stretches for s in stamps] == [*range(82), *range(82)]


def test_a_prompt_is_ready_before_the_pass_over_its_recording_has_ended() -> None:
    media = Recordings()
    media.may_read = threading.Semaphore(4)
    prepared = Preparation(passing_by(40, "u"), media, threads=1)
    first = next(prepared)
    assert first.prompt.item == "u000" and len(sent(first)) == 5
    assert media.n_read == 4
    prepared.close()
    media.may_read.release(1000)


def test_frames_in_memory_are_bounded() -> None:
    prompts = [prompt(f"p{i:03}", clip("u", range(4 * i, 4 * i + 4))) for i in range(100)]
    media = Recordings()
    prepared = Preparation(prompts, media, threads=2, budget_bytes=40 * FRAME_BYTES)
    taken = 0
    for ready in prepared:
        taken += 1
        del ready
        if taken % 20 == 1:
            time.sleep(0.05)  # readers come as far as they may
        assert media.n_read - 4 * taken <= 40
    assert taken == 100 and media.n_read == 400


def test_a_prompt_beyond_the_bound_is_prepared_alone() -> None:
    prompts = [prompt(f"p{i}", clip("u", range(9 * i, 9 * i + 9))) for i in range(3)]
    media = Recordings()
    found = list(Preparation(prompts, media, threads=2, budget_bytes=4 * FRAME_BYTES))
    assert [len(sent(one)) for one in found] == [10, 10, 10]
    assert media.n_read == 27


def test_prompts_are_taken_a_bounded_number_ahead() -> None:
    taken: list[int] = []

    def endless() -> Iterator[Prompt]:
        for i in range(1 << 60):
            taken.append(i)
            yield prompt(f"p{i}")

    prepared = Preparation(endless(), Recordings(), threads=2)
    for _ in range(300):
        next(prepared)
    time.sleep(0.05)
    assert len(taken) <= 300 + 200
    prepared.close()


# --- faults -------------------------------------------------------------------------------------------


class Describing:
    """Replies with what it is shown, one prompt after the other."""

    capabilities = Capabilities(images=True)
    model = "describing"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        def answer(one: Prompt) -> tuple[str, None, None]:
            self.asked.append(one.key)
            frames = [image for c in one.clips for image in decode_clip(c, media, SIDE)]
            return str([int(f.sum()) for f in frames]), None, None

        return ask_each(batch, answer)


class OlderGroups(Describing):
    """A plug-in that yields groups of replies to a batch it is given whole."""

    def replies(self, batch: Sequence[Prompt], media: Media) -> Iterator[list[Reply]]:
        assert len(batch) >= 1
        for one in batch:
            yield self.ask([one], media)


class Streaming(Describing):
    def stream(self, prompts: Iterator[PreparedPrompt]) -> Iterator[list[Reply]]:
        for ready in prompts:
            yield self.ask([ready.prompt], ready.media)


def told(reply: Reply) -> tuple[Any, ...]:
    return reply.call_key, reply.status, reply.text, reply.error


@pytest.mark.parametrize("kind", [Describing, OlderGroups, Streaming])
def test_any_kind_of_engine_is_asked_the_same_in_the_same_order(kind: type[Describing]) -> None:
    broken = ("u", 21), ("u", 23), ("v", 0)
    prompts = passing_by(30)
    plain = Describing()
    expected = plain.ask(prompts, Recordings(*broken))
    engine = kind()
    media = Recordings(*broken)
    found = [r for group in arriving_replies(engine, prompts, media, 4) for r in group]
    assert engine.asked == plain.asked
    assert [told(reply) for reply in found] == [told(reply) for reply in expected]
    # Of the prompts that show a damaged frame, and of no others.
    assert [r.call_key for r in found if r.status == "error"] == [
        *("u009", "u010", "u011", "v000"),
    ]


@pytest.mark.parametrize(("frames", "sizes"), [(1, [4] * 5), (40, [10, 10]), (999, [20])])
def test_a_large_group_ends_where_its_frames_take_much_memory(
    frames: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MAX_CONCURRENCY", 4)
    monkeypatch.setattr(asking, "BUDGET_BYTES", frames * FRAME_BYTES)
    prompts = [prompt(f"p{i:03}", clip("u", range(4 * i, 4 * i + 4))) for i in range(20)]
    groups = list(arriving_replies(Describing(), prompts, Recordings(), 64))
    assert [len(group) for group in groups] == sizes


def test_no_frame_is_read_for_an_engine_that_looks_at_none() -> None:
    media = Recordings()
    groups = arriving_replies(RandomEngine("r"), passing_by(20), media, 4)
    assert sum(len(group) for group in groups) == 40
    assert media.passes == []


def test_what_fails_where_prompts_are_made_is_raised_after_the_prompts_before_it() -> None:
    def failing() -> Iterator[Prompt]:
        yield from passing_by(10, "u")
        raise LookupError("no such template")

    prepared = Preparation(failing(), Recordings(), threads=2)
    expected = passing_by(10, "u")
    assert [next(prepared).prompt for _ in expected] == expected
    with pytest.raises(LookupError, match="no such template"):
        next(prepared)


def test_closing_waits_for_no_reader_and_wakes_who_waits() -> None:
    media = Recordings()
    media.may_read = threading.Semaphore(0)
    prepared = Preparation(passing_by(10), media, threads=2)
    ended = threading.Event()

    def take() -> None:
        assert next(prepared, None) is None
        ended.set()

    threading.Thread(target=take, daemon=True).start()
    wait_until(lambda: len(media.passes) > 0)
    began = time.monotonic()
    prepared.close()
    assert ended.wait(5)
    assert time.monotonic() - began < 1
    media.may_read.release(1000)
    wait_until(lambda: not any(t.name.startswith("prepare-") for t in threading.enumerate()))
    # A reader stops at the frame it was at.
    assert media.n_read <= 2


def test_ctrl_c_reaches_who_waits_for_a_frame_at_once() -> None:
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("Python delivers signals to the main thread")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    media = Recordings()
    media.may_read = threading.Semaphore(6)
    engine = Streaming()
    replies: list[Reply] = []

    def interrupt() -> None:
        wait_until(lambda: len(replies) == 2 and media.n_read == 6)
        os.kill(os.getpid(), signal.SIGINT)

    def ask() -> None:
        for group in arriving_replies(engine, passing_by(4, "u"), media, 4):
            replies.extend(group)

    try:
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            ask()
    finally:
        signal.signal(signal.SIGINT, before)
    media.may_read.release(1000)
    assert [reply.call_key for reply in replies] == engine.asked == ["u000", "u001"]


def test_threads_do_not_read_a_frame_that_another_is_reading() -> None:
    prompts = [
        prompt(f"p{i:03}", clip("u", range(0, 60, 3)), clip("v", range(9))) for i in range(60)
    ]
    media = Recordings()
    for ready in Preparation(prompts, media, threads=4):
        assert len(sent(ready)) == 20 + 9 + 2 + 1
    assert media.n_read == 29
