"""Engines whose replies were given before: by people, or by a model in another toolkit.

A file names questions by `question_id`, or what was shown by `prompt_hash`, and holds a reply to each;
other columns are left to whoever writes it. Where a row has both names and the question has been worded,
ordered or cut otherwise since, the reply is refused: its letters may mean other options now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expectations.schemas.identity import digest
from resources.models.base import Capabilities, EngineUnavailableError, Media, UnsuitableEngineError
from resources.models.prompt import Prompt
from resources.models.reply import Reply
from resources.models.runs import RunConfig
from resources.texts import one_line

QUESTION, PROMPT = "question_id", "prompt_hash"
Rows = Iterator[tuple[int, Mapping[str, Any]]]
_MOST_BYTES = 256 << 20
_MOST_REPLY_CHARS = 65_536


class ReplyFileError(EngineUnavailableError):
    """A file of replies cannot be read; the message names file, row, rule and remedy."""


@dataclass(frozen=True, slots=True)
class GivenReply:
    """One filled-in row.

    Attributes:
        row: Line of the file that it ends on, counted from 1.
        question_id: Question; empty where only the prompt is named.
        prompt_hash: Hash of what was shown; empty where only the question is named.
        text: Reply, without space around it.
    """

    row: int
    question_id: str
    prompt_hash: str
    text: str


def shown_hash(prompt: Prompt) -> str:
    """Hash of what is shown of a prompt: texts, letters, and the clips with their bounds.

    It does not depend on the model, nor on which frames of a clip a model would be sent.
    """
    clips = [(c.role, c.recording_id, round(c.start_s, 3), round(c.end_s, 3)) for c in prompt.clips]
    return digest([prompt.system, prompt.text, *prompt.choices, repr(clips)])


class GivenReplies:
    """Replies that a file holds.

    A question without a reply is not answered and counts as not asked; it is asked again by every
    run until the file holds a reply.

    Args:
        path: The file.
        replies: Its replies.
        given_by: Who gave them; part of the model's label.
        writer: Command that writes the questions anew, for messages.
    """

    # Whoever replied looked at the recordings: the engine decodes nothing.
    capabilities = Capabilities(images=True, video=True, ignores_media=True)

    def __init__(
        self, path: Path, replies: Sequence[GivenReply], given_by: str, writer: str
    ) -> None:
        self._path = path
        self._writer = writer
        self._by_question = {row.question_id: row for row in replies if row.question_id}
        self._by_prompt = {row.prompt_hash: row for row in replies if not row.question_id}
        content = digest(sorted(f"{r.question_id}\0{r.prompt_hash}\0{r.text}" for r in replies))
        self.model = f"{given_by} {path.stem}@{content}"

    def check_questions(self, known: Collection[str], benchmarks: Sequence[str]) -> None:
        """Refuse a file that replies to questions which nobody has.

        Args:
            known: `question_id` of every question of the benchmarks.
            benchmarks: Benchmarks that the run is asked, for the message.

        Raises:
            ReplyFileError: A row names another question.
        """
        unknown = sorted(
            (row for name, row in self._by_question.items() if name not in known),
            key=lambda row: row.row,
        )
        if not unknown:
            return
        more = f" (and {len(unknown) - 1} further rows likewise)" if len(unknown) > 1 else ""
        raise fault(
            self._path,
            unknown[0].row,
            f"replies to {one_line(unknown[0].question_id, 100)}, which is not a question of"
            f" {', '.join(benchmarks)}{more}",
            f"correct its question_id by a fresh `{self._writer}`, or remove the row",
        )

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One reply per prompt; a prompt without a reply in the file is an error."""
        by_key = {reply.call_key: reply for group in self.replies(batch, media) for reply in group}
        return [
            by_key.get(prompt.key)
            or Reply.failed(prompt, LookupError(f"{self._path} holds no reply to {prompt.item}"))
            for prompt in batch
        ]

    def replies(self, batch: Sequence[Prompt], media: Media) -> Iterator[list[Reply]]:
        """The replies that the file holds; nothing for a prompt that it holds no reply to."""
        found = [reply for prompt in batch if (reply := self._reply(prompt)) is not None]
        if found:
            yield found

    def _reply(self, prompt: Prompt) -> Reply | None:
        shown = shown_hash(prompt)
        row = self._by_question.get(prompt.item) or self._by_prompt.get(shown)
        if row is None:
            return None
        if row.prompt_hash and row.prompt_hash != shown:
            stale = fault(
                self._path,
                row.row,
                f"replies to {prompt.item} as it was worded, ordered or cut before",
                "show the question again, and write the new reply and prompt_hash",
            )
            return Reply.failed(prompt, stale)
        return Reply(prompt.key, "ok", row.text, finish_reason="stop")


