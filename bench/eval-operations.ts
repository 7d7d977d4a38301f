import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inferOperation } from '../src/catalog/infer-operation.ts';
import type { OperationType } from '../src/contract/operation.ts';
import { declaredOperation } from '../src/catalog/verdict.ts';
import { visibleLine } from '../src/lib/visible-text.ts';

// Scores the inference of operations against tools whose servers declare hints, with the hints hidden.
// Servers are dealt to two halves by their names, so that a rule that fits only some of them shows.
// usage: tsx bench/eval-operations.ts FILE.jsonl [--misses]     rows: {server, name, description, inputSchema?, annotations}
interface Row {
  server: string;
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  annotations: Record<string, unknown>;
}

const OPERATIONS = ['read', 'write', 'destructive'] as const;
const [file, flag] = process.argv.slice(2);
if (!file) {
  console.error('usage: tsx bench/eval-operations.ts FILE.jsonl [--misses]');
  process.exit(2);
}

const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Row);
const HALVES = ['first half', 'second half'] as const;
const counts = new Map<string, number>();
const misses: string[] = [];
for (const row of rows) {
  const definition = {
    name: row.name,
    description: row.description ?? '',
    inputSchema: row.inputSchema ?? {},
  };
  const declared = declaredOperation(row.annotations);
  if (!declared) continue;
  const inferred = inferOperation(definition);
  const kind = `${declared}→${inferred.operation}`;
  for (const part of ['all', halfOf(row.server)])
    counts.set(`${part} ${kind}`, (counts.get(`${part} ${kind}`) ?? 0) + 1);
  if (declared !== inferred.operation) {
    const text = definition.description.trim().slice(0, 120);
    misses.push(visibleLine(`${kind}  ${row.server}:${row.name}  (${inferred.reason})  ${text}`));
  }
}

if (flag === '--misses') for (const line of misses.sort()) console.log(line);
console.log(`${rows.length} tools, hints hidden`);
printRow(['declared', ...OPERATIONS.map((operation) => `→ ${operation}`), 'total']);
for (const declared of OPERATIONS)
  printRow([
    declared,
    ...OPERATIONS.map((inferred) => share('all', declared, inferred)),
    total('all', declared),
  ]);
console.log('');
for (const part of ['all', ...HALVES]) {
  console.log(
    `${part}: read called read ${share(part, 'read', 'read')}, destructive called read ${share(part, 'destructive', 'read')}`,
  );
}

function halfOf(server: string): (typeof HALVES)[number] {
  return HALVES[createHash('sha256').update(server).digest()[0]! % 2]!;
}

function total(part: string, declared: OperationType): number {
  return OPERATIONS.reduce((sum, inferred) => sum + (counts.get(`${part} ${declared}→${inferred}`) ?? 0), 0);
}

function share(part: string, declared: OperationType, inferred: OperationType): string {
  const count = counts.get(`${part} ${declared}→${inferred}`) ?? 0;
  const all = total(part, declared);
  return `${count} of ${all} (${((100 * count) / Math.max(1, all)).toFixed(1)} %)`;
}

function printRow(cells: Array<string | number>): void {
  console.log(
    cells
      .map((cell) => String(cell).padEnd(22))
      .join('')
      .trimEnd(),
  );
}
