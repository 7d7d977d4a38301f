"""Collects free text and a vocabulary for the word vectors.

usage: python gather.py FOLDER --botocore DIR --discovery DIR --wordnet DIR --packages FILE [--requests FILE …]
  --botocore   the package's data folder (operations of AWS services)
  --discovery  the discovery_cache/documents folder of google-api-python-client (methods of Google's APIs)
  --wordnet    the folder with data.noun, data.verb, …
  --packages   a Debian "Packages" index, unpacked
  --requests   texts of requests in everyday language, one a line
Writes FOLDER/texts.json (all texts) and FOLDER/words.json, FOLDER/spellings.json (terms of search, and a spelling of each).
"""

import argparse
import collections
import glob
import gzip
import html
import json
import os
import random
import re
import subprocess
import sys

MAX_TEXT = 200
HERE = os.path.dirname(os.path.abspath(__file__))


def plain(text):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text))).strip()


def first_sentence(text):
    text = plain(text)
    end = re.search(r"[.!?](?=\s|$)", text)
    return (text[: end.end()] if end else text)[:MAX_TEXT]


def spaced(name):
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    return re.sub(r"[._]", " ", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name))


def botocore(folder):
    for path in sorted(glob.glob(f"{folder}/*/*/service-2.json.gz")):
        service = json.load(gzip.open(path))
        title = service["metadata"].get("serviceAbbreviation") or service["metadata"].get("serviceFullName", "")
        for name, operation in service["operations"].items():
            yield first_sentence(operation.get("documentation", ""))
            if random.random() < 0.3:
                yield f"{title}: {spaced(name)}"


def methods(resource, title):
    for method in (resource.get("methods") or {}).values():
        yield first_sentence(method.get("description", ""))
        if random.random() < 0.3:
            yield f"{title}: {spaced(method.get('id', ''))}"
    for inner in (resource.get("resources") or {}).values():
        yield from methods(inner, title)


def discovery(folder):
    for path in sorted(glob.glob(f"{folder}/*.json")):
        api = json.load(open(path))
        yield api.get("description", "")[:MAX_TEXT]
        yield from methods(api, api.get("title", ""))


def wordnet(folder):
    for part in ("noun", "verb", "adj", "adv"):
        for line in open(f"{folder}/data.{part}", encoding="latin-1"):
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            words = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(int(fields[3], 16))]
            meaning, *examples = re.split(r';\s*(?=")', gloss.strip())
            yield f"{', '.join(words[:4])}: {meaning.split(';')[0]}"[:MAX_TEXT]
            yield from (example.strip('" ;')[:MAX_TEXT] for example in examples if len(example.split()) > 3)


def packages(path):
    return (line[13:].strip() for line in open(path, encoding="utf8") if line.startswith("Description: "))


def pairs(requests, count):
    """People often ask for two things, or tell a story first."""
    if not requests:
        return []
    joints = [". ", " and ", ". also ", ", then "]
    return [random.choice(requests) + random.choice(joints) + random.choice(requests) for _ in range(count)]


def vocabulary(texts, spellings):
    seen = collections.Counter()
    for text in texts:
        seen.update({word.lower() for word in re.findall(r"[A-Za-z]+[0-9]?[A-Za-z]*", text)})
    words = sorted(w for w in set(seen) | set(spellings) if 2 <= len(w) <= 24 and (seen[w] >= 4 or w in spellings))
    by_term = collections.defaultdict(list)
    for word, terms in zip(words, tokenized(words)):
        if len(terms) == 1:
            by_term[terms[0]].append((seen[word], word))
    return sorted(by_term.items(), key=lambda item: (-sum(n for n, _ in item[1]), item[0]))


def tokenized(texts, vocabulary=None):
    files = []
    for i, content in enumerate([texts] + ([vocabulary] if vocabulary else [])):
        files.append(f"{sys.argv[1]}/tokenize-{i}.json")
        json.dump(content, open(files[-1], "w"))
    command = ["node", "--import", "tsx", os.path.join(HERE, "..", "tokenize-lines.ts"), *map(os.path.abspath, files)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, cwd=os.path.join(HERE, "../..")).stdout)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder")
    for name in ("botocore", "discovery", "wordnet", "packages"):
        options.add_argument(f"--{name}", required=True)
    options.add_argument("--requests", nargs="*", default=[])
    given = options.parse_args()
    random.seed(1)
    requests = sorted({line.strip() for path in given.requests for line in open(path, encoding="utf8") if line.strip()})
    sources = [botocore(given.botocore), discovery(given.discovery), wordnet(given.wordnet), packages(given.packages)]
    texts = sorted({text for source in sources for text in source if text} | set(requests))
    import encoder

    pieces = open(os.path.join(encoder.model_folder(), "vocab.txt"), encoding="utf8").read().split("\n")
    terms = vocabulary(texts, {piece for piece in pieces if re.fullmatch("[a-z]{2,}", piece)})
    texts += pairs(requests, len(requests) // 2)
    random.shuffle(texts)
    json.dump(texts, open(f"{given.folder}/texts.json", "w"))
    json.dump([term for term, _ in terms], open(f"{given.folder}/words.json", "w"))
    json.dump([max(spelled)[1] for _, spelled in terms], open(f"{given.folder}/spellings.json", "w"))
    print(len(texts), "texts,", len(terms), "terms")


if __name__ == "__main__":
    main()
