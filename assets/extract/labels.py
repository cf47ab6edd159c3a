"""A label that a reply starts or ends with: "D. on the table", "(B)", a last line that is only a letter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assets.extract.declarations import is_word, ruled_out_after
from assets.extract.letter_readings import Reading
from assets.extract.option_mentions import mark_mentions
from assets.extract.option_texts import mark_texts, normal
from assets.extract.stances import stances_in

LABEL = re.compile(
    r"^\s*(?:\d{1,2}[.)]\s+)?(?:(?:option|choice|answer|video|clip)\s+)?[(\[\"'<]*(?P<letter>[A-Za-z])"
    r"(?:(?:[)\]\">]|'(?!\w))+\s*[.:,-]?|\s*[.:](?!\w)|(?=\s*\n)|(?=\s*\()|(?=\s*$)|(?=\s+[-–—=]))",
    re.IGNORECASE,
)
LABEL_START = re.compile(r"(?:option\s+)?[(\[]?([A-Z])[)\].:,]")
# "B -> D": not the first of the two.
_ARROW_TO_ANOTHER = re.compile(r"[)\]]?\s*(?:->|=>|→|⇒)\s*(?:option\s+)?[(\[]?[A-Z](?![\w'])")
_INLINE_LABEL = re.compile(r"(?<![A-Za-z0-9])\(?([A-Z])(?:[).:]|\s*[-=]\s|\s\()")
# "A: the hand is on the left. B: it is on the right": what is said of each.
_LABELS_IN_LINE = re.compile(
    r"(?:(?:option|video|clip)\s+)?\(?([A-Z])\)?:\s[^\n]{3,200}?[.;,]\s+(?:(?:option|video|clip)\s+)?\(?(?!\1)[A-Z]\)?:\s",
    re.IGNORECASE,
)


def read_label(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """A label the reply starts with ("D. text"), or a last line that is only a letter."""
    lines = [line for line in text.split("\n") if line.strip()]
    labelled: list[tuple[str, str, int]] = []
    for line in lines:
        match = LABEL.match(line)
        if match is None or match["letter"].upper() not in letters:
            continue
        if len(set(_INLINE_LABEL.findall(line[:400])) & set(letters)) > 2:
            return None
        if not is_word(line, *match.span("letter")):
            labelled.append((match["letter"].upper(), line, match.end()))
    if not labelled:
        return None
    if len({letter for letter, _, _ in labelled}) > 1:
        # Options repeated one per line decide nothing, unless only the last line is a bare letter.
        bare = [line for _, line, _ in labelled if _bare(line) in letters]
        if _bare(lines[0]) in letters and re.match(r"[^\n]+\n\n", text.lstrip()) and len(bare) == 1:
            # The answer, and below it what is said of the options.
            return Reading(_bare(lines[0]), "parsed", "first_line")
        if bare == [lines[-1]]:
            return Reading(_bare(lines[-1]), "parsed", "last_line")
        return Reading(None, "ambiguous", "several_labels")
    letter, line, end = labelled[0]
    if _ARROW_TO_ANOTHER.match(line, end):
        return None
    if line not in (lines[0], lines[-1]) or ruled_out_after(line, end):
        return None
    if line != lines[0] and line[end:].strip() and mark_texts(lines[0], letters, texts) != lines[0]:
        return None
    rest = normal(line[end:])
    other = [x for x, t in zip(letters, texts, strict=False) if rest and normal(t) == rest]
    if other and letter not in other:
        return Reading(None, "ambiguous", "label_and_text_differ")
    # "B. C": a second letter right behind the label.
    if len(rest) == 1 and rest.upper() in letters and rest.upper() != letter:
        return Reading(None, "ambiguous", "several_labels")
    return Reading(letter, "parsed", "label")


def opening_label(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """A label, unless its own line says that it is not the answer ("A. on the table is close, but B. in a pot is better")."""
    found = read_label(text, letters, texts)
    if found is None or found.letter is None or found.rule != "label":
        return found
    stances = stances_in(mark_mentions(text.strip().split("\n", 1)[0], letters, texts))
    if len(stances) < 2:
        return found
    if _LABELS_IN_LINE.match(text.strip()):
        return None
    # "A: The answer is in a pot": that A stands for "answer".
    chosen = [one for one in stances[1:] if one.kind == "chosen" and one.options != (found.letter,)]
    echoed = text.lstrip()[:2] in ("A:", "A.") and any(one.concludes for one in chosen)
    turned = stances[0].kind == "mentioned" and bool(chosen)
    return (
        None
        if echoed or turned or stances[0].kind in ("leaning", "withdrawn", "ruled_out", "asked")
        else found
    )


def _bare(line: str) -> str:
    return line.strip(" .()[]\"'")
