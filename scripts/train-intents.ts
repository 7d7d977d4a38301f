import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fromLabelled, generateExamples } from './intents/generate.ts';
import { isHeldOut, readLabelled, type Labelled } from './intents/labelled.ts';
import { digest, digestOwn, MANIFEST, type Manifest } from './intents/manifest.ts';
import { SOURCES } from './intents/public/sources.ts';
import { trainModel } from './intents/train.ts';

// Makes the weights of the assistant's model from the messages in scripts/intents/data and from labelled files, if any are named: rows of
// intent, message, source. The same input gives the same bytes. The weights in the package are made from the sources in
// scripts/intents/SOURCES.md, and may be made from no others: with any other row, name a place with --out.
// usage: tsx scripts/train-intents.ts [FILE.tsv …] [--without FILE.tsv] [--out FILE | --check]
//   --without FILE   leave out what is held out of FILE for measuring
//   --check          write nothing; say whether the weights in the package are what comes out
const shipped = new URL('../src/assistant/data/intents.bin', import.meta.url);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    without: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
});
const measured = new Set(values.without ? heldOutOf(values.without) : []);
const theirs = positionals
  .flatMap((file) => readLabelled(readFileSync(file, 'utf8')))
  .filter(({ message }) => !measured.has(keyOf(message)));
const unknown = theirs.find(({ source }) => !Object.hasOwn(SOURCES, source));
if (unknown && !values.out) {
  console.error(
    `Weights for the package are made from the sources in scripts/intents/SOURCES.md alone, and “${unknown.source}” is none of them: name a place with --out.`,
  );
  process.exit(2);
}

const started = performance.now();
const own = generateExamples();
const bytes = trainModel([...own, ...fromLabelled(theirs)]);
if (values.check) check();
else write();

function check(): void {
  const same = Buffer.compare(Buffer.from(bytes), readFileSync(shipped)) === 0;
  console.log(same ? 'the weights in the package are these' : 'the weights in the package are others');
  process.exitCode = same ? 0 : 1;
}

function write(): void {
  writeFileSync(values.out ?? shipped, bytes);
  if (!values.out) writeFileSync(MANIFEST, `${JSON.stringify(manifest(), undefined, 2)}\n`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${own.length} messages of this repository, ${theirs.length} of files: ${bytes.length} bytes in ${seconds} s`,
  );
}

function manifest(): Manifest {
  const names = [...new Set(theirs.map(({ source }) => source))].sort();
  return {
    own: digestOwn(own),
    sources: Object.fromEntries(names.map((name) => [name, partOf(name)])),
    weights: digest(bytes),
  };
}

function partOf(name: string): { rows: number; sha256: string } {
  const rows = theirs.filter(({ source }) => source === name);
  return {
    rows: rows.length,
    sha256: digest(rows.map(({ label, message }) => `${label}\t${message}\n`).join('')),
  };
}

function heldOutOf(file: string): string[] {
  const rows: Labelled[] = readLabelled(readFileSync(file, 'utf8'));
  return rows.filter(isHeldOut).map(({ message }) => keyOf(message));
}

function keyOf(message: string): string {
  return message.trim().toLowerCase();
}
