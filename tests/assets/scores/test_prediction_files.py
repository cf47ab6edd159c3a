"""One prediction for an item: of two the later must not silently win."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from assets.scores.prediction_files import read_predictions


def scores(*items: str, kinds: tuple[str, ...] = ("verb",)) -> bytes:
    out = io.BytesIO()
    tables = {kind: np.zeros((len(items), 2)) for kind in kinds}
    np.savez(out, item_id=np.array(items), **tables)  # pyright: ignore[reportArgumentType]
    return out.getvalue()


def said(**captions: str) -> bytes:
    return json.dumps(captions).encode()


FRAMES = b"### Frame level recognition: ###\n0 0 1"


@pytest.mark.parametrize(
    ("task", "files", "named"),
    [
        ("recognition", {"a.npz": scores("i", "j"), "b.npz": scores("j", kinds=("noun", "verb"))},
         ("verb of j", "a.npz", "b.npz")),
        ("recognition", {"a.npz": scores("i", "i")}, ("verb of i", "a.npz", "twice")),
        ("captioning", {"a.json": said(i="x"), "b.json": said(i="x")}, ("i", "a.json", "b.json")),
        ("planning", {"a.json": b'{"i": [[1, 2]]}', "b.json": b'{"i": [[1, 2]]}'},
         ("i", "a.json", "b.json")),
        ("segmentation", {"u": FRAMES, "u.txt": FRAMES}, ("u and u.txt",)),
        ("captioning", {"a.json": json.dumps([{"image_id": "i", "caption": "x"}] * 2).encode()},
         ("i", "a.json, twice")),
        ("captioning", {"a.json": b'{"i": "a", "i": "b"}'}, ("i", "a.json, twice")),
    ],
)  # fmt: skip
def test_two_predictions_of_one_item(
    task: str, files: dict[str, bytes], named: tuple[str, ...]
) -> None:
    with pytest.raises(ValueError, match="is predicted by") as error:
        read_predictions(task, files)
    assert all(name in str(error.value) for name in named)


def test_verbs_and_nouns_may_come_in_files_of_their_own() -> None:
    files = {"a.npz": scores("i"), "b.npz": scores("i", kinds=("noun",))}
    read = read_predictions("recognition", files)
    assert {item: sorted(kinds) for item, kinds in read.of.items()} == {"i": ["noun", "verb"]}
    # What could not be read takes no place.
    bad = json.dumps({"i": 3}).encode()
    read = read_predictions("captioning", {"a.json": bad, "b.json": said(i="x")})
    assert read.of == {"i": "x"}
    assert len(read.refusals) == 1
