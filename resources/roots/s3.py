"""Roots on S3: objects under a prefix. Credentials come from the environment, and go nowhere else."""

from __future__ import annotations

import builtins
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from expectations.contracts import Refusal
from resources.roots.base import (
    WHOLE_BYTES,
    Listing,
    RawFile,
    RootError,
    UnreadableFile,
    content_of,
    refused_file,
)
from resources.roots.cache import open_copy
from resources.store.locks import s3_client

_BLOCK = 1 << 20
_OPTIONS = {
    "AWS_ACCESS_KEY_ID": "aws_access_key_id",
    "AWS_SECRET_ACCESS_KEY": "aws_secret_access_key",
    "AWS_SESSION_TOKEN": "aws_session_token",
    "AWS_ENDPOINT_URL": "aws_endpoint_url",
    "AWS_REGION": "aws_region",
}


def s3_options(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Endpoint and credentials as the environment tells them."""
    options = {to: environment[name] for name, to in _OPTIONS.items() if name in environment}
    if options.get("aws_endpoint_url", "").startswith("http://"):
        options["aws_allow_http"] = "true"
    options["aws_conditional_put"] = "etag"
    return options


class S3Root:
    """Objects under `s3://bucket/prefix`.

    An object is copied once to be sought in (`open`), and read in blocks for a look (`glance`).
    """

    is_local = False

    def __init__(self, url: str) -> None:
        self.url = url
        self._base = url.removeprefix("s3://").strip("/")
        if not self._base or "@" in self._base.partition("/")[0]:
            raise RootError(
                "an S3 root is s3://bucket/prefix; credentials come from the environment "
                "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL)"
            )
        self._client: Any = s3_client(s3_options())

    def list(self) -> Listing:
        """All objects (see `Root.list`)."""
        with self._reading("its objects"):
            try:
                found = self._client.find(self._base, detail=True)
            except PermissionError as error:
                raise RootError(f"root {self.url} may not be listed: {error}") from error
        files: list[RawFile] = []
        folders: set[str] = set()
        refused: list[Refusal] = []
        for key, said in sorted(found.items()):
            path = key[len(self._base) + 1 :]
            if not path or path.endswith("/") or said.get("type") == "directory":
                continue
            pure = PurePosixPath(path)
            if ".." in pure.parts or pure.as_posix() != path:
                refused.append(refused_file(path, "not_a_path", path, *_NO_PATH))
                continue
            if any(part.startswith(".") for part in pure.parts):
                continue
            files.append(self._file(path, said))
            folders.update(parent.as_posix() for parent in tuple(pure.parents)[:-1])
        if not files:
            raise RootError(
                f"root {self.url} holds no object: correct the source's `root`; nothing was deleted"
            )
        return Listing(tuple(files), tuple(refused), tuple(sorted(folders)))

    def list_one(self, path: str) -> builtins.list[RawFile]:
        """One object as listed (raises like `read`)."""
        return [self._look(path)]

    def has(self, path: str) -> bool:
        """Whether there is such an object."""
        with self._reading(path):
            return bool(self._client.isfile(self._key(path)))

    def read(self, path: str) -> bytes:
        """Content of an object (see `Root.read`)."""
        with self._reading(path):
            return self._client.cat_file(self._key(path))

    def open(self, path: str) -> BinaryIO:
        """A seekable reader of a local copy (see `Root.read`)."""
        return self._copy(self._look(path))

    def glance(self, path: str) -> BinaryIO:
        """A seekable reader of the object's blocks (see `Root.read`)."""
        with self._reading(path):
            return self._client.open(
                self._key(path), "rb", block_size=_BLOCK, cache_type="blockcache"
            )

    def content(self, file: RawFile, *, whole: bool = False) -> str:
        """Content identity of an object (see `Root.read`)."""
        with self._reading(file.path):
            reader = self._copy(file) if file.bytes <= WHOLE_BYTES else self.glance(file.path)
            with reader as handle:
                return content_of(handle, file.bytes, whole=whole)

    def _copy(self, file: RawFile) -> BinaryIO:
        def fetch(out: BinaryIO) -> None:
            with self._client.open(
                self._key(file.path), "rb", block_size=8 * _BLOCK, cache_type="readahead"
            ) as handle:
                shutil.copyfileobj(handle, out, 8 * _BLOCK)

        endpoint = self._client.endpoint_url or ""
        with self._reading(file.path):
            return open_copy(
                "|".join((endpoint, self._base, file.path, str(file.bytes), file.stamp)), fetch
            )

    def _look(self, path: str) -> RawFile:
        with self._reading(path):
            return self._file(path, self._client.info(self._key(path)))

    @staticmethod
    def _file(path: str, said: Mapping[str, Any]) -> RawFile:
        return RawFile(path, int(said["size"]), str(said.get("ETag", "")).strip('"'))

    def _key(self, path: str) -> str:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts:
            raise RootError(f"path {path!r} leaves the root {self.url}")
        return f"{self._base}/{path}"

    @contextmanager
    def _reading(self, path: str) -> Iterator[None]:
        """Tells an object that may not be read from a server that does not work."""
        from botocore.exceptions import BotoCoreError

        try:
            yield
        except PermissionError as error:
            raise UnreadableFile(path, str(error) or "not permitted") from error
        except FileNotFoundError as error:
            raise RootError(
                f"root {self.url}: there is no {path}, or it vanished while it was read"
            ) from error
        except (OSError, BotoCoreError) as error:
            raise RootError(f"root {self.url}: cannot read {path}: {error}") from error


_NO_PATH = ("the object's key is not a path", "give the object a key like a/b/c")
