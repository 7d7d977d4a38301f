import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startAssistantProxy } from '../test/fixtures/assistant-proxy.ts';
import { formsIn, formsOf, type TitleForm } from '../test/fixtures/title-commands.ts';
import { visibleLine } from '../src/lib/visible-text.ts';
import { table } from './table.ts';

// Says every form of command with every title of FILE to a real proxy, over HTTP, and counts what was done to the list.
// usage: npm run eval:commands -- TITLES [FORMS] [--errors] [--each N]     N: only each Nth combination of form and title
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { errors: { type: 'boolean', default: false }, each: { type: 'string', default: '1' } },
});
const [file, formsFile] = positionals;
if (!file) {
  console.error('usage: npm run eval:commands -- TITLES [FORMS] [--errors] [--each N]');
  process.exit(2);
}
const FORMS = formsFile ? formsIn(formsFile) : formsOf();
const titles = readFileSync(file, 'utf8')
  .split('\n')
  .map((line) => line.trim())
  .filter(Boolean);
const NEIGHBOURS = 3;

interface Task {
  task_id: string;
  description: string;
  status: string;
}
const proxy = await startAssistantProxy();
const { rest } = proxy;
async function call(tool: string, args: Record<string, unknown>): Promise<{ tasks: Task[] }> {
  const operation = tool === 'list_tasks' ? 'read' : tool === 'delete_task' ? 'destructive' : 'write';
  const result = await rest.request('callTool', {
    body: {
      tool_variant: `call_tool_${operation}`,
      name: `tasks:${tool}`,
      args,
      intent: { operation_type: operation },
    },
  });
  return (result as { structuredContent: { tasks: Task[] } }).structuredContent;
}
const list = async () => (await call('list_tasks', {})).tasks;

/** A mark at the end of a message ends the sentence; it is not part of a title. */
const withoutMarks = (text: string) => text.replace(/[.!?]+$/, '');

/** The list as it must be afterwards: nothing else may change. */
function expected(before: Task[], { wants }: TitleForm, [title, text]: [string, string]): string[] {
  // Quotation marks around all of it are not part of a title.
  const [own, other] = [title, text].map((one) => one.replace(/^"(.*)"$/, '$1'));
  const after = before.map(({ description, status }) => {
    if (description !== title) return `${status} ${description}`;
    if (wants === 'complete') return `completed ${description}`;
    return `${status} ${wants === 'rename' ? other : description}`;
  });
  return (wants === 'add' ? [...after, `pending ${own}`] : after).map(withoutMarks).sort();
}

type Outcome = 'done' | 'asked' | 'not done' | 'wrong';

async function outcome(form: TitleForm, at: number): Promise<[Outcome, string]> {
  const pick = (i: number) => titles[(at + i) % titles.length]!;
  const [title, other] = [pick(0), pick(NEIGHBOURS + 1)];
  const own = form.wants === 'add' ? [] : [title];
  for (const description of [...own, ...Array.from({ length: NEIGHBOURS }, (_, i) => pick(i + 1))])
    await call('add_task', { description });
  const before = await list();
  const { reply, decision, conversation_id } = await proxy.say(form.says(title, other));
  if (decision.decision_type === 'REQUEST_CONFIRMATION') await proxy.say('no', conversation_id);
  const after = await list();
  for (const { task_id } of after) await call('delete_task', { task_id });
  return [judged({ form, title, other, before, after, reply, type: decision.decision_type }), reply];
}

interface Said {
  form: TitleForm;
  title: string;
  other: string;
  before: Task[];
  after: Task[];
  reply: string;
  type: string;
}

function judged({ form, title, other, before, after, reply, type }: Said): Outcome {
  const states = (tasks: Task[]) =>
    tasks.map(({ status, description }) => withoutMarks(`${status} ${description}`)).sort();
  const now = JSON.stringify(states(after));
  const isUnchanged = now === JSON.stringify(states(before));
  const asks = type === 'REQUEST_CONFIRMATION';
  const isAbout = reply.includes(`delete “${title}”?`);
  // A question about another task, or one about a delete that nobody asked for, is one yes away from a loss.
  if (asks) return isUnchanged && form.wants === 'delete' && isAbout ? 'done' : 'wrong';
  if (form.wants === 'delete' && !isUnchanged) return 'wrong';
  if (form.wants !== 'delete' && now === JSON.stringify(expected(before, form, [title, other])))
    return 'done';
  if (!isUnchanged) return 'wrong';
  return type === 'ASK_CLARIFICATION' && reply.includes(title) ? 'asked' : 'not done';
}

const rows: string[][] = [];
const total = { done: 0, asked: 0, 'not done': 0, wrong: 0 };
const each = Number(values.each);
let tried = 0;
for (const [row, form] of FORMS.entries()) {
  const counts = { done: 0, asked: 0, 'not done': 0, wrong: 0 };
  for (const [at, title] of titles.entries()) {
    if ((row * (titles.length + 1) + at) % each !== 0) continue;
    tried++;
    const [got, reply] = await outcome(form, at);
    counts[got]++;
    total[got]++;
    if (values.errors && got !== 'done')
      console.log(visibleLine(`${got}: ${form.name} (${title}) → ${reply}`));
  }
  rows.push([form.name, ...Object.values(counts).map(String)]);
}
await proxy.stop();
console.log(table(['form', 'done', 'asked', 'not done', 'wrong'], rows, 1));
console.log(
  `\nall: ${total.done} of ${tried} done (${((100 * total.done) / tried).toFixed(1)} %), ${total.asked} asked, ${total['not done']} not done, ${total.wrong} wrong`,
);
