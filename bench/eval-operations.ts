import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { inferOperation } from '../src/catalog/verdict/infer-operation.ts';
import { declaredOperation } from '../src/catalog/verdict/verdict.ts';
import type { OperationType } from '../src/contract/operation.ts';
import { visibleLine } from '../src/lib/visible-text.ts';
import { isHeldOut } from './held-out.ts';

// Scores the inference of operations against tools whose servers declare hints, with the hints hidden. Two fifths of the servers are
// "held out". Servers that give all their tools the same hint are no evidence for any of them; the last lines exclude them.
// --misses prints every tool whose verdict differs from its hint; --curve shows what stricter rules for "read" would cost.
// usage: npm run eval:operations -- FILE.jsonl [--misses] [--curve]     rows: {server, name, description, inputSchema?, annotations}
interface Row {
  server: string;
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  annotations: Record<string, unknown>;
}
interface Judged extends Row {
  declared: OperationType;
  inferred: OperationType;
  reason: string;
}

const OPERATIONS = ['read', 'write', 'destructive'] as const;
const {
  values: { misses, curve },
  positionals: [file],
} = parseArgs({
  options: { misses: { type: 'boolean' }, curve: { type: 'boolean' } },
  allowPositionals: true,
});
if (!file) {
  console.error('usage: npm run eval:operations -- FILE.jsonl [--misses] [--curve]');
  process.exit(2);
}

const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Row);
const judged = rows.flatMap(judge);

if (misses) for (const line of judged.filter(differs).map(shown).sort()) console.log(line);
console.log(`${rows.length} tools, hints hidden`);
printRow(['declared', ...OPERATIONS.map((operation) => `→ ${operation}`), 'total']);
for (const declared of OPERATIONS) {
  const group = judged.filter((tool) => tool.declared === declared);
  const cells = OPERATIONS.map((inferred) => share(group, (tool) => tool.inferred === inferred));
  printRow([declared, ...cells, group.length]);
}
console.log('');
const telling = judged.filter(tellsApart);
for (const [part, tools] of [
  ['as labelled', judged],
  ['servers that tell tools apart', telling],
] as const) {
  report(part, tools);
  report(
    '  tuned on',
    tools.filter(({ server }) => !isHeldOut(server)),
  );
  report(
    '  held out',
    tools.filter(({ server }) => isHeldOut(server)),
  );
}
if (curve) printCurve();

function judge(row: Row): Judged[] {
  const declared = declaredOperation(row.annotations);
  if (!declared) return [];
  const { operation, reason } = inferOperation(definitionOf(row));
  return [{ ...row, declared, inferred: operation, reason }];
}

function definitionOf({ name, description = '', inputSchema = {} }: Row) {
  return { name, description, inputSchema };
}

function differs({ declared, inferred }: Judged): boolean {
  return declared !== inferred;
}

function shown({ declared, inferred, server, name, reason, description }: Judged): string {
  const text = (description ?? '').trim().slice(0, 120);
  return visibleLine(`${declared}→${inferred}  ${server}:${name}  (${reason})  ${text}`);
}

/** False if all tools of the server have the same hint: often that is a library's default rather than a judgement. */
function tellsApart({ server }: Judged): boolean {
  return new Set(judged.filter((tool) => tool.server === server).map(({ declared }) => declared)).size > 1;
}

function report(part: string, tools: Judged[], reads: (tool: Judged) => boolean = isRead): void {
  const [read, destructive] = (['read', 'destructive'] as const).map((declared) =>
    share(
      tools.filter((tool) => tool.declared === declared),
      reads,
    ),
  );
  console.log(`${part.padEnd(35)}read called read ${read}, destructive called read ${destructive}`);
}

function isRead({ inferred }: Judged): boolean {
  return inferred === 'read';
}

/** What stricter rules for "read" would save and cost. */
function printCurve(): void {
  const alone = (tool: Judged, keep: Partial<Row>) =>
    inferOperation(definitionOf({ ...tool, inputSchema: {}, ...keep })).operation === 'read';
  const byName = (tool: Judged) => isRead(tool) && alone(tool, { description: '' });
  const byText = (tool: Judged) => isRead(tool) && alone(tool, { name: '' });
  const getter = ({ name }: Judged) => /^(?:get|list)|[_-](?:get|list)(?:[_-]|$)/i.test(name);
  console.log('\nstricter demands on "read", all tools as labelled');
  report('as it is', judged);
  report('name alone reads', judged, byName);
  report('description alone reads', judged, byText);
  report('both do', judged, (tool) => byName(tool) && byText(tool));
  report('both, and the name says get, list', judged, (tool) => byName(tool) && byText(tool) && getter(tool));
}

function share(tools: Judged[], test: (tool: Judged) => boolean): string {
  const count = tools.filter(test).length;
  return `${count} of ${tools.length} (${((100 * count) / Math.max(1, tools.length)).toFixed(1)} %)`;
}

function printRow(cells: Array<string | number>): void {
  console.log(
    cells
      .map((cell) => String(cell).padEnd(22))
      .join('')
      .trimEnd(),
  );
}
