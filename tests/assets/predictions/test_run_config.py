"""Runs: what a configuration may say of servers, keys and code."""

from __future__ import annotations

from typing import Any

import pytest

from assets.protocols.declared import default_protocols
from resources.models.protocol import read_protocols
from resources.models.runs import RunConfig, read_runs


def run(**settings: Any) -> RunConfig:
    return read_runs(
        {"r": {"engine": "openai_server", "protocol": "direct", **settings}}, default_protocols()
    )["r"]


def test_settings_of_a_server() -> None:
    made = run(base_url="http://127.0.0.1:8000/v1", api_key_env="MY_KEY", concurrency=8)
    assert (made.base_url, made.api_key_env, made.concurrency) == (
        "http://127.0.0.1:8000/v1",
        "MY_KEY",
        8,
    )
    assert made.trust_remote_code is False


def test_an_engine_that_groups_prompts_by_itself_may_be_handed_many() -> None:
    made = run(engine="vllm", python="/opt/vllm/bin/python", model="m", concurrency=1024)
    assert made.concurrency == 1024
    with pytest.raises(ValueError, match="only engine `vllm` with `python`"):
        run(engine="vllm", base_url="http://127.0.0.1:8000/v1", concurrency=1024)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"concurrency": 0}, "concurrency = 0 is not a whole number from 1 to 1024"),
        (
            {"concurrency": 65},
            "concurrency = 65 is more than 64, which only engine `vllm` with `python`",
        ),
        ({"concurrency": True}, "concurrency = true is not a whole number from 1 to 1024"),
        ({"concurrency": 2.0}, "concurrency = 2.0 is not a whole number from 1 to 1024"),
        ({"trust_remote_code": "no"}, 'trust_remote_code = "no" is not true or false'),
        ({"base_url": "ftp://host/v1"}, "not an http"),
        ({"base_url": "127.0.0.1:8000"}, "not an http"),
        ({"base_url": "http:///v1"}, "not an http"),
        ({"base_url": "https://me:secret@host/v1"}, "holds a login"),
        ({"base_url": "https://host/v1?key=secret"}, "holds a login"),
        ({"api_key_env": "sk-proj-secret"}, "is not the name of an environment variable"),
    ],
)
def test_bad_settings_are_refused(settings: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said) as raised:
        run(**settings)
    assert "secret" not in str(raised.value), "what may be a key is not repeated"


@pytest.mark.parametrize("encoding", ["png", "jpeg", "jpeg-0", "jpeg-96", "jpeg-100"])
def test_unknown_encodings_are_refused(encoding: str) -> None:
    text = (
        '[x]\nversion=1\nabout=""\nprompt="letter.j2"\nanswer_by="letter"\n'
        f'reads_option_text=false\nencoding="{encoding}"'
    )
    with pytest.raises(ValueError, match="encoding"):
        read_protocols(text)
