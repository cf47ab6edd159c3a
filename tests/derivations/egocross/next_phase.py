"""EgoCross's next phase: of an operation with four phases the second is shown, in two vocabularies."""

from __future__ import annotations

from tests.derivations.phases import NOW, THEN, next_question, phase_key, phases
from tests.derivations.world import Fault, World, collect, explain, reword

NAME, OPEN = "next_phase", "next_phase_egosurgery"
ASKS = "Which phase of the operation comes next, after the end of this video?"
# Label and words of each option; the four phases are those at these places of the options.
CLOSED = (
    ("preparation", "Preparation"),
    ("calotTriangleDissection", "Calot triangle dissection"),
    ("gallbladderRetraction", "Gallbladder extraction"),
    ("clippingAndCutting", "Clipping and cutting"),
)
OPENED = (
    ("incision", "Incision"),
    ("dissection", "Dissection"),
    ("closure", "Closure"),
    ("hemostasis", "Hemostasis"),
)


def _world(recipe: str, named: tuple[tuple[str, str], ...], last: str, step_s: float) -> World:
    (before, _), (now, shown), _, (then, right) = named
    return next_question(
        NAME,
        f"{recipe}@1",
        phases((before, now, then, last), step_s),
        text=ASKS,
        options=[(words, label) for label, words in named],
        answer=right,
        steps=(
            (
                f'The clip shows the phase "{shown}", annotated from 20 s to 60 s of the recording.',
                [f"segments:{NOW}"],
            ),
            (f"The phase that begins at 60 s: {right}.", [f"segments:{THEN}"]),
        ),
        evidence=[(NOW, "context"), (THEN, "answer")],
        step_s=step_s,
    )


def closed_operation() -> World:
    """Pictures of CholecTrack20 are a second apart."""
    return _world(NAME, CLOSED, "gallbladderDissection", 1.0)


def open_operation() -> World:
    """Pictures of EgoSurgery are two seconds apart."""
    return _world(OPEN, OPENED, "dressing", 2.0)


WORLDS = {NAME: closed_operation, OPEN: open_operation}
BOTH = (NAME, OPEN)
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(BOTH, "answer", "wrong_key")
def the_next_phase_has_another_label(w: World) -> None:
    w.row("segments", segment_id=THEN)["class_name"] = w.options[2]["value"]


@fault(BOTH, "answer", "wrong_key")
def another_phase_is_annotated_between(w: World) -> None:
    w.tables["segments"].append(
        {
            **w.row("segments", segment_id=THEN),
            "segment_id": phase_key(58),
            "class_name": w.options[2]["value"],
            "start_s": 60.0,
            "end_s": 62.0,
        }
    )
    w.row("segments", segment_id=THEN)["start_s"] = 62.0


@fault(BOTH, "consistent", "value_differs_from_text")
def a_distractor_means_another_phase_than_it_reads(w: World) -> None:
    w.options[0]["value"] = w.options[2]["value"]


@fault(BOTH, "consistent", "text")
def text_asks_about_the_phase_before(w: World) -> None:
    reword(w, "comes next, after the end of", "came before")


@fault(BOTH, "consistent", "text")
def text_names_the_phase_that_is_shown(w: World) -> None:
    reword(w, "this video", f"this video of the phase {w.options[1]['text']}")


@fault(BOTH, "explanation", "contradicted")
def explanation_names_another_next_phase(w: World) -> None:
    explain(w, f"60 s: {w.answer['text']}", f"60 s: {w.options[2]['text']}")


@fault(BOTH, "explanation", "contradicted")
def explanation_moves_the_next_phase(w: World) -> None:
    explain(w, "begins at 60 s", "begins at 61 s")


@fault(BOTH, "explanation", "contradicted")
def explanation_confuses_the_two_phases(w: World) -> None:
    shown, right = w.options[1]["text"], w.answer["text"]
    explain(w, f'phase "{shown}"', f'phase "{right}"')
