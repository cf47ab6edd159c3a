"""What people decide on rewordings: one item per rewording and domain, seen on a sample of the domain's questions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.questions.expansion.choice import ROLE, Rewording, fitting_rewordings, in_words
from assets.questions.expansion.templates import filled, read
from assets.questions.kit.identity import question_hash
from assets.questions.kit.recipe import Row
from assets.reviews.rounds import review_agreement
from assets.reviews.states import Judged
from assets.sources.reviews.forms import QUESTION_QUEUE
from assets.sources.reviews.standing import item_hash, standing
from expectations.schemas import TABLES
from expectations.schemas.identity import stable_hash
from expectations.schemas.reviews import WORDING

SAMPLED = 0.1
"""Share of a domain's questions that people see in each rewording (3.2: "10% of QA pairs from each domain")."""
_ITEMS = pl.Schema({"item_id": pl.String(), "item_hash": pl.String(), "recording_id": pl.String()})


def item_id(domain: str, wording_id: str) -> str:
    """Key of a rewording in a domain, as decisions name it."""
    return f"{domain}/{wording_id}"


def version(domain: str, template: str, wording: str) -> str:
    """Hash of what a reviewer judges: the template, its rewording, and where it is to be used."""
    return item_hash(WORDING, domain, template, wording)


def wording_items(wordings: pl.DataFrame, domains: Iterable[str]) -> pl.DataFrame:
    """What there is to judge: `item_id`, `item_hash` and `recording_id`, which is null.

    Args:
        wordings: Rows of `wordings`.
        domains: Domains of the benchmark's sources.
    """
    usable = wordings.filter(status="usable").select("wording_id", "template", "wording")
    rows = [
        (item_id(domain, key), version(domain, template, wording), None)
        for domain in sorted(domains)
        for key, template, wording in usable.iter_rows()
    ]
    return pl.DataFrame(rows, schema=_ITEMS, orient="row")


def wording_outcomes(
    benchmark: str, decisions: pl.DataFrame, wordings: pl.DataFrame, domains: Iterable[str]
) -> dict[str, pl.DataFrame]:
    """Rows of `wording_reviews` and `wording_agreement`.

    Args:
        benchmark: Benchmark.
        decisions: Rows of `reviews` on its rewordings.
        wordings: Rows of `wordings`.
        domains: Domains of its sources.
    """
    items = wording_items(wordings, domains)
    rows, agreed = [], []
    for row in standing(decisions, items).iter_rows(named=True):
        domain, _, key = row["item_id"].rpartition("/")
        kept = ("state", "verdict", "reason", "reviewer", "round", "decided_at")
        rows.append(
            {
                "benchmark": benchmark,
                "domain": domain,
                "wording_id": key,
                **{name: row[name] for name in kept},
            }
        )
    of = [item.rpartition("/")[0] for item in decisions["item_id"]]
    for domain in sorted(set(of)):
        mine = decisions.filter(pl.Series([name == domain for name in of], dtype=pl.Boolean))
        agreement_rows = review_agreement(Judged(domain, WORDING, mine, items, {}))
        agreed += [
            {"benchmark": benchmark, "domain": domain, **row}
            for row in agreement_rows.iter_rows(named=True)
        ]
    reviews, agreement = TABLES["wording_reviews"], TABLES["wording_agreement"]
    return {
        "wording_reviews": reviews.frame(rows).sort(reviews.key),
        "wording_agreement": agreement.frame(
            {name: row[name] for name in agreement.schema.names()} for row in agreed
        ).sort(agreement.key),
    }


def in_plain_words(row: Row, wordings: Mapping[str, Rewording]) -> Row:
    """A question as it was before it was reworded; itself where it is plain.

    Args:
        row: Row of `questions`.
        wordings: Rewordings by id.
    """
    named = [e["key"] for e in row["evidence"] if e["role"] == ROLE and e["key"] in wordings]
    values = read(wordings[named[0]].wording, row["text"]) if named else None
    if values is None:
        return row
    text = filled(wordings[named[0]].template, values)
    return {
        **row,
        "text": text,
        "question_hash": question_hash(text, row["options"], row["media"]),
        "evidence": [e for e in row["evidence"] if e["role"] != ROLE],
    }


