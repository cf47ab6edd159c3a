"""Set checks: what no single question shows, judged per benchmark and subtask.

Each check gives rows with a measured value and its limit. Too few questions give `unknown`: a set
that nobody could tell from a biased one has not passed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl
from scipy.stats import chi2

from expectations.set_outcomes import (
    LEAST_EXPECTED,
    LEAST_QUESTIONS,
    REFUSE_P,
    Outcome,
    Row,
    answer_of,
    as_read,
    by_p,
    first_letters,
    in_words,
    lead,
    none_allowed,
    rank,
    recordings_of,
    shown_of,
    too_few,
)

SCHEMA = pl.Schema(
    {
        "benchmark": pl.String(),
        "subtask": pl.String(),
        "check": pl.String(),
        "verdict": pl.String(),
        "value": pl.Float64(),
        "limit": pl.Float64(),
        "n": pl.Int64(),
        "message": pl.String(),
    }
)


Check = Callable[[Sequence[Row]], Outcome]


def check_sets(
    questions: pl.DataFrame,
    splits: pl.DataFrame | None = None,
    environments: Mapping[str, str | None] | None = None,
    tuning: Iterable[str] = (),
) -> pl.DataFrame:
    """All set checks, per benchmark and subtask.

    Args:
        questions: Rows of `questions` (those to be published).
        splits: Rows of `splits`, for leakage between splits; None leaves the questions' own word.
        environments: Place per recording, for the environment shortcut; None says nothing.
        tuning: Recordings that tuning sets are made of.

    Returns:
        Columns benchmark, subtask, check, verdict, value, limit, n, message, sorted.
    """
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in questions.sort("question_id").iter_rows(named=True):
        groups[row["benchmark"], row["subtask"]].append(row)
    listed = _listed_splits(splits)
    tuned = frozenset(tuning)
    checks: dict[str, Check] = {
        "position_balance": position_balance,
        "length_balance": length_balance,
        "duplicates": duplicates,
        "repeated_media": repeated_media,
        "identity": identity,
        "split_leakage": lambda rows: split_leakage(rows, listed),
        "tuning_leakage": lambda rows: tuning_leakage(rows, tuned),
        "effective_chance": effective_chance,
        "option_frequency": option_frequency,
        "sorted_options": sorted_options,
        "typical_option": typical_option,
        "environment_shortcut": lambda rows: environment_shortcut(rows, environments),
        "clip_length_shortcut": clip_length_shortcut,
        "clusters": clusters,
    }
    made = [
        {
            "benchmark": benchmark,
            "subtask": subtask,
            "check": name,
            "verdict": out.verdict,
            "value": out.value,
            "limit": out.limit,
            "n": len(rows),
            "message": out.message,
        }
        for (benchmark, subtask), rows in sorted(groups.items())
        for name, check in checks.items()
        for out in (check(rows),)
    ]
    return pl.DataFrame(made, schema=SCHEMA).sort("benchmark", "subtask", "check")


def position_balance(rows: Sequence[Row]) -> Outcome:
    """Whether the right letter is evenly spread: chi-square over letters, by number of options."""
    total, freedom = 0.0, 0
    seen: Counter[str] = Counter(str(r["answer"]) for r in rows)
    small = 0
    by_count: dict[int, Counter[str]] = defaultdict(Counter)
    for row in rows:
        by_count[len(row["options"])][str(row["answer"])] += 1
    for count, letters in by_count.items():
        n = letters.total()
        if n / max(count, 1) < LEAST_EXPECTED:
            small += n
            continue
        expected = n / count
        observed = [letters.get(x, 0) for x in first_letters(count)]
        total += sum((o - expected) ** 2 / expected for o in observed)
        freedom += count - 1
    if not freedom:
        return too_few(rows, "5 questions per letter")
    p = float(chi2.sf(total, freedom))
    top, times = max(seen.items(), key=lambda i: (i[1], i[0]))
    words = f"chi-square {total:.1f}, p = {p:.2g}; {top} is right in {times} of {len(rows)}"
    return Outcome(by_p(p), p, REFUSE_P, words)


def length_balance(rows: Sequence[Row]) -> Outcome:
    """Whether the answer is the longest or the shortest option too often."""
    asked = [r for r in rows if in_words(r)]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: no text is shown")
    worst: Outcome | None = None
    for name, extreme in (("longest", max), ("shortest", min)):
        hits, chances = 0, []
        for row in asked:
            lengths = {o["letter"]: len(str(o["text"] or "")) for o in row["options"]}
            end = extreme(lengths.values())
            ends = [x for x, n in lengths.items() if n == end]
            if len(ends) != 1:
                continue  # nobody can pick "the longest" where there are two
            hits += ends[0] == row["answer"]
            chances.append(1 / len(lengths))
        out = lead(hits, chances, f"the {name} option is right", asked)
        if worst is None or rank(out) < rank(worst):
            worst = out
    return worst or too_few(rows, "questions")


def duplicates(rows: Sequence[Row]) -> Outcome:
    """Questions that show the same and ask the same, whatever their ids."""
    seen: dict[Any, str] = {}
    twice: list[str] = []
    for row in rows:
        options = tuple(sorted(str(o["text"] or "").casefold() for o in row["options"]))
        key = (as_read(row["text"]), shown_of(row), options)
        if key in seen:
            twice.append(f"{row['question_id']} repeats {seen[key]}")
        seen.setdefault(key, str(row["question_id"]))
    return none_allowed(twice, "questions are duplicates")


def repeated_media(rows: Sequence[Row]) -> Outcome:
    """Questions that ask the same of the same query and have another answer."""
    seen: dict[Any, tuple[str, str]] = {}
    odd: list[str] = []
    for row in rows:
        if not in_words(row):
            continue
        said = next((str(o["text"]) for o in row["options"] if o["is_answer"]), "")
        key = (as_read(row["text"]), shown_of(row))
        before = seen.setdefault(key, (str(row["question_id"]), said))
        if before[1] != said:
            odd.append(f"{row['question_id']} says {said!r}, {before[0]} {before[1]!r}")
    return none_allowed(odd, "questions contradict another")


def identity(rows: Sequence[Row]) -> Outcome:
    """Ids that two questions share, and hashes that questions share which show something else.

    Replies are kept by hash: under a shared hash one question would get the other's reply.
    """
    odd: list[str] = []
    ids = Counter(str(r["question_id"]) for r in rows)
    odd += [f"id {x} is of {n} questions" for x, n in sorted(ids.items()) if n > 1]
    seen: dict[str, Any] = {}
    for row in rows:
        texts = tuple((o["letter"], o["text"]) for o in row["options"])
        shown = (row["text"], texts, shown_of(row))
        if seen.setdefault(str(row["question_hash"]), shown) != shown:
            odd.append(f"hash {row['question_hash']} is of questions that differ")
    return none_allowed(odd, "ids or hashes are shared")


def split_leakage(rows: Sequence[Row], listed: Mapping[str, frozenset[str]]) -> Outcome:
    """Recordings shown under two splits by the questions' word; published lists only warn.

    A dataset may list a recording in different splits for different tasks (EgoBridge B11).
    """
    shown: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["split"] is not None:
            for uid in recordings_of(row):
                shown[f"{row['source']}/{uid}"].add(str(row["split"]))
    if not shown and rows:
        return Outcome("unknown", None, None, "no question names a split")
    own = [f"{uid} is in {', '.join(sorted(s))}" for uid, s in sorted(shown.items()) if len(s) > 1]
    out = none_allowed(own, "recordings lie in two splits")
    if own:
        return out
    odd = [
        f"{uid} is asked about in {', '.join(sorted(s))} and listed in {', '.join(sorted(more))}"
        for uid, s in sorted(shown.items())
        if (more := listed.get(uid, frozenset()) - s)
    ]
    if not odd:
        return out
    warned = none_allowed(odd, "recordings are listed in another split too")
    return Outcome("warn", warned.value, warned.limit, warned.message)


def tuning_leakage(rows: Sequence[Row], tuned: frozenset[str]) -> Outcome:
    """Recordings that are asked about and tuned on."""
    if not tuned:
        return Outcome("pass", 0.0, 0.0, "no recording is tuned on")
    odd = sorted({uid for row in rows for uid in recordings_of(row)} & tuned)
    return none_allowed(odd, "recordings are in a tuning set")


def effective_chance(rows: Sequence[Row]) -> Outcome:
    """How often a guesser is right who knows which answer is most frequent, but not the question.

    For each question the answer's text most frequent in the other recordings is picked among its
    options: what is learned is judged on recordings it was not learned from.
    """
    asked = [r for r in rows if in_words(r)]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: no answer repeats")
    every = Counter(answer_of(r) for r in asked)
    own: dict[str, Counter[str]] = defaultdict(Counter)
    for row in asked:
        own[str(row["recording_id"])][answer_of(row)] += 1
    hits, chances = 0.0, []
    for row in asked:
        beside = own[str(row["recording_id"])]
        texts = [as_read(o["text"]) for o in row["options"]]
        counts = [every[t] - beside[t] for t in texts]
        best = [t for t, n in zip(texts, counts, strict=True) if n == max(counts)]
        hits += (answer_of(row) in best) / len(best)
        chances.append(1 / len(texts))
    if len(own) < 2 and asked:
        return Outcome("unknown", None, None, "all questions are of one recording")
    return lead(round(hits), chances, "the most frequent answer is right")


def option_frequency(rows: Sequence[Row]) -> Outcome:
    """How often a guesser is right who picks the option that is a distractor least often.

    Where distractors come from another list than answers, their words give them away.
    """
    asked = [r for r in rows if in_words(r)]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: no text is shown")
    right, wrong = Counter[str](), Counter[str]()
    for row in asked:
        for option in row["options"]:
            (right if option["is_answer"] else wrong)[as_read(option["text"])] += 1
    hits, chances = 0.0, []
    for row in asked:
        truth = answer_of(row)
        shares = {}
        for option in row["options"]:
            text = as_read(option["text"])
            # This very question is left out of what the guesser knows.
            yes = right[text] - (text == truth)
            no = wrong[text] - (text != truth)
            shares[text] = (yes + 0.5) / (yes + no + 1.0)
        best = [t for t, s in shares.items() if math.isclose(s, max(shares.values()))]
        hits += (truth in best) / len(best)
        chances.append(1 / len(shares))
    return lead(round(hits), chances, "the option that is most often an answer is right")


def sorted_options(rows: Sequence[Row]) -> Outcome:
    """Whether options stand in alphabetical order more often than by chance (EgoCross ENIGMA)."""
    asked = [r for r in rows if in_words(r)]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: they have no order")
    hits, chances = 0, []
    for row in asked:
        texts = [as_read(o["text"]) for o in row["options"]]
        hits += texts == sorted(texts)
        chances.append(1 / math.factorial(len(texts)))
    return lead(hits, chances, "options are in alphabetical order")


def typical_option(rows: Sequence[Row]) -> Outcome:
    """How often the option that shares most words with the others is the answer.

    Distractors made by changing the answer a little leave it in their middle.
    """
    asked = [r for r in rows if in_words(r)]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: no text is shown")
    hits, chances = 0.0, []
    for row in asked:
        words = {
            o["letter"]: set(as_read(o["text"]).replace("-", " ").split()) for o in row["options"]
        }
        shared = {
            x: sum(
                len(own & other) / max(len(own | other), 1) for y, other in words.items() if y != x
            )
            for x, own in words.items()
        }
        top = [x for x, n in shared.items() if math.isclose(n, max(shared.values()), abs_tol=1e-9)]
        if len(top) == len(words):
            continue
        hits += (row["answer"] in top) / len(top)
        chances.append(1 / len(words))
    what = "the option that shares most words with the others is right"
    return lead(round(hits), chances, what, asked)


def environment_shortcut(
    rows: Sequence[Row], environments: Mapping[str, str | None] | None
) -> Outcome:
    """How often the option filmed where the query was is the answer, and the only such option."""
    hits, chances = 0, []
    for row in rows:
        places = _option_places(row, environments or {})
        query = next((m for m in row["media"] if m["role"] == "query"), None)
        if not places or query is None:
            continue
        here = (environments or {}).get(str(query["recording_id"]))
        same = [x for x, place in places.items() if place is not None and place == here]
        if here is None or None in places.values():
            continue
        hits += same == [row["answer"]]
        chances.append(1 / len(places))
    clip_options = any(not in_words(r) for r in rows)
    if not clip_options and rows:
        return Outcome("pass", None, None, "options are words: they are filmed nowhere")
    if not chances:
        return Outcome("unknown", None, None, "places of the recordings are not known")
    return lead(hits, chances, "the only option filmed where the query was is right")


def clip_length_shortcut(rows: Sequence[Row]) -> Outcome:
    """How often the option whose clip is as long as the query is the answer."""
    hits, chances = 0.0, []
    for row in rows:
        query = next((m for m in row["media"] if m["role"] == "query"), None)
        lengths = {
            str(m["role"])[-1]: m["end_s"] - m["start_s"]
            for m in row["media"]
            if str(m["role"]).startswith("option_")
        }
        if query is None or len(lengths) < 2:
            continue
        away = {x: abs(n - (query["end_s"] - query["start_s"])) for x, n in lengths.items()}
        nearest = [x for x, d in away.items() if d - min(away.values()) < 1e-3]
        hits += (row["answer"] in nearest) / len(nearest)
        chances.append(1 / len(lengths))
    if not chances and rows:
        return Outcome("pass", None, None, "options are words: they last no time")
    return lead(round(hits), chances, "the option as long as the query is right")


def clusters(rows: Sequence[Row]) -> Outcome:
    """Share of questions of the recording most asked about: intervals are as wide as that."""
    if len(rows) < LEAST_QUESTIONS:
        return too_few(rows, f"{LEAST_QUESTIONS} questions")
    uid, n = Counter(str(r["recording_id"]) for r in rows).most_common(1)[0]
    share = n / len(rows)
    words = f"{share:.0%} of the questions are of {uid}"
    return Outcome("warn" if share > 0.5 else "pass", share, 0.5, words)


def _option_places(row: Row, environments: Mapping[str, str | None]) -> dict[str, str | None]:
    return {
        str(m["role"]).removeprefix("option_"): environments.get(str(m["recording_id"]))
        for m in row["media"]
        if str(m["role"]).startswith("option_")
    }


def _listed_splits(splits: pl.DataFrame | None) -> dict[str, frozenset[str]]:
    """Splits a recording is listed in, by `source/recording`."""
    if splits is None or splits.is_empty():
        return {}
    key = ["source", "recording_id"]
    found = splits.group_by(key).agg(pl.col("split").unique().sort())
    return {f"{s}/{uid}": frozenset(names) for s, uid, names in found.iter_rows()}
