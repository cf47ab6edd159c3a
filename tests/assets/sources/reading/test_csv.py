"""One fault at a time in the CSV files: its row is refused by name, every other row is there."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import TYPE_CHECKING

import polars as pl
import pytest

if TYPE_CHECKING:
    from conftest import Sample

FINE = "annotations/fine_annotation_trainvaltest_en.csv"
VERBS = "annotations/narration_verb_taxonomy.csv"
AT = 5  # the line that is broken; the header is line 1
UID = b"bee912e4-ac78-11ee-819f-80615f12b59e"


def _cells(line: bytes) -> list[str]:
    return next(csv.reader([line.decode()]))


def _with(column: int, value: str) -> Callable[[bytes], bytes]:
    def change(line: bytes) -> bytes:
        cells = _cells(line)
        cells[column] = value
        out = io.StringIO()
        csv.writer(out, lineterminator="").writerow(cells)
        return out.getvalue().encode()

    return change


def _segment(sample: Sample, at: int = AT) -> str:
    return f"fine:{_cells(sample.line(FINE, at))[1]}"


ROWS: dict[str, tuple[Callable[[bytes], bytes], str, str | None]] = {
    # name: (change of the line, rule, value; None = the whole line or key)
    "no number": (_with(5, "abc"), "unreadable_row", "abc"),
    "empty number": (_with(5, ""), "unreadable_row", ""),
    "nan": (_with(5, "nan"), "unreadable_row", "nan"),
    "infinity": (_with(6, "inf"), "unreadable_row", "inf"),
    "overflow": (_with(6, "1e999"), "unreadable_row", "1e999"),
    "number with underscore": (_with(5, "1_0"), "unreadable_row", "1_0"),
    "other digits": (_with(5, "１２"), "unreadable_row", "１２"),
    "code in a number": (
        _with(5, "__import__('os').system('true')"),
        "unreadable_row",
        "__import__('os').system('true')",
    ),
    "negative start": (_with(5, "-0.5"), "range:start_s", "-0.5"),
    "no uuid": (_with(0, "someone"), "unreadable_row", "someone"),
    "uuid in capitals": (_with(0, UID.decode().upper()), "unreadable_row", UID.decode().upper()),
    "path as uuid": (_with(0, "../../etc/passwd"), "unreadable_row", "../../etc/passwd"),
    "no annotation id": (_with(1, ""), "unreadable_row", None),
    "field too few": (
        lambda line: line.rsplit(b",", 1)[0],
        "unreadable_row",
        "9",
    ),
    "field too many": (lambda line: line + b",more", "unreadable_row", "11"),
    "NUL byte": (
        lambda _: UID + b",x\0x,test,ego,kitchen,1,2,a,b,c",
        "unreadable_row",
        UID.decode() + ",x\\0x,test,ego,kitchen,1,2,a,b,c\n",
    ),
    "not UTF-8": (
        lambda _: UID + b",xx,test,ego,kitchen,1,2,caf\xe9,b,c",
        "unreadable_row",
        UID.decode() + ",xx,test,ego,kitchen,1,2,caf\\udce9,b,c\n",
    ),
    "unclosed quote": (
        lambda _: UID + b',xx,test,ego,kitchen,1,2,"never closed,b,c',
        "unreadable_row",
        UID.decode() + ',xx,test,ego,kitchen,1,2,"never closed,b,c',
    ),
    "text behind a quote": (
        lambda _: UID + b',xx,test,ego,kitchen,1,2,"a" b,b,c',
        "unreadable_row",
        UID.decode() + ',xx,test,ego,kitchen,1,2,"a" b,b,c',
    ),
}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_broken_row_of_the_fine_annotations(sample: Sample, name: str) -> None:
    change, rule, value = ROWS[name]
    lost = pl.col("segment_id") == _segment(sample)
    # A reader tells the line, a contract the row's key.
    row = str(AT) if rule == "unreadable_row" else _key(_segment(sample))
    sample.put_line(FINE, AT, change(sample.line(FINE, AT)))
    sample.check([("segments", FINE, row, rule, value)], {"segments": lost})


def _key(segment: str) -> str:
    return segment.removeprefix("fine:")


def test_end_before_start(sample: Sample) -> None:
    segment = _segment(sample)
    line = _with(5, "9.5")(_with(6, "9.25")(sample.line(FINE, AT)))
    sample.put_line(FINE, AT, line)
    key = str({"source": "it", "segment_id": segment})
    sample.check(
        [("segments", FINE, _key(segment), "end_after_start", key)],
        {"segments": pl.col("segment_id") == segment},
    )


@pytest.mark.parametrize(("end", "inside"), [("66.9", True), ("67.1", False), ("1e9", False)])
def test_times_outside_the_video(sample: Sample, end: str, inside: bool) -> None:
    """The native recording's container says 66.456 s; half a second of tolerance is given."""
    at = next(
        n for n in range(2, 400) if sample.line(FINE, n).startswith(sample.uid["native"].encode())
    )
    segment = _segment(sample, at)
    sample.put_line(FINE, at, _with(5, "66")(_with(6, end)(sample.line(FINE, at))))
    if inside:
        sample.check([], other={"segments": ["start_s", "end_s"]})
        return
    sample.check(
        [("segments", FINE, _key(segment), "outside_recording", f"66-{float(end):g} s")],
        {"segments": pl.col("segment_id") == segment},
    )


