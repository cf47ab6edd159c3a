"""EgoExoBench's skill evaluation, answered by levels of proficiency or by votes on pairs of clips."""

from __future__ import annotations

from itertools import combinations

from tests.derivations.world import (
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
    reword,
    seconds,
)

TEXT = "Which candidate video performs the task best according to the reference video?"
TASK, SCALE = "Dribbling", "demonstrator proficiency"
LABELS = ("Novice", "Early Expert", "Intermediate Expert", "Late Expert")
# Level of the performer of each take: the reference, the candidates A to D, and two more.
LEVELS = {"R": 3, "a": 1, "b": 3, "c": 0, "d": 1, "x": 3, "y": 2}
ACTION, SET = "Peeling", "06/paper"
ORDER = "BDAC"


def by_levels() -> World:
    recordings, levels = [], []
    for take, level in LEVELS.items():
        for camera, view in (("aria", "ego"), ("cam", "exo")):
            recordings.append(recording(f"{take}|{camera}", view, 24.0, take_id=take))
        levels.append(
            {
                "source": "s",
                "take_id": take,
                "actor_id": f"person {take}",
                "scale": SCALE,
                "task": TASK,
                "level": level,
                "label": LABELS[level],
            }
        )
    shown = {"reference": "R|cam", **{f"option_{x}": f"{x.lower()}|aria" for x in "ABCD"}}
    row = question(
        "egoexobench",
        "skill_evaluation",
        [option(x, TASK, x == "B") for x in "ABCD"],
        [medium(role, uid, 0.0, 24.0) for role, uid in shown.items()],
        recipe="skill_evaluation_egoexo4d@1",
        text=TEXT,
        detailed_answer="The performer of the reference video is rated Late Expert. The performers of the"
        " candidates are rated as follows: A Early Expert, B Late Expert, C Novice, D Early Expert."
        " Candidate video B therefore shows the best performance.",
        evidence=[
            {"table": table, "key": key, "role": role}
            for role, uid in shown.items()
            for table, key in (
                ("recordings", uid),
                ("skill_levels", f"{uid.partition('|')[0]}/{SCALE}"),
            )
        ],
    )
    return World(
        row,
        {
            "recordings": recordings,
            "segments": [],
            "skill_pairs": [],
            "skill_levels": levels,
            "labels": [],
        },
        frozenset({EXPLAINED}),
        frame_times={r["recording_id"]: seconds(24.5) for r in recordings},
        seen_s=(0.0, 8.0),
    )


def by_votes() -> World:
    clips = {x: (f"ego {x}", 10.0 * i + 2.0, 10.0 * i + 6.0) for i, x in enumerate("ABCD")}
    clips["Z"] = ("ego Z", 3.0, 7.0)
    recordings = [recording(uid, "ego", 60.0) for uid, _, _ in clips.values()]
    recordings += [recording(uid, "exo", 60.0) for uid in ("exo R", "exo S")]
    narrations = {"exo R": "Peel the carrot", "exo S": "Wash the carrot"}
    segments: list[Row] = [
        {
            "source": "s",
            "segment_id": f"{uid}|1",
            "recording_id": uid,
            "kind": "fine",
            "start_s": 20.0,
            "end_s": 24.0,
            "narration": told,
        }
        for uid, told in narrations.items()
    ]
    pairs = [_pair(clips, better, worse) for better, worse in combinations(ORDER + "Z", 2)]
    evidence = [{"table": "segments", "key": "exo R|1", "role": "reference"}]
    for x in "ABCD":
        mine = (p["pair_id"] for p in pairs if x in p["pair_id"] and "Z" not in p["pair_id"])
        evidence += [
            {"table": "skill_pairs", "key": f"{SET}/{key}", "role": f"option_{x}"} for key in mine
        ]
    media = [medium("reference", "exo R", 20.0, 24.0, segment_id="exo R|1")]
    media += [medium(f"option_{x}", *clips[x]) for x in "ABCD"]
    row = question(
        "egoexobench",
        "skill_evaluation",
        [option(x, ACTION, x == "B") for x in "ABCD"],
        media,
        recipe="skill_evaluation_egoexolearn@1",
        text=TEXT,
        detailed_answer='The reference video shows the action "Peeling": "Peel the carrot". Annotators'
        " compared every two of the candidates and judged their order to be B, D, A, C, best first."
        " Candidate video B therefore shows the best performance.",
        evidence=evidence,
    )
    return World(
        row,
        {
            "recordings": recordings,
            "segments": segments,
            "skill_pairs": pairs,
            "skill_levels": [],
            "labels": [],
        },
        frozenset({EXPLAINED}),
        frame_times={r["recording_id"]: seconds(60.0) for r in recordings},
        seen_s=(20.0, 21.3),
    )


