"""Predictions for a task's set, from files in the forms the official code writes or reads.

| task | files |
|---|---|
| segmentation | one per recording, named as it is: a header, then a label per 25 fps frame in line 2 |
| planning | JSON: `{item_id: [[class, ...] per sample]}`, classes by their index in the closed set |
| anticipation, recognition, zero_shot | `.npz`: `item_id` [n] and scores `verb`, `noun` [n, classes] |
| captioning | JSON: `{item_id: caption}`, or COCO results `[{"image_id": item_id, "caption": ...}]` |

Nothing in them is executed: arrays of objects (pickles) are refused.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from assets.scores.metrics.segmentation import prediction_of_file
from expectations.contracts import Refusal
from expectations.schemas.metrics import UndefinedMetric
from resources.errors import ExpectedError

KINDS = ("verb", "noun")
# What numpy and the ZIP reader raise on files that are not arrays, or broken or odd ones.
_UNREADABLE = (
    *(ValueError, OSError, zipfile.BadZipFile, zlib.error, AttributeError, EOFError),
    *(NotImplementedError, RuntimeError, MemoryError),
)


class UnusablePredictions(ExpectedError, ValueError):
    """Predictions that do not fit the set, as a whole."""


@dataclass(slots=True)
class Predictions:
    """What was predicted, and what could not be read.

    Attributes:
        of: Prediction of each item: runs by recording, samples, scores by kind, or a caption.
        refusals: Rows as `quarantine` holds them.
    """

    of: dict[str, Any] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    _files: dict[tuple[str, str], str] = field(default_factory=dict)

    def claim(self, file: str, item: str, kind: str = "") -> None:
        """Note the file that predicts an item, or one kind of it.

        Raises:
            UnusablePredictions: Another prediction of it was read: none is to be taken for the other.
        """
        first = self._files.get((item, kind))
        if first is not None:
            what = f"{kind} of {item}" if kind else item
            both = f"{first} and {file}" if first != file else f"{file}, twice"
            raise UnusablePredictions(f"{what} is predicted by {both}: leave one prediction of it")
        self._files[item, kind] = file

    def refuse(self, file: str, row: object, rule: str, value: object, remedy: str) -> None:
        """Leave one prediction or file out."""
        message = f"{rule.replace('_', ' ')}: {str(value)[:80]!r}"
        self.refusals.append(Refusal(file, row, rule, value, message, remedy))


def read_predictions(task: str, files: Mapping[str, bytes]) -> Predictions:
    """Predictions of all files, by path.

    Raises:
        UnusablePredictions: A task without a form of predictions, or one item is predicted twice.
    """
    if task not in _READERS:
        raise UnusablePredictions(f"no predictions of task {task!r}; known: {', '.join(_READERS)}")
    out = Predictions()
    for path, data in sorted(files.items()):
        _READERS[task](path, data, out)
    return out


def _frames(path: str, data: bytes, out: Predictions) -> None:
    try:
        runs = prediction_of_file(data)
    except (UndefinedMetric, UnicodeDecodeError) as error:
        out.refuse(path, None, "not_a_prediction", error, "a header, then labels in line 2, UTF-8")
        return
    uid = PurePosixPath(path).name.removesuffix(".txt")
    out.claim(path, uid)
    out.of[uid] = runs


class _Object(tuple[tuple[str, Any], ...]):
    """Names and values of a JSON object, of which a dict would lose the repeated ones."""

    __slots__ = ()


def _json_items(path: str, data: bytes, out: Predictions) -> list[tuple[str, Any]]:
    """Items and their predictions; those of COCO results without an id are refused."""
    try:
        held = json.loads(data, object_pairs_hook=_Object)
    except ValueError as error:
        out.refuse(path, None, "not_json", error, "write JSON in UTF-8")
        return []
    except RecursionError:
        out.refuse(path, None, "nested_too_deep", None, "an object by item_id, lists in it at most")
        return []
    if isinstance(held, _Object) and held:
        return list(held)
    if not isinstance(held, list) or not held:
        out.refuse(path, None, "no_items", type(held).__name__.strip("_"), "an object by item_id")
        return []
    pairs: list[tuple[str, Any]] = []
    for at, row in enumerate(held):
        named = dict(row) if isinstance(row, _Object) else {}
        uid = named.get("image_id")
        if isinstance(uid, str) or type(uid) is int:
            pairs.append((str(uid), named.get("caption")))
        else:
            out.refuse(path, at, "no_item_id", row, 'objects with "image_id" and "caption"')
    return pairs


def _plans(path: str, data: bytes, out: Predictions) -> None:
    for item, value in _json_items(path, data, out):
        rows = value if isinstance(value, list) else []
        lists = [row for row in rows if isinstance(row, list) and all(map(_is_class, row))]
        lengths = {len(row) for row in lists}
        if rows and len(lists) == len(rows) and len(lengths) == 1 and 0 not in lengths:
            out.claim(path, item)
            out.of[item] = rows
        else:
            out.refuse(path, item, "not_samples", value, "lists of class indices of one length")


def _is_class(given: object) -> bool:
    return type(given) is int and -(2**63) <= given < 2**63


def _captions(path: str, data: bytes, out: Predictions) -> None:
    for item, value in _json_items(path, data, out):
        # Half of a surrogate pair can be written in JSON; no tool takes it.
        if isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value):
            out.claim(path, item)
            out.of[item] = value
        else:
            out.refuse(path, item, "not_a_caption", value, "a text in Unicode")


def _scores(path: str, data: bytes, out: Predictions) -> None:
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        held = {}
        if not isinstance(loaded, np.ndarray):
            with loaded as arrays:
                held = {name: arrays[name] for name in ("item_id", *KINDS) if name in arrays.files}
    except _UNREADABLE as error:
        out.refuse(path, None, "not_arrays", error, "numpy.savez of plain arrays, no objects")
        return
    if isinstance(loaded, np.ndarray):
        out.refuse(path, None, "one_array", loaded.shape, "numpy.savez of named arrays (.npz)")
        return
    items = held.pop("item_id", np.zeros(0))
    if items.ndim != 1 or (len(items) and items.dtype.kind not in "Uiu"):
        what = f"{items.dtype} {items.shape}"
        out.refuse(path, "item_id", "not_item_ids", what, "a flat array of texts")
        return
    for kind, table in list(held.items()):
        if table.ndim != 2 or len(table) != len(items) or table.dtype.kind not in "fiu":
            remedy = "numbers, a row per item_id, a column per class"
            out.refuse(path, kind, "not_scores", table.shape, remedy)
            del held[kind]
    if not len(items) or not held:
        out.refuse(path, None, "no_items", sorted(held), "item_id, and verb or noun or both")
    for at, item in enumerate(items.tolist() if held else ()):
        for kind in held:
            out.claim(path, str(item), kind)
        # Verbs and nouns may come in files of their own.
        out.of.setdefault(str(item), {}).update({k: table[at] for k, table in held.items()})


_READERS: dict[str, Callable[[str, bytes, Predictions], None]] = {
    "segmentation": _frames,
    "planning": _plans,
    "anticipation": _scores,
    "recognition": _scores,
    "zero_shot": _scores,
    "captioning": _captions,
}
