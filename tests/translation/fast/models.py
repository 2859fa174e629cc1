"""Small Transformers of every shape, with random weights that end sentences at various lengths."""

import torch

from attention_book.models.transformer import Transformer, TransformerConfig

SHAPES = {
    "pre-norm": {},
    "post-norm": {"norm": "post"},
    "learned positions": {"positions": "learned"},
    "rotary": {"positions": "rotary"},
    "no positions": {"positions": "none"},
    "own widths": {"d_k": 6, "d_v": 10, "n_heads": 3},
    "no bias, not tied": {"bias": False, "tie_embeddings": False},
    "whole blocks": {"vocab_size": 128},
    "whole strips": {"d_model": 64, "d_ff": 128},
    "other ids": {"pad_id": 5, "bos_id": 3, "eos_id": 0},
}


def random_model(seed=0, max_len=24, **changes):
    """Width 32, 61 subwords; its weights are large, so its probabilities are not flat, and it ends now and then."""
    config = TransformerConfig.tiny(**{"vocab_size": 61, "d_model": 32, "d_ff": 48, "max_len": max_len, **changes})
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Transformer(config)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if parameter.dim() == 1:
                    parameter.add_(0.3 * torch.randn_like(parameter))
                elif "embedding" in name or "output" in name:
                    parameter.mul_(1.5)
            if model.config.tie_embeddings:
                model.output.weight[config.eos_id] *= 1.3
    return model.eval()


def random_sources(model, rows=9, longest=12, seed=0):
    """Ids of various lengths, padded; the longest row has no padding."""
    generator = torch.Generator().manual_seed(seed)
    config = model.config
    special = {config.pad_id, config.bos_id, config.eos_id}
    words = torch.tensor([one for one in range(config.vocab_size) if one not in special])
    src = torch.full((rows, longest), config.pad_id)
    for row in range(rows):
        length = longest if row == 0 else int(torch.randint(1, longest + 1, (), generator=generator))
        src[row, : length - 1] = words[torch.randint(len(words), (length - 1,), generator=generator)]
        src[row, length - 1] = config.eos_id
    return src
