"""Text from outside as a terminal is shown it."""

from __future__ import annotations

from resources.texts import joined_lines, one_line


def test_foreign_text_is_one_line() -> None:
    assert one_line("a\nb\x1b[31m\u202e é") == "a\\nb\\x1b[31m\\u202e é"
    assert one_line("x" * 400) == "x" * 300 + "..."


def test_lines_are_joined_and_nothing_in_them_moves_the_cursor() -> None:
    assert joined_lines("\x1b[31m\u21b3\x1b[0m first\r\n\tsecond ") == "first second"
    assert joined_lines("a\x1b[2J\x1b]0;title\x07\x9b\udc9b") == (
        "a\\x1b[2J\\x1b]0;title\\x07\\x9b\\udc9b"
    )


def test_joined_lines_are_cut_to_the_limit() -> None:
    assert joined_lines("a\n" + "b" * 20, 10) == "a bbbbb..."
    assert joined_lines("a\nb", 3) == "a b"
