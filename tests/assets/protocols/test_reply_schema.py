"""JSON schemas that protocols hold replies to: part of the call, and only where one is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assets.protocols.declared import default_protocols
from assets.protocols.rendering import build_prompt, reply_schema
from resources.config_keys import ConfigError

QUESTION = {
    "question_id": "q",
    "question_hash": "h",
    "source": "s",
    "text": "Which?",
    "options": [{"letter": x, "text": x * 3, "segment_id": None} for x in "AB"],
    "media": [],
}
PLAIN = default_protocols()["blind"]


def test_a_schema_is_sent_and_makes_another_call(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    file = tmp_path / "prompts" / "answer.json"
    file.write_text('{"type": "object",\n "properties": {}}')
    held = replace(PLAIN, json_schema="answer.json", folders=(tmp_path,))
    free, first = build_prompt(QUESTION, PLAIN, "m"), build_prompt(QUESTION, held, "m")
    assert (free.json_schema, first.json_schema) == ("", '{"properties":{},"type":"object"}')
    assert free.key != first.key
    # White space in the file is no other schema; another schema is another call.
    file.write_text('{"properties":{},"type":"object"}')
    assert build_prompt(QUESTION, held, "m").key == first.key
    file.write_text('{"type": "object"}')
    assert build_prompt(QUESTION, held, "m").key != first.key


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "is not in any folder"), ("{", "is not JSON"), ("[1]", "is not an object")],
)
def test_a_file_that_is_no_schema_is_named(tmp_path: Path, text: str | None, said: str) -> None:
    (tmp_path / "prompts").mkdir()
    if text is not None:
        (tmp_path / "prompts" / "answer.json").write_text(text)
    held = replace(PLAIN, json_schema="answer.json", folders=(tmp_path,))
    with pytest.raises(ConfigError, match=said):
        reply_schema(held)
