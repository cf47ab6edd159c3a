"""Texts and pictures written as files into a folder that a person names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from resources.errors import ExpectedError


class UnsafePath(ExpectedError, ValueError):
    """A file would be written outside the folder that a person named."""


class UnwritableFile(ExpectedError, OSError):
    """A file that a person named cannot be written."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """While the block writes to a place that a person named, errors say that this cannot be done.

    Args:
        path: The place.

    Raises:
        UnwritableFile: The system refuses to write there.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise UnwritableFile(f"{path} cannot be written: {reason}; name another place") from None


def write_files(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write texts in UTF-8, without a change to their line ends; files of the same name are replaced.

    Args:
        folder: Folder to write into; made where it is absent.
        files: Text by path below the folder.

    Returns:
        Files written, in the order of their paths.

    Raises:
        UnsafePath: A path leads out of the folder; nothing is written.
        UnwritableFile: The system refuses to write there.
    """
    root = folder.resolve()
    paths = {place: (root / place).resolve() for place in sorted(files)}
    for place, path in paths.items():
        if not path.is_relative_to(root):
            raise UnsafePath(f"{place!r} would lie outside {root}: name the items otherwise")
    with writing(folder):
        for place, path in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[place].encode("utf-8"))
    return list(paths.values())


def write_pictures(
    folder: Path, place: Path, pictures: Iterable[bytes], name: str = "{:04d}.jpg"
) -> list[str]:
    """Write pictures below a folder; files of an earlier call are replaced.

    Args:
        folder: Folder.
        place: Folder below it.
        pictures: The files' contents.
        name: Name of a file by its number, from 0.

    Returns:
        Their paths below the folder.

    Raises:
        UnwritableFile: The system refuses to write there.
    """
    paths = []
    with writing(folder):
        (folder / place).mkdir(parents=True, exist_ok=True)
        for number, picture in enumerate(pictures):
            path = place / name.format(number)
            (folder / path).write_bytes(picture)
            paths.append(path.as_posix())
    return paths
