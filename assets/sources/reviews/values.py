"""Values of decisions: what is right, in the form people write and in the one that is stored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from assets.sources.reading.json import json_of
from assets.sources.reading.values import SURROGATE, Malformed, printable
from expectations.schemas.labels import BODY_PARTS, STATUSES
from expectations.schemas.reviews import PATCH_COLUMNS

HANDS = ("left", "right", "both", "unspecified")
_KINDS = ("verb", "noun")
_ROLES = ("action", "direct", "tool", "container", "location", "other")
_PLACED = {"kind", "actor", "term", "at", "clause", "role"}
_FIELDS = _PLACED | {"class", "hand"}
_OPEN_ROLES = ("action", "direct", "recipient", "tool", "source", "target", "location")
_OPEN_FIELDS = _PLACED | {"lemma", "part", "status", "direction", "quantity"}
WEARER = "the person who filmed the egocentric video"
"""Who moves, unless somebody or something else is named."""
# Words that become part of a question: one line without quotes, brackets or marks of an end.
_WORDS = re.compile(r"[^\W_](?:[\w ,'-]{0,198}[^\W_])?")
_MOST_CLAUSES = 1 << 15
_MOST_CHARACTERS = 1 << 31


def canonical(value: object) -> str:
    """JSON with sorted keys and no blanks: equal values, equal text."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def stored(item_kind: str, said: str) -> str | None:
    """Stored form of a value as a person wrote it; None where nothing is written.

    A translation is plain text; labels are a list as `label_list` reads it, a direction is an object as
    `direction_value` reads it; other kinds are JSON.

    Raises:
        Malformed: The text is not of that form.
    """
    if not said.strip():
        return None
    if item_kind == "translation":
        text = _json_or_none(said)
        text = text if isinstance(text, str) else said.strip()
        if SURROGATE.search(text):
            raise Malformed("text is not Unicode", printable(text))
        return canonical(text)
    value = json_of(said.encode("utf-8", "surrogatepass"))
    try:
        return canonical(_READERS.get(item_kind, _as_it_is)(value))
    except RecursionError:
        raise Malformed("JSON is nested too deeply") from None


def written(item_kind: str, value: str | None) -> str:
    """Inverse of `stored`: the form a person reads and edits."""
    if value is None:
        return ""
    if item_kind != "translation":
        return json.dumps(json.loads(value), ensure_ascii=False)
    text = json.loads(value)
    return value if isinstance(_json_or_none(text), str) else text


def label_list(value: object) -> list[dict[str, Any]]:
    """Labels of a segment as a person states them, every field filled in, in an order of their own.

    Args:
        value: A list of objects: `kind` (verb or noun), `class` (number of the taxonomy, or label
            or term of a class), and where wanted `hand` (left, right, both, unspecified), `actor`
            (who acts, if not the segment's own), `term` (words of the narration that say it), `at`
            (the character they start at, from 0), `clause` (from 0) and `role`. Without a vocabulary
            `lemma` stands in place of `class`, and `part` (of the body), `status`, `direction` and
            `quantity` may be stated in place of `hand`.

    Raises:
        Malformed: Anything else.
    """
    if not isinstance(value, list):
        raise Malformed("labels are not a list", value)
    return _ordered([_label(one) for one in value])


def direction_value(value: object) -> dict[str, str]:
    """A direction as a person states it.

    Args:
        value: An object: `view` (recording of the fixed camera in which it is seen), `direction` (in words
            that follow "move") and, unless it is the wearer, `moves` (who or what moves).

    Raises:
        Malformed: Anything else, or words that could not stand in a question.
    """
    if not isinstance(value, Mapping):
        raise Malformed("a direction is not an object", value)
    other = sorted(str(key) for key in value.keys() - {"view", "direction", "moves"})
    if other:
        raise Malformed(f"a direction has no field {', '.join(other)}", ", ".join(other))
    said = {"moves": WEARER, **{key: text for key, text in value.items() if text is not None}}
    for name in ("view", "direction", "moves"):
        text = said.get(name)
        if not isinstance(text, str) or not text.strip():
            raise Malformed(f"{name} of a direction is not text", text)
        said[name] = text.strip()
        if name != "view" and not _WORDS.fullmatch(said[name]):
            raise Malformed(f"{name} of a direction is not a few plain words", said[name])
    return {name: str(said[name]) for name in ("view", "direction", "moves")}


