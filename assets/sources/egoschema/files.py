"""Files of EgoSchema: where they lie and what they share."""

from __future__ import annotations

import re

from assets.sources.layout import PartFiles
from assets.sources.reading.values import Malformed

LICENCE = "Ego4D licence agreement"
QUESTIONS = r"(?:.*/)?questions\.json"
ANSWERS = r"(?:.*/)?subset_answers\.json"
PLACES = r"(?:.*/)?uid_to_ego4d\.json"
CLIP = r"(?:.*/)?videos/([^/]+)\.mp4"


def file_matching(part: PartFiles, pattern: str) -> str | None:
    """First file whose path matches a pattern, None where there is none."""
    return next((path for path in part.files if re.fullmatch(pattern, path)), None)


def question_uid(item: object) -> str:
    """Id of a released question.

    Raises:
        Malformed: The question has none.
    """
    uid = item.get("q_uid") if isinstance(item, dict) else None
    if not isinstance(uid, str) or not uid:
        raise Malformed("the question has no q_uid", str(item)[:80])
    return uid
