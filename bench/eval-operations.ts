import { readFileSync } from 'node:fs';
import { inferOperation } from '../src/catalog/infer-operation.ts';
import { declaredOperation } from '../src/catalog/verdict.ts';
import { visibleLine } from '../src/lib/visible-text.ts';

// Scores the inference of operations against tools whose servers declare hints, with the hints hidden.
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
const counts = new Map<string, number>();
const misses: string[] = [];
for (const row of rows) {
  const definition = {
    name: row.name,
    description: row.description ?? '',
    inputSchema: row.inputSchema ?? {},
  };
  const inferred = inferOperation(definition);
  const declared = declaredOperation(row.annotations);
  if (!declared) continue;
  const key = `${declared}→${inferred.operation}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
  if (declared !== inferred.operation) {
    misses.push(
      visibleLine(
        `${key}  ${row.server}:${row.name}  (${inferred.reason})  ${definition.description.trim().slice(0, 120)}`,
      ),
    );
  }
}

if (flag === '--misses') for (const line of misses.sort()) console.log(line);
console.log(`${rows.length} tools`);
console.log(
  ['declared', ...OPERATIONS.map((operation) => `→ ${operation}`), 'total']
    .map((cell) => cell.padEnd(14))
    .join(''),
);
for (const declared of OPERATIONS) {
  const cells = OPERATIONS.map((inferred) => counts.get(`${declared}→${inferred}`) ?? 0);
  const total = cells.reduce((sum, cell) => sum + cell, 0);
  console.log(
    [
      declared,
      ...cells.map((cell) => `${cell} (${((100 * cell) / Math.max(1, total)).toFixed(1)} %)`),
      String(total),
    ]
      .map((cell) => cell.padEnd(14))
      .join(''),
  );
}
