"""Fits word vectors to the teacher's sentence vectors and writes the table.

usage: python train.py FOLDER words.bin
FOLDER holds what embed.py wrote: words.json (terms), words.npy, sentences.json (term lists), sentences.npy.

A text's vector is the sum of its words' vectors. The words are moved, by Adam, so that the likeness of the texts in a batch to one
another is the teacher's (cross entropy of the two softmaxes), and so that each text points where the teacher's vector does in the
space of its leading principal components. Words that say little come out short, which search uses as well. With each word go those
nearest to it, so that search need not look for them.
"""

import json
import struct
import sys

import numpy as np
import scipy.sparse as sparse

DIMENSIONS = 128
BATCH, WORD_SHARE, EPOCHS = 1024, 0.1, 9
RATE, TEMPERATURE, PULL = 0.01, 0.06, 2.0
MAGIC = 0x3256574D
NEAREST = 8


def unit(x):
    return x / np.maximum(1e-9, np.linalg.norm(x, axis=1, keepdims=True))


def counted(rows, width):
    ends = np.cumsum([0] + [len(row) for row in rows])
    columns = np.concatenate([np.array(row) for row in rows])
    return sparse.csr_matrix((np.ones(ends[-1], np.float32), columns, ends), shape=(len(rows), width))


def likeness(vectors):
    scaled = vectors @ vectors.T / TEMPERATURE
    np.fill_diagonal(scaled, -1e9)
    scaled = np.exp(scaled - scaled.max(1, keepdims=True))
    return scaled / scaled.sum(1, keepdims=True)


def gradient(taken, vectors, teacher, goal):
    summed = taken @ vectors
    lengths = np.maximum(1e-6, np.linalg.norm(summed, axis=1, keepdims=True))
    pointing = summed / lengths
    off = (likeness(pointing) - likeness(unit(teacher))) / TEMPERATURE / BATCH
    by_text = (off + off.T) @ pointing - PULL / BATCH * goal
    by_text -= (by_text * pointing).sum(1, keepdims=True) * pointing
    return np.asarray(taken.T @ (by_text / lengths))


def train(rows, targets, words):
    random = np.random.RandomState(0)
    width, middle = len(words), targets.mean(0)
    sample = (targets - middle)[random.permutation(len(targets))[:20000]]
    axes = np.linalg.svd(sample, full_matrices=False)[2][:DIMENSIONS].T
    texts = counted(rows, width)
    share = (np.asarray(texts.sum(0)).ravel() + 1) / len(rows)
    vectors = unit((words - middle) @ axes) * (2e-4 / (2e-4 + share / 10))[:, None].astype(np.float32)
    vectors = vectors.astype(np.float32)
    mean, square, step = np.zeros_like(vectors), np.zeros_like(vectors), 0
    single = int(WORD_SHARE * BATCH)
    each = BATCH - single
    steps = EPOCHS * len(rows) // each
    for epoch in range(EPOCHS):
        order = random.permutation(len(rows))
        for start in range(0, len(order) - each + 1, each):
            chosen, alone = order[start : start + each], random.choice(width, single, replace=False)
            ones = sparse.csr_matrix((np.ones(single, np.float32), (np.arange(single), alone)), shape=(single, width))
            teacher = np.concatenate([targets[chosen], words[alone]])
            taken = sparse.vstack([texts[chosen], ones]).tocsr()
            slope = gradient(taken, vectors, teacher, unit((teacher - middle) @ axes))
            step += 1
            mean = 0.9 * mean + 0.1 * slope
            square = 0.99 * square + 0.01 * slope * slope
            rate = RATE * max(0.02, 1 - step / steps)
            move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)
            vectors -= (rate * move * slope.any(1)[:, None]).astype(np.float32)
        print("epoch", epoch, flush=True)
    met = np.asarray(texts.sum(0)).ravel() > 5
    return vectors / np.median(np.linalg.norm(vectors[met], axis=1))


def nearest(vectors):
    """For each row the rows that point most nearly the same way, and how nearly, in 255ths."""
    pointing = unit(vectors)
    rows, alike = [], []
    for start in range(0, len(pointing), 1000):
        cosines = pointing[start : start + 1000] @ pointing.T
        cosines[np.arange(len(cosines)), start + np.arange(len(cosines))] = -1
        best = np.argsort(-cosines, axis=1, kind="stable")[:, :NEAREST]
        rows.append(best)
        alike.append(np.take_along_axis(cosines, best, 1))
    return np.concatenate(rows).astype("<u2"), np.rint(255 * np.concatenate(alike).clip(0, 1)).astype(np.uint8)


def write(path, terms, vectors):
    text = "\n".join(terms).encode()
    scales = np.maximum(1e-9, np.abs(vectors).max(1) / 127).astype("<f4")
    values = np.rint(vectors / scales[:, None]).clip(-127, 127).astype(np.int8)
    rows, alike = nearest(values * scales[:, None])
    with open(path, "wb") as file:
        file.write(struct.pack("<5I", MAGIC, len(terms), vectors.shape[1], len(text), NEAREST))
        file.write(text + scales.tobytes() + values.tobytes() + rows.tobytes() + alike.tobytes())


def main(folder, path):
    terms = json.load(open(f"{folder}/words.json"))
    place = {term: i for i, term in enumerate(terms)}
    rows, kept = [], []
    for i, words in enumerate(json.load(open(f"{folder}/sentences.json"))):
        known = sorted({place[word] for word in words if word in place})
        if len(known) >= 2:
            rows.append(known)
            kept.append(i)
    targets = np.load(f"{folder}/sentences.npy")[kept]
    write(path, terms, train(rows, targets, np.load(f"{folder}/words.npy")))


if __name__ == "__main__":
    main(*sys.argv[1:])
