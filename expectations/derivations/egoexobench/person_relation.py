"""Right option of person relation: the box around the person whose box the query draws (X5)."""

from __future__ import annotations

from expectations.derivations import boxed_people
from expectations.derivations.boxed_people import LEAST_CLEAR, Shown, Style
from expectations.derivations.clips import check_views
from expectations.gates.base import Derivation, Derived, Margin, Question
from expectations.gates.statements import Exact, Statement
from expectations.gates.tables import EvidenceTables

_STRICT, _AS_RELEASED = Style("blue", 0.008), Style("#0000ff", 3 / 1520)
_TEXT = Statement(
    "question",
    (
        "Which candidate video most accurately matches the person (within the bbox) in the query"
        " video?",
    ),
    {},
    (),
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.asks.append(_TEXT)
    check_views(question, given, notes, "ego", "exo")
    style = _AS_RELEASED if question.as_paper else _STRICT
    count = boxed_people.PICTURES
    query = boxed_people.read_medium(question.query, given, notes, style, count)
    options = boxed_people.read_options(question, given, notes, style)
    boxed_people.check_same_pictures(query, options, given, notes)
    boxed_people.rest_on_clocks(query, options, notes)
    notes.rests_on("query", "boxes", [str(row["box_id"]) for row in query.boxes])
    wearer = given.recording(query.recording)["person_id"]
    for letter, shown in options.items():
        if shown.person == wearer:
            notes.refuse(
                "consistent",
                "wearer_among_options",
                f"option {letter} is {wearer}, who wears the camera and is never in its pictures",
            )
        same = shown.person == query.person
        whose = "the person" if same else "another person"
        notes.option(letter, same, f"its box is around {shown.person}, {whose} of the query's box")
    if not question.as_paper:
        boxed_people.measure([query, *options.values()], notes)
        boxed_people.measure_apart(options, notes)
        _check_query_box(query, given, notes)
        _check_in_both_views(query, options, given, notes)
    _explain(question, query, options, notes)


def _check_query_box(query: Shown, given: EvidenceTables, notes: Derived) -> None:
    """Measure how much of the query's box shows the person alone."""
    clear = [1.0]
    for number, box in zip(query.numbers, query.boxes, strict=True):
        clear += [
            1 - boxed_people.shared_area(box, other)
            for person, other in boxed_people.people_boxed(query.recording, number, given).items()
            if person != query.person
        ]
    notes.margins.append(
        Margin("query_box_clear", min(clear), LEAST_CLEAR, "of a box", "what nobody else shares")
    )


def _check_in_both_views(
    query: Shown, options: dict[str, Shown], given: EvidenceTables, notes: Derived
) -> None:
    """Note candidates who are out of the wearer's view: finding the wearer would rule them out."""
    for letter, shown in options.items():
        out = [
            number
            for number in query.numbers
            if shown.person not in boxed_people.people_boxed(query.recording, number, given)
        ]
        if out:
            notes.refuse(
                "consistent",
                "not_in_both_views",
                f"option {letter}, {shown.person}, is not boxed in pictures {out} of"
                f" {query.recording}",
            )


def _explain(question: Question, query: Shown, options: dict[str, Shown], notes: Derived) -> None:
    shown = options.get(question.answer)
    if shown is None:
        return
    asked, asked_slots = boxed_people.pictures("query", query)
    found, found_slots = boxed_people.pictures("answer", shown)
    notes.statements += [
        Statement(
            "query",
            (f"The box in the query video is around person {{person}}, in {asked} of {{of}}.",),
            {"person": Exact(str(query.person)), "of": Exact(query.recording), **asked_slots},
            tuple(f"boxes:{row['box_id']}" for row in query.boxes),
        ),
        Statement(
            "answer",
            (
                f"The box in candidate video {{letter}} is around the same person, in {found} of"
                " {of}.",
            ),
            {
                "letter": Exact(question.answer),
                "of": Exact(shown.recording),
                **found_slots,
            },
            tuple(f"boxes:{row['box_id']}" for row in shown.boxes),
            untrue="" if shown.person == query.person else f"it is around {shown.person}",
        ),
        boxed_people.others_statement(question, options),
    ]


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("person_relation",),
    reads=boxed_people.READS,
    derive=_derive,
    recipes=("person_relation",),
    explained_in=("detailed_answer",),
)
