"""Files of the EgoCross testbed and its support set: where they lie and what they share."""

from __future__ import annotations

import re

from assets.sources.reading.values import Malformed

LICENCE = "unstated; pictures keep their datasets' licences"
QUESTIONS = r"(?:.*/)?(?:egocross_testbed_(?:imgs|answers)|all_questions_merged_full_imgs_id)\.json"
SUPPORT = r"(?:.*/)?train\.json"
SUPPORT_PICTURE = r"(?:.*/)?frames/.+\.(?:jpg|png)"
PICTURE = r"(?:.*/)?egocross_testbed/(?P<clip>[^/]+/generated/[^/]+/frames/[^/]+)/(?P<name>[^/]+\.(?:jpg|png))"


def clip_key(item: object) -> str:
    """Number of a released question, as text.

    Raises:
        Malformed: The question has none.
    """
    value = item.get("id") if isinstance(item, dict) else None
    if isinstance(value, bool) or not isinstance(value, int):
        raise Malformed("the question has no number", str(value))
    return str(value)


def clip_pictures(item: object) -> tuple[str, list[str]]:
    """Recording of a question, and the names of its pictures in order."""
    paths = item.get("video_path") if isinstance(item, dict) else None
    if not isinstance(paths, list) or not paths:
        raise Malformed("the question names no pictures", str(paths)[:80])
    found = [re.fullmatch(PICTURE, str(path)) for path in paths]
    if None in found:
        raise Malformed("a picture's path is not of the testbed", str(paths[found.index(None)]))
    clips = {match["clip"] for match in found if match}
    if len(clips) > 1:
        raise Malformed("a question's pictures lie in several folders", str(sorted(clips))[:80])
    return clip_id(clips.pop()), [match["name"] for match in found if match]


def clip_id(folder: str) -> str:
    """Id of the clip whose pictures lie in a folder: dataset, video and clip."""
    dataset, _, video, _, clip = folder.split("/")
    return f"{dataset}/{video}/{clip}"
