import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { generateExamples, type Example } from './intents/generate.ts';
import { readLabelled } from './intents/labelled.ts';
import { trainModel } from './intents/train.ts';
import { CLASSES } from '../src/agent/model/model.ts';

// Makes the weights of the assistant's model from the templates in scripts/intents/data, and from labelled files if any are named.
// The same input gives the same bytes. The weights in the package are made without files: src/agent/data/intents.bin.
// usage: tsx scripts/train-intents.ts [FILE.tsv …] [--out FILE]     rows: intent, message (a header is skipped)
const shipped = new URL('../src/agent/data/intents.bin', import.meta.url);
const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
const own = generateExamples();
const theirs = positionals.flatMap((file) => examplesOf(readFileSync(file, 'utf8')));
const started = performance.now();
const bytes = trainModel([...own, ...theirs]);
const out = values.out ?? shipped;
if (theirs.length > 0 && !values.out) {
  console.error(
    'Weights made from files beyond this repository do not go into the package: name a place with --out.',
  );
  process.exit(2);
}
mkdirSync(new URL('../src/agent/data/', import.meta.url), { recursive: true });
writeFileSync(out, bytes);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  `${own.length} messages from templates, ${theirs.length} from files: ${bytes.length} bytes in ${seconds} s`,
);

/** Answers and bare nouns are the grammar's alone. */
function examplesOf(text: string): Example[] {
  const labels: readonly string[] = CLASSES;
  return readLabelled(text).flatMap(({ label, message }) =>
    labels.includes(label) ? [{ label: label as Example['label'], text: message }] : [],
  );
}
