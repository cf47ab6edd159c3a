"""Which English texts can be translations of a Chinese narration."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from assets.translations.check import RULES, broken_rule, tidy

CUT = "左手按住黄瓜，右手拿刀将黄瓜切成片。"


@pytest.mark.parametrize(
    ("original", "text", "rule"),
    [
        (CUT, "The left hand holds the cucumber and the right hand slices it with a knife.", None),
        (CUT, "", "empty"),
        (CUT, "  \n", "empty"),
        (CUT, None, "empty"),
        (CUT, "I'm sorry, but I can't help with the left hand or the right hand.", "refused"),
        (CUT, "I am unable to translate this text, left hand and right hand included.", "refused"),
        (CUT, "Please provide the sentence you want translated.", "refused"),
        (CUT, "The left hand holds the 黄瓜 and the right hand slices it.", "untranslated"),
        (CUT, CUT, "untranslated"),
        (CUT, "The left hand holds the cucumber.\nThe right hand slices it.", "several_lines"),
        (CUT, "Cut.", "length"),
        (CUT, "The left hand and the right hand cut. " * 20, "length"),
        (CUT, "!!!", "length"),
        (CUT, "The right hand slices the cucumber that it holds with a knife.", "hand_lost"),
        (CUT, "Hold the cucumber with the left hand and slice it with a knife.", "hand_lost"),
        ("右手拿杯子放下", "The left hand puts down the cup in the right hand.", "hand_invented"),
        ("拿起杯子放下", "Both hands pick up the cup and put it down.", "hand_invented"),
        ("拿起杯子放下", "Pick up the cup and put it down.", None),
        ("左手拿右边的杯子", "The left hand takes the cup on the right.", None),
        ("双手端起锅", "Both hands lift the pot.", None),
        ("两只手端起锅", "Lift the pot with two hands.", None),
        ("双手端起锅", "Lift the pot.", "hand_lost"),
        ("双手各拿一只筷子", "The left and right hand each hold a chopstick.", None),
        ("左右手配合掰开青椒", "Using both hands, break the green pepper apart.", None),
        ("左手和右手拿起锅", "The left and right hands pick up the pot.", None),
        ("用右手焯水15分钟", "Blanch it for 15 minutes with your right hand.", None),
        ("用右手焯水15分钟", "Blanch it for 50 minutes with your right hand.", "numbers"),
        ("切成3公分宽的条", "Cut it into strips three centimeters wide.", None),
        ("第2次搅拌试剂", "Stir the reagent for the second time.", None),
        ("加入1.50毫升水", "Add 1.5 milliliters of water.", None),
        ("加入1500毫升水", "Add 1,500 milliliters of water.", None),
        ("放入1个鸡蛋搅拌", "Put in an egg and stir.", None),
        ("Il prend la tasse", "He takes the cup.", None),
    ],
)
def test_first_broken_rule(original: str, text: str | None, rule: str | None) -> None:
    assert broken_rule(original, text) == rule
    assert rule is None or rule in RULES


def test_a_reply_cut_at_its_limit_is_none() -> None:
    text = "The left hand holds the cucumber and the right hand slices it with a"
    assert broken_rule(CUT, text, "length") == "cut_short"
    assert broken_rule(CUT, text, "stop") is None


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ('  "Take the cup."\n', "Take the cup."),
        ("Translation: Take the cup.", "Take the cup."),
        ("English translation:\nTake it.", "Take it."),
        ("\u201cTake the cup.\u201d", "Take the cup."),
        ('"Take" the "cup"', '"Take" the "cup"'),
        ("Take the person's cup.", "Take the person's cup."),
    ],
)
def test_tidy_takes_off_what_is_about_the_text(reply: str, text: str) -> None:
    assert tidy(reply) == text


def test_released_pairs_pass_and_other_sentences_do_not(shared: Path) -> None:
    """Released English, read against the Chinese beside it: faults found are faults.

    Of 3,204 pairs 12 break a rule (a hand lost or swapped, a stray number), all of them read.
    """
    path = shared / "data/egoexolearn/association_benchmark/annotations/exo_train.csv"
    with path.open(encoding="utf-8-sig", newline="") as handle:
        pairs = [(r["narration_ch"], r["narration_en"]) for r in csv.DictReader(handle)]
    broken = [pair for pair in pairs if broken_rule(*pair)]
    assert len(broken) <= 0.005 * len(pairs)
    texts = [text for _, text in pairs]
    half = len(pairs) // 2
    other = list(zip((o for o, _ in pairs), texts[half:] + texts[:half], strict=True))
    found = sum(broken_rule(*pair) is not None for pair in other)
    assert found > 0.6 * len(pairs)
