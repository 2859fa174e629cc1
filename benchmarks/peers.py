"""Our weights in the models of three other projects, and their own searches where they have one.

None of their code is in this repository: Hugging Face's transformers and JoeyNMT are imported, and The Annotated
Transformer is read from a file that the user names.
"""

import ast
import importlib.util
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import torch
from torch import Tensor, nn

from attention_book.models.transformer import Transformer
from attention_book.translation.decoding import beam_search, greedy_decode

Translate = Callable[[Tensor, int, int], list[list[int]]]
"""From padded sources, a beam's width and the most tokens to the tokens of each."""
ALPHA = 0.6
ANNOTATED = "the_annotated_transformer.py"


def by_batches(translate: Translate, sentences: list[list[int]], pad_id: int) -> Callable[[int, int], list[list[int]]]:
    """What a contender does: all sentences in batches of like lengths, longest first; their order is kept."""

    def decode(batch_size: int, beam_size: int) -> list[list[int]]:
        order = sorted(range(len(sentences)), key=lambda place: -len(sentences[place]))
        found = {}
        for first in range(0, len(order), batch_size):
            batch = order[first : first + batch_size]
            rows = [torch.tensor(sentences[place]) for place in batch]
            src = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad_id)
            with torch.inference_mode():
                found.update(zip(batch, translate(src, beam_size, 2 * src.shape[1] + 10), strict=True))
        return [found[place] for place in range(len(sentences))]

    return decode


def _ended(tokens: list[int], eos_id: int) -> list[int]:
    """Up to and with `</s>`, if it is there."""
    return tokens[: tokens.index(eos_id) + 1] if eos_id in tokens else tokens


def _give(pairs: list[tuple[nn.Module, nn.Module]]) -> None:
    """The parameters of the second module to the first, of the same kind; the small number of a norm as well."""
    for theirs, ours in pairs:
        theirs.load_state_dict(ours.state_dict())
        if isinstance(ours, nn.LayerNorm):
            theirs.eps = ours.eps


def hugging_face(model: Transformer) -> Translate:
    """An M2M100 with our weights: the Transformer of that library whose norms come first, as ours do.

    Its own sinusoids are laid out otherwise, so its table is replaced: row `pad_id` + 1 is position 0.
    """
    from transformers import M2M100Config, M2M100ForConditionalGeneration

    c = model.config
    layers = {f"{half}_{name}": number for half in ("encoder", "decoder") for name, number in (
        ("layers", c.n_layers), ("ffn_dim", c.d_ff), ("attention_heads", c.n_heads), ("layerdrop", 0.0))}  # fmt: skip
    theirs = M2M100ForConditionalGeneration(
        M2M100Config(
            vocab_size=c.vocab_size, max_position_embeddings=c.max_len, d_model=c.d_model, scale_embedding=True,
            activation_function="relu", pad_token_id=c.pad_id, bos_token_id=c.bos_id, eos_token_id=c.eos_id,
            decoder_start_token_id=c.bos_id, **layers,
        )
    ).eval()  # fmt: skip
    encoder, decoder = theirs.model.encoder, theirs.model.decoder
    pairs = [(encoder.layer_norm, model.encoder.norm), (decoder.layer_norm, model.decoder.norm)]
    for its, ours in [*zip(encoder.layers, model.encoder.layers, strict=True),
                      *zip(decoder.layers, model.decoder.layers, strict=True)]:  # fmt: skip
        cross = hasattr(ours, "cross_attention")
        pairs += _attention(its.self_attn, ours.self_attention)
        pairs += [(its.self_attn_layer_norm, (ours.add_self if cross else ours.add_attention).norm)]
        if cross:
            pairs += _attention(its.encoder_attn, ours.cross_attention)
            pairs += [(its.encoder_attn_layer_norm, ours.add_cross.norm)]
        pairs += [(its.fc1, ours.feed_forward.w_1), (its.fc2, ours.feed_forward.w_2)]
        pairs += [(its.final_layer_norm, ours.add_feed_forward.norm)]
    _give(pairs)
    with torch.no_grad():
        encoder.embed_tokens.weight.copy_(model.src_embedding.weight)
        decoder.embed_tokens.weight.copy_(model.tgt_embedding.weight)
        theirs.lm_head.weight.copy_(model.output.weight)
        for half in (encoder, decoder):
            half.embed_positions.weights[c.pad_id + 1 : c.pad_id + 1 + c.max_len] = model.positions

    def translate(src: Tensor, beam_size: int, most: int) -> list[list[int]]:
        found = theirs.generate(
            input_ids=src, attention_mask=src != c.pad_id, num_beams=beam_size, do_sample=False,
            max_new_tokens=min(most, c.max_len - 1), suppress_tokens=[c.pad_id, c.bos_id],
            **({} if beam_size == 1 else {"length_penalty": ALPHA}),
        )  # fmt: skip
        return [_ended(row[1:], c.eos_id) for row in found.tolist()]

    return translate


