import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { classify } from '../../src/assistant/read/classify.ts';
import { parseModel, type Model } from '../../src/assistant/model/model.ts';
import { visibleLine } from '../../src/lib/visible-text.ts';
import { fromLabelled, fromMessages, fromTemplates, ownMessages } from './generate.ts';
import { readLabelled, type Labelled } from './labelled.ts';
import type { Row } from './perceptron.ts';
import { rowsOf, trainRows } from './train.ts';

// How well messages are understood that come from people whose messages the model has not seen: each public source is read by a model
// that learned from all the others, then all of them by one that learned from none, and each fifth of our own messages by one that
// learned from the rest. Rows are a table of Markdown.
// usage: tsx scripts/intents/leave-one-out.ts FILE.tsv … [--none] [--own] [--only NAME] [--errors]
const flag = { type: 'boolean', default: false } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { none: flag, own: flag, errors: flag, only: { type: 'string' } },
});

interface Part {
  name: string;
  messages: Labelled[];
  rows: Row[];
}
/** These share sentences or are too small to stand alone, so they count as one. */
const TOGETHER: Readonly<Record<string, string>> = {
  slurp: 'slurp, hwu',
  hwu: 'slurp, hwu',
  home: 'home, leon',
  leon: 'home, leon',
  banking: 'banking, rasa, snips',
  rasa: 'banking, rasa, snips',
  snips: 'banking, rasa, snips',
};
const FIFTHS = 5;

const templates = rowsOf(fromTemplates());
const own = Array.from({ length: FIFTHS }, (_, fifth) => {
  const messages = ownMessages().filter((_, i) => i % FIFTHS === fifth);
  return { name: `own ${fifth + 1}/${FIFTHS}`, messages, rows: rowsOf(fromMessages(messages)) };
});
const theirs = publicParts(positionals.flatMap((file) => readLabelled(readFileSync(file, 'utf8'))));
console.log('| left out | task messages understood | tool calls on talk |\n|---|---|---|');
for (const part of values.own ? [...theirs, ...own] : theirs)
  if (values.only === undefined || part.name.includes(values.only)) measure(part, modelWithout([part]));
if (values.none) {
  const model = modelWithout(theirs);
  for (const part of theirs) measure({ ...part, name: `${part.name}: all` }, model);
}

function publicParts(all: readonly Labelled[]): Part[] {
  const names = new Map<string, Labelled[]>();
  for (const row of all) {
    const name = TOGETHER[row.source] ?? row.source;
    const messages = names.get(name);
    if (messages) messages.push(row);
    else names.set(name, [row]);
  }
  return [...names].map(([name, messages]) => ({ name, messages, rows: rowsOf(fromLabelled(messages)) }));
}

function modelWithout(parts: readonly Part[]): Model {
  const others = [...theirs, ...own].filter((part) => !parts.includes(part));
  return parseModel(trainRows([...templates, ...others.flatMap(({ rows }) => rows)]));
}

/** A sentence that two sources share counts once. */
function measure({ name, messages }: Pick<Part, 'name' | 'messages'>, model: Model): void {
  const once = [...new Map(messages.map((row) => [row.message.toLowerCase(), row])).values()];
  const tasks = once.filter(({ label }) => isTask(label));
  const chat = once.filter(({ label }) => label === 'GENERAL_CHAT');
  const right = tasks.filter((row) => readBy(model, row) === row.label).length;
  const called = chat.filter((row) => isTask(readBy(model, row))).length;
  console.log(`| ${name} | ${share(right, tasks.length)} | ${share(called, chat.length)} |`);
}

function readBy(model: Model, { message, label }: Labelled): string {
  const read = classify({ message }, model).user_intent.intent_type;
  const wrong = isTask(label) ? read !== label : isTask(read);
  if (values.errors && wrong) console.log(`  ${label} → ${read}  ${visibleLine(message)}`);
  return read;
}

function isTask(intent: string): boolean {
  return /_TASKS?$/.test(intent);
}

function share(count: number, of: number): string {
  return of === 0 ? '' : `${count} of ${of} (${((100 * count) / of).toFixed(1)} %)`;
}
