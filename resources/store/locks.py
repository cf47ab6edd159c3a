"""Locks of the table store: one writer at a time per stage and partition.

Locally a lock is a file lock that the kernel frees when its holder dies, however it dies. On an
object store it is a lease: an object written only on condition that it is as last seen. Its holder
renews it; one that was not renewed for a whole lease belongs to a dead process and is taken over.
A holder that was itself away for so long finds out before it writes (`check`).
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import socket
import threading
import time
import uuid
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from resources.errors import ExpectedError

LEASE_S = 60.0
POLL_S = 0.2
SAID_AFTER_S = 3.0
"""Seconds after which a wait for another process is reported."""
_LOG = logging.getLogger("parallax")


class LockLostError(ExpectedError, RuntimeError):
    """A lease ran out while its holder was away; another process may write by now."""


class Lock(Protocol):
    """A context manager that holds the lock inside."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def check(self) -> None:
        """Raises LockLostError where another process may hold the lock by now."""
        ...


def lock_for(
    url: str, name: str, storage_options: dict[str, str], lease_s: float = LEASE_S
) -> Lock:
    """The lock `name` of the store at `url`.

    Args:
        url: Folder or `s3://bucket/prefix`.
        name: File name without ending.
        storage_options: Endpoint and keys.
        lease_s: Seconds without renewal after which a holder counts as dead (object stores).
    """
    if "://" in url:
        return LeaseLock(url, name, storage_options, lease_s)
    return FileLock(Path(url) / ".locks" / f"{name}.lock")


def s3_client(options: dict[str, str]) -> Any:
    """An s3fs file system from the store's options."""
    import s3fs

    region = options.get("aws_region")
    return s3fs.S3FileSystem(
        key=options.get("aws_access_key_id"),
        secret=options.get("aws_secret_access_key"),
        token=options.get("aws_session_token"),
        endpoint_url=options.get("aws_endpoint_url"),
        client_kwargs={"region_name": region} if region else {},
        use_listings_cache=False,
    )


class FileLock:
    """Exclusive lock on a file of this machine."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle = -1

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            # Closed by exec: a program that outlives its parent must not keep the lock.
            handle = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
            self._wait_for(handle)
            if self._is_current(handle):
                self._handle = handle
                self._sign()
                return self
            os.close(handle)

    def __exit__(self, *args: object) -> None:
        os.close(self._handle)
        self._handle = -1

    def _wait_for(self, handle: int) -> None:
        """Lock a file; a wait that a person would notice is reported."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            saying = threading.Timer(SAID_AFTER_S, self._say_wait)
            saying.daemon = True
            saying.start()
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
            finally:
                saying.cancel()

    def _say_wait(self) -> None:
        try:
            holder = self._path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            holder = ""
        _LOG.warning(
            "waiting for %s, which holds the lock %s; it is free when that process ends",
            holder or "another process",
            self._path,
        )

    def _sign(self) -> None:
        """Write into the file who holds it, for others to say; a full disk is not a reason to stop."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, f"process {os.getpid()} of {socket.gethostname()}".encode(), 0)

    def check(self) -> None:
        """The kernel keeps the lock as long as the file is there."""
        if not self._is_current(self._handle):
            raise LockLostError(f"lock {self._path} was deleted while it was held")

    def _is_current(self, handle: int) -> bool:
        """Whether the locked file is the one others would lock."""
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self._path))
        except FileNotFoundError:
            return False


class _Seen(NamedTuple):
    etag: str
    is_free: bool


class LeaseLock:
    """Lease object on S3, renewed by a thread while held; every write of it is conditional."""

    def __init__(
        self, url: str, name: str, storage_options: dict[str, str], lease_s: float = LEASE_S
    ) -> None:
        path = f"{url.rstrip('/')}/.locks/{name}.lease"
        self._bucket, _, self._key = path.partition("://")[2].partition("/")
        self._options = storage_options
        self._lease_s = lease_s
        self._token = uuid.uuid4().hex
        self._count = 0
        self._etag = ""
        self._renewed = 0.0
        self._stop = threading.Event()
        self._renewer: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._stop.clear()
        client = s3_client(self._options)
        seen, since, began, is_said = None, 0.0, time.monotonic(), False
        while True:
            current, now = self._look(client), time.monotonic()
            if current != seen:
                # Judged by our own clock: unchanged for a whole lease means no renewal.
                seen, since = current, now
            if current is None or current.is_free or now - since > self._lease_s:
                condition = {"IfMatch": current.etag} if current else {"IfNoneMatch": "*"}
                if self._write(client, "held", condition):
                    break
                continue
            if not is_said and now - began > SAID_AFTER_S:
                is_said = True
                _LOG.warning(
                    "waiting for another process, which holds the lock %s; if it was killed, its lock "
                    "ends after %g s",
                    self._key,
                    self._lease_s,
                )
            time.sleep(min(POLL_S, self._lease_s / 4))
        self._renewer = threading.Thread(target=self._renew, daemon=True)
        self._renewer.start()
        return self

    def __exit__(self, *args: object) -> None:
        self._stop.set()
        if self._renewer is not None:
            self._renewer.join()
        # Where the lease went to another process meanwhile, the condition fails and it stays theirs.
        self._write(s3_client(self._options), "free", {"IfMatch": self._etag})

    def check(self) -> None:
        """Raises LockLostError where the last renewal is a lease ago."""
        if time.monotonic() - self._renewed > self._lease_s:
            raise LockLostError(
                f"lock {self._key} could not be renewed for {self._lease_s:g} s; run again"
            )

    def _look(self, client: Any) -> _Seen | None:
        try:
            head = client.call_s3("head_object", Bucket=self._bucket, Key=self._key)
        except FileNotFoundError:
            return None
        return _Seen(head["ETag"], head["Metadata"].get("state") == "free")

    def _write(self, client: Any, state: str, condition: dict[str, str]) -> bool:
        """Write the lease if it is as expected."""
        self._count += 1
        asked = time.monotonic()
        try:
            answer = client.call_s3(
                "put_object",
                Bucket=self._bucket,
                Key=self._key,
                # Never the same bytes twice, so that the ETag tells every renewal apart.
                Body=f"{self._token} {self._count} {state}".encode(),
                Metadata={"state": state},
                **condition,
            )
        except OSError as error:
            if _is_refused(error):
                return False
            raise
        self._etag, self._renewed = answer["ETag"], asked
        return True

    def _renew(self) -> None:
        from botocore.exceptions import BotoCoreError

        client = s3_client(self._options)
        while not self._stop.wait(self._lease_s / 4):
            try:
                if not self._write(client, "held", {"IfMatch": self._etag}):
                    self._renewed = float("-inf")
                    return
            except (OSError, BotoCoreError):
                # Asked again until the lease is over; `check` tells when that is.
                continue


def _is_refused(error: OSError) -> bool:
    """Whether S3 says that the object is not as expected (412, or 409 in a race, or gone)."""
    cause = error.__cause__
    response = getattr(cause, "response", None) or {}
    code = response.get("Error", {}).get("Code", "")
    return code in {
        "PreconditionFailed",
        "ConditionalRequestConflict",
        "NoSuchKey",
        "412",
        "409",
    }
