"""EgoExoBench's action relation, answered by labels or by the take's clock."""

from __future__ import annotations

from tests.derivations.labels import world_by_labels
from tests.derivations.world import (
    CLIPS,
    EXPLAINED,
    Fault,
    Row,
    World,
    collect,
    explain,
    medium,
    option,
    question,
    recording,
    seconds,
)

TEXT = "Which candidate video most accurately reflects the actions observed in the query video?"


def by_labels() -> World:
    # Distractors share the verb (7, 13) or the noun (6) of action 1.
    world = world_by_labels(
        "egoexobench",
        "action_relation",
        ("ego", "exo"),
        [7, 6, 1, 13],
        "action_relation_egoexolearn@2",
        TEXT,
    )
    world.groups |= {EXPLAINED}
    world.question["detailed_answer"] = (
        'The query video shows "washs the pan", and so does candidate video C: "washs the pan". The'
        " other candidates are from the same recording and share a verb or a thing with it, but show"
        ' something else: A "washs the egg", B "cuts the pan", D "washs the onion".'
    )
    return world


MASTER_LATE_S = 2.0  # the observer's camera started 2 s before the take's time 0


def by_the_takes_clock() -> World:
    names = ["Get [cup] from [table]", "Wash [cup]", "Put [cup] to [shelf]", "Open [fridge]"]
    names += ["Cut [bread] using [knife]", "Pour from [jug] into [cup]"]
    second = ["Sweep [floor]", "Close [door]", "Watch [tv]", "Sit", "Clean [table]", "Drink [tea]"]
    tables: dict[str, list[Row]] = {
        n: [] for n in ("recordings", "segments", "clocks", "labels", "relations")
    }
    for take in ("T", "U"):
        for camera, view, offset in (("fpv1", "ego", 0.0), ("fpv2", "ego", 0.0)):
            uid = f"{take}|{camera}"
            tables["recordings"].append(recording(uid, view, 70.0, take_id=take))
            tables["clocks"].append(_clock(uid, take, offset))
        uid = f"{take}|master"
        tables["recordings"].append(recording(uid, "exo", 72.0, take_id=take))
        tables["clocks"].append(_clock(uid, take, -MASTER_LATE_S))
        for actor, camera, acts in (("P1", "fpv1", names), ("P2", "fpv2", second)):
            for i, name in enumerate(acts):
                tables["segments"].append(
                    {
                        "source": "s",
                        "segment_id": f"{take}|{actor}|{i}",
                        "recording_id": f"{take}|{camera}",
                        "kind": "action",
                        "actor_id": actor,
                        "start_s": 10.0 * i + 3.0,
                        "end_s": 10.0 * i + 7.0,
                        "class_name": name,
                        "narration": name.replace("[", "").replace("]", "").lower(),
                    }
                )
    options, media = [], [medium("query", "T|fpv1", 13.0, 17.0, segment_id="T|P1|1")]
    for letter, i in zip("ABCD", (3, 1, 0, 4), strict=True):
        key, start = f"T|P1|{i}", 10.0 * i + 3.0 + MASTER_LATE_S
        narration = names[i].replace("[", "").replace("]", "").lower()
        options.append(option(letter, narration, i == 1, segment_id=key))
        media.append(medium(f"option_{letter}", "T|master", start, start + 4.0, segment_id=key))
    row = question(
        "egoexobench",
        "action_relation",
        options,
        media,
        recipe="action_relation_lemma@1",
        text=TEXT,
        detailed_answer='The query video shows "wash cup" from 13.0 s to 17.0 s of T|fpv1; on the'
        " take's clock this is the time of candidate video B, from 15.0 s to 19.0 s of T|master. The"
        ' other candidates show other times of T|master: A "open fridge", C "get cup from table", D'
        ' "cut bread using knife".',
        evidence=[
            *({"table": "segments", "key": m["segment_id"], "role": m["role"]} for m in media),
            {"table": "clocks", "key": "T|fpv1", "role": "query"},
            {"table": "clocks", "key": "T|master", "role": "option"},
        ],
    )
    uids = {r["recording_id"]: r["duration_s"] for r in tables["recordings"]}
    return World(
        row,
        tables,
        frozenset({CLIPS, EXPLAINED}),
        frame_times={u: seconds(n) for u, n in uids.items()},
        retold="There, cups get washed.",
        elsewhere="T|fpv2",
    )


