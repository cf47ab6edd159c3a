"""Set checks: a fair set passes, each biased one is named by its check, a small one says so."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from assets.pairs.choice import number_of, option_order
from expectations.schemas import TABLES
from expectations.set_checks.questions import SCHEMA, check_sets, effective_chances

Row = dict[str, Any]
PLACES = ("top-left", "top-right", "bottom-left", "bottom-right")
N = 240


BEFORE = (
    "Actions in Video 1 occur before actions in Video 2",
    "Actions in Video 2 occur before actions in Video 1",
)
PART_OF = (
    "Actions in Video 1 are part of the sequence of actions in Video 2",
    "Actions in Video 2 are part of the sequence of actions in Video 1",
)


def words_set(n: int = N) -> list[Row]:
    """Questions in words whose answers, order and recordings follow from hashes."""
    rows = []
    for i in range(n):
        uid = f"r{i % 12}"
        right = number_of(f"answer{i}") % 4
        order = option_order(f"q{i}", PLACES)
        options = [
            {"letter": x, "text": PLACES[j], "is_answer": j == right}
            for x, j in zip("ABCD", order, strict=True)
        ]
        rows.append(row(i, uid, options, [medium("query", uid, float(i))]))
    return rows


def clips_set(n: int = N) -> list[Row]:
    """Questions whose options are clips of one recording of the other view."""
    rows = []
    for i in range(n):
        uid = f"r{i % 12}"
        right = number_of(f"answer{i}") % 4
        options = [{"letter": x, "text": "", "is_answer": j == right} for j, x in enumerate("ABCD")]
        shown = [medium(f"option_{x}", "other", 100.0 * i + j, 3.0) for j, x in enumerate("ABCD")]
        rows.append(row(i, uid, options, [medium("query", uid, float(i)), *shown]))
    return rows


def medium(role: str, uid: str, start: float, length: float = 2.0) -> Row:
    return {
        "role": role,
        "recording_id": uid,
        "media_kind": "clip",
        "start_s": start,
        "end_s": start + length,
        "content": f"hash-{uid}",
    }


def row(i: int, uid: str, options: list[Row], media: list[Row]) -> Row:
    return {
        "benchmark": "b",
        "source": "s",
        "subtask": "t",
        "question_id": f"q{i}",
        "question_hash": f"h{i}",
        "split": "test",
        "recording_id": uid,
        "text": "Where is it?",
        "options": options,
        "media": media,
        "answer": next(o["letter"] for o in options if o["is_answer"]),
    }


def judged(rows: list[Row], **more: Any) -> dict[str, Row]:
    made = check_sets(TABLES["questions"].frame(rows), **more)
    assert made.schema == SCHEMA
    assert set(made["n"]) <= {len(rows)}
    return {r["check"]: r for r in made.iter_rows(named=True)}


@pytest.mark.parametrize("make", [words_set, clips_set])
def test_a_fair_set_passes(make: Callable[[], list[Row]]) -> None:
    places = {f"r{i}": "kitchen" for i in range(12)} | {"other": "lab"}
    said = judged(make(), environments=places)
    assert {k: r for k, r in said.items() if r["verdict"] != "pass"} == {}


def put_answer(r: Row, position: int) -> None:
    """Move the right option to a position; letters stay in order."""
    options = r["options"]
    right = next(o for o in options if o["is_answer"])
    options.remove(right)
    options.insert(position, right)
    for letter, option in zip("ABCDE", options, strict=False):
        option["letter"] = letter
    r["answer"] = "ABCDE"[position]


def answers_are_mostly_a(rows: list[Row]) -> None:
    for r in rows[: N // 2]:
        put_answer(r, 0)


def answers_are_always_c(rows: list[Row]) -> None:
    for r in rows:
        put_answer(r, 2)


def never_d(rows: list[Row]) -> None:
    for r in rows:
        if r["answer"] == "D":
            put_answer(r, number_of(r["question_id"]) % 3)


def _texts(rows: list[Row], of_answer: str, of_others: str) -> None:
    for i, r in enumerate(rows):
        for j, o in enumerate(r["options"]):
            o["text"] = (of_answer if o["is_answer"] else of_others).format(i=i, j=j)


def answer_is_the_longest(rows: list[Row]) -> None:
    _texts(rows, "thing {i:03} as described in the sources", "thing {i:03} {j}")


def answer_is_the_shortest(rows: list[Row]) -> None:
    _texts(rows, "t {i:03}", "thing {i:03} number {j}")


def one_question_twice(rows: list[Row]) -> None:
    rows[1].update({k: rows[0][k] for k in ("text", "options", "media", "answer", "recording_id")})


def one_question_twice_in_other_case(rows: list[Row]) -> None:
    one_question_twice(rows)
    rows[1]["text"] = "  where IS   it? "


def one_id_for_two(rows: list[Row]) -> None:
    rows[1]["question_id"] = rows[0]["question_id"]


def text_changed_under_its_hash(rows: list[Row]) -> None:
    rows[1]["question_hash"] = rows[0]["question_hash"]


def two_questions_contradict(rows: list[Row]) -> None:
    rows[1].update({k: rows[0][k] for k in ("text", "media", "recording_id")})
    right = next(o["text"] for o in rows[0]["options"] if o["is_answer"])
    for o in rows[1]["options"]:
        o["is_answer"] = False
    wrong = next(o for o in rows[1]["options"] if o["text"] != right)
    wrong["is_answer"], rows[1]["answer"] = True, wrong["letter"]


def recording_in_two_splits(rows: list[Row]) -> None:
    rows[0]["split"] = "train"


def one_answer_for_most(rows: list[Row]) -> None:
    for r in rows[: 3 * N // 5]:
        for o in r["options"]:
            o["is_answer"] = o["text"] == "top-left"
            if o["is_answer"]:
                r["answer"] = o["letter"]


def distractors_of_another_list(rows: list[Row]) -> None:
    for i, r in enumerate(rows):
        for j, o in enumerate(r["options"]):
            o["text"] = f"cup {(i + j) % 40:02}" if o["is_answer"] else f"car {(i + 7 * j) % 40:02}"


def options_in_alphabetical_order(rows: list[Row]) -> None:
    for r in rows:
        r["options"].sort(key=lambda o: o["text"])
        for letter, o in zip("ABCD", r["options"], strict=True):
            o["letter"] = letter
            if o["is_answer"]:
                r["answer"] = letter


def distractors_are_the_answer_changed(rows: list[Row]) -> None:
    for i, r in enumerate(rows):
        base = [f"cut{i}", f"red{i}", f"cup{i}"]
        wrong = iter([["peel", *base[1:]], [base[0], "blue", base[2]], [*base[:2], "pan"]])
        for o in r["options"]:
            o["text"] = " ".join(base if o["is_answer"] else next(wrong))


RING = ("front", "front-right", "right", "back-right", "back", "back-left", "left", "front-left")


def the_fifth_direction_is_never_right(rows: list[Row]) -> None:
    """Four directions at right angles, one of which is right, and one between them."""
    for i, r in enumerate(rows):
        turn, extra = number_of(f"turn{i}") % 8, 2 * (number_of(f"extra{i}") % 4) + 1
        sectors = [(turn + step) % 8 for step in (0, 2, 4, 6, extra)]
        r["options"] = _lettered(i, [RING[s] for s in sectors], number_of(f"right{i}") % 4)
        put_answer(r, next(j for j, o in enumerate(r["options"]) if o["is_answer"]))


def _lettered(i: int, texts: list[str], right: int) -> list[Row]:
    order = option_order(f"shown{i}", [str(j) for j in range(len(texts))])
    return [
        {"letter": x, "text": texts[j], "is_answer": j == right}
        for x, j in zip("ABCDE", order, strict=False)
    ]


def one_number_is_odd_and_right(rows: list[Row]) -> None:
    for i, r in enumerate(rows):
        n = 10 + 2 * (i % 40)
        texts = iter([f"{n} s", f"{n + 4} s", f"{n - 4} s"])
        for o in r["options"]:
            o["text"] = f"{n + 1} s" if o["is_answer"] else next(texts)


def one_begins_unlike_the_others(rows: list[Row]) -> None:
    """It is right half of the time, twice as often as by chance."""
    for i, r in enumerate(rows):
        at = next(j for j, o in enumerate(r["options"]) if o["is_answer"] == (i % 2 == 0))
        for j, o in enumerate(r["options"]):
            o["text"] = f"{'opens' if j == at else 'closes'} lid {(i + j) % 7}"


def one_repeats_a_word_and_is_wrong(rows: list[Row]) -> None:
    for i, r in enumerate(rows):
        wrong = [o for o in r["options"] if not o["is_answer"]]
        for j, o in enumerate(r["options"]):
            o["text"] = f"cup {j} on cup" if o is wrong[i % 3] else f"pan {j} by pot"


FURNITURE = ("sink", "counter", "kitchen table", "stove", "fridge", "shelf")
HANDLED = ("cup", "kettle", "knife", "bread", "toy", "book", "sponge", "plate")


def furniture_is_seldom_right(rows: list[Row]) -> None:
    """As in a set that was published: 8 of 55 pieces of furniture are right."""
    for i, r in enumerate(rows):
        pieces = [FURNITURE[number_of(f"{i} {x}") % len(FURNITURE)] for x in "ab"]
        other = option_order(f"things{i}", HANDLED)
        texts = [*dict.fromkeys(pieces)][: 1 + i % 2]
        texts += [HANDLED[j] for j in other[: 4 - len(texts)]]
        right = 0 if number_of(f"right{i}") % 7 == 0 else 3
        r["options"] = _lettered(i, texts, right)
        put_answer(r, next(j for j, o in enumerate(r["options"]) if o["is_answer"]))


def one_place_is_never_right(rows: list[Row]) -> None:
    for r in rows:
        for o in r["options"]:
            if o["text"] == "top-left" and o["is_answer"]:
                o["is_answer"] = False
                other = next(x for x in r["options"] if x["text"] == "top-right")
                other["is_answer"], r["answer"] = True, other["letter"]


def several_features_tell_a_little(rows: list[Row]) -> None:
    """No feature alone tells much: who adds them up is right in most questions."""
    for i, r in enumerate(rows):
        for j, o in enumerate(r["options"]):
            tells = [
                number_of(f"{i} {j} {f}") % 100 < (70 if o["is_answer"] else 30) for f in "abc"
            ]
            words = ["cup" if tells[0] else "pan", "on", "stove" if tells[1] else "shelf"]
            o["text"] = " ".join(words) + (" now" if tells[2] else "") + f" {i}"


def all_of_one_recording(rows: list[Row]) -> None:
    for r in rows[: 2 * N // 3]:
        r["recording_id"] = "r0"


WORDS_FAULTS = [
    (answers_are_mostly_a, "position_balance", "refuse"),
    (answers_are_always_c, "position_balance", "refuse"),
    (never_d, "position_balance", "refuse"),
    (answer_is_the_longest, "length_balance", "refuse"),
    (answer_is_the_shortest, "length_balance", "refuse"),
    (one_question_twice, "duplicates", "refuse"),
    (one_question_twice_in_other_case, "duplicates", "refuse"),
    (one_id_for_two, "identity", "refuse"),
    (text_changed_under_its_hash, "identity", "refuse"),
    (two_questions_contradict, "repeated_media", "refuse"),
    (recording_in_two_splits, "split_leakage", "refuse"),
    (one_answer_for_most, "effective_chance", "refuse"),
    (distractors_of_another_list, "option_frequency", "refuse"),
    (options_in_alphabetical_order, "sorted_options", "refuse"),
    (distractors_are_the_answer_changed, "typical_option", "refuse"),
    (all_of_one_recording, "clusters", "warn"),
    (one_answer_for_most, "answer_frequency", "refuse"),
    (the_fifth_direction_is_never_right, "odd_one_out", "refuse"),
    (one_number_is_odd_and_right, "odd_one_out", "refuse"),
    (one_begins_unlike_the_others, "odd_one_out", "refuse"),
    (one_repeats_a_word_and_is_wrong, "odd_one_out", "refuse"),
    (furniture_is_seldom_right, "option_kinds", "refuse"),
    (one_place_is_never_right, "option_kinds", "refuse"),
    (several_features_tell_a_little, "learned_options", "refuse"),
]


@pytest.mark.parametrize(("plant", "check", "verdict"), WORDS_FAULTS)
def test_a_biased_set_is_named(
    plant: Callable[[list[Row]], None], check: str, verdict: str
) -> None:
    rows = words_set()
    plant(rows)
    said = judged(rows)
    assert said[check]["verdict"] == verdict, said[check]
    assert said[check]["message"]


def from_pools(right_of: int) -> list[Row]:
    """Ten groups of five texts; each question offers four of a group, one of the first `right_of` right."""
    rows = []
    for i in range(50):
        pool, at = divmod(i, 5)
        texts = [f"{PLACES[(at + j) % 4]} {pool:02d}{(at % right_of + j) % 5}" for j in range(4)]
        options = [
            {"letter": x, "text": texts[j], "is_answer": j == 0}
            for x, j in zip("ABCD", option_order(f"q{i}", texts), strict=True)
        ]
        rows.append(row(i, f"r{i}", options, [medium("query", f"r{i}", float(i))]))
    return rows


def test_that_a_text_is_right_nowhere_else_tells_nothing() -> None:
    """Each is right once and wrong three times: elsewhere the right one alone is never right."""
    assert judged(from_pools(right_of=5))["learned_options"]["verdict"] == "pass"


def test_the_same_options_in_every_question_tell_nothing() -> None:
    """Pairs of videos, each right equally often: nothing else sets them apart."""
    pairs = [f"Video{a}-Video{b}" for a in range(1, 6) for b in range(a + 1, 6)]
    rows = []
    for i in range(60):
        options = [
            {"letter": x, "text": pairs[j], "is_answer": j == i % 10}
            for x, j in zip("ABCDEFGHIJ", option_order(f"q{i}", pairs), strict=True)
        ]
        rows.append(row(i, f"r{i}", options, [medium("query", f"r{i}", float(i))]))
    assert judged(rows)["learned_options"]["verdict"] == "pass"


def test_that_a_text_is_right_elsewhere_tells_much() -> None:
    verdict_row = judged(from_pools(right_of=1))["learned_options"]
    assert (verdict_row["verdict"], verdict_row["value"] > 0.9) == ("refuse", True)


def test_the_answer_filmed_in_the_querys_place_is_a_shortcut() -> None:
    rows = clips_set()
    for r in rows:
        for m in r["media"][1:]:
            here = m["role"] == f"option_{r['answer']}"
            m["recording_id"] = "same" if here else "other"
    places = {f"r{i}": "kitchen" for i in range(12)} | {"same": "kitchen", "other": "lab"}
    assert judged(rows, environments=places)["environment_shortcut"]["verdict"] == "refuse"
    assert judged(rows)["environment_shortcut"]["verdict"] == "unknown"


def test_the_answer_as_long_as_the_query_is_a_shortcut() -> None:
    rows = clips_set()
    for i, r in enumerate(rows):
        r["media"][0]["end_s"] = r["media"][0]["start_s"] + 2.0 + i / 100
        for m in r["media"][1:]:
            if m["role"] == f"option_{r['answer']}":
                m["end_s"] = m["start_s"] + 2.0 + i / 100
    assert judged(rows)["clip_length_shortcut"]["verdict"] == "refuse"


def clip_lengths(rows: list[Row], of_answer: float, of_others: float) -> None:
    for r in rows:
        for m in r["media"][1:]:
            length = of_answer if m["role"] == f"option_{r['answer']}" else of_others
            m["end_s"] = m["start_s"] + length


def test_a_clip_of_another_length_or_recording_is_a_shortcut() -> None:
    rows = clips_set()
    clip_lengths(rows, 3.2, 3.0)
    assert judged(rows)["odd_one_out"]["verdict"] == "refuse"
    clip_lengths(rows, 3.01, 3.0)  # nobody sees a hundredth of a second
    assert judged(rows)["odd_one_out"]["verdict"] == "pass"
    for r in rows:
        wrong = next(m for m in r["media"][1:] if m["role"] != f"option_{r['answer']}")
        wrong["recording_id"] = "stranger"
    said = judged(rows)["odd_one_out"]
    assert (said["verdict"], "recording" in said["message"]) == ("refuse", True)


def nearest_in_length(rows: list[Row], share: float) -> None:
    """The right clip is as long as the query in a share of the questions, else another."""
    for i, r in enumerate(rows):
        r["media"][0]["end_s"] = r["media"][0]["start_s"] + 2.0
        near = f"option_{r['answer']}"
        if number_of(f"near{i}") % 1000 >= 1000 * share:
            near = next(m["role"] for m in r["media"][1:] if m["role"] != near)
        for j, m in enumerate(r["media"][1:]):
            m["end_s"] = m["start_s"] + (2.0 if m["role"] == near else 2.5 + j / 10)


def test_a_shortcut_of_one_recipe_is_not_thinned_out_by_another() -> None:
    """As measured: the length tells in one recipe, while all clips of the other last alike."""
    tells, fair = clips_set(200), clips_set(600)
    nearest_in_length(tells, 0.45)
    for r in tells:
        r["recipe"] = "tells@1"
    for i, r in enumerate(fair):
        r |= {"recipe": "fair@1", "question_id": f"f{i}", "question_hash": f"hf{i}"}
        r["media"][0]["content"] = "another"
        for m in r["media"]:
            m["end_s"] = m["start_s"] + 2.0
    found = check_sets(TABLES["questions"].frame([*tells, *fair]))
    found = found.filter(pl.col("check") == "clip_length_shortcut")
    said = {r["recipe"]: (r["verdict"], r["n"]) for r in found.iter_rows(named=True)}
    assert said == {"tells@1": ("refuse", 200), "fair@1": ("pass", 600), None: ("pass", 800)}


@pytest.mark.parametrize(
    ("plant", "low", "high"),
    [
        (lambda rows: None, 0.25, 0.25),
        # Who leaves out the fifth of five is right in one of four.
        (the_fifth_direction_is_never_right, 0.25, 0.25),
        (one_place_is_never_right, 0.45, 0.60),
        (one_begins_unlike_the_others, 0.45, 0.55),
        (answers_are_always_c, 1.0, 1.0),
        (distractors_of_another_list, 0.95, 1.0),
    ],
)
def test_effective_chance_is_what_the_best_shortcut_reaches(
    plant: Callable[[list[Row]], None], low: float, high: float
) -> None:
    rows = words_set()
    plant(rows)
    said = judged(rows)["effective_chance"]
    assert low - 1e-9 <= said["value"] <= high + 1e-9, said
    found = effective_chances(TABLES["questions"].frame(rows))
    assert found.to_dicts() == [
        {"benchmark": "b", "subtask": "t", "recipe": None, "effective_chance": said["value"]}
    ]


def test_a_part_of_the_questions_raises_chance_by_its_part() -> None:
    """Where half of the questions tell their answer, the other half is guessed."""
    rows = words_set()
    distractors_of_another_list(rows[: N // 2])
    for r in rows[N // 2 :]:
        for o in r["options"]:
            o["text"] = "cup " + o["text"]
    said = judged(rows)["effective_chance"]
    assert 0.5 <= said["value"] <= 0.7, said


def test_two_statements_that_are_never_right_leave_a_chance_of_one_half() -> None:
    """Action order of EgoExoBench: of its four statements only the two about before and after are ever right."""
    rows = []
    for i in range(N):
        right = BEFORE[number_of(f"order{i}") % 2]
        order = option_order(f"q{i}", (*BEFORE, *PART_OF))
        texts = [(*BEFORE, *PART_OF)[j] for j in order]
        options = [
            {"letter": x, "text": text, "is_answer": text == right}
            for x, text in zip("ABCD", texts, strict=True)
        ]
        uid = f"r{i % 12}"
        rows.append(row(i, uid, options, [medium("video_1", uid, float(i))]))
    assert judged(rows)["effective_chance"]["value"] == pytest.approx(0.5, abs=0.08)


def test_few_questions_have_no_effective_chance() -> None:
    assert judged(words_set(20))["effective_chance"]["value"] is None
    found = effective_chances(TABLES["questions"].frame(words_set(20)))
    assert found["effective_chance"].to_list() == [None]


def random_set(seed: int, n: int) -> list[Row]:
    """A fair set: options of any look in any order, any of them right."""
    rng = np.random.default_rng(seed)
    lists = [
        list(RING),
        [*FURNITURE, *HANDLED, "red cup", "blue cup", "top of the shelf", "bread crumbs"],
        [f"{m} min {s} s" for m in range(4) for s in (5, 10, 30)],
        ["Opens it.", "closes it", "Takes the lid off", "puts the lid on", "stirs", "cuts 2 eggs"],
    ]
    pool = lists[seed % len(lists)]
    rows = []
    for i in range(n):
        uid = f"r{rng.integers(12)}"
        texts = [pool[j] for j in rng.permutation(len(pool))[:5]]
        right = int(rng.integers(5))
        options = [
            {"letter": x, "text": t, "is_answer": j == right}
            for j, (x, t) in enumerate(zip("ABCDE", texts, strict=True))
        ]
        media = [medium("query", uid, float(i))]
        if seed % 5 == 4:  # clips of any length
            for o in options:
                length = round(float(rng.uniform(1, 4)), 2)
                media.append(medium(f"option_{o['letter']}", "other", 100.0 * i, length))
                o["text"] = ""
        rows.append(row(i, uid, options, media))
    return rows


# The rate over many more seeds is measured with PARALLAX_FAIR_SETS=2000.
FAIR_SETS = int(os.environ.get("PARALLAX_FAIR_SETS", "20"))


def test_fair_sets_raise_no_alarm() -> None:
    """A check warns about a fair set at most once in a hundred, refuses it once in a thousand."""
    alarms: Counter[tuple[str, str]] = Counter()
    for seed in range(FAIR_SETS):
        for check, said in judged(random_set(seed, 150)).items():
            alarms[check, said["verdict"]] += 1
    raised = {k: n for k, n in alarms.items() if k[1] in ("warn", "refuse")}
    print(f"{FAIR_SETS} fair sets: {raised}")
    # Some deviate by chance: bounds that fewer than one of a thousand suites of tests exceed.
    for (check, verdict), n in raised.items():
        rate = {"warn": 0.01, "refuse": 0.001}[verdict]
        assert n <= binom.ppf(1 - 1e-4, FAIR_SETS, rate), (check, verdict, n)


def test_clips_without_times_are_unknown_not_passed() -> None:
    rows = clips_set()
    for r in rows:
        r["media"][2]["end_s"] = None
    assert judged(rows)["clip_length_shortcut"]["verdict"] == "unknown"


BOX = {"kind": "box", "label": "", "colour": "red", "width": 0.01, "x_min": 0.1, "x_max": 0.2}


def other_letters(media: list[Row]) -> None:
    media[1]["role"], media[2]["role"] = media[2]["role"], media[1]["role"]


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda media: None, "refuse"),
        (lambda media: media.reverse(), "refuse"),
        (other_letters, "refuse"),
        (lambda media: media[0].update(start_s=2.6754), "refuse"),
        # As a binary number 2.6755 lies below the half; its product with 1000 does not.
        (lambda media: media[0].update(start_s=2.6755), "refuse"),
        (lambda media: media[0].update(start_s=2.676), "pass"),
        (lambda media: media[0].update(role="reference"), "pass"),
        (lambda media: media[0].update(times_s=[]), "refuse"),
        (lambda media: media[0].update(times_s=[2.675, 3.0]), "pass"),
        (lambda media: media[0].update(overlays=[BOX]), "pass"),
        (lambda media: media[0].update(content="other files"), "pass"),
        (lambda media: media[0].update(recording_id="copy"), "refuse"),
        (lambda media: media.pop(), "pass"),
        (lambda media: media.append(media[1]), "pass"),
    ],
)
def test_what_shows_the_same_is_told_by_content(
    change: Callable[[list[Row]], None], verdict: str
) -> None:
    rows = clips_set(4)
    rows[0]["media"][0]["start_s"] = 2.675
    rows[1]["media"] = [dict(m) for m in rows[0]["media"]]
    change(rows[1]["media"])
    assert judged(rows)["duplicates"]["verdict"] == verdict


def test_a_time_that_is_no_number_equals_nothing() -> None:
    rows = clips_set(4)
    rows[0]["media"][0]["start_s"] = float("nan")
    rows[1]["media"] = [dict(m) for m in rows[0]["media"]]
    said = judged(rows)
    assert said["duplicates"]["verdict"] == "pass"
    assert said["clip_length_shortcut"]["verdict"] == "unknown"


def test_overlays_are_told_apart() -> None:
    rows = clips_set(4)
    rows[1]["media"] = [dict(m) for m in rows[0]["media"]]
    for r, colour in zip(rows, ("red", "blue"), strict=False):
        r["media"][0]["overlays"] = [BOX | {"colour": colour}]
    assert judged(rows)["duplicates"]["verdict"] == "pass"
    rows[1]["media"][0]["overlays"] = [dict(BOX)]
    assert judged(rows)["duplicates"]["verdict"] == "refuse"


def test_splits_elsewhere_only_warn() -> None:
    listed = TABLES["splits"].frame(
        [
            {"source": "s", "split_set": "x", "recording_id": "r3", "split": split, "position": 0}
            for split in ("train", "test")
        ]
    )
    assert judged(words_set(), splits=listed)["split_leakage"]["verdict"] == "warn"


def test_a_recording_that_is_tuned_on_is_refused() -> None:
    assert judged(words_set(), tuning=["r3"])["tuning_leakage"]["verdict"] == "refuse"
    assert judged(words_set(), tuning=["r99"])["tuning_leakage"]["verdict"] == "pass"


def test_too_few_questions_are_unknown_not_passed() -> None:
    rows = words_set(12)
    for r in rows:
        put_answer(r, 0)  # as biased as can be
    said = judged(rows)
    for check in (
        "position_balance",
        "length_balance",
        "effective_chance",
        "option_frequency",
        "sorted_options",
        "clusters",
    ):
        assert said[check]["verdict"] == "unknown", said[check]


def test_sets_are_judged_apart_and_none_is_nothing() -> None:
    fair, biased = words_set(), words_set()
    answers_are_always_c(biased)
    for r in biased:
        r["subtask"] = "u"
    made = check_sets(TABLES["questions"].frame([*fair, *biased]))
    position = made.filter(pl.col("check") == "position_balance")
    assert dict(position.select("subtask", "verdict").iter_rows()) == {"t": "pass", "u": "refuse"}
    assert check_sets(TABLES["questions"].empty()).is_empty()


def test_order_of_rows_moves_nothing() -> None:
    rows = words_set(60)
    assert judged(rows) == judged(rows[::-1])
