"""Secrets in texts, in the forms in which other programs repeat them."""

from __future__ import annotations

import base64
import html
import json
import logging
import string
import subprocess
import sys
import traceback
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.masking import MASK, guard_process, mask, mask_exception, register_names

KEY = 'sk-pro/j"ect+1234567890&abc<def'


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MY_SERVER", KEY)
    register_names(["MY_SERVER"])
    return KEY


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "percent": lambda key: quote(key, safe=""),
    "percent, small letters": lambda key: quote(key, safe="").replace("%2F", "%2f"),
    "form": quote_plus,
    "JSON": lambda key: json.dumps({"error": key}),
    "JSON, slashes escaped": lambda key: json.dumps(key).replace("/", "\\/"),
    "JSON in JSON": lambda key: json.dumps({"body": json.dumps({"authorization": key})}),
    "HTML": html.escape,
    "repr": repr,
    "hexadecimal": lambda key: key.encode().hex(),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "basic": lambda key: base64.b64encode(f"user:{key}".encode()).decode(),
    "base64 for addresses": lambda key: base64.urlsafe_b64encode(f"u{key}".encode()).decode(),
    "header": lambda key: f"Authorization: Bearer {key}",
    "headers as a dictionary": lambda key: str({"authorization": f"Bearer {key}"}),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_a_key_is_masked(key: str, form: Callable[[str], str]) -> None:
    said = f"you sent {form(key)}, thank you"
    masked = mask(said)
    assert MASK in masked
    assert masked.startswith("you sent ") and masked.endswith(", thank you")
    # Nothing of it is left that is worth having.
    whole = form(key)
    assert not [part for at in range(len(whole) - 11) if (part := whole[at : at + 12]) in masked
                and part not in form("x" * len(key))]  # fmt: skip


@given(
    st.text(string.ascii_letters + string.digits + "-_/+", min_size=16, max_size=64),
    st.binary(max_size=7),
    st.binary(max_size=7),
)
def test_base64_hides_a_key_nowhere(secret: str, before: bytes, after: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MY_SERVER", secret)
        register_names(["MY_SERVER"])
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            coded = encode(before + secret.encode() + after).decode()
            masked = mask(coded)
            head, found, tail = masked.partition(MASK)
            assert found
            # At most a byte of the key on either side lies in what is left.
            assert len(head) <= -(-len(before) * 8 // 6) + 1
            assert len(tail) <= -(-len(after) * 8 // 6) + 4


@pytest.mark.parametrize("kept", range(4, len(KEY)))
def test_the_start_of_a_key_where_a_text_was_cut_is_masked(key: str, kept: int) -> None:
    assert mask(f"key {key[:kept]}", was_cut=True) == f"key {MASK}"
    assert mask(f"key {key[:kept]}") == f"key {key[:kept]}"


@pytest.mark.parametrize(
    ("name", "value", "is_masked"),
    [
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG", True),
        ("OPENAI_API_KEY", "sk-proj-abcdef0123456789", True),
        ("HF_TOKEN", "hf_0123456789abcdefgh", True),
        ("MY_DB_PASSWORD", "correct-horse-battery-9", True),
        # A placeholder, a place, a word: texts may say these.
        ("MY_SERVER", "EMPTY", False),
        ("HF_TOKEN_PATH", "cache/huggingface/token1", False),
        ("TOKENIZERS_PARALLELISM", "true-0123456789-xyz", False),
        ("SECRET_BACKEND", "production-environment", False),
    ],
)
def test_which_variables_hold_secrets(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, is_masked: bool
) -> None:
    register_names(["MY_SERVER"])
    monkeypatch.setenv(name, value)
    assert (mask(f"a {value} b") == f"a {MASK} b") == is_masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abcdefgh12345678ij", f"Authorization: Bearer {MASK}"),
        ('{"x-api-key": "abcdefgh1234"}', f'{{"x-api-key": "{MASK}"}}'),
        ("proxy http://me:pass@host:3128 refused", f"proxy http://me:{MASK}@host:3128 refused"),
        ("https://s3/b?X-Amz-Signature=0a1b2c&x=1", f"https://s3/b?X-Amz-Signature={MASK}&x=1"),
        ("<AWSAccessKeyId>AKIAIOSFODNN7EXAMPLE<", f"<AWSAccessKeyId>{MASK}<"),
        ("The bearer of the cup walks to the basic sink.", None),
        ("Answer: B", None),
        ("at http://127.0.0.1:8000/v1 and 10:30", None),
    ],
)
def test_what_looks_like_a_credential_is_masked(text: str, masked: str | None) -> None:
    assert mask(text) == (text if masked is None else masked)


def test_exceptions_lose_their_secrets_with_all_they_came_from(key: str) -> None:
    error = ValueError(f"no {key}")
    error.__cause__ = OSError(13, f"denied {key}")
    error.__cause__.__context__ = ExceptionGroup("several", [KeyError(key)])
    error.add_note(f"sent {key}")
    mask_exception(error)
    shown = "".join(traceback.format_exception(error))
    assert f"ValueError: no {MASK}" in shown and f"denied {MASK}" in shown
    assert key not in shown and repr(key) not in shown


PROGRAM = """
import logging, os
from resources.masking import guard_process, register_names
register_names(["MY_SERVER"])
guard_process()
logging.basicConfig(level="INFO")
logging.getLogger("any").info("sent %s", os.environ["MY_SERVER"])
try:
    raise OSError("first " + os.environ["MY_SERVER"])
except OSError:
    logging.getLogger("any").exception("it failed")
    raise RuntimeError("then " + os.environ["MY_SERVER"])
"""


def test_guarding_a_process_twice_is_guarding_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "_logRecordFactory", logging.LogRecord)
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    guard_process()
    once = logging.getLogRecordFactory(), sys.excepthook
    assert once != (logging.LogRecord, sys.__excepthook__)
    guard_process()
    assert (logging.getLogRecordFactory(), sys.excepthook) == once


def test_logs_and_tracebacks_of_a_process_show_none(key: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"sent {MASK}" in done.stderr
    assert f"OSError: first {MASK}" in done.stderr
    assert f"RuntimeError: then {MASK}" in done.stderr
    assert key not in done.stderr + done.stdout