def test_a_recording_that_resolves_to_nothing(sample: Sample) -> None:
    segment = _segment(sample)
    stranger = "00000000-ac78-11ee-819f-80615f12b59e"
    sample.put_line(FINE, AT, _with(0, stranger)(sample.line(FINE, AT)))
    sample.check(
        [("segments", FINE, _key(segment), "reference:recording_id", stranger)],
        {"segments": pl.col("segment_id") == segment},
    )


def test_an_id_given_twice_in_one_file(sample: Sample) -> None:
    lines = sample.get(FINE).rstrip(b"\n").split(b"\n")
    sample.put(FINE, b"\n".join([*lines, lines[AT - 1], b""]))
    last = str(len(lines) + 1)
    sample.check([("segments", FINE, last, "segment_twice", _segment(sample))])


def test_an_id_given_again_with_other_times_in_another_file(sample: Sample) -> None:
    again = "annotations/fine_annotation_zweite.csv"
    header, line = sample.line(FINE, 1), sample.line(FINE, AT)
    sample.put(again, b"\n".join([header, _with(5, "0.125")(line), b""]))
    sample.check([("segments", again, "2", "segment_twice", _segment(sample))])


def test_an_id_repeated_unchanged_in_another_file_is_no_fault(sample: Sample) -> None:
    again = "annotations/fine_annotation_zweite.csv"
    sample.put(again, b"\n".join([sample.line(FINE, 1), sample.line(FINE, AT), b""]))
    sample.check([])


def test_a_file_that_ends_inside_a_quote_loses_that_row_only(sample: Sample) -> None:
    lines = sample.get(FINE).rstrip(b"\n").split(b"\n")
    broken = UID + b',zz,test,ego,kitchen,1,2,"cut off'
    sample.put(FINE, b"\n".join([*lines, broken]))
    sample.check([("segments", FINE, str(len(lines) + 1), "unreadable_row", broken.decode())])


def test_a_quote_that_swallows_more_than_a_csv_field_may_hold(sample: Sample) -> None:
    lines = sample.get(FINE).rstrip(b"\n").split(b"\n")
    broken = UID + b',zz,test,ego,kitchen,1,2,"open'
    # No quote follows for more than the 128 kB a field may have.
    plain = [b",".join(_with(7, "plain")(x).split(b",")[:7]) + b",p,p,p" for x in lines[1:]]
    many = [
        p.replace(p.split(b",")[1], b"%07d%d" % (n, k))
        for n in range(6)
        for k, p in enumerate(plain)
    ]
    sample.put(FINE, b"\n".join([*lines, broken, *many, b""]))
    sample.ingest()
    said = [(r["row"], r["rule"]) for r in sample.quarantine()]
    assert said == [(str(len(lines) + 1), "unreadable_row")]
    assert sample.rows("segments").height == sample.before["segments"].height + len(many)


# -- what is no fault ------------------------------------------------------------------------------


def _reordered(data: bytes) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row[::-1] for row in rows)
    return out.getvalue().encode()


def _extended(data: bytes) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([*row, "more"] for row in rows)
    return out.getvalue().encode()


HARMLESS: dict[str, Callable[[bytes], bytes]] = {
    "byte order mark": lambda d: b"\xef\xbb\xbf" + d,
    "CRLF": lambda d: d.replace(b"\n", b"\r\n"),
    "CR": lambda d: d.replace(b"\n", b"\r"),
    "no last line end": lambda d: d.rstrip(b"\n"),
    "blank lines at the end": lambda d: d + b"\n\n\n",
    "columns in another order": _reordered,
    "one column more": _extended,
}


