import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scanDefinition } from '../src/scanner/scan-definition.ts';

/**
 * How well the scanner tells poisoned definitions from honest ones.
 *
 *   npm run eval:scanner [-- FILE] [--misses]
 * FILE: JSON lines of {label: "poisoned" | "benign", tool: {…}, field?}; default: the corpus of this repository.
 */
interface Row {
  label: 'poisoned' | 'benign';
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
  return of.length === 0 ? 'none' : `${found} of ${of.length} (${((found / of.length) * 100).toFixed(1)} %)`;
}

console.log(`poisoned, found:        ${share('poisoned')}`);
for (const field of [...new Set(rows.flatMap((row) => row.field ?? []))].sort())
  console.log(`  in ${field.padEnd(20)} ${share('poisoned', field)}`);
console.log(`benign, false alarms:   ${share('benign')}`);
times.sort((a, b) => a - b);
console.log(
  `time per tool: p50 ${times[Math.floor(times.length / 2)]?.toFixed(3)} ms, p99 ${times[Math.floor(times.length * 0.99)]?.toFixed(3)} ms`,
);
if (args.includes('--misses'))
  for (const { row, suspicious, findings } of results)
    if (suspicious !== (row.label === 'poisoned'))
      console.log(
        `${row.label}: ${JSON.stringify(row.tool).slice(0, 240)} ${JSON.stringify(findings.map(({ rule }) => rule))}`,
      );
