"""Right option of goal-oriented object tracking: the place at which the thing that was used is when the clip ends."""

from __future__ import annotations

import re

from expectations.derivations import action_path, actions, thing_places
from expectations.derivations.clips import check_length_between
from expectations.derivations.reads import merge_reads
from expectations.derivations.thing_places import Row, Words
from expectations.derivations.wording import SAID_S
from expectations.gates.base import CannotTell, Derivation, Derived, Question, Sight, span_of
from expectations.gates.statements import Choice, Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

_SHORTEST_S, _LONGEST_S = 8.0, 60.0
_NEAR_S = 0.5
_ROUNDED_S = 0.05
_USES = {"uses as a tool": "tool", "uses as a container": "container", "acts on": "target"}
_ASKED = re.compile(
    rf"the camera wearer ({'|'.join(_USES)}) from ([\d.]+) s to ([\d.]+) s of the clip",
    re.IGNORECASE,
)
_ASKS = (
    "Follow the thing that the camera wearer {use} from {start} s to {stop} s of the clip. On, in or"
    " under which of these is it at {end} s, when the clip ends?"
)
_WITH, _IN = {"with", "using"}, {"in", "into", "inside"}
# After these the words mean something else, or do not tell.
_NOT_WITH = set(
    "arrange coat combine compare cover decorate fill garnish line load mix play replace season share speak"
    " sprinkle swap talk top walk wrap".split()
)
_NOT_IN = set("gaze look sit stand stare turn wait walk".split())


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    clip = start, end = span_of(question.query)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    match = _ASKED.search(question.text)
    if match is None:
        notes.refuse("consistent", "text", "the text does not say what was used for what, and when")
        raise CannotTell("the text does not say what was used for what, and when")
    use = match[1].lower()
    segment, thing = _used(question, _USES[use], (float(match[2]), float(match[3])), given, notes)
    name = name_words(thing)
    first, last = float(segment["start_s"]), float(segment["end_s"])
    at = thing_places.known_place(question, name, end, given, notes)
    thing_places.judge_options(question, at, given, notes)
    thing_places.check_settled(question, thing, end, given, notes)
    if at.told.start_s < last:
        message = f"the {thing} is where it was when it was used: nothing is to be followed"
        notes.refuse("consistent", "not_moved", message)
    times = {"start": Number(first - start, _ROUNDED_S), "stop": Number(last - start, _ROUNDED_S)}
    until = Number(end - start, _ROUNDED_S)
    slots = {**times, "end": until, "use": Choice((use,), tuple(_USES))}
    notes.asks.append(Statement("question", (_ASKS,), slots, ()))
    notes.sights.append(Sight("query", ((first, last),), _NEAR_S, f"the use of the {thing}"))
    _note_use(segment, thing, _USES[use], times, given, notes)
    thing_places.note_action(question, thing, at.told, 1, given, notes)
    edges = thing_places.place_edges(question, name, at, end, given)
    notes.rests_on("place", "graph_edges", edges, "one")
    keys = tuple(f"graph_edges:{edge}" for edge in edges)
    nodes = tuple(f"graph_nodes:{o['value']}" for o in question.options if o["is_answer"])
    since = Number(at.told.end_s - start, _ROUNDED_S)
    form = "From {since} s to {end} s of the clip, the {object} is {preposition} the {place}."
    conclusion = "So when the clip ends, at {end} s, the thing that was followed is {preposition} the {place}."
    notes.statements += [
        thing_places.place_told("place", form, thing, at, {"since": since, "end": until}, keys),
        thing_places.place_told(
            "conclusion", conclusion, thing, at, {"end": until}, (*keys, *nodes)
        ),
    ]


def _used(
    question: Question,
    function: str,
    said_s: tuple[float, float],
    given: EvidenceTables,
    notes: Derived,
) -> tuple[Row, str]:
    """Segment at the times of a text, and the one thing that the wearer uses for something in it.

    Raises:
        CannotTell: There is no such action, or several things are used so meanwhile.
    """
    recording, (start, _) = str(question.query["recording_id"]), span_of(question.query)
    first, last = (start + said for said in said_s)
    meanwhile = [
        (row, thing)
        for row in actions.wearers_actions_of(recording, given)
        if row["start_s"] < last - SAID_S and row["end_s"] > first + SAID_S
        for thing in _things(row, function, given)
    ]
    if len({name_words(thing) for _, thing in meanwhile}) != 1 or len(meanwhile) != 1:
        message = (
            f"{len(meanwhile)} things are used as a {function} from {first:.2f} s to {last:.2f} s"
        )
        notes.refuse("consistent", "names_no_thing", message)
        raise CannotTell(message)
    row, thing = meanwhile[0]
    if abs(row["start_s"] - first) > SAID_S or abs(row["end_s"] - last) > SAID_S:
        message = f"the {thing} is used from {row['start_s']:.2f} s to {row['end_s']:.2f} s"
        notes.refuse("consistent", "time_differs", message)
        raise CannotTell(message)
    return row, thing


def _things(segment: Row, function: str, given: EvidenceTables) -> list[str]:
    """Things that an action uses for something."""
    names = []
    for row in given.rows("relations", segment_id=segment["segment_id"]):
        verb = re.findall(r"[a-z]+", str(row["subject"]).casefold())[:1]
        word, role = str(row["relation"]).casefold(), row["role"]
        if row["relation"] == actions.VERB or role == "hand":
            continue
        used = {
            "target": actions.is_direct(row),
            "tool": (role == "tool" or word in _WITH) and not _NOT_WITH & set(verb),
            "container": (role == "container" or word in _IN) and not _NOT_IN & set(verb),
        }
        if used[function]:
            names.append(str(row["object"]))
    return names


def _note_use(
    segment: Row,
    thing: str,
    function: str,
    times: dict[str, Number],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note the evidence of a use, and what an explanation says of it."""
    name: Words = name_words(thing)
    edges = given.rows("graph_edges", segment_id=segment["segment_id"])
    nodes = {
        row["node_id"]
        for row in given.rows("graph_nodes", recording_id=segment["recording_id"])
        if row["kind"] == "object" and name_words(str(row["name"])) == name
    }
    uses = [e for e in edges if e["to_node"] in nodes and e["relation"] not in ("holds", "located")]
    joined = {e["from_node"] for e in uses}
    does = [e for e in edges if e["relation"] == "does" and e["to_node"] in joined]
    notes.rests_on("use", "graph_edges", [e["edge_id"] for e in uses], "one")
    notes.rests_on("use", "segments", [str(segment["segment_id"])])
    notes.rests_on("action", "graph_edges", [e["edge_id"] for e in does], "one")
    rows = [frozenset(f"graph_edges:{e['edge_id']}" for e in some) for some in (uses, does)]
    form = "From {start} s to {stop} s of the clip, the camera wearer {done}."
    use = f'uses the {{object}} as a {function} in the action "{{action}}"'
    forms = (
        action_path.done_forms(form, of_hands=False)
        if function == "target"
        else (form.replace("{done}", use),)
    )
    verbs = tuple(actions.verbs(segment, given))
    slots = {"object": Name((thing,)), **action_path.verb_slots(verbs)}
    keys = tuple(rows[0] | rows[1])
    notes.statements.append(Statement("use", forms, {**times, **slots}, keys, cited=tuple(rows)))


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("goal_oriented_object_tracking",),
    reads=merge_reads(actions.READS, action_path.READS, thing_places.READS),
    derive=_derive,
    recipes=("goal_oriented_object_tracking",),
    explained_in=("detailed_answer", "rationale"),
)
