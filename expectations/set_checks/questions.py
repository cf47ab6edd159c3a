"""Set checks: what no single question shows, judged per benchmark, subtask and recipe.

Recipes of one subtask are judged apart and together: a shortcut of one would be thinned out by the
others. Each check gives rows with a measured value and its limit. Too few questions give `unknown`: a set
that nobody could tell from a biased one has not passed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from expectations.set_checks.frequencies import answer_frequency, option_frequency
from expectations.set_checks.outcomes import (
    LEAST_EXPECTED,
    LEAST_QUESTIONS,
    REFUSE_P,
    WARN_RATIO,
    Outcome,
    by_lead,
    by_p,
    first_letters,
    lead,
    none_allowed,
    rank,
    too_few,
)
from expectations.set_checks.rows import COLUMNS, OPTION_ROLE, Asked, asked_in
from expectations.set_checks.shortcuts import learned, odd_one_out, option_kinds

SCHEMA = pl.Schema(
    {
        "benchmark": pl.String(),
        "subtask": pl.String(),
        "recipe": pl.String(),
        "check": pl.String(),
        "verdict": pl.String(),
        "value": pl.Float64(),
        "limit": pl.Float64(),
        "n": pl.Int64(),
        "message": pl.String(),
    }
)

Check = Callable[[Sequence[Asked]], Outcome]
# The best shortcut counts where a fair set would show one by chance in one of twenty.
_BEST_P = 0.05


def check_sets(
    questions: pl.DataFrame,
    splits: pl.DataFrame | None = None,
    environments: Mapping[str, str | None] | None = None,
    tuning: Iterable[str] = (),
) -> pl.DataFrame:
    """All set checks, per benchmark, subtask and recipe.

    Args:
        questions: Rows of `questions` (those to be published); `COLUMNS` are enough. Those whose answer
            is withheld are left out: hardly any check can say something of them.
        splits: Rows of `splits`, for leakage between splits; None leaves the questions' own word.
        environments: Place per recording, for the environment shortcut; None says nothing.
        tuning: Recordings that tuning sets are made of.

    Returns:
        Columns benchmark, subtask, recipe, check, verdict, value, limit, n, message, sorted. A
        recipe of None stands for all recipes of a subtask together.
    """
    listed = _listed_splits(splits)
    tuned = frozenset(tuning)
    checks: dict[str, Check] = {
        "duplicates": duplicates,
        "repeated_media": repeated_media,
        "identity": identity,
        "split_leakage": lambda rows: split_leakage(rows, listed),
        "tuning_leakage": lambda rows: tuning_leakage(rows, tuned),
        "sorted_options": sorted_options,
        "clusters": clusters,
    }
    made = [
        {
            "benchmark": benchmark,
            "subtask": subtask,
            "recipe": recipe,
            "check": name,
            "verdict": out.verdict,
            "value": out.value,
            "limit": out.limit,
            "n": len(rows),
            "message": out.message,
        }
        for (benchmark, subtask, recipe), rows in _sets(questions)
        for guesses in (guess(rows, environments),)
        for found in (
            {name: check(rows) for name, check in checks.items()}
            | guesses
            | {"effective_chance": best_guess(rows, guesses)},
        )
        for name, out in found.items()
    ]
    return pl.DataFrame(made, schema=SCHEMA).sort("benchmark", "subtask", "recipe", "check")


def effective_chances(
    questions: pl.DataFrame, environments: Mapping[str, str | None] | None = None
) -> pl.DataFrame:
    """Effective chance of each set: what the best shortcut reaches that the checks find.

    Args:
        questions: Rows of `questions` that are asked; `COLUMNS` are enough.
        environments: Place per recording; None says nothing.

    Returns:
        Columns benchmark, subtask, recipe, effective_chance, sorted; one row per recipe of a
        subtask. Null where too few questions are there to say.
    """
    made = [
        (*key, best_guess(rows, guess(rows, environments)).value)
        for key, rows in _sets(questions, apart=True)
    ]
    columns = ("benchmark", "subtask", "recipe", "effective_chance")
    types = (pl.String(), pl.String(), pl.String(), pl.Float64())
    schema = pl.Schema(dict(zip(columns, types, strict=True)))
    return pl.DataFrame(made, schema=schema, orient="row").sort(columns[:3])


def _sets(
    questions: pl.DataFrame, *, apart: bool = False
) -> Iterator[tuple[tuple[str, str, str | None], list[Asked]]]:
    """Questions per subtask and recipe; where a subtask has several recipes, all together too."""
    known = questions.select(COLUMNS).filter(pl.col("answer").is_not_null())
    subtasks = known.partition_by("benchmark", "subtask", as_dict=True)
    for (benchmark, subtask), part in sorted(subtasks.items()):
        recipes = part.partition_by("recipe", as_dict=True)
        for (recipe,), of_recipe in sorted(recipes.items(), key=lambda item: str(item[0][0])):
            yield (benchmark, subtask, recipe), asked_in(of_recipe)
        if len(recipes) > 1 and not apart:
            yield (benchmark, subtask, None), asked_in(part)


def guess(
    rows: Sequence[Asked], environments: Mapping[str, str | None] | None = None
) -> dict[str, Outcome]:
    """What each guesser reaches that sees no video, by the name of the check."""
    return {
        "position_balance": position_balance(rows),
        "length_balance": length_balance(rows),
        "answer_frequency": answer_frequency(rows),
        "option_frequency": option_frequency(rows),
        "typical_option": typical_option(rows),
        "odd_one_out": odd_one_out(rows),
        "option_kinds": option_kinds(rows),
        "learned_options": learned(rows),
        "environment_shortcut": environment_shortcut(rows, environments),
        "clip_length_shortcut": clip_length_shortcut(rows),
    }


def best_guess(rows: Sequence[Asked], guesses: Mapping[str, Outcome]) -> Outcome:
    """The effective chance: what is right without seeing anything, by the best shortcut found.

    A shortcut counts if its lead is significant among all that were tried; else chance is what the
    number of options says. Where a shortcut speaks to a part of the questions, the rest is guessed.
    """
    if len(rows) < LEAST_QUESTIONS:
        return too_few(rows, f"{LEAST_QUESTIONS} questions")
    stated = sum(1 / len(row.letters) for row in rows) / len(rows)
    tried = [(name, out, out.p) for name, out in guesses.items() if out.p is not None]
    found = [
        (out.sure_gain, name, out, min(1.0, p * len(tried)))
        for name, out, p in tried
        if out.gain > 0 and p * len(tried) < _BEST_P
    ]
    if not found:
        words = f"no shortcut is found: {stated:.0%}, as the number of options says"
        return Outcome("pass", stated, WARN_RATIO * stated, words)
    _, name, best, p = max(found, key=lambda f: f[:2])
    value = stated + best.gain * best.share
    words = f"{value:.0%} by {name}, {stated:.0%} by the number of options (p = {p:.2g})"
    return Outcome(by_lead(value, stated, p), value, WARN_RATIO * stated, words)


def position_balance(rows: Sequence[Asked]) -> Outcome:
    """Whether the right letter is evenly spread: chi-square over letters, by number of options."""
    from scipy.special import chdtrc

    total, freedom = 0.0, 0
    seen: Counter[str] = Counter(r.answer for r in rows)
    small = 0
    by_count: dict[int, Counter[str]] = defaultdict(Counter)
    for row in rows:
        by_count[len(row.letters)][row.answer] += 1
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
    p = float(chdtrc(freedom, total))
    top, times = max(seen.items(), key=lambda i: (i[1], i[0]))
    words = f"chi-square {total:.1f}, p = {p:.2g}; {top} is right in {times} of {len(rows)}"
    hits, chances = _hits_by_position(rows)
    guessed = lead(round(hits), chances, "")
    return replace(guessed, verdict=by_p(p), value=p, limit=REFUSE_P, message=words, p=p)


def _hits_by_position(rows: Sequence[Asked]) -> tuple[float, list[float]]:
    """Hits and chances of who picks the letter that is right most often in other recordings."""
    every: dict[int, Counter[str]] = defaultdict(Counter)
    own: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        k = len(row.letters)
        every[k][row.answer] += 1
        own[k, row.recording_id][row.answer] += 1
    hits = 0.0
    for row in rows:
        k = len(row.letters)
        beside = own[k, row.recording_id]
        counts = {x: every[k][x] - beside[x] for x in row.letters}
        best = [x for x, n in counts.items() if n == max(counts.values())]
        hits += (row.answer in best) / len(best)
    return hits, [1 / len(row.letters) for row in rows]


def length_balance(rows: Sequence[Asked]) -> Outcome:
    """Whether the answer is the longest or the shortest option too often."""
    asked = [r for r in rows if r.in_words]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: no text is shown")
    worst: Outcome | None = None
    for name, extreme in (("longest", max), ("shortest", min)):
        hits, chances = 0, []
        for row in asked:
            lengths = {x: len(t or "") for x, t in zip(row.letters, row.texts, strict=True)}
            end = extreme(lengths.values())
            ends = [x for x, n in lengths.items() if n == end]
            if len(ends) != 1:
                continue  # nobody can pick "the longest" where there are two
            hits += ends[0] == row.answer
            chances.append(1 / len(lengths))
        out = lead(hits, chances, f"the {name} option is right", asked)
        if worst is None or rank(out) < rank(worst):
            worst = out
    return worst or too_few(rows, "questions")


def duplicates(rows: Sequence[Asked]) -> Outcome:
    """Questions that show the same and ask the same, whatever their ids."""
    seen: dict[Any, str] = {}
    twice: list[str] = []
    # Few show and ask the same: the options of the others need no look.
    alike = Counter((row.read_text, row.shown) for row in rows)
    for row in rows:
        if alike[row.read_text, row.shown] < 2:
            continue
        options = tuple(sorted((t or "").casefold() for t in row.texts))
        key = (row.read_text, row.shown, options)
        if key in seen:
            twice.append(f"{row.question_id} repeats {seen[key]}")
        seen.setdefault(key, row.question_id)
    return none_allowed(twice, "questions are duplicates")


def repeated_media(rows: Sequence[Asked]) -> Outcome:
    """Questions that ask the same of the same query and have another answer."""
    seen: dict[Any, tuple[str, str]] = {}
    odd: list[str] = []
    for row in rows:
        if not row.in_words:
            continue
        said = str(row.texts[row.right.index(True)]) if True in row.right else ""
        key = (row.read_text, row.shown)
        before = seen.setdefault(key, (row.question_id, said))
        if before[1] != said:
            odd.append(f"{row.question_id} says {said!r}, {before[0]} {before[1]!r}")
    return none_allowed(odd, "questions contradict another")


def identity(rows: Sequence[Asked]) -> Outcome:
    """Ids that two questions share, and hashes that questions share which show something else.

    Replies are kept by hash: under a shared hash one question would get the other's reply.
    """
    odd: list[str] = []
    ids = Counter(r.question_id for r in rows)
    odd += [f"id {x} is of {n} questions" for x, n in sorted(ids.items()) if n > 1]
    seen: dict[str, Any] = {}
    for row in rows:
        shown = (row.text, row.letters, row.texts, row.shown)
        if seen.setdefault(row.question_hash, shown) != shown:
            odd.append(f"hash {row.question_hash} is of questions that differ")
    return none_allowed(odd, "ids or hashes are shared")


def split_leakage(rows: Sequence[Asked], listed: Mapping[str, frozenset[str]]) -> Outcome:
    """Recordings shown under two splits by the questions' word; published lists only warn.

    A dataset may list a recording in different splits for different tasks (EgoBridge B11).
    """
    of_split: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row.split is not None:
            of_split[row.source, row.split].update(row.recordings)
    shown: dict[str, set[str]] = defaultdict(set)
    for (source, split), recordings in of_split.items():
        for uid in recordings:
            shown[f"{source}/{uid}"].add(split)
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


def tuning_leakage(rows: Sequence[Asked], tuned: frozenset[str]) -> Outcome:
    """Recordings that are asked about and tuned on."""
    if not tuned:
        return Outcome("pass", 0.0, 0.0, "no recording is tuned on")
    odd = sorted({uid for row in rows for uid in row.recordings} & tuned)
    return none_allowed(odd, "recordings are in a tuning set")


def sorted_options(rows: Sequence[Asked]) -> Outcome:
    """Whether options stand in alphabetical order more often than by chance (EgoCross ENIGMA)."""
    asked = [r for r in rows if r.in_words]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: they have no order")
    hits, chances = 0, []
    for row in asked:
        hits += row.read_texts == sorted(row.read_texts)
        chances.append(1 / math.factorial(len(row.read_texts)))
    # Their order tells which letter is right to nobody: no guesser goes by it.
    return replace(lead(hits, chances, "options are in alphabetical order"), p=None)


def typical_option(rows: Sequence[Asked]) -> Outcome:
    """How often the option that shares most words with the others is the answer.

    Distractors made by changing the answer a little leave it in their middle.
    """
    asked = [r for r in rows if r.in_words]
    if not asked and rows:
        return Outcome("pass", None, None, "options are clips: no text is shown")
    hits, chances = 0.0, []
    for row in asked:
        words = {
            x: set(text.replace("-", " ").split())
            for x, text in zip(row.letters, row.read_texts, strict=True)
        }
        shared = {
            x: sum(
                len(own & other) / max(len(own | other), 1) for y, other in words.items() if y != x
            )
            for x, own in words.items()
        }
        most = max(shared.values())
        top = [x for x, n in shared.items() if math.isclose(n, most, abs_tol=1e-9)]
        if len(top) == len(words):
            continue
        hits += (row.answer in top) / len(top)
        chances.append(1 / len(words))
    what = "the option that shares most words with the others is right"
    return lead(round(hits), chances, what, asked)


def environment_shortcut(
    rows: Sequence[Asked], environments: Mapping[str, str | None] | None
) -> Outcome:
    """How often the option filmed where the query was is the answer, and the only such option."""
    place_of = (environments or {}).get
    hits, chances = 0, []
    for row in rows:
        here = None if row.query_recording is None else place_of(row.query_recording)
        places = dict(zip(row.option_roles, map(place_of, row.option_recordings), strict=True))
        if here is None or not places or None in places.values():
            continue
        same = [role for role, place in places.items() if place == here]
        hits += same == [OPTION_ROLE + row.answer]
        chances.append(1 / len(places))
    if rows and all(r.in_words for r in rows):
        return Outcome("pass", None, None, "options are words: they are filmed nowhere")
    if not chances:
        return Outcome("unknown", None, None, "places of the recordings are not known")
    return lead(hits, chances, "the only option filmed where the query was is right", rows)


def clip_length_shortcut(rows: Sequence[Asked]) -> Outcome:
    """How often the option whose clip is as long as the query is the answer."""
    hits, chances = 0.0, []
    timeless = 0
    for row in rows:
        letters = [role[-1] for role in row.option_roles]
        lengths = dict(zip(letters, row.option_lengths_s, strict=True))
        if row.query_recording is None or len(lengths) < 2:
            continue
        sought = row.query_length_s
        away = {
            x: abs(n - sought) for x, n in lengths.items() if n is not None and sought is not None
        }
        least = min(away.values(), default=0.0)
        nearest = [x for x, d in away.items() if d - least < 1e-3]
        if len(away) < len(lengths) or not nearest:  # a time is absent, or no number
            timeless += 1
            continue
        hits += (row.answer in nearest) / len(nearest)
        chances.append(1 / len(lengths))
    if timeless and not chances:
        return Outcome("unknown", None, None, "lengths of the clips are not known")
    if not chances and rows:
        return Outcome("pass", None, None, "options are words: they last no time")
    return lead(round(hits), chances, "the option as long as the query is right", rows)


def clusters(rows: Sequence[Asked]) -> Outcome:
    """Share of questions of the recording most asked about: intervals are as wide as that."""
    if len(rows) < LEAST_QUESTIONS:
        return too_few(rows, f"{LEAST_QUESTIONS} questions")
    uid, n = Counter(r.recording_id for r in rows).most_common(1)[0]
    share = n / len(rows)
    words = f"{share:.0%} of the questions are of {uid}"
    return Outcome("warn" if share > 0.5 else "pass", share, 0.5, words)


def _listed_splits(splits: pl.DataFrame | None) -> dict[str, frozenset[str]]:
    """Splits a recording is listed in, by `source/recording`."""
    if splits is None or splits.is_empty():
        return {}
    key = ["source", "recording_id"]
    found = splits.group_by(key).agg(pl.col("split").unique().sort())
    return {f"{s}/{uid}": frozenset(names) for s, uid, names in found.iter_rows()}
