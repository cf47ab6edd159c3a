"""Gate `seen_by_sampling`: the frames a protocol sends show what the answer rests on."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import CannotTell, Derived, Finding, Gate, Question, Sight, span_of
from expectations.gates.tables import EvidenceTables
from expectations.schemas.sampling import SamplingRule, rule_of

NAME = "seen_by_sampling"
_SAME_INSTANT_S = 1e-4


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:
    for label, rule in sorted(given.protocols.items()):
        if rule is None:
            continue  # a protocol that sends no pixels tests for shortcuts: nothing is to be seen
        if question.is_released:
            yield from _sent(question, given, label, rule)
            continue
        if not notes.sights:
            why = notes.unknown or "the derivation names nothing that must be seen"
            yield Finding(NAME, "not_derived", why, "unknown", protocol=label)
            continue
        yield from _under(question, given, notes, label, rule)


def _under(
    question: Question, given: EvidenceTables, notes: Derived, label: str, rule: str
) -> Iterator[Finding]:
    # Every medium must send at least one frame, also one that nothing is asked of.
    for medium in question.media:
        try:
            _frames(question, given, str(medium["role"]), rule)
        except CannotTell as silent:
            yield Finding(NAME, "frames_missing", str(silent), "unknown", protocol=label)
            return
        except ValueError as broken:
            yield Finding(NAME, "nothing_sent", str(broken), "refuse", protocol=label)
            return
    for sight in notes.sights:
        yield _seen(question, given, sight, label, rule)


def _sent(question: Question, given: EvidenceTables, label: str, rule: str) -> Iterator[Finding]:
    """What is to be seen in a released question's media is not told: each must send a frame."""
    if not question.row["media_present"]:
        yield Finding(NAME, "media_missing", "its media are not here", "unknown", protocol=label)
        return
    found = [*_under(question, given, Derived(), label, rule)]
    sent = Finding(NAME, "sent", "every medium sends a frame", "pass", protocol=label)
    yield from found or [sent]


def _frames(question: Question, given: EvidenceTables, role: str, rule: str) -> list[float]:
    medium = question.of_role(role)
    if medium is None:
        raise ValueError(f"there is no medium {role} to see it in")
    start, end = span_of(medium)
    if medium["media_kind"] in ("image", "frames"):
        return [t for t in (medium["times_s"] or (start,)) if t is not None]
    own = str(rule_of(medium, SamplingRule.parse(rule)))
    recording = str(medium["recording_id"])
    sent = given.sent(recording, own, start, end, tuple(medium["times_s"] or ()))
    if not sent:
        raise ValueError(f"{role}: no frame of {recording} lies in {start:.3f}..{end:.3f} s")
    return sent


def _seen(
    question: Question, given: EvidenceTables, sight: Sight, label: str, rule: str
) -> Finding:
    if not sight.spans:
        message = f"{sight.what} is nowhere in {sight.role}"
        return Finding(NAME, "never_there", message, "refuse", protocol=label)
    sent = _frames(question, given, sight.role, rule)
    away = min(max(start - t, t - end, 0.0) for start, end in sight.spans for t in sent)
    seen = away <= sight.tolerance_s + _SAME_INSTANT_S
    words = f"{sight.what}: the nearest of {len(sent)} frames of {sight.role} is {away:.2f} s away"
    return Finding(
        NAME,
        "seen" if seen else "not_seen",
        words,
        "pass" if seen else "refuse",
        away,
        sight.tolerance_s,
        label,
    )


GATE = Gate(
    name=NAME,
    about="The frames a protocol sends show what the answer rests on; one verdict per protocol.",
    judge=_judge,
    mandatory=False,
    of_form=True,
    per_protocol=True,
)
