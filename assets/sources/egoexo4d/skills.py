"""Proficiency of the performers of Ego-Exo4D takes.

`proficiency_demonstrator_<split>.json` holds one record per take, as the documentation shows it: a list,
of which some copies lie in an object under `annotations`. The four names are one scale. Levels of the
test takes are not released: the published list of them (`demonstrator_proficiency_test_v2.json`) names
takes only and gives no rows. `proficiency_demonstration_<split>.json` holds experts' remarks on moments,
no levels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assets.sources.egoexo4d.recordings import TAKE_LIST, Take
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import json_tree, sound
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, text_or_none
from expectations.schemas import TABLES

PROFICIENCY = r"annotations/proficiency_demonstrator_(train|val|test)\.json"
SCALE = "demonstrator proficiency"
LEVELS = {"Novice": 0, "Early Expert": 1, "Intermediate Expert": 2, "Late Expert": 3}
"""Levels by name, the lowest first: the release's order of experience."""


def read_skills(part: PartFiles) -> Rows:
    """The performer's level in each judged take that is here."""
    reader = RowReader("skill_levels")
    takes = part.document(TAKE_LIST)
    found: dict[str, dict] = {}
    torn: set[str] = set()
    for path, data in part.files.items():
        match = re.fullmatch(PROFICIENCY, path)
        if match is None:
            continue
        try:
            for row in _records(reader, path, data, takes):
                row |= {"source": part.source, "split": match[1], "source_file": path}
                _add(reader, row, found, torn)
        except Malformed as error:
            reader.unreadable(path, error)
    rows = [row for key, row in found.items() if key not in torn]
    return Rows({"skill_levels": TABLES["skill_levels"].frame(rows)}, tuple(reader.refused))


def _records(
    reader: RowReader, path: str, data: bytes, takes: Mapping[str, Take]
) -> Iterator[dict]:
    document = json_tree(data)
    listed = document.get("annotations") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise Malformed("the document has no list of records", type(listed).__name__)
    if not listed:
        raise Malformed("the list of records is empty")
    for at, item in enumerate(listed):
        uid = item.get("take_uid") if isinstance(item, dict) else None
        row = reader.make(path, uid or at, lambda i=item: _level(sound(i)))
        if row is None:
            continue
        take = takes.get(row.pop("uid"))
        if take is None:
            reader.reject(
                path, uid, "unknown_take", uid, "proficiency in a take that takes.json does not list",
                "download the take, or leave its record out",
            )  # fmt: skip
            continue
        # As recordings name people, by the release's own number.
        person = take.said.get("participant_uid")
        said = row.pop("person") if person is None else str(person)
        row.pop("person", None)
        if said is None:
            reader.reject(
                path, uid, "unknown_performer", None, "nothing says who performs in the take",
                "restore participant_uid in takes.json", take.ego.recording_id if take.ego else None,
            )  # fmt: skip
            continue
        yield row | {"take_id": take.name, "actor_id": said}


def _level(item: object) -> dict:
    if not isinstance(item, dict):
        raise Malformed("record is not an object", item)
    uid, label, task, university, person = (
        text_or_none(item.get(key), key)
        for key in (
            "take_uid", "proficiency_score", "task_name", "university_id", "origin_participant_id",
        )
    )  # fmt: skip
    if uid is None:
        raise Malformed("record without take_uid", item.get("task_name"))
    if label not in LEVELS:
        raise Malformed(f"proficiency_score is not one of {', '.join(LEVELS)}", label)
    return {
        "uid": uid,
        "person": person and f"{university or ''}/{person}",
        "scale": SCALE,
        "task": task,
        "level": LEVELS[label],
        "label": label,
        "source_key": uid,
    }


def _add(reader: RowReader, row: dict, found: dict[str, dict], torn: set[str]) -> None:
    """Keeps a row; of a take that is said to be of two levels nothing is kept."""
    uid = row["source_key"]
    first = found.setdefault(uid, row)
    if first is row:
        return
    if first["level"] == row["level"]:
        reader.reject(
            row["source_file"], uid, "take_twice", row["label"],
            f"the take's level is stated already in {first['source_file']}", "remove one of the records",
        )  # fmt: skip
        return
    torn.add(uid)
    reader.reject(
        row["source_file"], uid, "contradicting_level", row["label"],
        f"{first['source_file']} says {first['label']}; neither counts", "remove the wrong record",
    )  # fmt: skip
