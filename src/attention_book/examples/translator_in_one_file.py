"""A whole translator in one file: from pairs of sentences to a translation, with torch and nothing else.

    python translator_in_one_file.py                   320 sentences that the file makes up itself
    python translator_in_one_file.py pairs.tsv 3000    your own, a line each: source, tab, translation; 3000 steps

It is made to be read once from top to bottom: the Transformer of Vaswani et al. 2017, normalised before each sublayer.
"""

import math
import random
import re
import sys
from itertools import product
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

# 1. Words: a sentence becomes a list of ids, and several sentences a rectangle of them.
SPECIALS = ["<pad>", "<s>", "</s>", "<unk>"]
PAD, START, END, UNKNOWN = range(4)


def split(text):
    """Words and marks: "Sí, claro." → ["Sí", ",", "claro", "."]."""
    return re.findall(r"[.,;:?!¿¡।]|[^\s.,;:?!¿¡।]+", text)


def join(words):
    """The inverse of `split`."""
    text = re.sub(r" ([.,;:?!।])", r"\1", " ".join(words))
    return re.sub(r"([¿¡]) ", r"\1", text)


class Vocabulary:
    """One id per word, in one list for both languages."""

    def __init__(self, pairs):
        known = {word for pair in pairs for text in pair for word in split(text)}
        self.words = SPECIALS + sorted(known - set(SPECIALS))
        self.ids = {word: n for n, word in enumerate(self.words)}

    def encode(self, text):
        """The ids of a sentence, with END behind them."""
        return [self.ids.get(word, UNKNOWN) for word in split(text)] + [END]

    def decode(self, ids):
        """The sentence of some ids."""
        return join(self.words[n] for n in ids if n not in (PAD, START, END))


def rectangle(rows):
    """Lists of ids as one tensor, the short ones filled up with PAD at their ends."""
    width = max(map(len, rows))
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


