"""What a run shows while it works, and what it says it did."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from rich.console import Console

from assets.progress import Finished, Moved, ProgressReader, ProgressWriter
from pipelines.cli.bars import Bars
from pipelines.run.progress import (
    Display,
    LogLines,
    Pace,
    Progress,
    Totals,
    duration,
    printable,
)
from resources.store.call_counts import CallCounts, count_calls, counted_calls
from resources.store.incremental import Pending, Report


def report(**numbers) -> Report:
    made = Report("frames", "house", wanted=9, fresh=5, computed=["a", "b"], changed=["a"])
    for name, value in numbers.items():
        setattr(made, name, value)
    return made


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def moved(done: int, total: int = 400, step: str = "frames") -> Moved:
    return Moved("frames", "house", step, done, total)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (150, "2 min 30 s"), (7500, "2 h 5 min")],
)
def test_a_duration_reads_as_people_write_it(seconds, words):
    assert duration(seconds) == words


def test_what_is_resumed_counts_as_done_but_not_as_speed():
    pace = Pace(done=300, began=100.0)
    assert pace.words(300, 400, 110.0) == ""
    assert pace.words(350, 400, 110.0) == "5.0 a second, 10 s left"
    assert pace.words(302, 400, 110.0) == "5.0 s each, 8 min 10 s left"
    assert pace.words(400, 400, 110.0) == "10.0 a second"


def test_a_log_gets_a_line_every_30_seconds_and_one_at_the_end():
    lines: list[str] = []
    clock = Clock()
    log = LogLines(lines.append, clock)
    for second in range(100):
        clock.now = 100.0 + second
        log.moved(moved(200 + second))
    log.finished(Finished.of(report()))
    assert lines == [
        "  frames of house: 230 of 400, 1.0 a second, 2 min 50 s left",
        "  frames of house: 260 of 400, 1.0 a second, 2 min 20 s left",
        "  frames of house: 290 of 400, 1.0 a second, 1 min 50 s left",
        "frames of house: 9 units, 5 up to date, 2 computed, 1 changed",
    ]


def test_a_quick_step_gets_no_line_but_the_last():
    lines: list[str] = []
    log = LogLines(lines.append, Clock())
    for done in range(400):
        log.moved(moved(done))
    assert lines == []


def test_no_control_character_reaches_a_log():
    lines: list[str] = []
    log = LogLines(lines.append, Clock())
    log.say("frames of a\x1b[31m: \r\nred")
    assert lines == ["frames of a\\x1b[31m: \\r\\nred"]
    assert printable("Küche, 台所") == "Küche, 台所"


def test_events_pass_through_a_file_whole_and_in_order(tmp_path):
    path = tmp_path / "progress.jsonl"
    path.touch()
    writer, reader = ProgressWriter(str(path)), ProgressReader(path)
    tell = writer.tell("frames", "house")("videos are indexed")
    for done in range(50):
        tell(done, 50, "one.mp4")
    tell(50, 50, "one.mp4")
    writer.finished(report(calls=CallCounts(7, 1, 3)))
    first, *_, last, finished = reader.read()
    assert first == moved(0, 50, "videos are indexed")
    assert last == moved(50, 50, "videos are indexed")
    assert isinstance(finished, Finished)
    assert (finished.computed, finished.asked, finished.failed, finished.from_log) == (2, 7, 1, 3)
    assert finished.sentence.endswith("; 7 calls asked (1 failed), 3 answered from the log")
    assert list(reader.read()) == []
    # A line that another process has not written to its end yet.
    with path.open("a") as file:
        file.write('{"kind": "moved", "stage": "frames", ')
        file.flush()
        assert list(reader.read()) == []
        file.write('"partition": "house", "step": "frames", "done": 1, "total": 2}\n')
    assert list(reader.read()) == [moved(1, 2)]


def test_a_stage_with_many_units_writes_few_lines(tmp_path):
    path = tmp_path / "progress.jsonl"
    path.touch()
    tell = ProgressWriter(str(path)).tell("frames", "house")("frames")
    began = time.monotonic()
    for done in range(100_001):
        tell(done, 100_000, "")
    assert path.read_text().count("\n") <= 3 + (time.monotonic() - began) / 0.2


def test_without_a_file_nothing_is_written(tmp_path):
    writer = ProgressWriter("")
    writer.tell("frames", "house")("frames")(1, 2, "")
    writer.finished(report())
    assert list(tmp_path.iterdir()) == []


class Seen(Display):
    def __init__(self) -> None:
        self.events: list[object] = []

    def moved(self, event: Moved) -> None:
        self.events.append(event)

    def finished(self, event: Finished) -> None:
        self.events.append(event)

    def idle(self) -> None:
        self.events.append("idle")


def test_a_run_adds_up_what_stages_report_while_they_are_at_work():
    seen = Seen()
    progress = Progress(seen)
    with progress.following() as path:
        ProgressWriter(path).tell("frames", "house")("frames")(3, 9, "")
        deadline = time.monotonic() + 10
        while not seen.events:
            assert time.monotonic() < deadline, "what is written is shown only at the end"
            time.sleep(0.01)
        ProgressWriter(path).finished(report(deleted=["c"], refused=4, calls=CallCounts(7, 1, 3)))
    assert seen.events[0] == moved(3, 9)
    assert seen.events[-1] == "idle"
    assert not Path(path).exists()
    progress.totals.add_up_to_date(Pending("frames", up_to_date=1_000, refused=2))
    assert list(progress.totals.lines()) == [
        "2 units computed, 1 deleted, 1,005 up to date; 6 rows in quarantine",
        "7 model calls asked (1 failed), 3 answered from the log",
    ]


def test_a_run_that_asked_nothing_does_not_speak_of_calls():
    assert list(Totals(stages_launched=11, units_up_to_date=40).lines()) == [
        "0 units computed, 0 deleted, 40 up to date; 0 rows in quarantine"
    ]


def test_calls_are_counted_where_somebody_counts():
    count_calls(asked=1)
    with counted_calls() as outer:
        count_calls(asked=2, failed=1)
        with counted_calls() as inner:
            count_calls(from_log=5)
        count_calls(asked=1)
    assert (outer.asked, outer.failed, outer.from_log) == (3, 1, 0)
    assert (inner.asked, inner.from_log) == (0, 5)


@pytest.fixture
def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=120, color_system=None)


def written(terminal: Console) -> str:
    assert isinstance(terminal.file, io.StringIO)
    return terminal.file.getvalue()


def test_a_terminal_shows_a_bar_with_rate_and_remaining_time(terminal):
    clock = Clock()
    with Bars(terminal, clock) as bars:
        bars.moved(moved(300))
        clock.now += 10
        bars.moved(moved(350))
        bars._bars.refresh()
        assert "frames of house" in written(terminal)
        assert "350/400 5.0 a second, 10 s left" in written(terminal)
        bars.moved(moved(400))
        assert not bars._tasks
        bars.finished(Finished.of(report()))
        bars.moved(moved(1, 2, "again"))
        bars._bars.refresh()
        assert "1/2" in written(terminal)
        bars.idle()
        assert not bars._tasks
    assert "frames of house: 9 units, 5 up to date, 2 computed, 1 changed\n" in written(terminal)


def test_text_from_data_is_no_markup_in_a_terminal(terminal):
    with Bars(terminal, Clock()) as bars:
        bars.say("[red]not a colour[/red] :smile: \x1b[2J")
        bars.moved(Moved("frames", "[bold]b", "frames", 1, 2))
        bars._bars.refresh()
    assert "[red]not a colour[/red] :smile: \\x1b[2J" in written(terminal)
    assert "frames of [bold]b" in written(terminal)
