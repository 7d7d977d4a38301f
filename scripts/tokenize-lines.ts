import { readFileSync } from 'node:fs';
import { words } from '../src/catalog/search/tokenize.ts';

// Prints the terms of each text of a JSON array as search sees them: the training of word vectors must split words as search does.
// A compound is given as itself where the vocabulary knows it, else by its parts.
// usage: node --import tsx scripts/tokenize-lines.ts TEXTS.json [VOCABULARY.json]
const [texts, vocabulary] = process.argv
  .slice(2)
  .map((file) => JSON.parse(readFileSync(file, 'utf8')) as string[]);
const known = new Set(vocabulary);

console.log(JSON.stringify((texts ?? []).map(termsOf)));

function termsOf(text: string): string[] {
  return [...words(text)].flatMap(({ parts, whole }) => {
    const together = whole !== undefined && (vocabulary === undefined || known.has(whole));
    return together ? [whole] : [...parts];
  });
}
