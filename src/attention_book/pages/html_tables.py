"""Tables of texts as HTML, from one template: what looks like HTML in a cell stays text."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

_TABLE = """\
<table class="table">
<thead><tr>{% for name in header %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in rows %}
<tr>{% for name in header %}<td{% if name in languages %} lang="{{ languages[name] }}"{% endif %}>
{{- row[loop.index0] }}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table>"""


@cache
def template(text: str):
    """A Jinja2 template that escapes whatever is put into it; lines that hold a statement alone leave no trace.

    Jinja2 comes with the package's own dependencies, and is imported when the first table is made.
    """
    from jinja2 import Environment, StrictUndefined

    return Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(text)  # fmt: skip


def table_html(header: Sequence[str], rows: Iterable[Sequence[str]], languages: Mapping[str, str] | None = None) -> str:
    """A table with a heading per column.

    Args:
        header: the headings.
        rows: a text per column in each.
        languages: heading of a column to the language of its texts, such as ``"es"``, where that is not the page's.

    Raises:
        ValueError: if a row has not as many cells as the header.
    """
    rows = list(rows)
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"a row of {len(row)} cells does not fit a header of {len(header)}: {list(row)}")
    return template(_TABLE).render(header=header, rows=rows, languages=languages or {})
