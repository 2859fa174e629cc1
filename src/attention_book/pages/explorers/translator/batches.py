"""The explorer *batches*: cut forty sentences into batches, and look at the rectangles and at what is padding."""

import traitlets

from ....data.batch_cutting import cells, cut_by_tokens, padding_share, sorted_in_buckets
from ....little_language.language import sample
from ..base import Explorer, front_end
from ..words import rounded

SENTENCES = 40
BUCKET = 10  # batches.js has the same numbers and names
BUDGETS = [35, 50, 75, 100, 150, 200, 300, 400, 600]
ORDERS = {"drawn": "as drawn", "buckets": f"sorted in buckets of {BUCKET}", "sorted": "sorted whole"}


def target_lengths() -> list[int]:
    """Tokens of the Spanish side of forty pairs of the little language, ``</s>`` counted."""
    return [len(pair.target_words) + 1 for pair in sample(SENTENCES, seed=4, target="es")]


class Batches(Explorer):
    """Forty sentences as rows of cells, cut into batches.

    Attributes:
        lengths: tokens of each sentence, in the order drawn.
        order: in which they are cut, one of `ORDERS`.
        budget: cells per batch, at most, one of `BUDGETS`.
    """

    title = "Forty sentences in batches"
    _esm = front_end("translator/batches.js")

    lengths = traitlets.List(traitlets.Int(min=1), target_lengths()).tag(sync=True)
    order = traitlets.Enum(list(ORDERS), "drawn").tag(sync=True)
    budget = traitlets.Enum(BUDGETS, 100).tag(sync=True)

    @property
    def groups(self) -> list[list[int]]:
        """The places of the sentences in each batch."""
        bucket = {"drawn": 1, "buckets": BUCKET, "sorted": len(self.lengths)}[self.order]
        return cut_by_tokens(self.lengths, sorted_in_buckets(self.lengths, bucket), self.budget)

    @property
    def share(self) -> float:
        """The share of all cells that is padding."""
        return padding_share(self.lengths, self.groups)

    def in_words(self) -> str:
        """Order, budget, padding, updates per pass and all rectangles; batches.js says the same."""
        groups = self.groups
        sizes = [cells(self.lengths, group) for group in groups]
        each = ", ".join(f"{len(group)} × {max(self.lengths[place] for place in group)}" for group in groups)
        return (
            f"{len(self.lengths)} sentences with {sum(self.lengths)} tokens, {ORDERS[self.order]}, in batches of at "
            f"most {self.budget} cells. Batches, and so updates, per pass: {len(groups)}. Of "
            f"{sum(sizes)} cells {sum(sizes) - sum(self.lengths)} are padding, {rounded(100 * self.share, 1)} %. The "
            f"smallest batch has {min(sizes)} cells, the largest {max(sizes)}. The batches, sentences × longest "
            f"sentence: {each}."
        )
