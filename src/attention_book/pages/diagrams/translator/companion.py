"""What each class of ours is called elsewhere: in The Annotated Transformer, in ``torch.nn`` and in Hugging Face."""

import re
from typing import NamedTuple

from ...html_tables import template


class Names(NamedTuple):
    """One thing and its names.

    Attributes:
        ours: its name in this package; a part of a class is named with its class.
        module: the module of the package that defines it, without ``attention_book.``.
        shown: page and label of the section that shows or uses its code.
        annotated: its name in The Annotated Transformer, in the version of 2022.
        torch: its name in ``torch.nn``; where it has no class of its own, the classes that it is made of.
        marian: its name in ``transformers.models.marian.modeling_marian``, or the classes that it is made of.
    """

    ours: str
    module: str
    shown: str
    annotated: str
    torch: str
    marian: str

    @property
    def anchor(self) -> str:
        """The id of its row on the page."""
        return f"companion-{self.ours.replace('.', '-')}"


HERE = "translator/is-it-the-same-model"
"""The page on which the table stands."""
_BLOCKS = "translator/blocks-and-stacks"
_LAYERS, _OUTPUT = f"{_BLOCKS}#blocks-layers", "translator/from-rows-to-words#blocks-output"
_SUBLAYERS = "translator/residuals-and-normalisation#residuals-and-normalisation"
COMPANIONS = (
    Names("Transformer", "models.transformer", _OUTPUT, "EncoderDecoder", "Transformer", "MarianMTModel"),
    Names("Encoder", "models.blocks", _LAYERS, "Encoder", "TransformerEncoder", "MarianEncoder"),
    Names("EncoderLayer", "models.blocks", _LAYERS, "EncoderLayer", "TransformerEncoderLayer", "MarianEncoderLayer"),
    Names("Decoder", "models.blocks", "attention/one-memory#one-memory-loop", "Decoder", "TransformerDecoder",
          "MarianDecoder"),
    Names("DecoderLayer", "models.blocks", _LAYERS, "DecoderLayer", "TransformerDecoderLayer", "MarianDecoderLayer"),
    Names("AddAndNorm", "models.blocks", f"{_SUBLAYERS}-zeroed", "SublayerConnection",
          "in the layers: LayerNorm", "in the layers: nn.LayerNorm"),
    Names("FeedForward", "models.blocks", f"{_SUBLAYERS}-feed-forward", "PositionwiseFeedForward",
          "in the layers: Linear, Linear", "in the layers: nn.Linear, nn.Linear"),
    Names("MultiHeadAttention", "attention.multi_head", "attention/splitting-heads#multi-head-ledger",
          "MultiHeadedAttention", "MultiheadAttention", "MarianAttention"),
    Names("scaled_dot_product_attention", "attention.dot_product", "attention/scaled-dot-product#sdp-all-queries",
          "attention", "functional.scaled_dot_product_attention", "eager_attention_forward"),
    Names("softmax", "attention.probability", "attention/scaled-dot-product#sdp-softmax", "Tensor.softmax",
          "functional.softmax", "nn.functional.softmax"),
    Names("causal_mask", "attention.masks", "attention/masks#masks-softmax", "subsequent_mask",
          "Transformer.generate_square_subsequent_mask", "made inside MarianDecoder"),
    Names("sinusoidal_positions", "attention.positions", "attention/positions#positions-sinusoidal",
          "PositionalEncoding", "none", "MarianSinusoidalPositionalEmbedding"),
    Names("Transformer.src_embedding", "models.transformer", "attention/two-square-roots#two-roots-one-table",
          "Embeddings", "Embedding", "MarianModel.shared"),
    Names("Transformer.output", "models.transformer", _OUTPUT, "Generator", "Linear", "MarianMTModel.lm_head"),
)  # fmt: skip

_TABLE = """\
<table class="table companion">
<thead><tr>{% for name in header %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in rows %}
<tr id="{{ row.anchor }}"><td><a href="{{ row.address }}"><code>{{ row.ours }}</code></a><br>
{{- row.module }}</td><td>{{ row.annotated }}</td><td>{{ row.torch }}</td><td>{{ row.marian }}</td></tr>
{% endfor %}
</tbody>
</table>"""
HEADER = ("ours, and its module", "The Annotated Transformer", "torch.nn", "Hugging Face, Marian")


def address(section: str, seen_from: str = HERE) -> str:
    """Where a section or a row is, such as ``"attention/masks#masks-flow"``, as seen from a page."""
    page, _, label = section.partition("#")
    return f"#{label}" if page == seen_from else f"../{page}.html#{label}"


def _breakable(name: str) -> str:
    """A name as HTML that may be broken behind a dot, behind an underscore, and before a capital."""
    from markupsafe import Markup, escape  # comes with Jinja2, which makes the table

    parts = re.split(r"(?<=[._])|(?<=[a-z])(?=[A-Z])", name)
    return Markup("<wbr>").join(escape(part) for part in parts if part)


def companion_html() -> str:
    """The table: a row per name of ours, which leads to the section that shows its code."""
    rows = [
        {name: _breakable(text) for name, text in names._asdict().items()}
        | {"anchor": names.anchor, "address": address(names.shown)}
        for names in COMPANIONS
    ]
    return template(_TABLE).render(header=HEADER, rows=rows)


def show_companions() -> None:
    """Display :func:`companion_html` below the cell."""
    from IPython.display import HTML, display

    display(HTML(companion_html()))