def _clock(uid: str, take: str, offset: float) -> Row:
    return {
        "source": "s",
        "recording_id": uid,
        "take_id": take,
        "offset_s": offset,
        "rate": 1.0,
        "method": "same_index",
    }


WORLDS = {"action_relation_labels": by_labels, "action_relation_clock": by_the_takes_clock}
BOTH = tuple(WORLDS)
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(BOTH, "explanation", "contradicted")
def explanation_names_another_letter(w: World) -> None:
    letter = w.others[0]["letter"]
    explain(w, f"candidate video {w.question['answer']}", f"candidate video {letter}")


@fault(BOTH, "explanation", "contradicted")
def explanation_quotes_a_distractor(w: World) -> None:
    narration = w.row("segments", segment_id=w.query["segment_id"])["narration"]
    explain(w, f'shows "{narration}"', f'shows "{w.others[0]["text"]}"')


@fault(BOTH, "explanation", "contradicted")
def explanation_exchanges_two_others(w: World) -> None:
    one, two = w.others[0]["text"], w.others[1]["text"]
    explain(w, f'"{one}"', '"?"')
    explain(w, f'"{two}"', f'"{one}"')
    explain(w, '"?"', f'"{two}"')


@fault("action_relation_clock", "explanation", "contradicted")
def explanation_tells_another_time(w: World) -> None:
    explain(w, "from 15.0 s", "from 13.0 s")


@fault("action_relation_clock", "explanation", "contradicted")
def explanation_tells_another_recording(w: World) -> None:
    explain(w, "of T|fpv1", "of T|fpv2")


@fault("action_relation_labels", "explanation", "contradicted")
def explanation_says_a_stranger_is_alike(w: World) -> None:
    """A distractor shares no verb and no thing with the query any more."""
    for row in w.tables["labels"]:
        if row["segment_id"] == w.others[0]["segment_id"]:
            row["class_id"] = 77


@fault("action_relation_labels", "distractors", "second_right")
def another_stage_of_carrying_the_thing(w: World) -> None:
    """The query puts a thing on something, the distractor passes it."""
    for key, verb in (
        (w.query["segment_id"], "put_(place)"),
        (w.answer["segment_id"], "put_(place)"),
    ):
        w.row("labels", segment_id=key, kind="verb").update(class_id=90, class_label=verb)
    other = w.others[0]["segment_id"]
    noun = w.row("labels", segment_id=w.query["segment_id"], kind="noun")
    w.row("labels", segment_id=other, kind="verb").update(class_id=91, class_label="pass")
    w.row("labels", segment_id=other, kind="noun")["class_id"] = noun["class_id"]
    for key in (w.query["segment_id"], w.answer["segment_id"]):
        more = {"segment_id": key, "class_id": 92, "span_start": 9}
        w.tables["labels"].append({**w.row("labels", segment_id=key, kind="noun"), **more})


@fault("action_relation_labels", "distractors", "second_right")
def what_turns_it_off(w: World) -> None:
    """The query turns a thing off, the distractor presses it."""
    for key in (w.query["segment_id"], w.answer["segment_id"]):
        off = w.row("labels", segment_id=key, kind="verb")
        off.update(class_id=90, class_label="turn-off_(switch-off)")
    other = w.others[0]["segment_id"]
    noun = w.row("labels", segment_id=w.query["segment_id"], kind="noun")
    w.row("labels", segment_id=other, kind="verb").update(class_id=91, class_label="press")
    w.row("labels", segment_id=other, kind="noun")["class_id"] = noun["class_id"]


