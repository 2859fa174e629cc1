"""The README of a folder that was written for another program: what is in it, and a program that translates with it."""

from ...models.config import TransformerConfig

_SENTENCES = """\
The model reads one sentence at a time, as text in NFC with single spaces and no line ends. Whoever translates longer
texts cuts them into sentences first; the book does it in `attention_book.data.sentence_splitting`.
"""

_ONNX = """\
# A translator as ONNX graphs

Written by `python -m attention_book export --onnx`. The weights are in float32.

- `encoder.onnx`, `decoder.onnx`: the graphs.
- `tokenizer.json`: the subwords, for the library tokenizers.
- `export.json`: ids of the special pieces, sizes, and the SHA-256 of each file.

{sentences}
## What goes in and what comes out

Here B is the number of sentences, S the longest source, T the new target tokens, P those before them; there are \
{n_layers} layers and {n_heads} heads.

| graph | name | type | shape |
|---|---|---|---|
| encoder, in | `source` | int64 | B, S |
| encoder, out | `memory_keys` | float32 | {n_layers}, B, {n_heads}, S, {d_k} |
| encoder, out | `memory_values` | float32 | {n_layers}, B, {n_heads}, S, {d_v} |
| encoder, out | `source_mask` | bool | B, S |
| decoder, in | `tokens` | int64 | B, T |
| decoder, in | `past_keys` | float32 | {n_layers}, B, {n_heads}, P, {d_k} |
| decoder, in | `past_values` | float32 | {n_layers}, B, {n_heads}, P, {d_v} |
| decoder, in | `memory_keys`, `memory_values`, `source_mask` | | as they came out of the encoder |
| decoder, out | `logits` | float32 | B, T, {vocab_size} |
| decoder, out | `keys`, `values` | float32 | as `past_keys` and `past_values`, of length P + T |

- A row of `source` is the pieces of a sentence, then {eos_id} for the end, then {pad_id} up to the longest; at most \
{max_len} in all.
- The first token of a target is {bos_id}; P is 0 then. What comes out as `keys` and `values` goes in as `past_keys` \
and `past_values` at the next step. P + T is at most {max_len}.
- Row t of `logits` is for the token after token t. A softmax makes probabilities of it. The book's own searches never \
choose {pad_id} or {bos_id}.
- For a beam, order axis 1 of the keys and values, and axis 0 of the mask, by the rows that live on.

## A program

It takes the most probable piece at each step, for any number of sentences at once, with `pip install numpy \
onnxruntime tokenizers`.

```python
{program}```
"""

ONNX_PROGRAM = """\
import json

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

about = json.load(open("export.json", encoding="utf-8"))
subwords = Tokenizer.from_file("tokenizer.json")
encoder, decoder = (onnxruntime.InferenceSession(name) for name in ("encoder.onnx", "decoder.onnx"))


def translate(sentences):
    rows = [[*subwords.encode(sentence).ids, about["eos_id"]] for sentence in sentences]
    source = np.full((len(rows), max(map(len, rows))), about["pad_id"], np.int64)
    for row, ids in zip(source, rows):
        row[: len(ids)] = ids
    memory = dict(zip(("memory_keys", "memory_values", "source_mask"), encoder.run(None, {"source": source})))
    shape = (about["n_layers"], len(rows), about["n_heads"], 0)
    keys, values = (np.zeros((*shape, about[width]), np.float32) for width in ("d_k", "d_v"))
    tokens = np.full((len(rows), 1), about["bos_id"], np.int64)
    found = [[] for _ in rows]
    limits = [min(2 * len(ids) + 10, about["max_len"]) for ids in rows]
    while any(ids[-1:] != [about["eos_id"]] and len(ids) < limit for ids, limit in zip(found, limits)):
        past = {"past_keys": keys, "past_values": values}
        logits, keys, values = decoder.run(None, {"tokens": tokens, **past, **memory})
        logits[..., [about["pad_id"], about["bos_id"]]] = -np.inf
        tokens = logits[:, -1:].argmax(axis=-1)
        for ids, limit, token in zip(found, limits, tokens[:, 0].tolist()):
            if ids[-1:] != [about["eos_id"]] and len(ids) < limit:
                ids.append(token)
    return [subwords.decode([i for i in ids if i != about["eos_id"]]).strip() for ids in found]


print("\\n".join(translate(["I like cats.", "Where is the dog?"])))
"""

_CTRANSLATE2 = """\
# A translator for CTranslate2

Written by `python -m attention_book export --ctranslate2`. The weights are in float32; CTranslate2 rounds them to eight
bits when it loads them with `compute_type="int8"`.

- `model.bin`, `config.json`, `shared_vocabulary.json`: what CTranslate2 reads.
- `tokenizer.json`: the subwords, for the library tokenizers.
- `export.json`: ids of the special pieces, sizes, and the SHA-256 of each file.

{sentences}
## Where CTranslate2 decides otherwise than the book

The probabilities are the same, up to rounding. These settings make CTranslate2 read and write what the book does:

- `max_input_length=0`: otherwise a source is cut after 1024 pieces. This model has {max_len} positions, the end \
counted; a longer source is refused.
- `max_decoding_length={max_len}`: the book stops after twice the length of the source and ten more.
- `min_decoding_length=0`: otherwise an empty translation is ruled out at the first step, and the probabilities of the \
other pieces there are a little larger.
- `length_penalty=0`: both rank by probability alone. Otherwise CTranslate2 divides a log-probability by its length to \
that power, and the book by ((5 + length) / 6) to its own, 0.6: the two can prefer different sentences.
- A beam goes on here until as many sentences have finished as it is wide, and a sentence that finishes leaves its \
place to another prefix. With more than one prefix, the two searches can find different sentences; greedy search \
(`beam_size=1`) finds the same.

## A program

With `pip install ctranslate2 tokenizers`:

```python
{program}```
"""

CTRANSLATE2_PROGRAM = """\
import json

import ctranslate2
from tokenizers import Tokenizer

about = json.load(open("export.json", encoding="utf-8"))
subwords = Tokenizer.from_file("tokenizer.json")
translator = ctranslate2.Translator(".", device="cpu", compute_type="float32")


def translate(sentences, beam_size=1):
    found = translator.translate_batch(
        [subwords.encode(sentence).tokens for sentence in sentences],
        beam_size=beam_size,
        length_penalty=0,
        max_input_length=0,
        max_decoding_length=about["max_len"],
        min_decoding_length=0,
    )
    ids = [[subwords.token_to_id(piece) for piece in one.hypotheses[0]] for one in found]
    return [text.strip() for text in subwords.decode_batch(ids)]


print("\\n".join(translate(["I like cats.", "Where is the dog?"])))
"""


def sizes(config: TransformerConfig) -> dict[str, int]:
    """What a program that runs the model must know of it."""
    d_k = config.d_k or config.d_model // config.n_heads
    return {
        **{name: getattr(config, name) for name in ("vocab_size", "pad_id", "bos_id", "eos_id", "max_len")},
        **{"n_layers": config.n_layers, "n_heads": config.n_heads, "d_k": d_k, "d_v": config.d_v or d_k},
    }


def onnx_read_me(config: TransformerConfig) -> str:
    """The README of a folder of ONNX graphs."""
    return _ONNX.format(sentences=_SENTENCES, program=ONNX_PROGRAM, **sizes(config))


def ctranslate2_read_me(config: TransformerConfig) -> str:
    """The README of a folder for CTranslate2."""
    return _CTRANSLATE2.format(sentences=_SENTENCES, program=CTRANSLATE2_PROGRAM, max_len=config.max_len)
