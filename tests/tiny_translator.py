"""A translator that has learnt five sentences by heart, in about a second."""

from functools import cache

import torch
import torch.nn.functional as F

from attention_book.data.subwords import Subwords
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.translation.translator import Translator

KNOWN = {
    "I like cats.": "Me gustan los gatos.",
    "You like dogs.": "Te gustan los perros.",
    "The dog sleeps.": "El perro duerme.",
    "Where is the cat?": "¿Dónde está el gato?",
    "Come in!": "¡Pasa!",
}


@cache
def tiny_translator(max_len=64, **changes):
    """Shared between tests: none may change its weights or its mode for good."""
    subwords = Subwords.train([text for pair in KNOWN.items() for text in pair] * 3, vocab_size=300)
    config = TransformerConfig.tiny(len(subwords), d_model=32, d_ff=64, dropout=0.0, max_len=max_len, **changes)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Transformer(config)
    src = _padded([[*subwords.encode(source), subwords.eos_id] for source in KNOWN])
    tgt = _padded([[subwords.bos_id, *subwords.encode(target), subwords.eos_id] for target in KNOWN.values()])
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(60):
        logits = model(src, tgt[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=subwords.pad_id)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return Translator(model.eval(), subwords)


def _padded(rows):
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
