"""Questions about daily life are sorted as the paper's keyword table and priority order say."""

from __future__ import annotations

import pytest

from assets.scores.domain_gap.sorting import (
    COLUMNS,
    UNSORTED,
    InvalidRounds,
    Sorted,
    read_rounds,
    read_rules,
    sort_questions,
)

RULES = read_rules()
HEADER = ",".join(COLUMNS)


def category(text: str) -> str:
    return sort_questions({"q": text}, RULES)["q"].category


# Questions in the manner of EgoSchema; the category follows from Table 6 by hand.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What will happen after C washes the pan?", "next_action"),
        (
            "Taking into account all the actions, what can you deduce about C?",
            "inference_prediction",
        ),
        ("How many cups does C fill during the video?", "object_counting"),
        ("At what time does C open the door?", "action_localisation"),
        ("When did the cutting of the tomatoes start?", "action_localisation"),
        ("In which region of the room does C work most?", "object_localisation"),
        ("What was the main tool in this video?", "dominant_object"),
        ("Assess the effectiveness of the various tools.", "dominant_object"),
        ("How do the tools contribute to the outcome?", "dominant_object"),
        ("Which key steps did C follow?", "action_sequence_identification"),
        ("What is the interaction between C and the lady?", "interaction_identification"),
        ("Which was the most critical moment of the video?", "special_action_identification"),
        ("Which sport does C practise?", "sport_animal_or_not_visible"),
        ("Summarize what C does.", "action_state_identification"),
        ("Why does C smile?", UNSORTED),
    ],
)
def test_a_question_belongs_where_the_table_says(text: str, expected: str) -> None:
    assert category(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Prediction before counting before localisation before identification.
        ("Compare how many cups C fills.", "inference_prediction"),
        ("How many key steps are there before the end?", "object_counting"),
        ("What was the main tool before the sequence of actions?", "action_localisation"),
        # Dominant object before action sequence before interaction before special action.
        ("Which main tool was part of the key steps?", "dominant_object"),
        ("Which key steps shape their relationship?", "action_sequence_identification"),
        ("Which interaction between them was pivotal?", "interaction_identification"),
        ("Describe the most important part.", "special_action_identification"),
    ],
)
def test_the_first_category_in_order_of_priority_takes_a_question(text: str, expected: str) -> None:
    assert category(text) == expected


@pytest.mark.parametrize(
    "text", ["Whose petals are these?", "What does C describes' d?", "Which steps are keyed?"]
)
def test_keywords_are_whole_words(text: str) -> None:
    assert category(text) == UNSORTED


def test_the_rules_are_those_of_the_paper() -> None:
    counts = {one.name: one.printed for one in RULES.categories}
    assert sum(count or 0 for count in counts.values()) == 468
    assert [one.subtask for one in RULES.aligned] == [
        "special_action_identification",
        "interaction_identification",
        "action_localisation",
        "action_sequence_identification",
        "next_action",
    ]
    # Table 5: 193 questions of the five kinds, and 73.58 % of these right.
    n = [counts[one.subtask] or 0 for one in RULES.aligned]
    right = sum(k * one.printed_daily for k, one in zip(n, RULES.aligned, strict=True))
    assert (sum(n), round(right / sum(n), 2)) == (193, 73.58)


def rounds(*rows: str) -> str:
    return "\n".join((HEADER, *rows)) + "\n"


def test_rounds_change_keywords_and_place_questions() -> None:
    texts = {
        "q1": "Why does C smile?",
        "q2": "How many cups?",
        "q3": "What happens during the meal?",
    }
    changes = read_rounds(
        rounds(
            "2,place_question,q2,,ann,it asks why",
            "1,add_keyword,smile,interaction_identification,ann,",
            "1,remove_keyword,during,action_localisation,bob,too wide",
            "3,place_question,q1,next_action,bob,",
        ),
        RULES,
    )
    assert [change.round for change in changes] == [1, 1, 2, 3]
    assert sort_questions(texts, RULES, changes) == {
        "q1": Sorted("next_action", round=3),
        "q2": Sorted(UNSORTED, round=2),
        "q3": Sorted(UNSORTED),
    }
    assert sort_questions(texts, RULES, changes[:2])["q1"] == Sorted(
        "interaction_identification", "smile"
    )


def test_a_later_round_decides() -> None:
    changes = read_rounds(
        rounds("2,place_question,q,next_action,ann,", "1,place_question,q,object_counting,ann,"),
        RULES,
    )
    assert sort_questions({"q": "?"}, RULES, changes)["q"] == Sorted("next_action", round=2)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0,place_question,q,next_action,ann,", "row 2: round '0'"),
        ("one,place_question,q,next_action,ann,", "round 'one'"),
        ("1,move,q,next_action,ann,", "unknown change 'move'"),
        ("1,place_question,q,cooking,ann,", "unknown category 'cooking'"),
        ("1,add_keyword,stir,,ann,", "unknown category ''"),
        ("1,place_question,,next_action,ann,", "what is empty"),
        ("1,place_question,q,next_action,,", "reviewer is empty"),
        ("1,add_keyword,how many,object_counting,ann,", "already has the keyword"),
        ("1,remove_keyword,stir,object_counting,ann,", "does not have the keyword"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused(row: str, message: str) -> None:
    with pytest.raises(InvalidRounds, match=message):
        sort_questions({}, RULES, read_rounds(rounds(row), RULES))


def test_one_round_decides_once() -> None:
    row = "1,place_question,q,next_action,ann,"
    with pytest.raises(InvalidRounds, match="row 3: round 1 decides about 'q' in row 2"):
        read_rounds(rounds(row, row.replace("next_action", "object_counting")), RULES)
    with pytest.raises(InvalidRounds, match="the columns are"):
        read_rounds("round,what\n1,q\n", RULES)