def reply_file(run: RunConfig, example: str, writer: str) -> Path:
    """File of a run whose replies were given before.

    Args:
        run: Run.
        example: Name of such a file, for messages.
        writer: Command that writes the questions, for messages.

    Raises:
        EngineUnavailableError: The run names none.
        UnsuitableEngineError: The run asks for several replies to a question.
    """
    if not run.replies:
        raise EngineUnavailableError(
            f"run {run.name}: engine {run.engine} needs a file; write for example"
            f' `replies = "{example}"`, and `{writer}` for the questions to reply to'
        )
    if run.samples > 1:
        raise UnsuitableEngineError(
            f"run {run.name}: samples = {run.samples}, but a file holds one reply to a question; leave"
            " `samples` out, and name a run of its own for every file"
        )
    return Path(run.replies)


def read_file(path: Path, remedy: str) -> bytes:
    """Content of a file of replies.

    Args:
        path: The file.
        remedy: What to do where there is none.

    Raises:
        ReplyFileError: It cannot be read, or is too large.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ReplyFileError(f"{path}: larger than {_MOST_BYTES >> 20} MiB; split it")
        return path.read_bytes()
    except OSError as error:
        raise ReplyFileError(f"{path}: cannot be read ({error.strerror}); {remedy}") from error


def text_of(path: Path, content: bytes) -> str:
    """Content of a file in UTF-8, with or without a mark.

    Raises:
        ReplyFileError: It is in another encoding.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReplyFileError(
            f"{path}: byte {error.start} is not UTF-8; save it as UTF-8"
        ) from error


def check_columns(path: Path, names: Iterable[str], column: str, remedy: str) -> list[str]:
    """Names of the columns, which must say of what question a reply is.

    Args:
        path: The file, for messages.
        names: Names of the columns as they stand there.
        column: Column of the reply.
        remedy: What to do where one is missing.

    Raises:
        ReplyFileError: One is missing, or occurs twice.
    """
    names = [name.strip() for name in names]
    if column not in names or not {QUESTION, PROMPT} & {*names}:
        raise fault(
            path,
            1,
            f"names the columns {one_line(', '.join(names), 200) or 'none'}, not `{QUESTION}` (or"
            f" `{PROMPT}`) and `{column}`",
            remedy,
        )
    if len(set(names)) < len(names):
        raise fault(path, 1, "names a column twice", "rename one of the two")
    return names


def replies_in(
    path: Path, rows: Iterable[tuple[int, Mapping[str, Any]]], column: str
) -> list[GivenReply]:
    """Replies in the rows of a file; rows without one are left out.

    Args:
        path: The file, for messages.
        rows: Number and values of each row.
        column: Column of the reply.

    Raises:
        ReplyFileError: A row breaks a rule, or two reply to the same.
    """
    found: list[GivenReply] = []
    seen: dict[str, int] = {}
    for number, row in rows:
        reply = _parsed(path, number, row, column)
        if reply is None:
            continue
        name = reply.question_id or reply.prompt_hash
        if name in seen:
            raise fault(
                path,
                number,
                f"replies to {name} as row {seen[name]} does",
                "keep one of the two rows",
            )
        seen[name] = number
        found.append(reply)
    return found


def _parsed(path: Path, number: int, row: Mapping[str, Any], column: str) -> GivenReply | None:
    """A row with a reply; None for one without."""
    texts: dict[str, str] = {}
    for name in (QUESTION, PROMPT, column):
        value = row.get(name)
        if value is not None and not isinstance(value, str):
            raise fault(path, number, f"has a {name} that is not a text", "put it into quotes")
        texts[name] = (value or "").strip()
    if not texts[column]:
        return None
    if len(texts[column]) > _MOST_REPLY_CHARS:
        raise fault(
            path, number, f"has a reply of over {_MOST_REPLY_CHARS} characters", "shorten it"
        )
    if not texts[QUESTION] and not texts[PROMPT]:
        raise fault(
            path,
            number,
            f"has a reply but neither `{QUESTION}` nor `{PROMPT}`",
            "name the question it replies to",
        )
    return GivenReply(number, texts[QUESTION], texts[PROMPT], texts[column])


def fault(path: Path, row: int, rule: str, remedy: str) -> ReplyFileError:
    """Error about a row of a file."""
    return ReplyFileError(f"{path} row {row} {rule}: {remedy}")
