"""The blindest baseline: a letter from the prompt's seed and the run's name."""

from __future__ import annotations

from collections.abc import Sequence

from blake3 import blake3

from resources.models.base import Capabilities, Media, ask_each
from resources.models.prompt import Prompt
from resources.models.reply import Reply


class RandomEngine:
    """Answers with a uniformly chosen letter, the same one every time; by yes or no without letters.

    Args:
        seed: Name of the run: two random runs differ, one run repeats itself.
    """

    # It may be run under any protocol that asks for a letter: it looks at nothing it is sent.
    capabilities = Capabilities(images=True, video=True, ignores_media=True)

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self.model = f"random@1 seed={seed}"

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One letter per prompt; no media are read."""
        return ask_each(batch, self._answer)

    def _answer(self, prompt: Prompt) -> tuple[str, None, None]:
        drawn = f"{self._seed}/{prompt.seed}"
        if prompt.sample:
            drawn += f"/{prompt.sample}"
        digest = blake3(drawn.encode()).digest()
        if not prompt.choices:
            # Nothing to choose from: most open questions about video are answered by yes or no.
            return ("yes", "no")[digest[0] % 2], None, None
        # 128 bits over at most 26 letters: the remainder's bias is far below any sample's reach.
        index = int.from_bytes(digest[:16], "big") % len(prompt.choices)
        return prompt.choices[index], None, None