def _pair(clips: dict[str, tuple[str, float, float]], better: str, worse: str) -> Row:
    row: Row = {
        "source": "s",
        "set": SET,
        "mode": "paper",
        "action": "06",
        "action_name": ACTION,
        "pair_id": f"{better} {worse}",
        "better": "first",
        "state": "kept",
        "n_votes": 4,
        "n_agree": 3,
        "agreement": 0.75,
        "on_cycle": False,
    }
    for side, x in (("first", better), ("second", worse)):
        uid, start, end = clips[x]
        row |= {
            f"{side}_clip_id": x,
            f"{side}_recording_id": uid,
            f"{side}_start_s": start,
            f"{side}_end_s": end,
        }
    return row


WORLDS = {"skill_evaluation_levels": by_levels, "skill_evaluation_votes": by_votes}
BOTH = tuple(WORLDS)
FAULTS: list[Fault] = []
fault = collect(FAULTS)


def _shows(w: World, letter: str, take: str) -> None:
    """Let an option show another take, with the evidence of that."""
    uid = f"{take}|aria"
    w.medium(f"option_{letter}").update(recording_id=uid, content=f"hash-{uid}")
    w.question["evidence"] = [e for e in w.question["evidence"] if e["role"] != f"option_{letter}"]
    for table, key in (("recordings", uid), ("skill_levels", f"{take}/{SCALE}")):
        row = {"table": table, "key": key, "role": f"option_{letter}"}
        w.question["evidence"].append(row)


@fault(BOTH, "answer", "wrong_key")
def asks_for_the_worst_with_the_key_of_the_best(w: World) -> None:
    reword(w, " best ", " worst ")


@fault(BOTH, "consistent", "text")
def asks_for_the_most_average(w: World) -> None:
    reword(w, "according to the reference video", "on the whole")


@fault(BOTH, "explanation", "contradicted")
def explanation_concludes_the_opposite(w: World) -> None:
    explain(w, "shows the best", "shows the worst")


@fault(BOTH, "explanation", "contradicted")
def explanation_names_another_candidate(w: World) -> None:
    explain(w, "Candidate video B", "Candidate video A")


@fault(BOTH, "consistent", "swapped_view")
def reference_in_the_view_of_the_candidates(w: World) -> None:
    w.row("recordings", recording_id=w.query["recording_id"])["view"] = "ego"


@fault(BOTH, "consistent", "option_text")
def option_tells_how_good_it_is(w: World) -> None:
    w.answer["text"] = "Late Expert"


@fault(BOTH, "leak", "answer_stands_out")
def best_performance_sampled_more_densely(w: World) -> None:
    w.shown(w.answer)["sampling"] = "midpoints(16)"


@fault("skill_evaluation_levels", "margin", "level_shared")
def two_candidates_of_the_highest_level(w: World) -> None:
    _shows(w, "A", "x")


@fault("skill_evaluation_levels", "distractors", "second_right")
def level_of_a_distractor_corrected_upwards(w: World) -> None:
    w.row("skill_levels", take_id="a").update(level=3, label="Late Expert")


@fault("skill_evaluation_levels", "answer", "wrong_key")
def level_of_the_answer_corrected_downwards(w: World) -> None:
    w.row("skill_levels", take_id="b").update(level=0, label="Novice")


@fault("skill_evaluation_levels", "consistent", "reference_not_expert")
def reference_of_an_intermediate_expert(w: World) -> None:
    w.row("skill_levels", take_id="R").update(level=2, label="Intermediate Expert")


@fault("skill_evaluation_levels", "consistent", "same_person")
def the_expert_is_among_the_candidates(w: World) -> None:
    w.row("skill_levels", take_id="b")["actor_id"] = "person R"


@fault("skill_evaluation_levels", "consistent", "same_person")
def one_person_in_two_candidates(w: World) -> None:
    w.row("skill_levels", take_id="a")["actor_id"] = "person d"


