"""Questions as set checks read them.

A benchmark may have tens of thousands of questions of 21 media with ten fields each. What is nested
is therefore read column by column, and what a question shows becomes one short text to compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

import polars as pl

_FLAT = ("source", "question_id", "question_hash", "split", "recording_id", "text", "answer")
COLUMNS = ("benchmark", "subtask", "recipe", *_FLAT, "options", "media")
OPTION_ROLE = "option_"


class Asked(NamedTuple):
    """A question; lists stand in shown order.

    Attributes:
        text: The question as shown.
        read_text: The same without case and odd blanks.
        letters: Letter of each option.
        texts: Text of each option as shown.
        read_texts: The same without case and odd blanks.
        right: Whether each option is the answer.
        answer_text: Text of the right option without case and odd blanks.
        option_roles: Role of each medium that is an option; none where options are words.
        option_recordings: Its recording.
        option_lengths_s: Its length; None where it has no start or end.
        other_recordings: Recordings of the other media.
        query_recording: Recording of the query; None where there is none.
        query_length_s: Its length.
        shown: What the media show: equal in a set where the same is shown, and nowhere else.
    """

    source: str
    question_id: str
    question_hash: str
    split: str | None
    recording_id: str
    text: str
    read_text: str
    letters: list[str]
    texts: list[str | None]
    read_texts: list[str]
    right: list[bool]
    answer: str
    answer_text: str
    option_roles: list[str]
    option_recordings: list[str]
    option_lengths_s: list[float | None]
    other_recordings: list[str]
    query_recording: str | None
    query_length_s: float | None
    shown: str

    @property
    def in_words(self) -> bool:
        """Whether options are texts, not media."""
        return not self.option_roles

    @property
    def recordings(self) -> Iterator[str]:
        """Recordings it shows, one per medium."""
        return chain(self.other_recordings, self.option_recordings)


def asked_in(questions: pl.DataFrame) -> list[Asked]:
    """Questions of one set.

    Args:
        questions: Rows of `questions` of a benchmark's subtask; `COLUMNS` are enough.

    Returns:
        The questions by their ids; where two share one, in the order given.
    """
    option = medium = pl.element().struct.field
    role = medium("role").fill_null("None")
    recording = medium("recording_id").fill_null("None")
    length_s = medium("end_s") - medium("start_s")
    is_option, is_query = role.str.starts_with(OPTION_ROLE), role == "query"
    read = questions.sort("question_id", maintain_order=True).select(
        *_FLAT,
        letters=pl.col("options").list.eval(option("letter")),
        texts=pl.col("options").list.eval(option("text")),
        right=pl.col("options").list.eval(option("is_answer")),
        option_roles=pl.col("media").list.eval(role.filter(is_option)),
        option_recordings=pl.col("media").list.eval(recording.filter(is_option)),
        option_lengths_s=pl.col("media").list.eval(length_s.filter(is_option)),
        other_recordings=pl.col("media").list.eval(recording.filter(~is_option)),
        query_recording=pl.col("media").list.eval(recording.filter(is_query)).list.first(),
        query_length_s=pl.col("media").list.eval(length_s.filter(is_query)).list.first(),
        shown=pl.col("media").map_batches(_shown, return_dtype=pl.String()),
    )
    lists = {name: read[name].to_list() for name in read.columns}
    reading = cache(as_read)  # options say the same few texts over and over
    lists["read_text"] = [reading(text) for text in lists["text"]]
    lists["read_texts"] = [[*map(reading, texts)] for texts in lists["texts"]]
    lists["answer_text"] = [
        texts[right.index(True)] if True in right else ""
        for texts, right in zip(lists["read_texts"], lists["right"], strict=True)
    ]
    return [*map(Asked._make, zip(*(lists[name] for name in Asked._fields), strict=True))]


def as_read(text: str | None) -> str:
    """A text without case and odd blanks."""
    return " ".join((text or "").casefold().split())


def _shown(media: pl.Series) -> pl.Series:
    """What each question shows, by content: options in no order, times to the millisecond.

    Each medium takes the number of the first in the set that shows the same, and a question the
    sorted numbers of its media. Values are compared, no hashes: no two share one by accident.
    """
    questions = media.alias("media").to_frame().with_row_index("question")
    parts = questions.filter(pl.col("media").list.len() > 0).explode("media").unnest("media")
    seen = parts.with_row_index("number").select(
        "question",
        "number",
        # Which letter an option has is not seen in it.
        role=pl.when(pl.col("role").str.starts_with(OPTION_ROLE))
        .then(pl.lit("option"))
        .otherwise(pl.col("role").fill_null("None")),
        content=pl.when(pl.col("content").fill_null("") == "")
        .then(pl.col("recording_id").fill_null("None"))
        .otherwise("content"),
        start_s=pl.col("start_s").map_batches(_to_the_millisecond, return_dtype=pl.Float64()),
        end_s=pl.col("end_s").map_batches(_to_the_millisecond, return_dtype=pl.Float64()),
        times_s=pl.when(pl.col("times_s").list.len() > 0).then("times_s"),
        overlays=pl.col("overlays").map_batches(_written, return_dtype=pl.String()),
    )
    # A time that is not a number equals nothing, not even itself.
    no_time = pl.any_horizontal(
        pl.col("start_s", "end_s").is_nan(),
        pl.col("times_s").list.eval(pl.element().is_nan()).list.any().fill_null(False),
    )
    alike = ("role", "content", "start_s", "end_s", "times_s", "overlays")
    numbered = seen.select(
        "question",
        number=pl.when(no_time).then("number").otherwise(pl.col("number").min().over(alike)),
    )
    told = (
        numbered.sort("question", "number")
        .group_by("question", maintain_order=True)
        .agg(shown=pl.col("number").cast(pl.String()).str.join(" "))
    )
    found = questions.select("question").join(
        told, on="question", how="left", maintain_order="left"
    )
    return found["shown"].fill_null("")


def _to_the_millisecond(times_s: pl.Series) -> pl.Series:
    """Times rounded by their exact value, none as 0.

    Polars rounds the product with 1000, whose own error may carry a time over a half.
    """
    times_s = times_s.fill_null(0.0)
    distinct = times_s.unique()
    rounded = pl.Series([round(x, 3) for x in distinct], dtype=pl.Float64())
    return times_s.replace_strict(distinct, rounded)


def _written(overlays: pl.Series) -> pl.Series:
    """Overlays as text, none as nothing."""
    drawn = (overlays.list.len() > 0).fill_null(False).arg_true()
    nothing = pl.repeat("", len(overlays), dtype=pl.String(), eager=True)
    return nothing.scatter(drawn, [repr(x) for x in overlays.gather(drawn).to_list()])
