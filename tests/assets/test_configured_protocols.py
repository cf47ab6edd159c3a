"""Protocols that a configuration defines or derives."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.protocols.declared import all_protocols, default_protocols, protocol_of
from assets.protocols.rendering import build_prompt
from resources.config import Settings, load_settings

TEXT = """
store = "tables"

[protocols.more]
extends = "long"
temperature = 1

[protocols.long]
extends = "egoprox_cot"
max_tokens = 4096

[protocols.eyeless]
extends = "egoprox_cot"
sampling = "none"
system = "none"

[protocols.own_words]
prompt = "mine.j2"
about = "Our words."

[benchmarks.egoprox]
sources = []
protocol = "more"

[runs.r]
engine = "tiny-vlm"
protocol = "own"
max_tokens = 64
system_prompt = "Be {{ brief }}."
"""
QUESTION = {
    "question_id": "q",
    "question_hash": "h",
    "source": "s",
    "text": "What is done?",
    "media": [],
    "options": [{"letter": x, "text": f"words of {x}", "segment_id": None} for x in "AB"],
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "parallax.toml").write_text(TEXT)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "mine.j2").write_text("Mine: {{ question }}")
    return load_settings(tmp_path / "parallax.toml")


def test_a_derived_protocol_keeps_what_it_does_not_set(settings: Settings) -> None:
    found, base = all_protocols(settings), default_protocols()["egoprox_cot"]
    more = found["more"]
    assert (more.label, more.max_tokens, more.temperature) == ("more/1", 4096, 1.0)
    assert (more.prompt, more.system, more.sampling) == (base.prompt, base.system, base.sampling)
    assert more.about == "As `long`, with temperature = 1."
    assert found.keys() - default_protocols().keys() == {"more", "long", "eyeless", "own_words"}


def test_media_and_system_prompt_can_be_left_out(settings: Settings) -> None:
    eyeless = all_protocols(settings)["eyeless"]
    assert not eyeless.sends_media
    assert build_prompt(QUESTION, eyeless, "m").system == ""


def test_templates_lie_beside_the_configuration(settings: Settings) -> None:
    mine = all_protocols(settings)["own_words"]
    assert build_prompt(QUESTION, mine, "m").text == "Mine: What is done?"


def test_a_run_is_asked_with_its_own_settings(settings: Settings) -> None:
    protocol = protocol_of(settings, "egoprox", settings.runs["r"])
    assert (protocol.name, protocol.max_tokens, protocol.temperature) == ("more", 64, 1.0)
    assert protocol.system_text == "Be {{ brief }}.", "a text, and no template"
