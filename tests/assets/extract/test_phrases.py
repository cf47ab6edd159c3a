"""Phrases of commitment, each with options named in every way: the letter read does not depend on how an option is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assets.extract.letters import read_reply

PHRASES = Path(__file__).parent / "phrases"
TEXTS = {
    "en": ("wash the carrot", "pick up the knife", "open the drawer", "turn on the tap"),
    "zh": ("打开冰箱", "洗手", "切洋葱", "倒水"),
    "ja": ("冷蔵庫を開ける", "手を洗う", "玉ねぎを切る", "水を注ぐ"),
    "ko": ("칼을 집는다", "물을 따른다", "문을 연다", "손을 씻는다"),
    "es": ("lavar la zanahoria", "coger el cuchillo", "abrir el cajón", "abrir el grifo"),
    "fr": ("laver la carotte", "prendre le couteau", "ouvrir le tiroir", "ouvrir le robinet"),
    "de": ("die Karotte waschen", "das Messer nehmen", "die Schublade öffnen", "den Hahn aufdrehen"),
}  # fmt: skip
NOUNS = {
    "zh": "选项",
    "ja": "選択肢",
    "ko": "선택지 ",
    "es": "la opción ",
    "fr": "l'option ",
    "de": "Option ",
}
LEAST = {"en": 0.99, "zh": 0.99, "ja": 0.99, "ko": 0.99, "es": 0.97, "fr": 0.97, "de": 0.98}
# The chosen option, and two others.
NAMED = (("B", "A", "C"), ("A", "D", "B"))


@pytest.mark.parametrize("language", TEXTS)
def test_phrases_of_commitment(language: str) -> None:
    texts = TEXTS[language]
    by_letter = dict(zip("ABCD", texts, strict=True))
    noun = NOUNS.get(language, "option ")
    names: dict[str, Callable[[str], str]] = {
        "letter": lambda letter: letter,
        "noun": lambda letter: noun + letter,
        "letter and text": lambda letter: f"{letter}. {by_letter[letter]}",
        "text": lambda letter: by_letter[letter],
    }
    lines = (PHRASES / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    phrases = [line.replace("\\n", "\n") for line in lines]
    wrong: list[str] = []
    n = right = 0
    for phrase in phrases:
        for name in names.values():
            for chosen, other, third in NAMED:
                reply = phrase.replace("{X}", name(chosen))
                reply = reply.replace("{Y}", name(other)).replace("{Z}", name(third))
                letter = read_reply(reply, "ABCD", texts).letter
                n += 1
                right += letter == chosen
                if letter not in (None, chosen):
                    wrong.append(reply)
    assert len(phrases) > 70
    assert not wrong, wrong
    assert right / n >= LEAST[language]
