"""People as an engine: their replies come from a file that was filled in before.

The file is CSV or JSON lines. A row names its question by `question_id`, or what was shown by
`prompt_hash`, and gives the person's `reply`; other columns are left to people. Where a row has both
names and the question has been worded, ordered or cut otherwise since, the reply is refused: its
letters may mean other options now.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expectations.schemas.identity import digest
from resources.models.base import Capabilities, EngineUnavailableError, Media, UnsuitableEngineError
from resources.models.prompt import Prompt
from resources.models.reply import Reply
from resources.models.runs import RunConfig
from resources.texts import one_line

QUESTION, PROMPT, REPLY = "question_id", "prompt_hash", "reply"
_DELIMITERS = (",", ";", "\t")
_MOST_BYTES = 256 << 20
_MOST_REPLY_CHARS = 65_536


class ReplyFileError(EngineUnavailableError):
    """A file of replies cannot be read; the message names file, row, rule and remedy."""


@dataclass(frozen=True, slots=True)
class HumanReply:
    """One filled-in row.

    Attributes:
        row: Line of the file that it ends on, counted from 1.
        question_id: Question; empty where only the prompt is named.
        prompt_hash: Hash of what the person was shown; empty where only the question is named.
        text: Reply, without space around it.
    """

    row: int
    question_id: str
    prompt_hash: str
    text: str


def shown_hash(prompt: Prompt) -> str:
    """Hash of what a person is shown of a prompt: texts, letters, and the clips with their bounds.

    It does not depend on the model, nor on which frames of a clip a model would be sent.
    """
    clips = [(c.role, c.recording_id, round(c.start_s, 3), round(c.end_s, 3)) for c in prompt.clips]
    return digest([prompt.system, prompt.text, *prompt.choices, repr(clips)])


def read_replies(path: Path) -> list[HumanReply]:
    """Replies in a file; rows without a reply are left out.

    Args:
        path: File ending in `.csv` (separated by comma, semicolon or tab) or `.jsonl`, in UTF-8.

    Raises:
        ReplyFileError: The file cannot be read, or a row breaks a rule.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ReplyFileError(f"{path}: larger than {_MOST_BYTES >> 20} MiB; split it")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ReplyFileError(
            f"{path}: cannot be read ({error.strerror}); `parallax reply-sheet` writes a file to fill in"
        ) from error
    except UnicodeDecodeError as error:
        raise ReplyFileError(
            f"{path}: byte {error.start} is not UTF-8; save it as UTF-8"
        ) from error
    readers = {".csv": _csv_rows, ".jsonl": _json_rows}
    if path.suffix.lower() not in readers:
        raise ReplyFileError(f"{path}: ends in neither .csv nor .jsonl; rename or convert it")
    found: list[HumanReply] = []
    seen: dict[str, int] = {}
    for number, row in readers[path.suffix.lower()](path, text):
        reply = _parsed(path, number, row)
        if reply is None:
            continue
        name = reply.question_id or reply.prompt_hash
        if name in seen:
            raise _fault(
                path,
                number,
                f"replies to {name} as row {seen[name]} does",
                "keep one of the two rows",
            )
        seen[name] = number
        found.append(reply)
    return found


class HumanEngine:
    """Replies of a person, or of several who shared the questions.

    A question without a reply is not answered and counts as not asked; it is asked again by every
    run until the file holds a reply.

    Args:
        run: Run with `replies`, the file.

    Raises:
        EngineUnavailableError: The run names no file, or the file has a fault.
    """

    # A person looks at the recordings themselves: the engine decodes nothing.
    capabilities = Capabilities(images=True, video=True, ignores_media=True)

    def __init__(self, run: RunConfig) -> None:
        if not run.replies:
            raise EngineUnavailableError(
                f"run {run.name}: engine human needs a file; write for example"
                ' `replies = "replies.csv"`, and `parallax reply-sheet` for a file to fill in'
            )
        if run.samples > 1:
            raise UnsuitableEngineError(
                f"run {run.name}: samples = {run.samples}, but a person replies once; leave `samples`"
                " out, and name a run of its own for every person"
            )
        self._path = Path(run.replies)
        rows = read_replies(self._path)
        self._by_question = {row.question_id: row for row in rows if row.question_id}
        self._by_prompt = {row.prompt_hash: row for row in rows if not row.question_id}
        content = digest(sorted(f"{r.question_id}\0{r.prompt_hash}\0{r.text}" for r in rows))
        self.model = f"human {self._path.stem}@{content}"

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
        raise _fault(
            self._path,
            unknown[0].row,
            f"replies to {one_line(unknown[0].question_id, 100)}, which is no question of"
            f" {', '.join(benchmarks)}{more}",
            "correct its question_id by a fresh `parallax reply-sheet`, or remove the row",
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
            stale = _fault(
                self._path,
                row.row,
                f"replies to {prompt.item} as it was worded, ordered or cut before",
                "show the question again, and write the new reply and prompt_hash",
            )
            return Reply.failed(prompt, stale)
        return Reply(prompt.key, "ok", row.text, finish_reason="stop")


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    head = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=head.count)
    # Universal line ends are left to the reader: a reply may hold some.
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip() for name in next(rows, [])]
        if REPLY not in names or not {QUESTION, PROMPT} & {*names}:
            raise _fault(
                path,
                1,
                f"names the columns {one_line(', '.join(names), 200) or 'none'}, not `{QUESTION}` (or"
                f" `{PROMPT}`) and `{REPLY}`",
                "write them as the first row",
            )
        if len(set(names)) < len(names):
            raise _fault(path, 1, "names a column twice", "rename one of the two")
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                raise _fault(
                    path,
                    rows.line_num,
                    f"has {len(row)} cells under {len(names)} columns",
                    "put a reply that holds separators or line ends into double quotes",
                )
            yield rows.line_num, dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise _fault(
            path,
            rows.line_num,
            f"is not CSV ({error})",
            "close its quotes, and double those inside",
        ) from error


def _json_rows(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _fault(
                path, number, f"is not JSON ({error})", "write one object per line"
            ) from error
        if not isinstance(row, dict):
            raise _fault(
                path, number, "is not a JSON object", 'write {"question_id": ..., "reply": ...}'
            )
        yield number, row


def _parsed(path: Path, number: int, row: Mapping[str, Any]) -> HumanReply | None:
    """A row that was filled in; None for one that was not."""
    texts: dict[str, str] = {}
    for name in (QUESTION, PROMPT, REPLY):
        value = row.get(name)
        if value is not None and not isinstance(value, str):
            raise _fault(path, number, f"has a {name} that is not a text", "put it into quotes")
        texts[name] = (value or "").strip()
    if not texts[REPLY]:
        return None
    if len(texts[REPLY]) > _MOST_REPLY_CHARS:
        raise _fault(
            path, number, f"has a reply of over {_MOST_REPLY_CHARS} characters", "shorten it"
        )
    if not texts[QUESTION] and not texts[PROMPT]:
        raise _fault(
            path,
            number,
            f"has a reply but neither `{QUESTION}` nor `{PROMPT}`",
            "name the question it replies to",
        )
    return HumanReply(number, texts[QUESTION], texts[PROMPT], texts[REPLY])


def _fault(path: Path, row: int, rule: str, remedy: str) -> ReplyFileError:
    return ReplyFileError(f"{path} row {row} {rule}: {remedy}")
