"""A baseline that only reads: the option whose words the question repeats.

It asks no model and knows nothing of the world. What it answers can be told from the wording alone,
so the gate `blind` refuses such a question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from expectations.schemas.identity import canonical_json
from resources.models.base import Capabilities, Media, ask_each, best_letter
from resources.models.prompt import Prompt
from resources.models.reply import Reply

_WORD = re.compile(r"[^\W_]+")
_LEAST = 0.01
"""Share that an option counts with of which the question repeats no word: it might be right too."""


def shared_share(option: str, question: str) -> float:
    """Share of an option's words that stand in the question, 0 to 1; case does not count."""
    words = _WORD.findall(option.casefold())
    said = set(_WORD.findall(question.casefold()))
    return sum(word in said for word in words) / len(words) if words else 0.0


def log_likelihoods(shares: Sequence[float]) -> tuple[float, ...]:
    """Log-likelihood of each option for a guesser that chooses in proportion to these shares."""
    weights = [share + _LEAST for share in shares]
    return tuple(round(math.log(weight / sum(weights)), 6) for weight in weights)


class SharedWordsEngine:
    """Prefers the option with the largest share of words that the prompt repeats."""

    capabilities = Capabilities(option_likelihood=True)
    model = "shared-words@2"

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One reply per prompt: the letter, with log-likelihoods as `option_scores`; no media are read."""
        return ask_each(batch, self._answer)

    def _answer(self, prompt: Prompt) -> tuple[str, tuple[float, ...], None]:
        scores = log_likelihoods([shared_share(x, prompt.text) for x in prompt.choice_texts])
        return canonical_json({"answer": best_letter(prompt, scores)}), scores, None
