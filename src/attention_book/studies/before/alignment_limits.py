"""Between what lie the error rates of aligners? The least with one link per target word, and that of chance."""

from collections.abc import Sequence

from ...little_language.sentences import LittlePair
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


def chance_error_rate(pairs: Sequence[LittlePair]) -> float:
    r"""The alignment error rate if each target word is linked with a source word drawn at random, in expectation.

    A sentence with n source words and S true links then has S/n right links, whatever its links are. With m target
    words, summed over the sentences, the error rate is :math:`1 - 2\sum (S/n) / (\sum m + \sum S)`.

    Args:
        pairs: sentences and translations with their true links.

    Returns:
        The expected rate, without drawing anything.

    Raises:
        ValueError: if there are no pairs.
    """
    if not pairs:
        raise ValueError("there are no pairs, so no error rate")
    right = sum(len(pair.alignment) / len(pair.source_words) for pair in pairs)
    return 1 - 2 * right / sum(len(pair.target_words) + len(pair.alignment) for pair in pairs)
