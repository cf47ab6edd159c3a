"""Labels of narrations: agreement with what three datasets released, and speed.

Needs the real lists, in the folder that `PARALLAX_SHARED` names; without them nothing is measured.
Agreement counts on videos that no rule was written for (`bench.agreement`). For speed, 80,000
narrations are made of the real ones, no two alike, so that nothing is read twice: copies get other
nouns of the vocabulary and other sides. They go through `parse_labels`, the call the stage makes,
from rows of `segments` to rows of `labels`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bench.measure import Figure, cpu_s, main, measure, peak_mb, unmeasured

NARRATIONS = 80_000
VERB_F1, NOUN_F1, HANDS, COVERED = 0.95, 0.98, 0.95, 0.85
VERB_CLASS, NOUN_CLASS, CPU_S = 0.98, 0.97, 60.0
OPEN_CPU_S = 240.0
# Of the open reader, on gold narrations that no rule was made for.
OPEN = {
    "verbs": 0.96,
    "objects": 0.94,
    "actor": 0.97,
    "side": 0.98,
    "body_part": 0.97,
    "status": 0.95,
}
UNSEEN = "of videos that no rule was written for"
WHAT = {
    "egoexolearn": f"verbs and nouns of narrations of EgoExoLearn, {UNSEEN}, against the released ids",
    "hands": "hands of their clauses (left, right, both, not said), against the released rewrites",
    "epic": f"verb and noun class of narrations of EPIC-KITCHENS-100, {UNSEEN}, by the same parser",
    "easg": "verb, direct object and further objects with their role, of half of Ego-EASG's narrations",
    "speed": f"labels of {NARRATIONS:,} different narrations, by the same call",
    "open": "narrations in eight styles, read without a vocabulary: lemmas of verbs and objects, and of"
    " verbs read right actor, side of hand, body part, status; all that no rule was made for",
    "open_first": "the same of the part that was kept back first",
    "open_second": "the same of narrations about objects and hands that were kept back later",
    "open_third": "the same of ordinary narrations by two annotators apart, kept back last",
    "open_build": "the same of the half that rules were made for",
    "open_speed": f"labels of {NARRATIONS:,} different narrations, read without a vocabulary",
}
WANTED = {
    "egoexolearn": f">= {VERB_F1} and {NOUN_F1}",
    "hands": f">= {HANDS:.0%} at {COVERED:.0%}",
    "epic": f">= {VERB_CLASS:.0%} and {NOUN_CLASS:.0%}",
    "easg": "stated",
    "speed": f"<= {CPU_S:.0f} CPU-s",
    "open": ", ".join(f"{name.replace('_', ' ')} {goal:.2f}" for name, goal in OPEN.items()),
    "open_first": "stated",
    "open_second": "stated",
    "open_third": "stated",
    "open_build": "stated",
    "open_speed": f"<= {OPEN_CPU_S:.0f} CPU-s",
}


def _data() -> Path:
    return Path(os.environ["PARALLAX_SHARED"]) / "data"


def agreement() -> dict:
    """All agreement on the half that no rule was written for."""
    from bench import agreement as counted

    data, held = _data(), counted.HELD
    sets, classes = counted.sets(data), counted.classes(data)
    mine = classes.filter(classes["half"] == held)
    graphs = counted.graphs(data)
    right, covered, clauses = counted.hands(data, held)
    out: dict[str, float | int] = {
        "verb_f1": counted.f1(sets, held, "verb"),
        "noun_f1": counted.f1(sets, held, "noun"),
        "narrations": sets.filter(sets["half"] == held).height // 2,
        "hands": right,
        "covered": covered,
        "clauses": clauses,
        "verb_class": float(mine["verb"].sum()) / mine.height,
        "noun_class": float(mine["noun"].sum()) / mine.height,
        "actions": mine.height,
    }
    for part in ("verb", "direct", "further"):
        hit, miss = (graphs[held, part, told] for told in (True, False))
        out |= {f"easg_{part}": hit / (hit + miss), f"easg_{part}_of": hit + miss}
    return out


def speed() -> dict:
    """CPU seconds of `parse_labels` on narrations that are all different."""
    import polars as pl

    from assets.labels.parse import parse_labels
    from bench.agreement import EXO, lexicon, rows, supplement, taxonomies, varied
    from expectations.schemas import TABLES

    real = [row["narration_en"] for row in rows(_data() / EXO)]
    words = {key[0] for key in lexicon(_data(), "egoexolearn").nouns if len(key) == 1}
    texts = list(varied(real, dict.fromkeys(words), NARRATIONS))
    segments = TABLES["segments"].frame(
        {
            "source": "egoexolearn",
            "segment_id": f"{at:06}",
            "recording_id": f"{at // 100:04}",
            "kind": "fine",
            "start_s": 0.0,
            "end_s": 1.0,
            "narration": text,
            "source_file": "bench",
            "source_key": f"{at:06}",
        }
        for at, text in enumerate(texts)
    )
    classes, own = taxonomies(_data(), "egoexolearn"), supplement()
    began = cpu_s()
    labels = parse_labels(segments, classes, own)
    return {
        "cpu_s": cpu_s() - began,
        "peak_mb": peak_mb(),
        "narrations": len(set(texts)),
        "characters": sum(map(len, texts)) / len(texts),
        "labels": labels.select(pl.len()).item(),
    }


def gold() -> dict:
    """Agreement of the open reader with the annotated narrations, per part."""
    from tests.assets.labels.open.gold_set import read_gold
    from tests.assets.labels.open.scoring import score

    rows = read_gold(_data())
    names = ("build", "held_out", "held_out_2", "held_out_3")
    parts = {part: [row for row in rows if row["part"] == part] for part in names}
    parts["kept_back"] = [row for row in rows if row["part"] != "build"]
    return {
        f"{part}_{name}": value
        for part, mine in parts.items()
        for name, value in score(mine).items()
    }


def open_speed() -> dict:
    """CPU seconds of the open reader on narrations that are all different."""
    from assets.labels.open.reader import read_narrations
    from bench.agreement import EXO, lexicon, rows, varied

    real = [row["narration_en"] for row in rows(_data() / EXO)]
    words = {key[0] for key in lexicon(_data(), "egoexolearn").nouns if len(key) == 1}
    texts = list(varied(real, dict.fromkeys(words), NARRATIONS))
    began = cpu_s()
    labels = sum(len(found) for found in read_narrations(texts))
    return {
        "cpu_s": cpu_s() - began,
        "peak_mb": peak_mb(),
        "narrations": len(set(texts)),
        "words": sum(len(text.split()) for text in texts) / len(texts),
        "labels": labels,
    }


def _said(told: dict, part: str) -> str:
    scores = ", ".join(f"{name.replace('_', ' ')} {told[f'{part}_{name}']:.3f}" for name in OPEN)
    return f"{scores} ({told[f'{part}_narrations']:,} narrations)"


def absent() -> str | None:
    """What is missing to measure."""
    from bench.agreement import EASG, EPIC, EXO

    if not os.environ.get("PARALLAX_SHARED"):
        return "set PARALLAX_SHARED to the folder of real lists"
    lost = [place for place in (EXO, EPIC, EASG) if not (_data() / place).is_file()]
    return f"{_data() / lost[0]} is not a file" if lost else None


def figures() -> list[Figure]:
    """All figures."""
    lacks = absent()
    if lacks is not None:
        return [unmeasured(what, WANTED[name], lacks) for name, what in WHAT.items()]
    told = measure(__file__, "agreement", repeats=1)
    ran = measure(__file__, "speed")
    read, quick = measure(__file__, "gold", repeats=1), measure(__file__, "open_speed", repeats=1)
    easg = [
        f"{told[f'easg_{part}']:.1%} of {told[f'easg_{part}_of']:,}"
        for part in ("verb", "direct", "further")
    ]
    found = {
        "egoexolearn": (
            f"micro F1 {told['verb_f1']:.3f} and {told['noun_f1']:.3f} ({told['narrations']:,}"
            " narrations)",
            told["verb_f1"] >= VERB_F1 and told["noun_f1"] >= NOUN_F1,
        ),
        "hands": (
            f"{told['hands']:.1%} of {told['clauses']:,} alike, {told['covered']:.0%} covered",
            told["hands"] >= HANDS and told["covered"] >= COVERED,
        ),
        "epic": (
            f"{told['verb_class']:.1%} and {told['noun_class']:.1%} ({told['actions']:,} narrations)",
            told["verb_class"] >= VERB_CLASS and told["noun_class"] >= NOUN_CLASS,
        ),
        "easg": (", ".join(easg), True),
        "speed": (
            f"{ran['cpu_s']:.1f} CPU-s, {ran['labels']:,} labels, {ran['characters']:.0f} characters"
            " each",
            ran["cpu_s"] <= CPU_S and ran["narrations"] == NARRATIONS,
        ),
        "open": (
            _said(read, "kept_back"),
            all(read[f"kept_back_{name}"] >= goal for name, goal in OPEN.items()),
        ),
        "open_first": (_said(read, "held_out"), True),
        "open_second": (_said(read, "held_out_2"), True),
        "open_third": (_said(read, "held_out_3"), True),
        "open_build": (_said(read, "build"), True),
        "open_speed": (
            f"{quick['cpu_s']:.1f} CPU-s, {quick['labels']:,} labels, {quick['words']:.0f} words each",
            quick["cpu_s"] <= OPEN_CPU_S and quick["narrations"] == NARRATIONS,
        ),
    }
    return [Figure(WHAT[name], said, WANTED[name], holds) for name, (said, holds) in found.items()]


SIDES = {f.__name__: f for f in (agreement, speed, gold, open_speed)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
