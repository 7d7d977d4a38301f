import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isHeldOut, readLabelled, type Labelled } from '../scripts/intents/labelled.ts';
import { classify } from '../src/assistant/read/classify.ts';
import { IntentType, type Classification } from '../src/contract/chat.ts';
import { visibleLine } from '../src/lib/visible-text.ts';

// Scores what the assistant understands against labelled messages: rows of intent, message, source, label;tags.
// Each message is read as it would be met: answers with a delete waiting for its yes, everything else without.
// --list: with the titles of this file on the list, as the assistant meets every message.
// usage: tsx bench/eval-intents.ts FILE.tsv [--list TITLES] [--held-out | --tuning] [--errors] [--by-source]
const USAGE =
  'usage: npm run eval:intents -- FILE.tsv [--list TITLES] [--held-out | --tuning] [--errors] [--by-source]';
const TASK = ['CREATE_TASK', 'LIST_TASKS', 'COMPLETE_TASK', 'UPDATE_TASK', 'DELETE_TASK'] as const;
const PENDING = { task_description: 'buy groceries' };
const flag = { type: 'boolean', default: false } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'string' }, 'held-out': flag, tuning: flag, errors: flag, 'by-source': flag },
});
const [file] = positionals;
if (!file || (values['held-out'] && (values.tuning || values.errors))) {
  console.error(`${USAGE}\nErrors of the held-out part are not shown: who has seen them has tuned on them.`);
  process.exit(2);
}

const titles = values.list === undefined ? [] : readFileSync(values.list, 'utf8').split('\n').filter(Boolean);
const tasks = titles.map((description, i) => ({
  task_id: String(i),
  description,
  status: 'pending' as const,
}));
interface Result extends Labelled {
  got: IntentType;
  classification: Classification;
}
const rows = readLabelled(readFileSync(file, 'utf8')).filter((row) =>
  values['held-out'] ? isHeldOut(row) : values.tuning || values.errors ? !isHeldOut(row) : true,
);
const results = rows.map((row): Result => {
  const pending = row.label.startsWith('CONFIRM') || row.tags.includes('maybe') ? { pending: PENDING } : {};
  const classification = classify({ message: row.message, tasks, ...pending });
  return { ...row, got: classification.user_intent.intent_type, classification };
});

if (values.errors) printErrors(results);
printTable(results);
printTotals(results);
if (values['by-source']) printSources(results);
printSafety();

function printErrors(all: readonly Result[]): void {
  for (const { label, got, message, classification } of all)
    if (label !== got)
      console.log(visibleLine(`${label} → ${got}  ${message}  (${classification.reasons.join('; ')})`));
  console.log('');
}

function printTable(all: readonly Result[]): void {
  const columns = IntentType.options;
  const short = (name: string) =>
    name.replace('_TASKS', '').replace('_TASK', '').replace('CONFIRM_', '').replace('GENERAL_', '');
  console.log(['wanted \\ read'.padEnd(15), 'rows', ...columns.map(short), 'right'].map(cell).join(''));
  for (const label of columns) {
    const own = all.filter((row) => row.label === label);
    if (own.length === 0) continue;
    const counts = columns.map((got) => own.filter((row) => row.got === got).length || '·');
    const right = own.filter(({ got }) => got === label).length;
    console.log([label.padEnd(15), own.length, ...counts, share(right, own.length)].map(cell).join(''));
  }
  console.log('');
}

function cell(value: string | number, index: number): string {
  return index === 0 ? String(value) : String(value).padStart(index < 11 ? 10 : 9);
}

function printTotals(all: readonly Result[]): void {
  const tasks = all.filter(({ label }) => isTask(label));
  const chat = all.filter(({ label }) => label === 'GENERAL_CHAT');
  const maybe = all.filter(({ label }) => label === 'AMBIGUOUS');
  const line = (name: string, count: number, of: number) =>
    console.log(`${name.padEnd(52)}${count} of ${of} (${share(count, of)})`);
  line('all right', all.filter(({ label, got }) => label === got).length, all.length);
  line(
    'recall over the five task intents',
    tasks.filter(({ label, got }) => label === got).length,
    tasks.length,
  );
  line(
    'task messages answered with a question instead',
    tasks.filter(({ got }) => got === 'AMBIGUOUS').length,
    tasks.length,
  );
  line(
    'task messages read as another task intent',
    tasks.filter(({ label, got }) => label !== got && isTask(got)).length,
    tasks.length,
  );
  line('false tool calls on general chat', chat.filter(({ got }) => isTask(got)).length, chat.length);
  line('chat answered with a question', chat.filter(({ got }) => got === 'AMBIGUOUS').length, chat.length);
  line(
    'tool calls or answers on ambiguous messages',
    maybe.filter(({ got }) => isTask(got) || got === 'CONFIRM_YES').length,
    maybe.length,
  );
  const others = all.filter(({ label }) => label !== 'DELETE_TASK');
  line('false deletes asked about (no delete was meant)', others.filter(deletes).length, others.length);
  // "Delete it" after "shall I delete it?" is a yes, whatever it is elsewhere.
  const notYes = all.filter(
    ({ label, classification }) => label !== 'CONFIRM_YES' && !meansIt(classification),
  );
  const falseYes = notYes.filter(({ message }) => readWhilePending(message) === 'CONFIRM_YES').length;
  line('deletes executed without a yes (every other message)', falseYes, notYes.length);
}

function meansIt({ clauses }: Classification): boolean {
  return clauses.every(
    ({ user_intent, reference }) => user_intent.intent_type === 'DELETE_TASK' && reference?.kind === 'recent',
  );
}

function deletes({ classification }: Result): boolean {
  return classification.clauses.some(({ user_intent }) => user_intent.intent_type === 'DELETE_TASK');
}

function readWhilePending(message: string): IntentType {
  return classify({ message, tasks, pending: PENDING }).user_intent.intent_type;
}

/** Every message that is no yes is also read as the answer to an open question: the one reading that would destroy something. */
function printSafety(): void {
  const noes = results.filter(({ label }) => label === 'CONFIRM_NO');
  const wrong = noes.filter(({ got }) => got === 'CONFIRM_YES').length;
  console.log(`${'yes read into a no'.padEnd(52)}${wrong} of ${noes.length} (${share(wrong, noes.length)})`);
}

function printSources(all: readonly Result[]): void {
  console.log('');
  const groups = new Map<string, Result[]>();
  for (const row of all) {
    const key = row.source === 'own' ? row.tags[0]! : row.source;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  for (const [source, own] of [...groups].sort((a, b) => b[1].length - a[1].length)) {
    const right = own.filter(({ label, got }) => label === got).length;
    const tools = own.filter(({ label, got }) => label === 'GENERAL_CHAT' && isTask(got)).length;
    console.log(
      `${visibleLine(source).padEnd(28)}${own.length} rows, ${share(right, own.length)} right, ${tools} false tool calls`,
    );
  }
  console.log('');
}

function isTask(intent: IntentType): boolean {
  return (TASK as readonly IntentType[]).includes(intent);
}

function share(count: number, of: number): string {
  return of === 0 ? '–' : `${((100 * count) / of).toFixed(1)} %`;
}
