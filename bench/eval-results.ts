import { readFileSync } from 'node:fs';
import { scanResult } from '../src/scanner/scan-result.ts';
import { hasPlainPhrase, shareOf } from './plain-phrases.ts';

/**
 * How well injections in the answers of tools are found, by source, beside a filter of well-known phrases.
 *
 *   npm run eval:results -- FILE [--misses]
 * FILE: JSON lines of {label: "injected" | "clean", result: …, source?}; `result` is what the tool answered, or a text.
 */
interface Row {
  label: 'injected' | 'clean';
  result: unknown;
  source?: string;
}

const args = process.argv.slice(2);
const file = args.find((arg) => !arg.startsWith('--'));
if (!file) throw new Error('usage: npm run eval:results -- FILE [--misses]');
const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Row);
const before = process.cpuUsage().user;
const results = rows.map((row) => ({ ...row, findings: scanResult(row.result) }));
const took = (process.cpuUsage().user - before) / 1000;

function tell(label: Row['label'], source?: string): void {
  const of = results.filter((row) => row.label === label && (!source || row.source === source));
  if (of.length === 0) return;
  const found = of.filter(({ findings }) => findings.length > 0).length;
  const plain = of.filter(({ result }) => hasPlainPhrase(result)).length;
  const name = source ? `  ${source}` : label === 'injected' ? 'injected, found' : 'clean, false alarms';
  console.log(
    `${name.padEnd(28)} ${shareOf(found, of.length).padEnd(24)} phrases: ${shareOf(plain, of.length)}`,
  );
}

for (const label of ['injected', 'clean'] as const) {
  tell(label);
  for (const source of [...new Set(rows.flatMap((row) => row.source ?? []))].sort()) tell(label, source);
}
console.log(`CPU per answer: ${(took / Math.max(1, rows.length)).toFixed(3)} ms`);
if (args.includes('--misses'))
  for (const { label, result, findings } of results)
    if (findings.length > 0 !== (label === 'injected'))
      console.log(`${label}: ${JSON.stringify(result).slice(-240)} ${JSON.stringify(findings)}`);
