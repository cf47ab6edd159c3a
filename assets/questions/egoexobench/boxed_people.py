"""People boxed in pictures of one instant: who may be asked about, and beside whom (PR and EWI).

Candidates are boxes on the same pictures, so that neither scene nor time tells the right one. A box must
be large enough to see who is in it, and may not hide another candidate's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assets.questions.kit.pictures import Boxed, Pictures

DISTRACTORS = 3
LEAST_HEIGHT = 0.04
"""Least height of a box over the picture's."""
MOST_COVERED = 0.5
"""Share of the smaller of two boxes that may lie in the other."""
MOST = 60
"""Questions about one wearer's recording."""
APART = 8
"""Places between two questions about one person: as many as a clip has pictures."""
READS = {
    "clocks": ("recording_id", "method"),
    "images": ("recording_id", "source_frame"),
    "boxes": (
        "recording_id",
        "box_id",
        "source_frame",
        "person_id",
        "x_min",
        "y_min",
        "x_max",
        "y_max",
    ),
}
"""What `Pictures` takes, beside `recordings`."""


def seen_in_all(pictures: Pictures, numbers: Iterable[int], *, least: float) -> set[str]:
    """People who are boxed in each of these pictures.

    Args:
        pictures: Pictures of a recording.
        numbers: Numbers of pictures.
        least: Least height of a box over the picture's.
    """
    boxed = [
        {person for person, box in pictures.people.get(n, {}).items() if box.height >= least}
        for n in numbers
    ]
    return set.intersection(*boxed) if boxed else set()


def is_clear(pictures: Pictures, numbers: Iterable[int], person: str) -> bool:
    """Whether the person's box shows that person alone: nobody else's box lies in it, nor it in another's."""
    return all(
        box.covered(pictures.people[n][person]) <= MOST_COVERED
        for n in numbers
        for other, box in pictures.people[n].items()
        if other != person
    )


def apart_from(
    person: str, ranked: Sequence[str], pictures: Pictures, numbers: Sequence[int]
) -> list[str]:
    """The first three of these people whose boxes hide neither each other's nor the person's."""
    chosen: list[str] = []
    for other in ranked:
        if all(_are_apart(other, one, pictures, numbers) for one in (person, *chosen)):
            chosen.append(other)
    return chosen[:DISTRACTORS]


def _are_apart(one: str, other: str, pictures: Pictures, numbers: Iterable[int]) -> bool:
    def covered(boxed: dict[str, Boxed]) -> float:
        return boxed[one].covered(boxed[other])

    return all(covered(pictures.people[n]) <= MOST_COVERED for n in numbers)
