"""Gate `explanation`: every claim of `detailed_answer` and `rationale` follows from source rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectations.gates.base import Derived, Finding, Gate, Question, listed
from expectations.gates.statements import ParsedText, StatementMatch, parse
from expectations.gates.tables import EvidenceTables

NAME = "explanation"
# No explanation is as long: parsing one would take minutes.
_LONGEST_CHARS = 4000
_SHOWN_CHARS = 120
_SHOWN_ROWS = 3


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:  # noqa: ARG001
    if notes.unknown:
        yield Finding(NAME, "not_derived", notes.unknown, "unknown")
        return
    detailed = str(question.row["detailed_answer"] or "")
    length = max(len(detailed), *(len(s["text"] or "") for s in question.rationale), 0)
    if length > _LONGEST_CHARS:
        words = f"an explanation has {length} characters, at most {_LONGEST_CHARS} are read"
        yield Finding(NAME, "too_long", words, value=length, threshold=_LONGEST_CHARS)
        return
    for column, present in (("detailed_answer", detailed), ("rationale", question.rationale)):
        if column in notes.explained_in and not present:
            yield _refusal("missing", f"{column} is empty; this subtask explains its answers there")
    if detailed:
        parsed = parse(detailed, notes.statements)
        yield from _claims("detailed_answer", parsed)
        yield from _complete("detailed_answer", parsed.matches, notes)
    if question.rationale:
        matches: list[StatementMatch] = []
        for step in question.rationale:
            where = f"step {step['step']} of the rationale"
            parsed = parse(str(step["text"] or ""), notes.statements)
            yield from _claims(where, parsed)
            yield from _cited(where, _full_keys(step["evidence"] or (), question), parsed)
            matches += parsed.matches
        yield from _complete("the rationale", matches, notes)


def _claims(where: str, parsed: ParsedText) -> Iterator[Finding]:
    """Every claim agrees with the rows it follows from."""
    for match in parsed.matches:
        errors = match.errors()
        if errors:
            statement = match.statement
            yield _refusal(
                "contradicted",
                f"{where}, {statement.name}: {'; '.join(errors)} ({_shown(statement.rows)})",
            )
    for text in parsed.unmatched:
        short = text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "..."
        yield _refusal(
            "unsupported",
            f"{where} says {short!r}, which is not a statement this subtask can trace to a row",
        )


def _complete(where: str, matches: Sequence[StatementMatch], notes: Derived) -> Iterator[Finding]:
    """Every needed statement is made, and none twice."""
    names = [match.statement.name for match in matches]
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield _refusal("repeated", f"{where} speaks {names.count(name)} times of the {name}")
    for statement in notes.statements:
        if statement.needed and statement.name not in names:
            yield _refusal(
                "left_out",
                f"{where} says nothing of the {statement.name} ({_shown(statement.rows)})",
            )


def _cited(where: str, keys: frozenset[str], parsed: ParsedText) -> Iterator[Finding]:
    """A step names rows that its statements follow from, and no others."""
    for match in parsed.matches:
        rows = match.statement.rows
        for group in match.statement.cited or (frozenset(rows),):
            if group and not keys & group:
                yield _refusal(
                    "not_cited",
                    f"{where} speaks of the {match.statement.name} and names no row it follows from"
                    f" ({_shown(sorted(group))})",
                )
    supporting = {row for match in parsed.matches for row in match.statement.rows}
    unrelated = sorted(keys - supporting)
    if unrelated and parsed.matches:
        yield _refusal(
            "cites_unrelated",
            f"{where} names {_shown(unrelated)}, which its text does not speak of",
        )


def _full_keys(keys: Sequence[str], question: Question) -> frozenset[str]:
    """Keys as `table:key`; a bare key stands for the question's evidence of that key."""
    tables = {str(e["key"]): str(e["table"]) for e in question.evidence}
    return frozenset(f"{tables[k]}:{k}" if k in tables else str(k) for k in keys)


def _shown(rows: Sequence[str]) -> str:
    more = len(rows) - _SHOWN_ROWS
    return listed(rows[:_SHOWN_ROWS]) + (f" and {more} more" if more > 0 else "")


def _refusal(rule: str, message: str) -> Finding:
    return Finding(NAME, rule, message)


GATE = Gate(
    name=NAME,
    about="Every claim of the explanation (things, hands, times, places, boxes) follows from a row.",
    judge=_judge,
)
