"""Agreement of labels with released ones, counted: EgoExoLearn, EPIC-KITCHENS-100, Ego-EASG.

Videos are split in two by a hash of their id. Rules were written looking at the half `TUNED` alone;
figures count on the half `HELD`. Classes come from the adapters' own readers, the released ids from the
lists directly. Hands come from a text of its own: the released rewrites start their clauses with the
hand that acts, in a fixed form that needs no parser.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import polars as pl
from blake3 import blake3

from assets.labels.lexicon import Lexicon, make_lexicon
from assets.labels.main_action import main_action
from assets.labels.parse import Label, parse_narration
from assets.sources.easg.taxonomies import read_taxonomies as easg_classes
from assets.sources.egoexolearn.taxonomies import read_taxonomies as egoexolearn_classes
from assets.sources.epic_kitchens.taxonomies import read_taxonomies as epic_classes
from assets.sources.layout import PartFiles

TUNED, HELD = 0, 1
EXO = "egoexolearn/association_benchmark/annotations/exo_train.csv"
EPIC = "epic-kitchens/UDA_annotations/EPIC_100_uda_source_train.csv"
EASG = (
    "ego4d-easg/easg-labeling-system/input-preparation/narration_annotation_mappings_unict_all.json"
)
_VOCABULARIES = {
    "egoexolearn": (egoexolearn_classes, "annotations", "narration_*_taxonomy.csv"),
    "epic-kitchens": (epic_classes, ".", "EPIC_100_*_classes*.csv"),
    "ego4d-easg": (easg_classes, "easg-generation/annts_in_new_format", "*s.txt"),
}


def half(video: str) -> int:
    """Half of a video: `TUNED` or `HELD`."""
    return blake3(video.encode()).digest()[0] % 2


def supplement() -> pl.DataFrame:
    """The supplement as the stage reads it."""
    path = files("assets.labels").joinpath("supplement.csv")
    return pl.read_csv(BytesIO(path.read_bytes()), infer_schema=False)


def taxonomies(data: Path, dataset: str) -> pl.DataFrame:
    """Rows of `taxonomies` of a dataset, as its adapter reads them."""
    read, folder, pattern = _VOCABULARIES[dataset]
    root = data / dataset
    found = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted((root / folder).glob(pattern))
    }
    return read(PartFiles(dataset, found, {})).tables["taxonomies"]


def lexicon(data: Path, dataset: str) -> Lexicon:
    """Lexicon of a dataset with the supplement."""
    return make_lexicon(taxonomies(data, dataset), supplement())


def rows(path: Path) -> list[dict[str, str]]:
    """Rows of a released list."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# -- verbs and nouns -------------------------------------------------------------------------------


def sets(data: Path) -> pl.DataFrame:
    """EgoExoLearn: columns half, kind, right, extra, missed (class counts) per narration and kind."""
    words = lexicon(data, "egoexolearn")
    out = []
    for row in rows(data / EXO):
        labels = parse_narration(row["narration_en"], words)
        for kind in ("verb", "noun"):
            theirs = set(json.loads(row[kind]))
            ours = {x.class_id for x in labels if x.kind == kind}
            counts = len(ours & theirs), len(ours - theirs), len(theirs - ours)
            out.append((half(row["video_uid"]), kind, *counts))
    columns = ["half", "kind", "right", "extra", "missed"]
    return pl.DataFrame(out, schema=columns, orient="row")


def f1(counted: pl.DataFrame, of: int, kind: str) -> float:
    """Micro F1 of a half."""
    held = counted.filter((pl.col("half") == of) & (pl.col("kind") == kind)).sum()
    right, extra, missed = held.select("right", "extra", "missed").row(0)
    return 2 * right / (2 * right + extra + missed)


def classes(data: Path) -> pl.DataFrame:
    """EPIC-KITCHENS: columns half, verb, noun (whether each class is right) per narration."""
    words = lexicon(data, "epic-kitchens")
    out = []
    for row in rows(data / EPIC):
        verb, noun = main_action(parse_narration(row["narration"], words))
        out.append(
            (
                half(row["video_id"]),
                verb is not None and verb.class_id == int(row["verb_class"]),
                noun is not None and noun.class_id == int(row["noun_class"]),
            )
        )
    return pl.DataFrame(out, schema=["half", "verb", "noun"], orient="row")


_ROLES = {"with": "tool", "in": "container", "into": "container", "inside": "container"}
_ROLES |= dict.fromkeys(
    ("on", "onto", "from", "to", "under", "around", "near", "against", "between", "through"),
    "location",
) | {"of": "other"}