@fault("skill_evaluation_levels", "consistent", "another_task")
def candidate_of_another_task(w: World) -> None:
    w.row("skill_levels", take_id="c")["task"] = "Shooting"


@fault("skill_evaluation_levels", "consistent", "performance_cut")
def candidate_cut_to_its_second_half(w: World) -> None:
    w.shown(w.others[0])["start_s"] = 12.0


@fault("skill_evaluation_levels", "explanation", "contradicted")
def explanation_rates_a_candidate_too_high(w: World) -> None:
    explain(w, "C Novice", "C Early Expert")


@fault("skill_evaluation_levels", "explanation", "contradicted")
def explanation_rates_the_reference_too_low(w: World) -> None:
    explain(w, "is rated Late Expert", "is rated Early Expert")


@fault("skill_evaluation_levels", "consistent", "across_splits")
def candidate_of_another_split(w: World) -> None:
    w.row("recordings", recording_id=w.shown(w.answer)["recording_id"])["split"] = "test"


@fault("skill_evaluation_votes", "consistent", "not_compared")
def pair_of_candidates_left_out_as_part_of_a_cycle(w: World) -> None:
    w.row("skill_pairs", pair_id="D C")["state"] = "in_cycle"


@fault("skill_evaluation_votes", "answer", "wrong_key")
def outcome_of_the_answers_pairs_turned_round(w: World) -> None:
    for pair in ("B D", "B A", "B C"):
        w.row("skill_pairs", pair_id=pair)["better"] = "second"


@fault("skill_evaluation_votes", "margin", "no_order")
def candidates_judged_in_a_circle(w: World) -> None:
    w.row("skill_pairs", pair_id="D C")["better"] = "second"


@fault("skill_evaluation_votes", "margin", "agreement")
def annotators_split_over_a_pair(w: World) -> None:
    w.row("skill_pairs", pair_id="B D").update(n_agree=2, agreement=0.5)


@fault("skill_evaluation_votes", "consistent", "clip_not_compared")
def candidate_shown_two_seconds_late(w: World) -> None:
    shown = w.shown(w.others[0])
    shown.update(start_s=shown["start_s"] + 2.0, end_s=shown["end_s"] + 2.0)


@fault("skill_evaluation_votes", "consistent", "clip_not_compared")
def candidate_cut_to_one_second(w: World) -> None:
    shown = w.shown(w.answer)
    shown["end_s"] = shown["start_s"] + 1.0


@fault("skill_evaluation_votes", "consistent", "reference_of_another_action")
def reference_shows_another_action(w: World) -> None:
    w.query.update(recording_id="exo S", segment_id="exo S|1", content="hash-exo S")


@fault("skill_evaluation_votes", "consistent", "reference_of_another_action")
def reference_handles_what_was_done_before(w: World) -> None:
    w.row("segments", segment_id="exo R|1")["narration"] = "Wash the peeled carrot"


@fault("skill_evaluation_votes", "consistent", "reference_of_another_action")
def reference_stops_doing_it(w: World) -> None:
    w.row("segments", segment_id="exo R|1")["narration"] = "Stop and peel the carrot no more"
    w.tables["labels"].append(
        {"source": "s", "recording_id": "exo R", "segment_id": "exo R|1", "reader": "open"}
        | {"clause": 0, "kind": "verb", "lemma": "peel", "class_label": "peel", "term": "peel"}
        | {"status": "negated", "span_start": 9, "span_end": 13}
    )


@fault("skill_evaluation_votes", "consistent", "shifted_time")
def reference_shown_at_another_time(w: World) -> None:
    w.query.update(start_s=30.0, end_s=34.0)


@fault("skill_evaluation_votes", "explanation", "contradicted")
def explanation_exchanges_two_places_of_the_order(w: World) -> None:
    explain(w, "B, D, A, C", "B, A, D, C")


@fault("skill_evaluation_votes", "explanation", "contradicted")
def explanation_quotes_another_narration(w: World) -> None:
    explain(w, '"Peel the carrot"', '"Wash the carrot"')


@fault("skill_evaluation_votes", "consistent", "recording_twice")
def reference_of_a_candidates_recording(w: World) -> None:
    uid = w.shown(w.answer)["recording_id"]
    w.query.update(recording_id=uid, content=f"hash-{uid}")
