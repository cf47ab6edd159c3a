"""A recipe: the identity, wording and rows of one kind of question.

A builder chooses what to ask; the recipe writes the row. It fills in the id and hash, orders and
letters the options, gives each medium its role, renders the texts, and derives the answer, chance,
licence and `media_present`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import jinja2
import polars as pl

from assets.pairs.choice import option_order
from assets.questions.kit.builder import Builder, Need, Tables, UnitKind
from assets.questions.kit.identity import LETTERS, question_hash, question_id
from assets.questions.kit.wording import Wording
from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from expectations.schemas.readings import PAPER, STRICT, paper_recipe

Row = dict[str, Any]
Evidence = tuple[str, str, str]
"""Table, key and role of a row that a question rests on."""
RECORDING_COLUMNS = ("recording_id", "split", "media", "media_hashes", "licence", "duration_s")
"""Columns of `recordings` that every question needs; `source` is part of every row."""
# Questions are plain text: escaping would change what a model reads.
_PLAIN = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    autoescape=False,  # noqa: S701
    trim_blocks=True,
    lstrip_blocks=True,
)


def template(module_file: str, name: str) -> jinja2.Template:
    """The texts of a recipe: a file beside its module.

    The block `question` is the question. The block `answer` explains it in `detailed_answer`. The
    block `steps` holds one step of the rationale per line; without a block `answer` the steps
    together are the detailed answer.

    Args:
        module_file: `__file__` of the module.
        name: Name of the file; written out, so that the code version covers its content.

    Returns:
        The template; rendering it without a value it names is an error.
    """
    return _PLAIN.from_string(Path(module_file).with_name(name).read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Clip:
    """A stretch of a recording that a question shows.

    Attributes:
        recording: Row of `recordings`, with `source` and `RECORDING_COLUMNS`.
        start_s: Start, in seconds from the recording's start.
        end_s: End.
        segment_id: Segment the clip stands for.
        sampling: Sampling rule the clip needs; None leaves it to the protocol.
        times_s: Instants that are sent, under the rule `given`.
        overlays: Marks on its frames, as `questions.media` holds them.
        marked: Whom or what the marks are around; tells apart clips of the same frames.
    """

    recording: Mapping[str, Any]
    start_s: float
    end_s: float
    segment_id: str | None = None
    sampling: str | None = None
    times_s: tuple[float, ...] = ()
    overlays: tuple[Row, ...] = ()
    marked: str | None = None

    def medium(self, role: str) -> Row:
        """The clip as an entry of `questions.media`."""
        present = self.recording["media"] == "present"
        kind = "image" if len(self.times_s) == 1 else "frames" if self.times_s else "clip"
        return {
            "role": role,
            "recording_id": self.recording["recording_id"],
            "segment_id": self.segment_id,
            "media_kind": kind,
            "start_s": self.start_s,
            "end_s": self.end_s,
            "sampling": self.sampling,
            "times_s": list(self.times_s),
            "overlays": list(self.overlays),
            "content": "+".join(self.recording["media_hashes"] or ()) if present else "",
        }


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a question.

    Attributes:
        text: What is read, or the narration of an option that is a clip.
        value: Value the text stands for; tells options in words apart.
        clip: Clip that is the option; its segment tells it apart, or what is marked in it, or its
            recording.
        evidence: Table and key of rows that say what the option is; their role names its letter.
    """

    text: str
    value: str | None = None
    clip: Clip | None = None
    evidence: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> Clip:
        """The clip.

        Raises:
            ValueError: The option is in words.
        """
        if self.clip is None:
            raise ValueError(f"option {self.text!r} is in words and has no clip")
        return self.clip

    @property
    def key(self) -> str:
        """What tells the option from the others, whatever its text.

        Raises:
            ValueError: It has neither a value nor a clip.
        """
        if self.clip is not None:
            of_recording = str(self.clip.recording["recording_id"])
            return self.clip.segment_id or self.clip.marked or of_recording
        if self.value is None:
            raise ValueError(f"option {self.text!r} has no value and no segment: give it one")
        return self.value