def _attention(its: nn.Module, ours: nn.Module) -> list[tuple[nn.Module, nn.Module]]:
    return [(its.q_proj, ours.w_q), (its.k_proj, ours.w_k), (its.v_proj, ours.w_v), (its.out_proj, ours.w_o)]


def joeynmt(model: Transformer) -> Translate:
    """JoeyNMT's Transformer with our weights and a stand-in vocabulary, since its own fixes the special ids.

    It imports the writer of tensorboard for its training; a stand-in is enough for searches.
    """
    if importlib.util.find_spec("tensorboard") is None:
        stand_in = ModuleType("torch.utils.tensorboard")
        stand_in.SummaryWriter = None
        sys.modules.setdefault("torch.utils.tensorboard", stand_in)
    from joeynmt.decoders import TransformerDecoder
    from joeynmt.embeddings import Embeddings
    from joeynmt.encoders import TransformerEncoder
    from joeynmt.model import Model
    from joeynmt.search import beam_search as its_beam_search
    from joeynmt.search import greedy

    c = model.config
    size = {"hidden_size": c.d_model, "ff_size": c.d_ff, "num_layers": c.n_layers, "num_heads": c.n_heads,
            "layer_norm": c.norm, "vocab_size": c.vocab_size}  # fmt: skip
    ids = SimpleNamespace(pad_index=c.pad_id, bos_index=c.bos_id, eos_index=c.eos_id, sep_index=None, unk_index=None,
                          specials=[], lang_tags=[])  # fmt: skip
    src, tgt = (Embeddings(c.d_model, scale=True, vocab_size=c.vocab_size, padding_idx=c.pad_id) for _ in range(2))
    theirs = Model(TransformerEncoder(**size), TransformerDecoder(**size), src, tgt, ids, ids).eval()
    encoder, decoder = theirs.encoder, theirs.decoder
    pairs = [(encoder.layer_norm, model.encoder.norm), (decoder.layer_norm, model.decoder.norm),
             (src.lut, model.src_embedding), (tgt.lut, model.tgt_embedding),
             (decoder.output_layer, model.output)]  # fmt: skip
    for its, ours in [*zip(encoder.layers, model.encoder.layers, strict=True),
                      *zip(decoder.layers, model.decoder.layers, strict=True)]:  # fmt: skip
        attentions = [("src_src_att", "self_attention", "layer_norm", "add_attention")]
        if hasattr(ours, "cross_attention"):
            attentions = [("trg_trg_att", "self_attention", "x_layer_norm", "add_self"),
                          ("src_trg_att", "cross_attention", "dec_layer_norm", "add_cross")]  # fmt: skip
        for its_name, our_name, its_norm, our_norm in attentions:
            one, other = getattr(its, its_name), getattr(ours, our_name)
            pairs += [(one.q_layer, other.w_q), (one.k_layer, other.w_k), (one.v_layer, other.w_v)]
            pairs += [(one.output_layer, other.w_o), (getattr(its, its_norm), getattr(ours, our_norm).norm)]
        forward = its.feed_forward
        pairs += [(forward.pwff_layer[0], ours.feed_forward.w_1), (forward.pwff_layer[3], ours.feed_forward.w_2),
                  (forward.layer_norm, ours.add_feed_forward.norm)]  # fmt: skip
    _give(pairs)
    for half in (encoder, decoder):
        half.pe.pe[0, : c.max_len] = model.positions

    def translate(src: Tensor, beam_size: int, most: int) -> list[list[int]]:
        mask = (src != c.pad_id)[:, None]
        encoded = theirs(return_type="encode", src=src, src_length=mask.sum(dim=2)[:, 0], src_mask=mask)[0]
        given = {"src_mask": mask, "max_output_length": most, "model": theirs, "encoder_output": encoded,
                 "encoder_hidden": None, "min_output_length": 0}  # fmt: skip
        beam = {"beam_size": beam_size, "alpha": ALPHA}
        found = greedy(**given) if beam_size == 1 else its_beam_search(**given, **beam)
        return [_ended(row, c.eos_id) for row in found[0].tolist()]

    return translate


