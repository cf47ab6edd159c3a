"""A tag that all Dagster runs of one command share, so that the runs page tells commands apart."""

from __future__ import annotations

import os
import shlex
import sys
from datetime import UTC, datetime

from resources.masking import mask

TAG = "parallax/run"
_VARIABLE = "PARALLAX_INVOCATION"


def invocation_tags() -> dict[str, str]:
    """Tag with the start and the words of the command that this process, or its parent, runs.

    It is passed on in the environment: the partitions of a command are updated by several processes.
    """
    if not os.environ.get(_VARIABLE):
        name_invocation(shlex.join(["parallax", *sys.argv[1:]]))
    return {TAG: os.environ[_VARIABLE]}


def name_invocation(words: str) -> None:
    """Give the runs that this process and its children launch a name.

    Args:
        words: What was asked for, as the user wrote it.
    """
    started = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    os.environ[_VARIABLE] = mask(f"{started} {words}")
