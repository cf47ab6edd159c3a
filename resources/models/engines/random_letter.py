"""The blindest baseline: a letter from the prompt's seed and the run's name."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from blake3 import blake3

from resources.models.base import Capabilities, Media, ask_each
from resources.models.prompt import Prompt
from resources.models.reply import Reply

# A form that a chain of actions is asked for in: `[[k1, k2, k3], [d12, d23]]`.
_CHAIN = re.compile(r"\[\[(k1(?:, k\d)+)\], \[d12")
_CANDIDATE = re.compile(r"^(\d+): ", re.MULTILINE)
_DIRECTIONS = "ABCDEFGH"


class RandomEngine:
    """Answers with a uniformly chosen letter, the same one every time.

    A chain of actions is answered by as many candidates and directions as it asks for, and any other
    question without letters by yes or no.

    Args:
        seed: Name of the run: two random runs differ, one run repeats itself.
    """

    # It may be run under any protocol that asks for a letter: it looks at nothing it is sent.
    capabilities = Capabilities(images=True, video=True, ignores_media=True)

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self.model = f"random@2 seed={seed}"

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One letter per prompt; no media are read."""
        return ask_each(batch, self._answer)

    def _answer(self, prompt: Prompt) -> tuple[str, None, None]:
        drawn = f"{self._seed}/{prompt.seed}"
        if prompt.sample:
            drawn += f"/{prompt.sample}"
        digest = blake3(drawn.encode()).digest()
        chain = None if prompt.choices else _CHAIN.search(prompt.text)
        if chain is not None:
            return _drawn_chain(drawn, prompt.text, chain[1].count(",") + 1), None, None
        if not prompt.choices:
            # Nothing to choose from: most open questions about video are answered by yes or no.
            return ("yes", "no")[digest[0] % 2], None, None
        # 128 bits over at most 26 letters: the remainder's bias is far below any sample's reach.
        index = int.from_bytes(digest[:16], "big") % len(prompt.choices)
        return prompt.choices[index], None, None


def _drawn_chain(drawn: str, text: str, length: int) -> str:
    """A chain of the candidates that a text lists, each as likely as any other."""
    candidates = sorted({int(number) for number in _CANDIDATE.findall(text)})
    steps = sorted(candidates, key=lambda number: blake3(f"{drawn}/{number}".encode()).digest())
    moves = blake3(f"{drawn}/moves".encode()).digest()
    letters = [_DIRECTIONS[byte % len(_DIRECTIONS)] for byte in moves[: length - 1]]
    return json.dumps([steps[:length], letters])