def definitions(path: Path) -> ModuleType:
    """The classes and functions of a Python file, with its imports of torch, math and copy, and nothing else of it.

    Raises:
        FileNotFoundError: there is no such file.
    """
    path = path / ANNOTATED if path.is_dir() else path
    wanted = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            names = []
        if isinstance(node, ast.ClassDef | ast.FunctionDef) or (
            names and all(name.split(".")[0] in ("torch", "math", "copy") for name in names)
        ):
            wanted.append(node)
    module = ModuleType("annotated_transformer")
    exec(compile(ast.Module(wanted, []), str(path), "exec"), module.__dict__)
    return module


def annotated(model: Transformer, path: Path) -> Translate:
    """The Annotated Transformer's model with our weights, under our searches: its own takes one sentence, greedily.

    It keeps no keys: each step decodes the whole prefix anew. Its norms divide by the unbiased deviation, which is
    √(d / (d − 1)) times as large, so their gains are made larger by as much.
    """
    c, code = model.config, definitions(path)
    theirs = code.make_model(c.vocab_size, c.vocab_size, c.n_layers, c.d_model, c.d_ff, c.n_heads, 0.0).eval()
    norms = [(theirs.encoder.norm, model.encoder.norm), (theirs.decoder.norm, model.decoder.norm)]
    pairs = [(theirs.src_embed[0].lut, model.src_embedding), (theirs.tgt_embed[0].lut, model.tgt_embedding)]
    for its, ours in [*zip(theirs.encoder.layers, model.encoder.layers, strict=True),
                      *zip(theirs.decoder.layers, model.decoder.layers, strict=True)]:  # fmt: skip
        attentions, adds = [(its.self_attn, ours.self_attention)], ["add_attention", "add_feed_forward"]
        if hasattr(ours, "cross_attention"):
            attentions += [(its.src_attn, ours.cross_attention)]
            adds = ["add_self", "add_cross", "add_feed_forward"]
        for one, other in attentions:
            pairs += zip(one.linears, (other.w_q, other.w_k, other.w_v, other.w_o), strict=True)
        pairs += [(its.feed_forward.w_1, ours.feed_forward.w_1), (its.feed_forward.w_2, ours.feed_forward.w_2)]
        norms += [(part.norm, getattr(ours, add).norm) for part, add in zip(its.sublayer, adds, strict=True)]
    _give(pairs)
    with torch.no_grad():
        theirs.generator.proj.weight.copy_(model.output.weight)
        theirs.generator.proj.bias.zero_()
        for one, other in norms:
            one.a_2.copy_(other.weight * math.sqrt(c.d_model / (c.d_model - 1)))
            one.b_2.copy_(other.bias)
        for half in (theirs.src_embed, theirs.tgt_embed):
            half[1].pe[0, : c.max_len] = model.positions
    searched = _Prefixes(c, theirs, code.subsequent_mask)

    def translate(src: Tensor, beam_size: int, most: int) -> list[list[int]]:
        found = greedy_decode(searched, src) if beam_size == 1 else beam_search(searched, src, beam_size, ALPHA)
        return [list(one.tokens) for one in found]

    return translate


@dataclass(frozen=True)
class _Prefix:
    memory: Tensor
    mask: Tensor
    tokens: Tensor

    def reorder(self, rows: Tensor) -> "_Prefix":
        return _Prefix(self.memory[rows], self.mask[rows], self.tokens[rows])


class _Prefixes:
    """What our searches ask of a model, for one that decodes whole prefixes."""

    def __init__(self, config: object, theirs: nn.Module, subsequent_mask: Callable[[int], Tensor]):
        self.config, self.theirs, self.subsequent_mask = config, theirs, subsequent_mask

    def encode(self, src: Tensor) -> _Prefix:
        mask = (src != self.config.pad_id)[:, None]
        return _Prefix(self.theirs.encode(src, mask), mask, src[:, :0])

    def start(self, memory: _Prefix) -> _Prefix:
        return memory

    def step(self, tokens: Tensor, state: _Prefix) -> tuple[Tensor, _Prefix]:
        state = replace(state, tokens=torch.cat([state.tokens, tokens[:, None]], dim=1))
        mask = self.subsequent_mask(state.tokens.shape[1])
        states = self.theirs.decode(state.memory, state.mask, state.tokens, mask)
        return self.theirs.generator(states[:, -1]), state
