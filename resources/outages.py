"""Failures of disks, object stores and databases, recognised among exceptions and put in a sentence.

The libraries below the store raise them under many types (operating system, polars, Delta, botocore,
SQLite), some with pages of nested text.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator

from resources.texts import joined_lines

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_CLOSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR})
# Polars and Delta keep the number of the operating system in their text alone.
_NUMBER = re.compile(r"\(os error (\d+)\)")
_S3_LIBRARIES = ("botocore", "aiobotocore", "aiohttp")
_S3_TEXT = re.compile(
    r"Generic S3 error|object.store error|Error performing (GET|PUT|POST|HEAD|DELETE) http",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"could not connect|cannot connect|connect(ion)? (error|refused|reset|timeout|closed)|timed? ?out"
    r"|dns error|error sending request|name or service not known",
    re.IGNORECASE,
)
_CREDENTIALS = re.compile(
    r"\b40[13]\b|unauthorized|forbidden|access ?denied|invalid ?access ?key|access key id|"
    r"signature ?does ?not ?match|request signature|unable to locate credentials|expired ?token|"
    r"no ?credentials|lacked the required credentials",
    re.IGNORECASE,
)
_NO_BUCKET = re.compile(r"no ?such ?bucket|bucket does not exist", re.IGNORECASE)
# Polars names a file of a table that is gone, and cuts its path.
_TABLE_FILE = re.compile(r"[^\s/]+/[^\s/]+\.parquet\b")
_LONGEST, _LONGEST_REPORTED = 3000, 300
"""Characters of an error that are searched, and that are shown where nothing is recognised."""


def outage(error: BaseException) -> str | None:
    """What is wrong with the machinery and what to do; None for an error of another kind.

    Args:
        error: Any exception; those it came from are looked at too.
    """
    chain = list(_chain(error))
    text = joined_lines(" ".join(str(one) for one in chain), _LONGEST)
    if any(_is_s3(one) for one in chain):
        return _object_store(text)
    numbers = {one.errno for one in chain if isinstance(one, OSError) and one.errno is not None}
    numbers |= {int(number) for number in _NUMBER.findall(text)}
    if numbers & _FULL or "database or disk is full" in text:
        return (
            f"no space is left on the disk{_place(chain)}: make room and run again; what was finished "
            "is kept"
        )
    if numbers & _CLOSED:
        number = min(numbers & _CLOSED)
        return (
            f"{_place(chain, '') or 'a file'} cannot be used ({os.strerror(number)}): give this user "
            "access to it, or name another place"
        )
    if errno.EMFILE in numbers or errno.ENFILE in numbers:
        return "too many files are open: raise the limit (`ulimit -n`) or use fewer `--workers`"
    lost = any(isinstance(one, FileNotFoundError) and one.errno is None for one in chain)
    if lost and (file := _TABLE_FILE.search(text)):
        return (
            f"a file of a table is gone ({file[0]}): run again if `parallax gc` deleted it meanwhile, else "
            "restore the store from a copy"
        )
    if "database is locked" in text:
        return (
            "Dagster's database is locked by another process: wait until that one has ended, and run "
            "again"
        )
    if isinstance(error, MemoryError):
        return "memory ran out: use fewer `--workers`, or end other programs, and run again"
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and those it came from, nearest first."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _is_s3(error: BaseException) -> bool:
    if type(error).__module__.partition(".")[0] in _S3_LIBRARIES:
        return True
    # Polars and Delta raise many types for it, and say only in their text what happened.
    from_library = type(error).__module__.partition(".")[0] in ("polars", "deltalake", "_internal")
    is_numberless = isinstance(error, OSError) and error.errno is None
    return (from_library or is_numberless) and bool(_S3_TEXT.search(str(error)))


def _object_store(text: str) -> str:
    place = os.environ.get("AWS_ENDPOINT_URL") or "AWS"
    if _NO_BUCKET.search(text):
        return f"the object store at {place} has no such bucket: create it, or correct `store`"
    if _CREDENTIALS.search(text):
        return (
            f"the object store at {place} refuses the credentials: correct AWS_ACCESS_KEY_ID, "
            "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the rights they give"
        )
    if _NO_ANSWER.search(text):
        return (
            f"the object store at {place} does not answer: start it, or correct AWS_ENDPOINT_URL, and "
            "run again; what was finished is kept"
        )
    shown = joined_lines(text, _LONGEST_REPORTED)
    return f"the object store at {place} failed: {shown}; run again when it works"


def _place(chain: list[BaseException], before: str = " at ") -> str:
    """File that an error names, if one does."""
    for one in chain:
        if isinstance(one, OSError) and isinstance(one.filename, str):
            return f"{before}{one.filename}"
    return ""
