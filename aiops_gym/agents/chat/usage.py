"""What was asked of a server, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

MILLION = 1_000_000


@dataclass
class Usage:
    """Sums over an episode.

    Attributes:
        requests: sent, retries included.
        retries: requests that were sent again.
        prompt_tokens: read by the model, of answered requests; so is `completion_tokens`, written by it.
        estimated: answers whose tokens the server did not count, so that we did.
        prices: per million tokens read and written; None where they are not known.
    """

    prices: Sequence[float] | None = None
    requests: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def cost(self) -> float | None:
        """In the currency of the prices; None without them.

        >>> Usage(prices=(2.0, 8.0), prompt_tokens=1_000_000, completion_tokens=500_000).cost
        6.0
        """
        if self.prices is None:
            return None
        read, written = self.prices
        return round((self.prompt_tokens * read + self.completion_tokens * written) / MILLION, 9)

    def to_json(self) -> dict[str, Any]:
        """The sums as JSON data, the cost among them."""
        sums = asdict(self)
        del sums["prices"]
        return {**sums, "cost": self.cost}
