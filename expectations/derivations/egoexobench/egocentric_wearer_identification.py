"""Right option of wearer identification: the box around the person who wears the query's camera (X6)."""

from __future__ import annotations

from typing import Any

from expectations.derivations import boxed_people
from expectations.derivations.boxed_people import Shown, Style
from expectations.derivations.clips import check_views
from expectations.gates.base import CannotTell, Derivation, Derived, Question
from expectations.gates.statements import Exact, Statement
from expectations.gates.tables import EvidenceTables

_STRICT, _AS_RELEASED = Style("red", 0.008), Style("#ff0000", 2 / 360)
_TEXT = Statement(
    "question",
    (
        "Which boxed person in the third-person view is the camera wearer who captured the"
        " egocentric video?",
    ),
    {},
    (),
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.asks.append(_TEXT)
    check_views(question, given, notes, "ego", "exo")
    style = _AS_RELEASED if question.as_paper else _STRICT
    query = boxed_people.read_medium(question.query, given, notes, None, boxed_people.PICTURES)
    options = boxed_people.read_options(question, given, notes, style)
    moment = boxed_people.check_same_pictures(query, options, given, notes)
    boxed_people.rest_on_clocks(query, options, notes)
    wearer = given.recording(query.recording)["person_id"]
    if wearer is None:
        raise CannotTell(f"nobody is named as the wearer of {query.recording}")
    fixed = next(iter(options.values())).recording
    pair = given.one(
        "listed_people",
        recording_id=fixed,
        source_frame=moment,
        ego_recording_id=query.recording,
    )
    notes.rests_on("pair", "listed_people", [f"{fixed}/{moment}/{query.recording}"])
    _check_pair(pair, wearer, options, notes, f"picture {moment} of {fixed}")
    for letter, shown in options.items():
        worn = shown.person == wearer
        notes.option(
            letter,
            worn,
            f"its box is around {shown.person}, who"
            f" {'wears' if worn else 'does not wear'} the camera {query.recording}",
        )
    if sum(shown.person == wearer for shown in options.values()) != 1:
        notes.refuse("consistent", "one_wearer", f"{wearer} is not exactly one of the options")
    if not question.as_paper:
        boxed_people.measure([*options.values()], notes)
        boxed_people.measure_apart(options, notes)
    _explain(question, query, wearer, options, notes)


def _check_pair(
    pair: dict[str, Any] | None,
    wearer: str,
    options: dict[str, Shown],
    notes: Derived,
    where: str,
) -> None:
    """Note a picture that the lists do not pair with the query's, or whose list fits no question."""
    if pair is None:
        notes.refuse("consistent", "pair_not_listed", f"{where} is not paired with the query's")
        return
    listed = set(pair["people"] or ())
    if pair["wearer_id"] != wearer:
        notes.refuse(
            "consistent",
            "another_wearer",
            f"the list has {pair['wearer_id']} as the wearer, the recording {wearer}",
        )
    if wearer not in listed:
        notes.refuse(
            "consistent", "wearer_not_listed", f"{wearer} is not among the people of {where}"
        )
    if len(listed) < boxed_people.OPTIONS:
        notes.refuse(
            "consistent",
            "too_few_people",
            f"{where} has {len(listed)} people, {boxed_people.OPTIONS} are needed",
            len(listed),
            boxed_people.OPTIONS,
        )
    strangers = {str(shown.person) for shown in options.values()} - listed
    if strangers:
        notes.refuse(
            "consistent",
            "person_not_listed",
            f"{sorted(strangers)} are boxed and not among the people of {where}",
        )


def _explain(
    question: Question, query: Shown, wearer: str, options: dict[str, Shown], notes: Derived
) -> None:
    shown = options.get(question.answer)
    if shown is None:
        return
    asked, asked_slots = boxed_people.pictures("query", query)
    found, found_slots = boxed_people.pictures("answer", shown)
    notes.statements += [
        Statement(
            "wearer",
            (f"The egocentric video is {asked} of {{of}}, a camera that person {{person}} wears.",),
            {"of": Exact(query.recording), "person": Exact(wearer), **asked_slots},
            (f"recordings:{query.recording}",),
        ),
        Statement(
            "answer",
            (
                f"The box in candidate video {{letter}} is around that person, in {found} of"
                " {of}.",
            ),
            {
                "letter": Exact(question.answer),
                "of": Exact(shown.recording),
                **found_slots,
            },
            tuple(f"boxes:{row['box_id']}" for row in shown.boxes),
            untrue="" if shown.person == wearer else f"it is around {shown.person}",
        ),
        boxed_people.others_statement(question, options),
    ]


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("egocentric_wearer_identification",),
    reads=boxed_people.READS,
    derive=_derive,
    recipes=("egocentric_wearer_identification",),
    explained_in=("detailed_answer",),
)
