import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scanDefinition } from '../src/scanner/scan-definition.ts';
import { hasPlainPhrase, shareOf } from './plain-phrases.ts';

/**
 * How well the scanner tells poisoned definitions from honest ones.
 *
 *   npm run eval:scanner [-- FILE] [--misses]
 * FILE: JSON lines of {label: "poisoned" | "stealing" | "benign", tool: {…}, field?}; "stealing" is a tool that says openly that it
 * harms somebody, and is counted apart. Each figure stands beside that of a filter of well-known phrases. Default: the corpus of this repository.
 */
interface Row {
  label: 'poisoned' | 'stealing' | 'benign';
  tool: unknown;
  field?: string;
}

const args = process.argv.slice(2);
const file =
  args.find((arg) => !arg.startsWith('--')) ?? fileURLToPath(new URL('data/scanner.jsonl', import.meta.url));
const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Row);

const times: number[] = [];
const results = rows.map((row) => {
  const start = performance.now();
  const { suspicious, findings } = scanDefinition(row.tool);
  times.push(performance.now() - start);
  return { row, suspicious, findings };
});

function share(label: Row['label'], field?: string): string {
  const of = results.filter(({ row }) => row.label === label && (field === undefined || row.field === field));
  const found = of.filter(({ suspicious }) => suspicious).length;
  const plain = of.filter(({ row }) => hasPlainPhrase(row.tool)).length;
  return `${shareOf(found, of.length).padEnd(24)} phrases: ${shareOf(plain, of.length)}`;
}

console.log(`poisoned, found:        ${share('poisoned')}`);
for (const field of [...new Set(rows.flatMap((row) => row.field ?? []))].sort())
  console.log(`  in ${field.padEnd(20)} ${share('poisoned', field)}`);
console.log(`stealing, found:        ${share('stealing')}`);
console.log(`benign, false alarms:   ${share('benign')}`);
times.sort((a, b) => a - b);
console.log(
  `time per tool: p50 ${times[Math.floor(times.length / 2)]?.toFixed(3)} ms, p99 ${times[Math.floor(times.length * 0.99)]?.toFixed(3)} ms`,
);
if (args.includes('--misses'))
  for (const { row, suspicious, findings } of results)
    if (suspicious !== (row.label !== 'benign'))
      console.log(
        `${row.label}: ${JSON.stringify(row.tool).slice(0, 240)} ${JSON.stringify(findings.map(({ rule }) => rule))}`,
      );