@fault("action_relation_labels", "distractors", "second_right")
def what_turns_it_off_by_its_lemma(w: World) -> None:
    """The class says turning, which may be spinning; the narration says turning off."""
    for key in (w.query["segment_id"], w.answer["segment_id"]):
        row = w.row("labels", segment_id=key, kind="verb")
        row.update(class_id=90, class_label="turn_(spin)", span_end=4)
        open_row = {"reader": "open", "class_id": None, "lemma": "turn off", "status": "done"}
        w.tables["labels"].append({**row, **open_row})
    other = w.others[0]["segment_id"]
    noun = w.row("labels", segment_id=w.query["segment_id"], kind="noun")
    w.row("labels", segment_id=other, kind="verb").update(class_id=91, class_label="press")
    w.row("labels", segment_id=other, kind="noun")["class_id"] = noun["class_id"]


def narrate(w: World, segment_id: str, **verb: object) -> None:
    """A verb of the segment's narration, as a parse reads it."""
    uid = w.row("segments", segment_id=segment_id)["recording_id"]
    row = {"source": "s", "recording_id": uid, "segment_id": segment_id, "reader": "open"}
    row |= {"clause": 0, "kind": "verb", "class_label": "open", "lemma": "open", "status": "done"}
    w.tables["labels"].append(row | {"span_start": 0, "span_end": 4} | verb)


@fault("action_relation_clock", "consistent", "not_done")
def query_is_only_attempted(w: World) -> None:
    narrate(w, w.query["segment_id"], status="attempted")


@fault("action_relation_clock", "consistent", "not_done")
def distractor_is_negated(w: World) -> None:
    narrate(w, w.others[0]["segment_id"], status="negated")


@fault("action_relation_clock", "consistent", "not_done")
def somebody_else_does_it(w: World) -> None:
    narrate(w, w.query["segment_id"], actor_id="man")


@fault("action_relation_clock", "distractors", "second_right")
def same_action_later(w: World) -> None:
    later = w.row("segments", segment_id=w.others[0]["segment_id"])
    later["class_name"] = w.row("segments", segment_id=w.query["segment_id"])["class_name"]


@fault("action_relation_clock", "distractors", "second_right")
def the_other_person_does_it_there(w: World) -> None:
    other = w.row("segments", segment_id=w.others[0]["segment_id"].replace("P1", "P2"))
    other["class_name"] = w.row("segments", segment_id=w.query["segment_id"])["class_name"]


@fault("action_relation_clock", "consistent", "shifted_time")
def clock_of_the_observer_forgotten(w: World) -> None:
    for one in w.options:
        w.shown(one)["start_s"] -= 2.0
        w.shown(one)["end_s"] -= 2.0


@fault("action_relation_clock", "consistent", "shifted_time")
def clock_corrected_after_the_question_was_made(w: World) -> None:
    w.row("clocks", recording_id="T|master")["offset_s"] = 3.0


@fault("action_relation_clock", "answer", "wrong_key")
def key_at_another_time(w: World) -> None:
    shown = w.shown(w.answer)
    shown.update(start_s=55.0, end_s=59.0, segment_id="T|P1|5")
    w.answer["segment_id"] = "T|P1|5"


@fault("action_relation_clock", "consistent", "another_performance")
def answer_of_another_take(w: World) -> None:
    w.shown(w.answer).update(recording_id="U|master", content="hash-U|master")


@fault("action_relation_clock", "consistent", "shifted_time")
def frames_counted_as_seconds(w: World) -> None:
    segment = w.row("segments", segment_id=w.query["segment_id"])
    segment["start_s"], segment["end_s"] = 13.0 * 24 / 25, 17.0 * 24 / 25 - 1.0


@fault("action_relation_clock", "leak", "clip_lengths_differ")
def distractor_shorter_than_the_query(w: World) -> None:
    w.shown(w.others[0])["end_s"] -= 1.0


@fault("action_relation_clock", "consistent", "clip_cuts_segment")
def clips_cut_to_less_than_half(w: World) -> None:
    for shown in w.question["media"]:
        shown["end_s"] -= 2.2