@pytest.mark.parametrize("name", sorted(HARMLESS))
@pytest.mark.parametrize("path", [FINE, VERBS])
def test_other_ways_to_write_the_same(sample: Sample, path: str, name: str) -> None:
    sample.put(path, HARMLESS[name](sample.get(path)))
    sample.check([])


def test_cells_over_several_lines(sample: Sample) -> None:
    segment = _segment(sample)
    line = _with(7, 'Take it,\nand "turn"\r\nit.')(sample.line(FINE, AT))
    sample.put_line(FINE, AT, line)
    sample.check([], other={"segments": ["narration"]}, moved=True)
    rows = sample.rows("segments")
    told = rows.filter(pl.col("segment_id") == segment)["narration"].to_list()
    assert told == ['Take it,\nand "turn"\r\nit.']
    # Rows behind are told by the line they really start on.
    lines = sample.get(FINE).rstrip(b"\n").split(b"\n")
    sample.put(FINE, b"\n".join([*lines, b"no,row", b""]))
    sample.ingest()
    (told,) = [r["row"] for r in sample.quarantine() if r["file"] == FINE]
    assert told == str(len(lines) + 1)


# -- whole files -----------------------------------------------------------------------------------


FILES: dict[str, tuple[Callable[[bytes], bytes], str | None]] = {
    "empty": (lambda _: b"", None),
    "column missing": (lambda d: d.replace(b"start_sec", b"begin", 1), "start_sec"),
    "column twice": (lambda d: d.replace(b",view,", b",end_sec,", 1), "end_sec"),
    "UTF-16": (lambda d: d.decode().encode("utf-16"), None),
    "a picture": (lambda _: b"\x89PNG\r\n\x1a\n" + bytes(range(256)), None),
}


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_that_is_no_such_csv(sample: Sample, name: str) -> None:
    change, value = FILES[name]
    sample.put(FINE, change(sample.get(FINE)))
    # Most segments would go: they stay until a person says that they may.
    sample.ingest()
    assert sample.rows("segments").equals(sample.before["segments"])
    assert len(sample.quarantine()) == 1
    sample.ingest(allow_deletes=True)
    (said,) = sample.quarantine()
    assert (said["table"], said["file"], said["row"], said["rule"]) == (
        "segments",
        FINE,
        None,
        "unreadable_file",
    )
    assert value is None or said["value"] == value
    kinds = sample.rows("segments")["kind"].unique().to_list()
    assert kinds == ["coarse"]
    coarse = sample.before["segments"].filter(pl.col("kind") == "coarse")
    assert sample.rows("segments").equals(coarse)
    assert sample.rows("gaze_samples").equals(sample.before["gaze_samples"])


# -- taxonomies ------------------------------------------------------------------------------------

CODE = "[__import__('pathlib').Path('{trap}').touch()]"


@pytest.mark.parametrize(
    "group",
    [
        CODE,
        "['a'] + [open('{trap}', 'w')]",
        "['a', __import__('os').system('touch {trap}')]",
        "(x for x in [1])",
        "['unclosed",
        "{{'a': 1}}",
        "[1, 2]",
        "",
    ],
)
def test_lists_with_code_inside_are_not_run(sample: Sample, group: str) -> None:
    trap = sample.root.parent / "trap"
    text = group.format(trap=trap)
    label = _cells(sample.line(VERBS, AT))[0]
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([label, text])
    sample.put_line(VERBS, AT, out.getvalue().encode())
    sample.check(
        [("taxonomies", VERBS, str(AT), "unreadable_row", text[:200])],
        # Classes behind keep their numbers.
        {"taxonomies": (pl.col("taxonomy") == "verb") & (pl.col("class_id") == AT - 2)},
    )
    assert not trap.exists()


def test_quotes_of_both_kinds_in_a_list(sample: Sample) -> None:
    group = """['don\\'t', "do not", 'say \\"no\\"', ]"""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(["don't", group])
    line = out.getvalue().encode()
    sample.put_line(VERBS, AT, line)
    sample.check([], other={"taxonomies": ["label", "terms"]})
    rows = sample.rows("taxonomies").filter(
        (pl.col("taxonomy") == "verb") & (pl.col("class_id") == AT - 2)
    )
    assert rows["terms"].to_list() == [["don't", "do not", 'say "no"']]
