"""The plan of the household: enough of everything, each recording independent of the others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

from resources.worlds import HouseholdSpec, World, plan
from resources.worlds.household.plan import plan_kitchens
from resources.worlds.household.scene import look
from resources.worlds.household.words import (
    COARSE,
    NOUN_ID,
    NOUNS,
    VERB_ID,
    VERBS,
    noun_group,
    taxonomy_rows,
    verb_forms,
)


@pytest.fixture(scope="module")
def world() -> World:
    return plan(HouseholdSpec(render="none"))


def test_is_repeatable_and_seeded() -> None:
    spec = HouseholdSpec(ego=2, exo=1, render="none")
    assert plan(spec) == plan(spec)
    other = plan(HouseholdSpec(ego=2, exo=1, seed="another", render="none"))
    assert {r.uid for r in other.recordings}.isdisjoint(r.uid for r in plan(spec).recordings)


def test_more_recordings_change_none(world: World) -> None:
    more = plan(HouseholdSpec(ego=19, exo=11, render="none"))
    by_uid = {r.uid: r for r in more.recordings}
    assert len(by_uid) == 30
    assert all(by_uid[r.uid] == r for r in world.recordings)


def test_recordings_have_enough_of_everything(world: World) -> None:
    for rec in world.recordings:
        assert len(rec.coarse) >= 12
        assert len(rec.fine) >= 26
        assert 45 <= rec.duration_s <= 85
        # Negatives: at least 20 clips of one recording that mean different things.
        assert len({f.sets for f in rec.fine}) >= 20
        assert max(Counter(f.sets for f in rec.fine).values()) == 1
        for fine in rec.fine:
            assert 0 <= fine.start_s < fine.end_s <= rec.video_time(rec.duration_s) + 0.2
    tasks = {r.task for r in world.recordings}
    assert len(tasks) >= 6
    assert {r.home for r in world.recordings} == {"a", "b", "c", "lab"}
    assert {r.performer.skill for r in world.recordings} == {0, 1, 2, 3}
    assert {r.split for r in world.recordings} == {"train", "val", "test"}
    assert {r.form for r in world.recordings} == {"native", "cloud", "released"}
    assert sum(r.gap_s is not None for r in world.recordings) == 1


def test_views_share_sets_within_task_and_split(world: World) -> None:
    shared: dict[tuple[str, str], list[int]] = defaultdict(list)
    for ego in (r for r in world.recordings if r.view == "ego"):
        for exo in (r for r in world.recordings if r.view == "exo"):
            if (ego.task, ego.split) == (exo.task, exo.split):
                both = {f.sets for f in ego.fine} & {f.sets for f in exo.fine}
                shared[ego.task, ego.split].append(len(both))
    assert all(min(counts) >= 4 for counts in shared.values())
    assert len([task for task, split in shared if split == "test"]) >= 4


def test_followers_watch_the_same_task_in_another_kitchen(world: World) -> None:
    for uid, demonstrations in world.follows.items():
        follower = world.of(uid)
        assert demonstrations
        for demonstration in map(world.of, demonstrations):
            assert demonstration.task == follower.task
            assert follower.scene == "lab" or demonstration.home != follower.home


def test_kitchens_are_the_households_without_the_eye_tracker() -> None:
    spec = HouseholdSpec(11, 7, "kitchens", "none")
    kitchens = plan_kitchens(spec)
    assert Counter(r.view for r in kitchens.recordings) == {"ego": 7, "exo": 4}
    assert {(r.scene, r.split, r.form, r.quirk) for r in kitchens.recordings} == {
        ("kitchen", "test", "released", "")
    }
    # The same is done in them; times follow the clock, which only the eye tracker has beside.
    whole = plan(spec)
    for rec in kitchens.recordings:
        assert [f.action for f in rec.fine] == [f.action for f in whole.of(rec.uid).fine]
    homes: dict[str, set[str]] = defaultdict(set)
    for rec in kitchens.recordings:
        homes[rec.task].add(rec.home)
    assert len(homes) == 4 and all(len(found) > 1 for found in homes.values())
    for uid, shown in kitchens.follows.items():
        assert set(shown) == {
            one for one in whole.follows[uid] if one in {r.uid for r in kitchens.recordings}
        }


def test_coarse_steps_overlap_and_leave_gaps(world: World) -> None:
    spaces = [
        later.start_s - earlier.end_s
        for rec in world.recordings
        for earlier, later in zip(rec.coarse, rec.coarse[1:], strict=False)
    ]
    assert sum(s < 0 for s in spaces) > 20
    assert sum(s > 0.3 for s in spaces) > 20


def test_a_rare_coarse_class_and_a_verb_of_one_view() -> None:
    many = plan(HouseholdSpec(ego=250, exo=60, render="none"))
    steps = Counter(c.name for r in many.recordings for c in r.coarse)
    assert set(steps) == set(COARSE)
    assert 0 < steps["Mop up a spill"] < max(steps.values()) / 100
    seen = {v: {f for r in many.recordings if r.view == v for a in r.fine for f in a.action.verbs}
            for v in ("ego", "exo")}  # fmt: skip
    assert seen["exo"] - seen["ego"] == {"show"}
    assert seen["ego"] - seen["exo"] == {"touch"}


def _says(text: str, terms: list[str]) -> bool:
    return any(re.search(rf"\b{re.escape(t)}\b", text.lower()) for t in terms)


def test_narrations_name_what_the_truth_says(world: World) -> None:
    for rec in world.recordings:
        for fine in rec.fine:
            told = fine.narration
            for mention in told.mentions:
                group = verb_forms if mention.kind == "verb" else noun_group
                for text in (told.text, told.hand_prompt, told.no_hand_prompt):
                    assert _says(text, group(mention.key)), (text, mention)
            verbs = {m.key for m in told.mentions if m.kind == "verb"}
            nouns = {m.key for m in told.mentions if m.kind == "noun"}
            assert (verbs, nouns) == fine.sets
            named = {m.hand for m in told.mentions} - {"unspecified"}
            for hand in named:
                word = "both hands" if hand == "both" else f"{hand} hand"
                assert word in told.text.lower()
            if not named:
                assert " hand" not in told.text.lower()
            assert "hand" not in told.no_hand_prompt.lower()


def test_narrations_vary_and_carry_traps(world: World) -> None:
    texts = [f.narration.text for r in world.recordings for f in r.fine]
    assert len(set(texts)) > 0.6 * len(texts)
    for pattern in (
        r"while the (left|right) hand", r"^Use your ", r"^Use both hands", r"^(With|In) my ",
        r"on the (left|right) side\.", r"is left to simmer", r"^I am ",
        r"hand passes [a-z ]+ to the \w+ hand",
        r" cuts? it with| slices? it with| chops? it with", r"cutting board",
    ):  # fmt: skip
        assert any(re.search(pattern, t) for t in texts), pattern


def test_false_friend_means_two_things(world: World) -> None:
    looks = {
        rec.view: look(rec, "pepper").shape
        for rec in world.recordings
        if any(f.sets == (frozenset({"add"}), frozenset({"pepper", "pan"})) for f in rec.fine)
    }
    assert looks == {"ego": "bell", "exo": "shaker"}


@pytest.mark.parametrize(("kind", "keys"), [("verb", VERBS), ("noun", NOUNS)])
def test_taxonomy_terms_name_one_class(kind: str, keys: tuple[str, ...]) -> None:
    rows = taxonomy_rows(kind)
    assert len(rows) == len(keys)
    assert all(re.fullmatch(r"\[('[a-z ]+'(, )?)+\]", group) for _, group in rows)
    terms = Counter(t for _, group in rows for t in re.findall(r"'([^']+)'", group))
    assert max(terms.values()) == 1
    assert (VERB_ID if kind == "verb" else NOUN_ID)[keys[3]] == 3


def test_taxonomy_refuses_another_kind() -> None:
    with pytest.raises(ValueError, match="neither 'verb' nor 'noun'"):
        taxonomy_rows("adverb")


@pytest.mark.parametrize("wrong", [{"ego": -1}, {"exo": 10**6}, {"render": "huge"}])
def test_spec_refuses_nonsense(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"need|use"):
        HouseholdSpec(**wrong)  # pyright: ignore[reportArgumentType]
