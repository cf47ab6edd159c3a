"""Reviewed lists of a dataset's classes, each with the class that questions count it as.

Two classes that nobody could tell apart, or that one word names, are counted as one. A list lies beside the dataset's
layout as `refined.csv`, one class a line; a changed line changes `taxonomies`, and the questions that rest on it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Final

COLUMNS: Final = ("taxonomy", "label", "refined", "version", "reviewed")


def refined_classes(module_file: str, name: str) -> Mapping[tuple[str, str], str]:
    """Class that each class counts as, by taxonomy and label.

    Args:
        module_file: `__file__` of the module that reads the dataset's vocabularies.
        name: Name of the list beside it; written out, so that the code version covers its content.

    Raises:
        ValueError: The list has other columns, names a class twice, refines a class further that others
            are refined to, has a line without a version, or one that nobody reviewed.
    """
    file = Path(module_file).with_name(name)
    lines = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    if tuple(lines.fieldnames or ()) != COLUMNS:
        raise ValueError(f"{file}: the columns are {lines.fieldnames}, expected {list(COLUMNS)}")
    found: dict[tuple[str, str], str] = {}
    for number, line in enumerate(lines, 2):
        key = (line["taxonomy"], line["label"])
        if not (line["version"] or "").isdecimal() or not (line["reviewed"] or "").strip():
            raise ValueError(
                f"{file}:{number}: {key[1]} has no version or no review; say what confirms the line"
            )
        if key in found:
            raise ValueError(f"{file}:{number}: {key[1]} stands here twice; keep one of the lines")
        found[key] = line["refined"]
    for (taxonomy, label), refined in found.items():
        if found.get((taxonomy, refined), refined) != refined:
            raise ValueError(
                f"{file}: {label} counts as {refined}, which counts as another class; name that one"
            )
    return found
