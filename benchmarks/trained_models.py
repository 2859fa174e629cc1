"""One contender of `python -m benchmarks training`: `python -m benchmarks.trained_models NAME BATCHES [ANNOTATED]`.

All have the size of `TransformerConfig.small` and the optimizer of our `Trainer`. What a peer drops beside that,
attention weights or the inner numbers of the feed-forward network, is left as its authors built it.
"""

import ast
import importlib.metadata
import importlib.util
import json
import sys
import time
import types
from pathlib import Path
from unittest.mock import MagicMock

PAD, START, END, SMOOTHING = 0, 1, 2, 0.1
PACKAGES = {
    "marian": ("transformers", "pip install -r benchmarks/requirements.txt"),
    "joeynmt": ("joeynmt", "pip install --no-deps joeynmt"),
}
FOREIGN = ("torch", "math", "copy")


def config():
    """The size of every contender."""
    from attention_book.models.config import TransformerConfig

    return TransformerConfig.small()


def settings(precision="float32"):
    """The recipe of every contender; the budget is one that no benchmark reaches."""
    from attention_book.training.trainer import TrainingSettings

    return TrainingSettings(tokens=20_000_000, smoothing=SMOOTHING, precision=precision)


def ours(kind):
    """One update by our own trainer: `ours:…` as the chapters show it, `fast:…` by the faster step."""
    from attention_book.models.transformer import Transformer
    from attention_book.training.fast_step import FastTrainer
    from attention_book.training.trainer import Trainer, keep_freed_memory

    keep_freed_memory()  # as `attention_book train` does
    name, _, precision = kind.partition(":")
    trainer = (FastTrainer if name == "fast" else Trainer)(Transformer(config()), [], settings(precision))

    def step(batch):
        loss = trainer.train_step(batch)
        trainer.tokens += batch.target_tokens
        return loss

    return step


def stepping(model, loss_of):
    """One update of a peer: its own forward pass and loss, then what every contender does."""
    import torch

    from attention_book.training.trainer import Trainer

    recipe = settings()
    optimizer = Trainer(model, [], recipe).optimizer
    for group in optimizer.param_groups:
        group["lr"] = 0.1 * recipe.peak_rate

    def step(batch):
        model.train()
        loss = loss_of(batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimizer.step()
        return loss.item()

    return step


def smoothed(logits, targets):
    """The smoothed loss as torch has it, in nats per token."""
    import torch.nn.functional as F

    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD, label_smoothing=SMOOTHING)


def torch_transformer():
    """torch's `nn.Transformer` with our weights: the same function."""
    from attention_book.models.torch_transformer import to_torch
    from attention_book.models.transformer import Transformer

    model = to_torch(Transformer(config()))
    return stepping(model, lambda batch: smoothed(model(batch.src, batch.tgt_in), batch.tgt_out))


def marian():
    """Hugging Face's Marian: post-norm, its embeddings tied."""
    from transformers import MarianConfig, MarianMTModel

    c = config()
    shape = {"encoder_layers": c.n_layers, "decoder_layers": c.n_layers, "dropout": c.dropout}
    shape |= {"encoder_attention_heads": c.n_heads, "decoder_attention_heads": c.n_heads}
    shape |= {"encoder_ffn_dim": c.d_ff, "decoder_ffn_dim": c.d_ff, "max_position_embeddings": c.max_len}
    shape |= {"pad_token_id": PAD, "bos_token_id": START, "eos_token_id": END, "decoder_start_token_id": START}
    shape |= {"activation_function": "relu", "scale_embedding": True, "use_cache": False}
    model = MarianMTModel(MarianConfig(vocab_size=c.vocab_size, d_model=c.d_model, **shape))

    def loss_of(batch):
        mask = (batch.src != PAD).long()
        found = model(input_ids=batch.src, attention_mask=mask, decoder_input_ids=batch.tgt_in, use_cache=False)
        return smoothed(found.logits, batch.tgt_out)

    return stepping(model, loss_of)


def import_without(name):
    """Import a module; what it imports and is not installed is pretended, as a step of training uses none of it."""
    sys.modules["torch.utils.tensorboard"] = MagicMock()
    for _ in range(20):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            pretended = MagicMock(__spec__=None, __path__=[], __version__="99")
            if error.name.partition(".")[0] == name.partition(".")[0]:
                raise
            sys.modules[error.name] = pretended
    raise ImportError(f"{name} needs more than twenty modules that are not installed")


