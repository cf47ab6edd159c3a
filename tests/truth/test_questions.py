"""Pairs and questions against what was truly done in the clips they show."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from resources.worlds import FineAction, Recording
from resources.worlds.household.scene import meaning
from tests.truth.household import WORLD, Household
from tests.truth.times import camera

FINE: dict[str, tuple[Recording, FineAction]] = {
    f"fine:{f.annotation_id}": (r, f) for r in WORLD.recordings for f in r.fine
}
# A letter is right about as often as chance says: 4.5 standard deviations, one in 150 000.
SIGMAS = 4.5


@pytest.fixture(scope="module")
def questions(household: Household) -> list[dict[str, Any]]:
    return household.table("questions").to_dicts()


def _done(segment: str) -> tuple[frozenset[tuple[str, str, tuple[tuple[str, str], ...]]], ...]:
    """What was truly done: clauses with verb, object and prepositional nouns."""
    _, fine = FINE[segment]
    return (frozenset((c.verb, c.obj, c.preps) for c in fine.action.clauses),)


def _segment(question: dict[str, Any], role: str) -> str:
    (found,) = {m["segment_id"] for m in question["media"] if m["role"] == role}
    return found


def test_there_are_questions_of_every_kind(questions: list[dict[str, Any]]) -> None:
    counts = Counter((q["subtask"], q["split"]) for q in questions)
    for direction in ("ego2exo", "exo2ego"):
        for k in (5, 20):
            assert counts[f"association_{direction}_k{k}", "test"] > 100
            assert counts[f"association_{direction}_k{k}", "val"] > 10


def test_the_answer_is_the_same_action_elsewhere(questions: list[dict[str, Any]]) -> None:
    for q in questions:
        query = _segment(q, "query")
        answer = _segment(q, f"option_{q['answer']}")
        (asked, _), (shown, _) = FINE[query], FINE[answer]
        assert _done(query) == _done(answer), (FINE[query][1], FINE[answer][1])
        assert {asked.view, shown.view} == {"ego", "exo"}
        assert f"association_{asked.view}2{shown.view}" in q["subtask"]
        assert asked.uid != shown.uid
        assert (asked.task, asked.split) == (shown.task, shown.split)
        if asked.scene == "kitchen":  # there is one laboratory
            assert asked.home != shown.home or asked.split == "val"


def test_every_distractor_is_another_action(questions: list[dict[str, Any]]) -> None:
    for q in questions:
        query = _segment(q, "query")
        answer, _ = FINE[_segment(q, f"option_{q['answer']}")]
        said = [o for o in q["options"] if o["is_answer"]]
        assert [o["letter"] for o in said] == [q["answer"]]
        for option in q["options"]:
            rec, _ = FINE[option["segment_id"]]
            assert rec.uid == answer.uid, "an option from another video tells itself apart"
            assert option["segment_id"] == _segment(q, f"option_{option['letter']}")
            if not option["is_answer"]:
                assert _done(option["segment_id"]) != _done(query)
                assert FINE[option["segment_id"]][1].sets != FINE[query][1].sets
        shown = [o["segment_id"] for o in q["options"]]
        assert len(shown) == len(set(shown)) == int(q["subtask"].rpartition("k")[2])


def test_false_friends_are_known(questions: list[dict[str, Any]]) -> None:
    """One word, two things (a pepper and pepper): words cannot tell, so the sample holds a few."""
    friends = {
        (_segment(q, "query"), _segment(q, f"option_{q['answer']}"))
        for q in questions
        if not _same_things(_segment(q, "query"), _segment(q, f"option_{q['answer']}"))
    }
    for pair in friends:
        for segment in pair:
            rec, fine = FINE[segment]
            assert rec.task == "task3"
            assert "pepper" in fine.action.nouns
    assert 1 <= len(friends) <= 0.03 * len(questions)


def _same_things(query: str, answer: str) -> bool:
    (a, fine_a), (b, fine_b) = FINE[query], FINE[answer]
    return {meaning(a, n) for n in fine_a.action.nouns} == {
        meaning(b, n) for n in fine_b.action.nouns
    }


def test_every_possible_pair_is_found(household: Household) -> None:
    """Candidates are exactly the pairs of one task and split that truly have the same sets."""
    rows = household.table("candidates")
    told = set(rows.select("ego_segment_id", "exo_segment_id").iter_rows())
    views = {
        view: [(s, r, f) for s, (r, f) in FINE.items() if r.view == view] for view in ("ego", "exo")
    }
    true = {
        (ego, exo)
        for ego, r, f in views["ego"]
        for exo, r2, f2 in views["exo"]
        if (r.task, r.split, f.sets) == (r2.task, r2.split, f2.sets)
        and min(f.end_s - f.start_s, f2.end_s - f2.start_s) >= 0.5
    }
    assert told == true


def test_clips_lie_inside_their_video_and_hold_their_action(
    household: Household, questions: list[dict[str, Any]]
) -> None:
    for q in questions:
        for medium in q["media"]:
            rec, fine = FINE[medium["segment_id"]]
            assert medium["recording_id"] == rec.uid
            end = camera(rec).seen_s[-1]
            assert 0 <= medium["start_s"] < medium["end_s"] <= end + 1.5 / rec.fps
            # The action as it truly was, in the camera's seconds; annotators are off by 0.2 s.
            begin, finish = rec.video_time(fine.begin_s), rec.video_time(fine.finish_s)
            assert medium["start_s"] <= begin + 0.25
            assert medium["end_s"] >= finish - 0.25
            assert medium["end_s"] - medium["start_s"] <= max(2.0, finish - begin + 0.5) + 1e-9
            # Never reaching into another action beyond the annotators' hand.
            middle = (medium["start_s"] + medium["end_s"]) / 2
            assert begin - 0.3 <= middle <= finish + 0.3


def test_five_options_are_the_twentys_best(questions: list[dict[str, Any]]) -> None:
    ids: dict[tuple[str, str, str], dict[str, set[str]]] = {}
    for q in questions:
        stem, _, k = q["subtask"].rpartition("_")
        key = (stem, _segment(q, "query"), _segment(q, f"option_{q['answer']}"))
        ids.setdefault(key, {})[k] = {o["segment_id"] for o in q["options"]}
    for sets in ids.values():
        assert sets["k5"] < sets["k20"]


def test_ranks_are_kept(household: Household, questions: list[dict[str, Any]]) -> None:
    pairs = {
        (p["direction"], p["query_segment_id"], p["positive_segment_id"]): p["negative_segment_ids"]
        for p in household.table("pairs").to_dicts()
    }
    for q in questions:
        _, direction, k = q["subtask"].split("_")
        key = (direction, _segment(q, "query"), _segment(q, f"option_{q['answer']}"))
        negatives = {o["segment_id"] for o in q["options"] if not o["is_answer"]}
        assert negatives == set(pairs[key][: int(k[1:]) - 1])


@pytest.mark.parametrize("k", [5, 20])
def test_answers_stand_anywhere(questions: list[dict[str, Any]], k: int) -> None:
    letters = Counter(q["answer"] for q in questions if q["subtask"].endswith(f"_k{k}"))
    n, chance = letters.total(), 1 / k
    slack = SIGMAS * math.sqrt(n * chance * (1 - chance))
    for letter in "ABCDEFGHIJKLMNOPQRST"[:k]:
        assert abs(letters[letter] - n * chance) <= slack, letters


def test_answers_are_not_the_earliest_or_longest(questions: list[dict[str, Any]]) -> None:
    """The answer's place in time among the options is no better guess than chance allows."""
    twenty = [q for q in questions if q["subtask"].endswith("_k20")]
    places: Counter[int] = Counter()
    for q in twenty:
        order = sorted(q["options"], key=lambda o: FINE[o["segment_id"]][1].begin_s)
        places[next(i for i, o in enumerate(order) if o["is_answer"])] += 1
    assert max(places.values()) <= len(twenty) * 0.05 + SIGMAS * math.sqrt(len(twenty) * 0.05)


def test_no_question_mixes_splits_and_training_is_never_asked(
    questions: list[dict[str, Any]],
) -> None:
    for q in questions:
        splits = {FINE[m["segment_id"]][0].split for m in q["media"]}
        assert splits == {q["split"]}
        assert splits <= {"val", "test"}
    pools = {q["pool"] for q in questions}
    assert len(pools) == 6
    assert not [p for p in pools if "train" in p]


def test_text_tells_nothing_of_the_action(questions: list[dict[str, Any]]) -> None:
    assert len({q["text"] for q in questions}) == 4
    for q in questions[::20]:
        _, fine = FINE[_segment(q, "query")]
        assert fine.narration.text not in q["text"]
