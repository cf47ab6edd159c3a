"""Tables of reworded templates: what a model proposed, what people decided, and how far they agree."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import INT, TEXT, agreement_columns
from expectations.schemas.core import Column, Table
from expectations.schemas.questions import BENCHMARK
from expectations.schemas.reviews import OUTCOME, REVIEW_AGREEMENT, ROUND

_WORDING_ID = Column(
    "wording_id", TEXT, "Hash of benchmark, template and rewording: a changed word makes another."
)
_DOMAIN = Column(
    "domain", TEXT, "Domain whose sample was looked at; the benchmark's name where it has none."
)

WORDINGS = Table(
    name="wordings",
    stage="questions",
    row="rewording of a template that a language model proposed, and what became of it",
    key=("benchmark", "template_id", "place"),
    unit="benchmark",
    columns=(
        BENCHMARK,
        Column("template_id", TEXT, "Hash of benchmark and template."),
        Column("recipes", pl.List(TEXT), "Recipes that ask in the template, without versions."),
        Column("template", TEXT, "Plain template, with its slots in braces."),
        Column(
            "place", INT, "Place in the reply, from 1; 0 where the reply has no rewording.", low=0
        ),
        Column(
            "wording_id",
            TEXT,
            "Hash of benchmark, template and rewording; null where there is none.",
            nullable=True,
        ),
        Column("wording", TEXT, "Rewording, with the same slots.", nullable=True),
        Column("model", TEXT, "Run or text model that was asked, and its model."),
        Column("call_key", TEXT, "Its call in `calls`; null if nothing was asked.", nullable=True),
        Column(
            "status",
            TEXT,
            "`usable` goes to people; otherwise a rule refused it, the call failed, or nothing was asked yet.",
            one_of=("usable", "refused", "error", "not_asked"),
        ),
        Column("rule", TEXT, "Rule that refused it.", nullable=True),
        Column("message", TEXT, "What is wrong with it or with the call.", nullable=True),
    ),
)

WORDING_REVIEWS = Table(
    name="wording_reviews",
    stage="questions",
    row="rewording that people judged on a sample of one domain, with the outcome of their decisions",
    key=("benchmark", "domain", "wording_id"),
    unit="benchmark",
    columns=(
        BENCHMARK,
        _DOMAIN,
        _WORDING_ID,
        Column(
            "state",
            TEXT,
            "`standing` decisions count; `stale`: they are on another version; `gone`: the model no longer"
            " proposes it, or a rule refuses it; `conflict`: reviewers of one round disagree.",
            one_of=("standing", "stale", "gone", "conflict"),
        ),
        Column(
            "verdict",
            TEXT,
            "Verdict; null in a conflict. Questions of the domain are asked in it only if it is accepted.",
            nullable=True,
            one_of=("accept", "reject"),
        ),
        *OUTCOME,
    ),
)

WORDING_AGREEMENT = Table(
    name="wording_agreement",
    stage="questions",
    row="annotation round and domain, with the agreement of its reviewers on rewordings",
    key=("benchmark", "domain", "round"),
    unit="benchmark",
    columns=(
        BENCHMARK,
        _DOMAIN,
        ROUND,
        *agreement_columns("Reviewers"),
        REVIEW_AGREEMENT["same_outcome"],
    ),
)

TABLES = (WORDINGS, WORDING_REVIEWS, WORDING_AGREEMENT)
