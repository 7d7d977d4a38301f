"""Asks the teacher for the vectors of all texts and words that gather.py collected. About 250 texts a second and core.

usage: python embed.py FOLDER
"""

import json
import sys

import numpy as np

from encoder import Encoder, model_folder
from gather import tokenized

folder = sys.argv[1]
texts = json.load(open(f"{folder}/texts.json"))
terms = json.load(open(f"{folder}/words.json"))
encoder = Encoder(model_folder())
np.save(f"{folder}/words.npy", encoder.embed(json.load(open(f"{folder}/spellings.json"))))
json.dump(tokenized(texts, terms), open(f"{folder}/sentences.json", "w"))
np.save(f"{folder}/sentences.npy", encoder.embed(texts))
