"""Attention weights between words as an HTML table: for scripts whose letters Matplotlib does not join.

The browser sets the words, in the language each one is marked with, so vowel signs and conjuncts come out right and a
screen reader pronounces them. A cell carries its number; its shade and, if it is masked, its hatching say the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..html_tables import template

_FIGURE = """\
{% macro spelt(word) -%}
<span lang="{{ word.lang }}">{{ word.text }}</span>{% if word.gloss %}<small>{{ word.gloss }}</small>{% endif %}
{%- endmacro %}
<figure class="book-figure word-table"><div class="figure-drawing" style="overflow-x: auto"><table>
<thead><tr><td>{{ corner }}</td>
{%- for word in columns %}<th scope="col">{{ spelt(word) }}</th>{% endfor -%}
<th scope="col" class="sum">sum</th></tr></thead>
<tbody>
{% for word, numbers, allowed in lines %}
<tr><th scope="row">{{ spelt(word) }}</th>
{%- for number in numbers -%}
{% if allowed[loop.index0] %}<td style="--share: {{ "%.3f" % number }}">{{ "%.2f" % number }}</td>
{%- else %}<td class="masked">0</td>{% endif %}
{%- endfor -%}
<td class="sum">{{ "%.2f" % (numbers | sum) }}</td></tr>
{% endfor %}
</tbody></table></div><figcaption>{{ caption }}</figcaption></figure>"""


@dataclass(frozen=True)
class Word:
    """A word as a table shows it.

    Attributes:
        text: the word in its own script.
        lang: its language as HTML names it, such as "hi".
        gloss: what a reader needs who does not know the script, such as a transliteration and a translation.
    """

    text: str
    lang: str = "en"
    gloss: str = ""


def weights_table(
    weights, rows: Sequence[Word], columns: Sequence[Word], *, corner: str, caption: str, mask=None
) -> str:
    """A table of attention weights, one row per query, with the sum of each row.

    Args:
        weights: the matrix, (rows, columns); NumPy, torch, or nested lists.
        rows: the words that attend.
        columns: the words that are attended to.
        corner: what rows and columns are, for the corner of the table.
        caption: the question the table answers, then what to see.
        mask: True where a row may attend to a column; None allows everything.

    Returns:
        A `figure` element.

    Raises:
        ValueError: if words and weights do not fit, a weight is not between 0 and 1, or a masked one is not 0.
    """
    numbers = np.asarray(weights, dtype=float)
    if numbers.shape != (len(rows), len(columns)):
        raise ValueError(f"weights of shape {numbers.shape} do not fit {len(rows)} rows and {len(columns)} columns")
    allowed = np.ones(numbers.shape, dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
    if not np.all((numbers >= 0) & (numbers <= 1 + 1e-9)):
        raise ValueError(f"weights lie between 0 and 1, got {np.nanmin(numbers)} to {np.nanmax(numbers)}")
    if numbers[~allowed].any():
        raise ValueError("a masked cell holds a weight above 0")
    lines = zip(rows, numbers.tolist(), allowed.tolist(), strict=True)
    return template(_FIGURE).render(lines=lines, columns=columns, corner=corner, caption=caption)


def show_weights(weights, rows: Sequence[Word], columns: Sequence[Word], **how) -> None:
    """Display a table below the cell. Arguments as for `weights_table`."""
    from IPython.display import HTML, display

    display(HTML(weights_table(weights, rows, columns, **how)))