def joeynmt():
    """JoeyNMT's Transformer with its own loss: pre-norm, its embeddings tied."""
    model_module = import_without("joeynmt.model")
    from joeynmt.vocabulary import Vocabulary

    c = config()
    names = {"pad": PAD, "bos": START, "eos": END, "unk": 3}
    special = {f"{name}_token": f"<{name}>" for name in names} | {f"{name}_id": one for name, one in names.items()}
    rest = {"lang_tags": [], "sep_token": None, "sep_id": None}
    pieces = [*map("<{}>".format, names), *map(str, range(len(names), c.vocab_size))]

    class Ordered(Vocabulary):
        def add_tokens(self, tokens):  # in the order of our ids, its own order being another
            super().add_tokens(pieces)

    vocabulary = Ordered(pieces, types.SimpleNamespace(**special, **rest))
    stack = {
        "type": "transformer",
        "num_layers": c.n_layers,
        "num_heads": c.n_heads,
        "hidden_size": c.d_model,
        "ff_size": c.d_ff,
        "dropout": c.dropout,
        "layer_norm": "pre",
        "embeddings": {"embedding_dim": c.d_model, "scale": True, "dropout": c.dropout},
    }
    shape = {"tied_embeddings": True, "tied_softmax": True, "encoder": stack, "decoder": stack}
    model = model_module.build_model(shape, vocabulary, vocabulary)
    model.loss_function = ("crossentropy", SMOOTHING)

    def loss_of(batch):
        real = batch.tgt_out != PAD
        sides = {"src": batch.src, "trg_input": batch.tgt_in, "trg": batch.tgt_out}
        masks = {"src_mask": (batch.src != PAD).unsqueeze(1), "trg_mask": real.unsqueeze(1)}
        loss, *_ = model(return_type="loss", **sides, **masks, src_length=(batch.src != PAD).sum(1))
        return loss / real.sum()

    return stepping(model, loss_of)


def definitions(path):
    """What a program defines, without running it: its classes and functions, and what it imports of `FOREIGN`."""
    kept = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            node.names = [one for one in node.names if one.name.partition(".")[0] in FOREIGN]
        here = isinstance(node, ast.Import) and node.names
        here = here or (isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in FOREIGN)
        if here or isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            kept.append(node)
    found = types.ModuleType(path.stem)
    exec(compile(ast.Module(kept, []), str(path), "exec"), found.__dict__)
    return found


def annotated(folder):
    """The Annotated Transformer, its three embeddings tied, with its own batches, loss and masks."""
    import torch

    book, c = definitions(Path(folder) / "the_annotated_transformer.py"), config()
    model = book.make_model(c.vocab_size, c.vocab_size, c.n_layers, c.d_model, c.d_ff, c.n_heads, c.dropout)
    model.src_embed[0].lut.weight = model.tgt_embed[0].lut.weight = model.generator.proj.weight
    loss = book.SimpleLossCompute(model.generator, book.LabelSmoothing(c.vocab_size, PAD, SMOOTHING))

    def loss_of(batch):
        mine = book.Batch(batch.src, torch.cat([batch.tgt_in[:, :1], batch.tgt_out], dim=1), PAD)
        return loss(model(mine.src, mine.tgt, mine.src_mask, mine.tgt_mask), mine.tgt_y, mine.ntokens)[1]

    return stepping(model, loss_of)


def absent(name, folder):
    """Why a contender cannot take part, or None."""
    if name in PACKAGES and importlib.util.find_spec(PACKAGES[name][0]) is None:
        return f"not installed: {PACKAGES[name][1]}"
    if name == "annotated" and not (folder and (Path(folder) / "the_annotated_transformer.py").exists()):
        return "name a folder with the_annotated_transformer.py: --annotated FOLDER"
    if name.endswith("bfloat16"):
        from attention_book.training.trainer import fastest_precision

        return None if fastest_precision() == "bfloat16" else "this processor does not multiply bfloat16 itself"
    return None


def main():
    name, path, folder = sys.argv[1], Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None
    if why := absent(name, folder):
        print(json.dumps({"missing": why}), flush=True)
        return
    import torch

    from attention_book.data.batching import Batch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    peers = {"torch": torch_transformer, "marian": marian, "joeynmt": joeynmt, "annotated": lambda: annotated(folder)}
    step = peers[name]() if name in peers else ours(name)
    batches = [Batch(*map(torch.tensor, one)) for one in json.loads(path.read_text(encoding="utf-8"))]
    package = PACKAGES.get(name, ("torch", ""))[0]
    print(json.dumps({"versions": {package: importlib.metadata.version(package)}}), flush=True)
    for line in sys.stdin:
        steps = json.loads(line)["steps"]
        wall, seconds = time.perf_counter(), time.process_time()
        losses = [step(batch) for batch in batches[:steps]]
        seconds, wall = time.process_time() - seconds, time.perf_counter() - wall
        tokens = sum(batch.target_tokens for batch in batches[:steps])
        answer = {"seconds": seconds, "wall": wall, "tokens": tokens, "first": losses[0], "last": losses[-1]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