def graphs(data: Path) -> Counter[tuple[int, str, bool]]:
    """Ego-EASG: counts by half, part of the graph (`verb`, `direct`, `further`), and right or not.

    Only words that the vocabulary holds are counted; of a compound the release names the head. Hands
    are not nouns of an action.
    """
    words = lexicon(data, "ego4d-easg")
    found: Counter[tuple[int, str, bool]] = Counter()
    listed = json.loads((data / EASG).read_bytes())["mappings"]
    for uid, told in (one for item in listed for one in item.items()):
        labels = sorted(parse_narration(told["narration_text"], words), key=lambda x: x.span_start)
        of = half(uid)
        verb = words.verbs.get(tuple(told["verb"].lower().split("-")))
        if verb is not None and verb.class_id is not None:
            first = next((x.class_id for x in labels if x.kind == "verb"), None)
            found[of, "verb", first == verb.class_id] += 1
        wanted = _noun(words, told["direct_object"])
        if wanted is not None:
            first = next((x for x in labels if x.role == "direct"), None)
            found[of, "direct", first is not None and wanted in _named(words, first)] += 1
        for thing, joint in (
            one for pair in told["preposition_object_pairs"] for one in pair.items()
        ):
            wanted = _noun(words, thing)
            if wanted is None or joint not in _ROLES or "hand" in thing:
                continue
            right = any(x.role == _ROLES[joint] and wanted in _named(words, x) for x in labels)
            found[of, "further", right] += 1
    return found


def _noun(words: Lexicon, term: str) -> int | None:
    entry = words.nouns.get(tuple(re.split(r"[ _-]+", term.lower())))
    return None if entry is None else entry.class_id


def _named(words: Lexicon, label: Label) -> set[int | None]:
    return {label.class_id, _noun(words, label.term.split()[-1])} - {None}


# -- hands -----------------------------------------------------------------------------------------

_HAND = r"(left and right hands?|left hand|right hand|both hands|two hands|hands?)\b"
_REWRITTEN = re.compile(
    rf"\b(?:with|use|using|uses|by)\s+(?:the |my |your )?{_HAND}"
    r"|(?:^|[.,;]\s*|\b(?:and|while|then|but|as)\s+)(?:and |then |while |at the same time,? |"
    r"meanwhile,? )*(?:the |my |with )?(?:(?:index finger|thumb|fingers?|palm)\s+of\s+the\s+)?"
    + _HAND,
    re.IGNORECASE,
)


def rewritten_hands(text: str) -> list[str]:
    """Hands that act in a released rewrite, in order, neighbours that are one hand once."""
    return _runs(_side(found[1] or found[2]) for found in _REWRITTEN.finditer(text))


def parsed_hands(labels: Iterable[Label]) -> list[str]:
    """The same of our labels, for clauses that name a hand or go on with one."""
    ordered = sorted(labels, key=lambda x: (x.clause, x.span_start))
    return _runs(x.body_part for x in ordered if "hand_none" not in x.rule)


def _side(said: str) -> str:
    said = said.lower()
    if "both" in said or "two" in said or said.endswith("hands") or "left and right" in said:
        return "both_hands"
    side = said.split()[0]
    return f"{side}_hand" if side in ("left", "right") else "unspecified_hand"


def _runs(sides: Iterable[str]) -> list[str]:
    out: list[str] = []
    for side in sides:
        if not out or out[-1] != side:
            out.append(side)
    return out


def hands(data: Path, of: int) -> tuple[float, float, int]:
    """EgoExoLearn: exact matches of the clauses that name a hand, their coverage, and their number.

    The hands of both texts are aligned; what only one of them names counts as wrong. A narration is
    not covered where the rewrite names no hand in its form.
    """
    words = lexicon(data, "egoexolearn")
    right = compared = covered = every = 0
    for row in rows(data / EXO):
        if half(row["video_uid"]) != of:
            continue
        ours = parsed_hands(parse_narration(row["narration_en"], words))
        theirs = rewritten_hands(row["narration_en_hand_prompt"])
        every += len(ours)
        if ours and theirs:
            covered += len(ours)
            compared += max(len(ours), len(theirs))
            blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
            right += sum(block.size for block in blocks)
    return right / compared, covered / every, compared


# -- many narrations -------------------------------------------------------------------------------


def varied(narrations: Sequence[str], nouns: Mapping[str, object], wanted: int) -> Iterator[str]:
    """As many narrations, all different: real ones with other nouns and sides, none taken twice.

    Args:
        narrations: Real narrations.
        nouns: Nouns of one word; each copy takes those of another place in their order.
        wanted: How many.
    """
    known = sorted(nouns)
    place = {noun: at for at, noun in enumerate(known)}
    sides = {"left": "right", "right": "left"}
    seen: set[str] = set()
    copy = 0
    while len(seen) < wanted:
        for narration in narrations:

            def other(found: re.Match[str], step: int = copy) -> str:
                word = found[0]
                if step % 2 and word in sides:
                    return sides[word]
                return known[(place[word] + 37 * step) % len(known)] if word in place else word

            text = re.sub(r"[a-z]+", other, narration) if copy else narration
            if text in seen:
                text = f"{text} It takes {copy + len(seen)} seconds."
            seen.add(text)
            yield text
            if len(seen) == wanted:
                return
        copy += 1
