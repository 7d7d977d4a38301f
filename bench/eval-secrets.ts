import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { maskText } from '../src/log/mask/mask-text.ts';
import { visibleLine } from '../src/lib/visible-text.ts';
import { isHeldOut } from './held-out.ts';

// Scores the search for secrets: how many of known secrets stay readable, in their own text and alone in a sentence, and how many texts without
// a secret are masked. Beside it a plain baseline: one pattern for "name = value". Two fifths of the rules of a file are "held out".
// Rows with `alone: true` are of kinds that can be told without a name beside them; they are also counted apart.
// --misses prints what was missed or masked without a reason.
// usage: npm run eval:secrets -- FILE.jsonl… [--misses]     rows: {label: "secret" | "benign", rule, text, secrets?: [...], alone?}
interface Row {
  label: string;
  rule: string;
  text: string;
  secrets?: string[] | null;
  alone?: boolean;
}

const {
  values: { misses },
  positionals: files,
} = parseArgs({ options: { misses: { type: 'boolean' } }, allowPositionals: true });
if (files.length === 0) {
  console.error('usage: npm run eval:secrets -- FILE.jsonl… [--misses]');
  process.exit(2);
}

const BASELINE = /((?:password|passwd|secret|token|api[-_]?key)["']?\s*[:=]\s*["']?)[^\s"']+/gi;
const baseline: Mask = (text) => text.replace(BASELINE, '$1***');
const inSentence = (secret: string) => `please use ${secret} for this`;

function report(part: string, rows: readonly Row[]): void {
  const secret = rows.filter((row) => row.label === 'secret' && row.secrets?.length);
  const benign = rows.filter(({ label }) => label === 'benign');
  const alone = [...new Map(secret.map((row) => [row.secrets![0]!, row])).values()];
  const known = alone.filter((row) => row.alone);
  console.log(
    [
      part.padEnd(10),
      `secrets readable ${share(readable(secret, maskText), secret)} (baseline ${share(readable(secret, baseline), secret)})`,
      `alone in a sentence ${share(alone.filter(isReadableAlone), alone)}`,
      ...(known.length > 0 ? [`of kinds known alone ${share(known.filter(isReadableAlone), known)}`] : []),
      `others masked ${share(masked(benign, maskText), benign)} (baseline ${share(masked(benign, baseline), benign)})`,
    ].join('   '),
  );
  if (!misses) return;
  for (const row of readable(secret, maskText)) print('readable', row);
  for (const row of known.filter(isReadableAlone)) print('alone', row);
  for (const row of masked(benign, maskText)) print('masked', row);
}

type Mask = (text: string) => string;

function readable(rows: readonly Row[], mask: Mask): Row[] {
  return rows.filter(({ text, secrets }) => {
    const kept = mask(text);
    return secrets!.some((secret) => kept.includes(secret));
  });
}

const masked = (rows: readonly Row[], mask: Mask): Row[] => rows.filter(({ text }) => mask(text) !== text);

const isReadableAlone = ({ secrets }: Row) => maskText(inSentence(secrets![0]!)).includes(secrets![0]!);

function share(part: readonly unknown[], all: readonly unknown[]): string {
  return `${part.length} of ${all.length} (${((100 * part.length) / Math.max(1, all.length)).toFixed(1)} %)`;
}

function print(what: string, { rule, text }: Row): void {
  console.log(`    ${what}  ${visibleLine(rule)}  ${visibleLine(text.slice(0, 160))}`);
}

for (const file of files) {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
  console.log(file);
  report(
    '  tuned on',
    rows.filter(({ rule }) => !isHeldOut(rule)),
  );
  report(
    '  held out',
    rows.filter(({ rule }) => isHeldOut(rule)),
  );
}