def wording_samples(questions: Sequence[Row], rewording: Rewording, domain: str) -> list[Row]:
    """Questions of a domain in a rewording: one in ten of those it fits, at least one, those of lowest hash.

    Args:
        questions: Plain questions of the domain whose recipes ask in the rewording's template.
        rewording: The rewording.
        domain: The domain.

    Returns:
        Rows of `questions` in the new words; empty where it fits none.
    """
    fitting = [
        row
        for row in questions
        if fitting_rewordings(row["text"], [rewording]) and not rewording.names_option(row)
    ]
    n = math.ceil(len(fitting) * SAMPLED)

    def turn(row: Row) -> str:
        return stable_hash("wording sample", domain, rewording.wording_id, row["question_id"])

    return [in_words(row, rewording) for row in sorted(fitting, key=turn)[:n]]


@dataclass(frozen=True, slots=True)
class Undecided:
    """A rewording that nobody has decided on in a domain.

    Attributes:
        rewording: The rewording.
        sample: Rows of `questions` in it, at least one.
        state: State of the decisions that do not count; `sample` where there are none.
    """

    rewording: Rewording
    sample: Sequence[Row]
    state: str


def undecided(
    domain: str, samples: Iterable[tuple[Rewording, Sequence[Row]]], reviews: pl.DataFrame
) -> list[Undecided]:
    """Rewordings that nobody has decided on, of those with a sample, in their order.

    Args:
        domain: Domain.
        samples: Rewordings with their sampled questions.
        reviews: Rows of `wording_reviews`.
    """
    states: dict[str, str] = dict(
        reviews.filter(domain=domain).select("wording_id", "state").iter_rows()
    )
    items = (
        Undecided(one, sample, states.get(one.wording_id, "sample")) for one, sample in samples
    )
    return [item for item in items if item.sample and item.state != "standing"]


def wording_queue(
    benchmark: str, domain: str, items: Iterable[Undecided], frames: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Queue of a domain's rewordings that nobody has decided on.

    Args:
        benchmark: Benchmark.
        domain: Domain.
        items: These rewordings, in order.
        frames: Addresses of the pictures shown, by question id.

    Returns:
        Columns of `QUESTION_QUEUE`: of each item the template, the rewording and the questions.
    """
    rows = []
    for item in items:
        rewording, questions = item.rewording, item.sample
        shown = [f"Template: {rewording.template}", f"Rewording: {rewording.wording}"]
        for number, row in enumerate(questions, 1):
            shown += ["", f"{number}. {row['text']}"]
            shown += [f"{option['letter']}. {option['text']}" for option in row["options"]]
        rows.append(
            {
                "source": questions[0]["source"],
                "item_kind": WORDING,
                "benchmark": benchmark,
                "item_id": item_id(domain, rewording.wording_id),
                "item_hash": version(domain, rewording.template, rewording.wording),
                "subtask": questions[0]["subtask"],
                "why": item.state,
                "text": "\n".join(shown),
                "answer": "; ".join(f"{n}. {row['answer']}" for n, row in enumerate(questions, 1)),
                "explanation": "\n".join(
                    f"{n}. {row['detailed_answer']}" for n, row in enumerate(questions, 1)
                ),
                "clips": "; ".join(_clips(n, row) for n, row in enumerate(questions, 1)),
                "frames": [
                    path for row in questions for path in frames.get(row["question_id"], ())
                ],
            }
        )
    return pl.DataFrame(rows, schema=QUESTION_QUEUE)


def _clips(number: int, row: Mapping[str, Any]) -> str:
    shown = (
        f"{m['role']} {m['recording_id']} {m['start_s']:.2f} to {m['end_s']:.2f} s"
        for m in row["media"]
    )
    return f"{number}. {', '.join(shown)}"
