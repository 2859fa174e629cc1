"""How well can an aligner do that is allowed less than the gold alignments need?"""

from collections.abc import Sequence

from ...translation.evaluation import Alignment


def least_error_rate(gold: Sequence[Alignment]) -> float:
    r"""The least alignment error rate that can be reached with at most one link per target word.

    With C target words that have a link and S gold links, all sure, it is :math:`1 - 2C/(C + S)`: each of the C links
    is right, and the others of a word are out of reach.

    Args:
        gold: the true links (source place, target place) of each sentence.

    Raises:
        ValueError: if no sentence has a link.
    """
    chosen = sum(len({target for _, target in links}) for links in gold)
    if not chosen:
        raise ValueError("there is no gold link, so no error rate")
    return 1 - 2 * chosen / (chosen + sum(len(set(links)) for links in gold))