# 2. Attention: each query mixes the values, by how well their keys match it.
class Attention(nn.Module):
    """softmax(Q Kᵀ / √d_k) V in several heads side by side, between four matrices."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.w_q, self.w_k = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.w_v, self.w_o = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def heads(self, x):
        """(batch, length, d_model) → (batch, n_heads, length, d_k)."""
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, x, memory, mask):
        """Queries come from `x`, keys and values from `memory`; `mask` is True where a query may look."""
        q = self.heads(self.w_q(x))
        k = self.heads(self.w_k(memory))
        v = self.heads(self.w_v(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=-1)  # (batch, n_heads, q_len, k_len)
        mixed = (weights @ v).transpose(1, 2).flatten(-2)
        return self.w_o(mixed)  # (batch, q_len, d_model)


# 3. Block: attention and a feed-forward network, each added to what came in.
class Block(nn.Module):
    """A layer of the encoder, or with `cross` one of the decoder, which also looks at the source."""

    def __init__(self, d_model, n_heads, d_ff, dropout, cross=False):
        super().__init__()
        self.norm_self = nn.LayerNorm(d_model)
        self.self_attention = Attention(d_model, n_heads)
        if cross:
            self.norm_cross = nn.LayerNorm(d_model)
            self.cross_attention = Attention(d_model, n_heads)
        self.norm_feed_forward = nn.LayerNorm(d_model)
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask, memory=None, memory_mask=None):
        """One vector per position goes in, and one comes out."""
        h = self.norm_self(x)
        x = x + self.dropout(self.self_attention(h, h, mask))
        if memory is not None:
            h = self.norm_cross(x)
            x = x + self.dropout(self.cross_attention(h, memory, memory_mask))
        h = self.norm_feed_forward(x)
        return x + self.dropout(self.w_2(torch.relu(self.w_1(h))))


# 4. Model: ids become vectors, the encoder reads the source, the decoder scores each next word.
def positions(length, d_model):
    """One vector per position: sines and cosines of ever longer waves, in turn."""
    place = torch.arange(length, dtype=torch.float64)[:, None]
    even = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = place * 10000.0 ** (-even / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).float()


class Transformer(nn.Module):
    """An encoder, a decoder, and one matrix that is both embedding and output layer."""

    def __init__(self, vocab_size, d_model=64, n_heads=4, n_layers=2, d_ff=256, dropout=0.1):
        super().__init__()
        sizes = (d_model, n_heads, d_ff, dropout)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.encoder = nn.ModuleList(Block(*sizes) for _ in range(n_layers))
        decoder = (Block(*sizes, cross=True) for _ in range(n_layers))
        self.decoder = nn.ModuleList(decoder)
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def embed(self, ids):
        """The vector of each word, plus the vector of its position."""
        length, d_model = ids.shape[1], self.embedding.embedding_dim
        words = self.embedding(ids) * math.sqrt(d_model)
        return self.dropout(words + positions(length, d_model).to(words))

    def encode(self, src):
        """Read the source: each word may look at every word, and at no padding."""
        mask = (src != PAD)[:, None, None, :]  # (batch, 1, 1, src_len)
        x = self.embed(src)
        for block in self.encoder:
            x = block(x, mask)
        return self.encoder_norm(x), mask

    def decode(self, tgt, memory, memory_mask):
        """Score the word after each target word, which sees none that come later; padding always comes later."""
        length = tgt.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        x = self.embed(tgt)
        for block in self.decoder:
            x = block(x, causal, memory, memory_mask)
        return self.decoder_norm(x) @ self.embedding.weight.T  # (batch, tgt_len, vocab_size)

    def forward(self, src, tgt):
        """The scores at all target positions at once, as training needs them."""
        return self.decode(tgt, *self.encode(src))


# 5. Training: a loss, a schedule, batches, a loop.
def loss_of(model, src, tgt, smoothing=0.0):
    """How surprised the model is by a target word, given the source and the true words before; in nats, on average."""
    logits, wanted = model(src, tgt[:, :-1]), tgt[:, 1:]
    return F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD, label_smoothing=smoothing)


def rate_at(step, steps, peak, warmup=0.05):
    """The learning rate: it rises in a straight line to its peak, then falls along half a cosine to zero."""
    done = step / steps
    if done < warmup:
        return peak * done / warmup
    return peak * (1 + math.cos(math.pi * (done - warmup) / (1 - warmup))) / 2


def batches(pairs, vocabulary, size, seed):
    """Rectangles of `size` sources and targets without end, in a new order each time round."""
    order, encode = random.Random(seed), vocabulary.encode
    encoded = [(encode(a), [START, *encode(b)]) for a, b in pairs]
    while True:
        order.shuffle(encoded)
        for first in range(0, len(encoded), size):
            sources, targets = zip(*encoded[first : first + size], strict=True)
            yield rectangle(sources), rectangle(targets)


def train(model, pairs, vocabulary, steps, size=64, peak=3e-3, smoothing=0.0, seed=0):
    """Change the model in place; returns the loss of every step."""
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.01)
    supply, losses = batches(pairs, vocabulary, size, seed), []
    for step in range(1, steps + 1):
        optimizer.param_groups[0]["lr"] = rate_at(step, steps, peak)
        loss = loss_of(model.train(), *next(supply), smoothing)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if step % 100 == 0:
            print(f"step {step:5}  loss {sum(losses[-100:]) / 100:.3f}")
    return losses


# 6. Search: write the most probable next word, until it is END.
@torch.inference_mode()
def greedy(model, src, longest=60):
    """The ids of a translation of one source, (1, src_len); the last is END, if it came in time."""
    memory, written = model.eval().encode(src), [START]
    while written[-1] != END and len(written) <= longest:
        scores = model.decode(torch.tensor([written]), *memory)[0, -1]
        scores[[PAD, START]] = -math.inf
        written.append(scores.argmax().item())
    return written[1:]


def translate(model, vocabulary, text):
    """A sentence of the source language in, one of the target language out."""
    return vocabulary.decode(greedy(model, rectangle([vocabulary.encode(text)])))


# 7. Pairs to try it on.
def made_up():
    """320 pairs such as ("She painted the red house.", "Ella pintó la casa roja.")."""
    who = {"I": "Yo _é", "You": "Tú _aste", "She": "Ella _ó", "We": "Nosotras _amos"}
    did = {"painted": "pint", "carried": "llev", "cleaned": "limpi", "bought": "compr"}
    what = {"house": "la casa _a", "table": "la mesa _a", "car": "el coche _o", "book": "el libro _o"}
    like = {"red": "roj", "white": "blanc", "black": "negr", "old": "viej", "small": "pequeñ"}
    return [
        (f"{i} {v} the {a} {n}.", f"{who[i].replace('_', did[v])} {what[n].replace('_', like[a])}.")
        for i, v, n, a in product(who, did, what, like)
    ]


if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text("utf-8").splitlines() if len(sys.argv) > 1 else None
    pairs = made_up() if lines is None else [tuple(line.split("\t")[:2]) for line in lines if "\t" in line]
    if len(pairs) <= 20:
        sys.exit(f"{len(pairs)} pairs are too few: a line of the file holds a source, a tab and a translation")
    random.Random(0).shuffle(pairs)
    torch.manual_seed(0)
    vocabulary = Vocabulary(pairs[20:])  # 20 pairs are kept back
    model = Transformer(len(vocabulary.words))
    train(model, pairs[20:], vocabulary, steps=int(sys.argv[2]) if len(sys.argv) > 2 else 300)
    for source, target in pairs[:20]:
        print(f"{source}  →  {translate(model, vocabulary, source)}  (given: {target})")
