"""The root at a URL, of whatever kind the place is."""

from __future__ import annotations

import os

from resources.roots.archives import ending_of
from resources.roots.base import Claims, LocalRoot, Root, RootError
from resources.roots.mounted import MountedRoot, OneFile


def open_root(url: str, claims: Claims | None = None) -> Root:
    """The root at a URL: a folder, an archive, or `s3://bucket/prefix` (also of an archive).

    Args:
        url: Where it lies.
        claims: Whether a layout knows a path. Archives under a root read as if they were unpacked,
            so far as the layout knows what is in them; without it, only a root that is an archive
            is opened.

    Raises:
        RootError: The kind of place is not supported.
    """
    if "://" not in url:
        is_archive = ending_of(url) is not None and not os.path.isdir(url)
        # A linked archive is read where it really lies, by the name that tells what it is.
        beside, name = os.path.split(os.path.realpath(url))
        plain: Root = LocalRoot(beside) if is_archive else LocalRoot(url)
    elif url.startswith("s3://"):
        from resources.roots.s3 import S3Root

        is_archive = ending_of(url) is not None
        beside, _, name = url.rstrip("/").rpartition("/")
        plain = S3Root(beside) if is_archive else S3Root(url)
    else:
        raise RootError(f"root {url!r}: a folder, an archive or s3:// can be read, nothing else")
    if is_archive:
        return MountedRoot(OneFile(plain, name, url), claims, everything=True)
    return plain if claims is None else MountedRoot(plain, claims)
