"""Declarations of steps that ask a model, and where they are found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any, Protocol

import assets.questions
from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Row
from assets.questions.model_steps.forms import Form
from expectations.gates import Checked
from expectations.schemas.core import Reads
from expectations.schemas.readings import bare_recipe
from resources.models.prompt import Clip, Request


class Reply(Protocol):
    """What is known of a prompt."""

    @property
    def status(self) -> str:
        """`ok`, `error` of the last attempt, or `not_asked`."""
        ...

    @property
    def text(self) -> str | None:
        """Reply as it came."""
        ...

    @property
    def error(self) -> str | None:
        """What went wrong in the last attempt."""
        ...

    @property
    def call_key(self) -> str | None:
        """Key in `calls`; None where nothing was asked."""
        ...

    @property
    def settled(self) -> bool:
        """Whether asking again is not worth it."""
        ...


Ask = Callable[[Form, Sequence[Request]], Mapping[Request, Reply]]
"""Replies to prompts in a form, by prompt."""


def every_question(_row: Row) -> bool:
    """All questions of a recipe are for the model."""
    return True


@dataclass(frozen=True, slots=True)
class WritingStep:
    """A step that lets a model write words of questions.

    It starts from questions that were made without a model: these say which clips are compared and what is
    annotated of them. All functions are pure and top-level.

    Attributes:
        benchmark: Benchmark.
        form: What is asked.
        recipes: Recipes, without versions, whose questions it takes up.
        prepare: What the other functions need of a unit's tables, found once.
        variables: Values of the prompt about a question, by what was replied about it in earlier rounds;
            raises `Unsound` where the last of these cannot be used.
        write: The question that all replies about it make; raises `Unsound` where they make none.
        rounds: How often the model is asked about a question.
        concerns: Whether a question is one for the model; others stay as they are.
    """

    benchmark: str
    form: Form
    recipes: tuple[str, ...]
    prepare: Callable[[Tables], Any]
    variables: Callable[[Row, Any, Sequence[Any]], Mapping[str, Any]]
    write: Callable[[Row, Any, Sequence[Any]], Row]
    rounds: int = 1
    concerns: Callable[[Row], bool] = every_question

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """Functions that decide its questions, beside the form."""
        return (self.prepare, self.variables, self.write, self.concerns, self.form.read)


@dataclass(frozen=True, slots=True)
class CheckingStep:
    """A step that lets a model judge questions.

    Attributes:
        benchmark: Benchmark.
        form: What is asked.
        prepare: What the other functions need of a unit's tables, found once.
        prompts: Values of the prompts about a question, by what each is about; empty where the step does not
            concern it.
        judge: What follows from what was prepared, the values of the replies by what each is about (None where
            a reply cannot be read or there is none yet), and who was asked.
        reads: Tables it needs beside those that the gates read.
        shows: Clips that every prompt about a question shows, made from the row and what was prepared; None
            for a step of texts alone. A model that takes no pictures is not asked.
    """

    benchmark: str
    form: Form
    prepare: Callable[[Tables], Any]
    prompts: Callable[[Row, Any], Mapping[str, Mapping[str, Any]]]
    judge: Callable[[Row, Any, Mapping[str, Any], str], Checked]
    reads: Reads = field(default_factory=dict)
    shows: Callable[[Row, Any], tuple[Clip, ...]] | None = None

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """Functions that decide its verdicts, beside the form."""
        shows = () if self.shows is None else (self.shows,)
        return (self.prepare, self.prompts, self.judge, self.form.read, *shows)


@dataclass(frozen=True, slots=True)
class ExpandingStep:
    """A step that lets a model reword the templates of a benchmark's questions (`assets.questions.expansion`).

    Attributes:
        benchmark: Benchmark.
        form: What is asked about one template: `template`, `slots` (name, meaning, example), `recipes`; the
            value is a list of rewordings.
        slots: Meaning and an example of each slot, for the model.
    """

    benchmark: str
    form: Form
    slots: Mapping[str, tuple[str, str]]

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """Functions that decide its rewordings, beside the form and the rules."""
        return (self.form.read,)


Step = WritingStep | CheckingStep | ExpandingStep


def writing_step(benchmark: str, recipe: str) -> WritingStep | None:
    """Step that writes words of a recipe's questions; None if there is none."""
    bare = bare_recipe(recipe)
    for step in steps_of(benchmark):
        if isinstance(step, WritingStep) and bare in step.recipes:
            return step
    return None


def writing_steps(benchmark: str) -> list[WritingStep]:
    """Steps that write words of a benchmark's questions."""
    return [step for step in steps_of(benchmark) if isinstance(step, WritingStep)]


def checking_steps(benchmark: str) -> list[CheckingStep]:
    """Steps that judge a benchmark's questions."""
    return [step for step in steps_of(benchmark) if isinstance(step, CheckingStep)]


def expanding_step(benchmark: str) -> ExpandingStep | None:
    """Step that rewords a benchmark's templates; None if there is none."""
    return next((s for s in steps_of(benchmark) if isinstance(s, ExpandingStep)), None)


@cache
def steps_of(benchmark: str) -> tuple[Step, ...]:
    """Steps of a benchmark of this project, by name."""
    found = (
        step
        for package in pkgutil.iter_modules(
            assets.questions.__path__, f"{assets.questions.__name__}."
        )
        if package.ispkg
        for step in _declared(importlib.import_module(package.name))
    )
    return tuple(
        sorted((s for s in found if s.benchmark == benchmark), key=lambda step: step.form.name)
    )


def _declared(package: ModuleType) -> Iterable[Step]:
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("_steps"):
            continue  # modules of steps are named so: others need not be imported to find them
        yield from getattr(importlib.import_module(module.name), "STEPS", ())