def graph_patch(value: object) -> dict[str, Any]:
    """Correction of a row of a scene graph as a person states it.

    Args:
        value: An object: `reason` (identity, link, state or grounding), and the columns that change with the
            values that are right.

    Raises:
        Malformed: Anything else.
    """
    if not isinstance(value, Mapping):
        raise Malformed("a correction of a graph is not an object", value)
    if value.get("reason") not in PATCH_COLUMNS:
        raise Malformed(f"reason is not one of {', '.join(PATCH_COLUMNS)}", value.get("reason"))
    known = {name for names in PATCH_COLUMNS[value["reason"]].values() for name in names}
    other = sorted(str(key) for key in value.keys() - {"reason", *known})
    if other:
        raise Malformed(f"reason {value['reason']} does not change {', '.join(other)}", other[0])
    if len(value) == 1:
        raise Malformed("a correction of a graph changes nothing", value)
    return dict(value)


def _as_it_is(value: object) -> object:
    return value


_READERS: Mapping[str, Callable[[object], object]] = {
    "label": label_list,
    "direction": direction_value,
    "graph": graph_patch,
}


def _ordered(labels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Labels so that the same ones in another order are equal.

    The order people write stays where it tells which of the places of a repeated term is meant.
    """

    def term(label: Mapping[str, Any]) -> tuple[str, str]:
        return label["kind"], (label["term"] or "").strip().lower()

    unplaced = {term(one) for one in labels if one["term"] and one["at"] is None}

    def rank(label: Mapping[str, Any]) -> tuple[str, str, str]:
        return (*term(label), "" if term(label) in unplaced else canonical(label))

    return sorted(labels, key=rank)


def _label(one: object) -> dict[str, Any]:
    if not isinstance(one, Mapping):
        raise Malformed("a label is not an object", one)
    is_open = "lemma" in one
    if is_open and "class" in one:
        raise Malformed("a label has a class or a lemma, not both", one["lemma"])
    other = sorted(str(key) for key in one.keys() - (_OPEN_FIELDS if is_open else _FIELDS))
    if other:
        raise Malformed(f"a label has no field {', '.join(other)}", ", ".join(other))
    if one.get("kind") not in _KINDS:
        raise Malformed("kind is neither verb nor noun", one.get("kind"))
    own = _read_openly(one) if is_open else _classed(one)
    for name, most in (("clause", _MOST_CLAUSES), ("at", _MOST_CHARACTERS)):
        value = one.get(name, 0)
        none = name == "at" and value is None
        if not none and (type(value) is not int or not 0 <= value < most):
            raise Malformed(f"{name} is not a number from 0", value)
    role, roles = one.get("role"), _OPEN_ROLES if is_open else _ROLES
    if role is not None and role not in roles:
        raise Malformed(f"role is not one of {', '.join(roles)}", role)
    for name in ("term", "actor"):
        if one.get(name) is not None and not isinstance(one[name], str):
            raise Malformed(f"{name} is not text", one[name])
    return {
        "kind": one["kind"],
        **own,
        "actor": one.get("actor") or None,
        "term": one.get("term") or None,
        "at": one.get("at"),
        "clause": one.get("clause", 0),
        "role": role,
    }


def _classed(one: Mapping[str, Any]) -> dict[str, Any]:
    """What a label says of a class of the source's taxonomy."""
    said = one.get("class")
    if isinstance(said, bool) or not isinstance(said, int | str) or said == "":
        raise Malformed("class is neither a number nor a name", said)
    if one.get("hand", HANDS[-1]) not in HANDS:
        raise Malformed(f"hand is not one of {', '.join(HANDS)}", one.get("hand"))
    return {"class": said, "hand": one.get("hand", HANDS[-1])}


def _read_openly(one: Mapping[str, Any]) -> dict[str, Any]:
    """What a label says where there is no vocabulary; what it leaves out is None."""
    lemma, quantity = one["lemma"], one.get("quantity")
    if not isinstance(lemma, str) or not lemma.strip():
        raise Malformed("lemma is not text", lemma)
    for name, known in (("part", BODY_PARTS), ("status", STATUSES)):
        if one.get(name) is not None and one[name] not in known:
            raise Malformed(f"{name} is not one of {', '.join(known)}", one[name])
    if one.get("direction") is not None and not isinstance(one["direction"], str):
        raise Malformed("direction is not text", one["direction"])
    if quantity is not None and (type(quantity) is not int or not 0 <= quantity < _MOST_CHARACTERS):
        raise Malformed("quantity is not a number from 0", quantity)
    return {
        "lemma": " ".join(lemma.lower().split()),
        "part": one.get("part"),
        "status": one.get("status"),
        "direction": one.get("direction") or None,
        "quantity": quantity,
    }


def _json_or_none(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def shortened(text: str, limit: int = 200) -> str:
    """A foreign text short enough for a message."""
    return printable(text if len(text) <= limit else text[:limit] + "...")