@dataclass(frozen=True, slots=True)
class ValidSequence:
    """A valid answer made of candidates.

    Attributes:
        values: Values of the candidates, in order.
        moves: What lies between each and the next, one fewer.
    """

    values: tuple[str, ...]
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Identity and wording of one kind of question, under one reading.

    Attributes:
        benchmark: Benchmark.
        subtask: Subtask; of a recipe that serves several, the name they share.
        version: Part of every question's id; raised when questions mean something else.
        template: Texts (see `template`).
        name: Name where several recipes serve one subtask; the subtask's if empty.
        subtasks: Subtasks it makes, if there are several.
        reading: Reading under which it is built (`expectations.schemas.readings`).
        released: Question of a released benchmark (see `kit.wording`), which takes the place of the
            template's under the paper's reading; None where both readings ask alike.
    """

    benchmark: str
    subtask: str
    version: int
    template: jinja2.Template
    name: str = ""
    subtasks: tuple[str, ...] = ()
    reading: str = STRICT
    released: Wording | None = None

    @property
    def label(self) -> str:
        """Name and version, as questions carry them: `object_localisation@1`."""
        label = f"{self.name or self.subtask}@{self.version}"
        return paper_recipe(label) if self.as_paper else label

    @property
    def as_paper(self) -> bool:
        """Whether questions are built by what the paper says alone."""
        return self.reading == PAPER

    def under(self, reading: str) -> Recipe:
        """The recipe under a reading."""
        return replace(self, reading=reading)

    def id(self, source: str, *anchor: str, subtask: str = "") -> str:
        """Id of the question with an anchor; what is chosen by hash may need it early."""
        return question_id(self.benchmark, subtask or self.subtask, self.label, source, *anchor)

    def letters(self, identity: str, options: Iterable[Option]) -> dict[str, str]:
        """Letter of each option of a question by the option's key, for texts that name them."""
        return {option.key: letter for letter, option in _lettered(identity, options)}

    def option_rows(
        self, identity: str, answer: Option, distractors: Iterable[Option]
    ) -> list[Row]:
        """Options of a question as they are shown, lettered by its id and their keys."""
        lettered = _lettered(identity, [answer, *distractors])
        return [_option_row(letter, o, is_answer=o is answer) for letter, o in lettered]

    def explanation(self, values: Mapping[str, Any]) -> str | None:
        """The template's block `answer`; None if it is empty."""
        return self._render("answer", values) or None

    def question(
        self,
        *,
        anchor: Sequence[str],
        text: Mapping[str, Any],
        answer: Option,
        distractors: Iterable[Option],
        media: Sequence[Clip],
        evidence: Iterable[Evidence] = (),
        steps: Sequence[Sequence[str]] = (),
        subtask: str = "",
        split: str | None = None,
        pool: str = "",
        roles: Sequence[str] = (),
        answer_visible: bool | None = None,
    ) -> Row:
        """A row of `questions`.

        Args:
            anchor: What the question is about, with the source its identity: keys of rows.
            text: Values for the template, which also gets `answer` (letter, text), `others` (the
                distractors, in shown order) and `marked` (whom or what each option's clip marks,
                by letter).
            answer: Right option.
            distractors: Wrong options, in any order: letters follow from the id and the keys.
            media: Clips shown; the first is the query, the others are references. Clips of
                options follow in shown order.
            evidence: Rows the question rests on; those of options follow in shown order.
            steps: Rows (`table:key`) that each step of the rationale follows from.
            subtask: Subtask, where the recipe has several.
            split: Split asked about; that of the query's recording if None.
            pool: Pool of pairs; the stage fills it in otherwise.
            roles: Roles of `media`, where they are not a query and its references. The question is
                about the query if there is one, else about the first medium.
            answer_visible: Of a question about what comes next, whether the query already shows the
                beginning of it.

        Raises:
            ValueError: There are more steps than lines in the block `steps`, or fewer.
        """
        roles = roles or ["query", *("reference" for _ in media[1:])]
        query = _subject(roles, media)
        subtask = subtask or self.subtask
        identity = self.id(str(query["source"]), *anchor, subtask=subtask)
        lettered = _lettered(identity, [answer, *distractors])
        options = [_option_row(letter, o, is_answer=o is answer) for letter, o in lettered]
        shown = list(zip(roles, media, strict=True))
        shown += [(f"option_{letter}", o.clip) for letter, o in lettered if o.clip is not None]
        right = next(o for o in options if o["is_answer"])
        marked = {letter: o.clip.marked for letter, o in lettered if o.clip is not None}
        others = [o for o in options if o is not right]
        values = {**text, "answer": right, "others": others, "marked": marked}
        rows = [*evidence]
        rows += [(table, key, f"option_{x}") for x, o in lettered for table, key in o.evidence]
        return {
            **self._shared(identity, query, shown, values, rows, steps, options),
            "pool": pool,
            "subtask": subtask,
            "split": query["split"] if split is None else split,
            "media": [clip.medium(role) for role, clip in shown],
            "answer": right["letter"],
            # The text of a clip is its narration, which is not an answer to read.
            "answer_text": right["text"] if answer.clip is None else None,
            "chance": 1.0 / len(options),
            "answer_visible": answer_visible,
        }

    def sequence_question(
        self,
        *,
        anchor: Sequence[str],
        text: Mapping[str, Any],
        candidates: Mapping[str, str],
        valid: Sequence[ValidSequence],
        moves: int,
        media: Sequence[Clip],
        evidence: Iterable[Evidence] = (),
    ) -> Row:
        """A row of `questions` that is answered by a sequence of candidates, of which several may be right.

        Args:
            anchor: As for `question`.
            text: Values for the template, which also gets `candidates` (number, text, value), `number` (of
                each value) and `valid` (numbers and moves of each valid sequence).
            candidates: Text of each candidate by its value, in any order: numbers follow from the id and
                the values.
            valid: Valid sequences, of one length; the first is the one that was done.
            moves: How many moves there are to choose from between two candidates.
            media: Clips shown; the first is the query, the others are references.
            evidence: Rows the question rests on.
        """
        roles = ["query", *("reference" for _ in media[1:])]
        query = _subject(roles, media)
        identity = self.id(str(query["source"]), *anchor)
        values = sorted(candidates)
        order = [values[place] for place in option_order(identity, values)]
        shown = list(zip(roles, media, strict=True))
        numbered = [
            {"number": n, "text": candidates[value], "value": value}
            for n, value in enumerate(order, 1)
        ]
        number = {row["value"]: row["number"] for row in numbered}
        chains = [([number[value] for value in one.values], list(one.moves)) for one in valid]
        known = {**text, "candidates": numbered, "number": number, "valid": chains}
        length = len(valid[0].values)
        ways = math.perm(len(numbered), length) * moves ** (length - 1)
        return {
            **self._shared(identity, query, shown, known, [*evidence], (), []),
            "pool": "",
            "subtask": self.subtask,
            "split": query["split"],
            "media": [clip.medium(role) for role, clip in shown],
            "answer": None,
            "answer_text": "\n".join(json.dumps(chain) for chain in chains),
            "chance": len(chains) / ways,
            "answer_kind": "sequences",
            "candidates": numbered,
        }

    def _shared(
        self,
        identity: str,
        query: Mapping[str, Any],
        shown: Sequence[tuple[str, Clip]],
        values: Mapping[str, Any],
        evidence: Sequence[Evidence],
        steps: Sequence[Sequence[str]],
        options: Sequence[Row],
    ) -> Row:
        """Columns that every question has, however it is answered."""
        media = [clip.medium(role) for role, clip in shown]
        question = self._asked(values)
        rationale = self._rationale(values, steps)
        explained = self._render("answer", values) or " ".join(s["text"] for s in rationale)
        return {
            "benchmark": self.benchmark,
            "source": query["source"],
            "recipe": self.label,
            "question_id": identity,
            "question_hash": question_hash(question, options, media),
            "recording_id": query["recording_id"],
            "text": question,
            "options": list(options),
            "detailed_answer": explained or None,
            "rationale": rationale,
            "evidence": [{"table": t, "key": key, "role": role} for t, key, role in evidence],
            "media_present": all(clip.recording["media"] == "present" for _, clip in shown),
            "licence": "; ".join(sorted({str(clip.recording["licence"]) for _, clip in shown})),
        }

    def builder(
        self,
        questions: Callable[[Tables, str], Iterable[Row]],
        *,
        unit: UnitKind,
        reads: Reads,
        needs: tuple[Need, ...] = (),
        limits: str = "",
        rules: tuple[str, ...] = (),
        paper: bool = True,
        extension: bool = False,
        one_frame: bool = False,
    ) -> Builder:
        """The declaration of a module of questions.

        Args:
            questions: Pure function from the tables of a unit and a reading to rows.
            unit: What one call gets whole (see `Builder`).
            reads: Tables with the columns used; None stands for all.
            needs: What a source must hold before anything can be asked.
            limits: What each question must meet beyond that, in words.
            rules: Rules by which `questions` refuses candidates, in order (see `kit.funnel`).
            paper: Whether the paper's reading differs from the default one.
            extension: Whether the benchmark's paper does not ask this (see `Builder`).
            one_frame: Whether one frame of each clip answers by design (see `Builder`).
        """
        return Builder(
            benchmark=self.benchmark,
            subtasks=self.subtasks or (self.subtask,),
            recipe=self.label,
            unit=unit,
            reads=reads,
            make=partial(question_table, questions, reading=STRICT),
            make_as_paper=partial(question_table, questions, reading=PAPER) if paper else None,
            needs=needs,
            limits=limits,
            rules=rules,
            extension=extension,
            one_frame=one_frame,
        )

    def _asked(self, values: Mapping[str, Any]) -> str:
        """The question: the released wording under the paper's reading, if there is one."""
        if self.as_paper and self.released is not None:
            return self.released.render(values)
        return self._render("question", values)

    def _render(self, block: str, values: Mapping[str, Any]) -> str:
        """Text of a block of the template; empty if there is no such block."""
        render = self.template.blocks.get(block)
        if render is None:
            return ""
        return "".join(render(self.template.new_context(dict(values)))).strip()

    def _rationale(self, values: Mapping[str, Any], steps: Sequence[Sequence[str]]) -> list[Row]:
        lines = self._render("steps", values).splitlines()
        if len(lines) != len(steps):
            raise ValueError(
                f"{self.benchmark}/{self.name or self.subtask}: the template writes {len(lines)}"
                f" steps and the builder gives rows for {len(steps)}; give one list of rows per line"
            )
        return [
            {"step": n, "text": line, "evidence": list(rows)}
            for n, (line, rows) in enumerate(zip(lines, steps, strict=True), 1)
        ]


def question_table(
    questions: Callable[[Tables, str], Iterable[Row]], tables: Tables, *, reading: str = STRICT
) -> pl.DataFrame:
    """Rows of `questions` of one unit, in key order."""
    table = TABLES["questions"]
    return table.frame(questions(tables, reading)).sort(table.key)


def _subject(roles: Sequence[str], media: Sequence[Clip]) -> Mapping[str, Any]:
    """Recording that a question is about: that of its query, else the first."""
    return media[roles.index("query") if "query" in roles else 0].recording


def _lettered(identity: str, options: Iterable[Option]) -> list[tuple[str, Option]]:
    """Options in shown order, with their letters; depends on the id and each option's key alone."""
    by_key = sorted(options, key=lambda option: option.key)
    order = option_order(identity, [option.key for option in by_key])
    return [(letter, by_key[i]) for letter, i in zip(LETTERS, order, strict=False)]


def _option_row(letter: str, option: Option, *, is_answer: bool) -> Row:
    return {
        "letter": letter,
        "text": option.text,
        "segment_id": None if option.clip is None else option.clip.segment_id,
        "value": option.value,
        "is_answer": is_answer,
    }
