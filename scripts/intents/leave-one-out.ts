import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { classify } from '../../src/agent/classify.ts';
import { parseModel, type Model } from '../../src/agent/model/model.ts';
import { fromLabelled, fromMessages, fromTemplates, ownMessages } from './generate.ts';
import { readLabelled, type Labelled } from './labelled.ts';
import type { Row } from './perceptron.ts';
import { rowsOf, trainRows } from './train.ts';

// How well messages are understood that come from people whose messages the model has not seen: each public source is read by a model
// that learned from all the others, each fifth of our own messages by one that learned from the rest.
// usage: tsx scripts/intents/leave-one-out.ts FILE.tsv … [--own] [--errors]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { own: { type: 'boolean', default: false }, errors: { type: 'boolean', default: false } },
});

interface Part {
  name: string;
  messages: Labelled[];
  rows: Row[];
}
/** These share sentences, so they count as one. */
const TOGETHER: Readonly<Record<string, string>> = { slurp: 'slurp + hwu', hwu: 'slurp + hwu' };
const FIFTHS = 5;

const templates = rowsOf(fromTemplates());
const own = Array.from({ length: FIFTHS }, (_, fifth) => {
  const messages = ownMessages().filter((_, i) => i % FIFTHS === fifth);
  return { name: `own ${fifth + 1}/${FIFTHS}`, messages, rows: rowsOf(fromMessages(messages)) };
});
const theirs = publicParts(positionals.flatMap((file) => readLabelled(readFileSync(file, 'utf8'))));
for (const part of values.own ? [...theirs, ...own] : theirs) measure(part);

function publicParts(all: readonly Labelled[]): Part[] {
  const names = new Map<string, Labelled[]>();
  for (const row of all) {
    const name = TOGETHER[row.source] ?? row.source;
    names.set(name, [...(names.get(name) ?? []), row]);
  }
  return [...names].map(([name, messages]) => ({ name, messages, rows: rowsOf(fromLabelled(messages)) }));
}

function measure(part: Part): void {
  const others = [...theirs, ...own].filter((other) => other !== part).flatMap(({ rows }) => rows);
  const model = parseModel(trainRows([...templates, ...others]));
  const tasks = part.messages.filter(({ label }) => isTask(label));
  const chat = part.messages.filter(({ label }) => label === 'GENERAL_CHAT');
  const right = tasks.filter((row) => readBy(model, row) === row.label).length;
  const called = chat.filter((row) => isTask(readBy(model, row))).length;
  console.log(`| ${part.name} | ${share(right, tasks.length)} | ${share(called, chat.length)} |`);
}

function readBy(model: Model, { message, label }: Labelled): string {
  const read = classify({ message }, model).user_intent.intent_type;
  const wrong = isTask(label) ? read !== label : isTask(read);
  if (values.errors && wrong) console.log(`  ${label} → ${read}  ${message}`);
  return read;
}

function isTask(intent: string): boolean {
  return /_TASKS?$/.test(intent);
}

function share(count: number, of: number): string {
  return of === 0 ? '' : `${count} of ${of} (${((100 * count) / of).toFixed(1)} %)`;
}
