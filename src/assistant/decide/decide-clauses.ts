import type { MessageClause } from '../../contract/chat.ts';
import type { DecisionContext, KnownTask, Step } from '../context.ts';
import { askToDelete, unread } from './decide-yes.ts';
import type { Draft } from './draft.ts';
import { quote, shortened, together } from '../reply/wording.ts';
import { eachNamed } from './find-task.ts';
import { readClause } from '../read/read-clause.ts';
import { deleteStep, type Reading } from '../read/readings.ts';

type Of<K extends Reading['kind']> = Extract<Reading, { kind: K }>;

/** A message without anything waiting: its clauses in order, and a question first where one of them destroys or is unclear. */
export function decideClauses(context: DecisionContext, clauses: MessageClause[]): Draft {
  const wanted = essential(clauses).flatMap((clause) => eachNamed(clause, context));
  const readings = readAll(context, wanted);
  const because = readings.map((reading) => reading.because);
  const draft = decideReadings(context, readings, wanted);
  return { ...draft, because: [...because, ...draft.because] };
}

/** Courtesies beside a request are not answered for themselves. */
function essential(clauses: MessageClause[]): MessageClause[] {
  const requests = clauses.filter(
    ({ user_intent: { intent_type } }) =>
      intent_type !== 'GENERAL_CHAT' && intent_type !== 'CONFIRM_YES' && intent_type !== 'CONFIRM_NO',
  );
  return requests.length > 0 ? requests : clauses.slice(0, 1);
}

/** "It" in a clause is what the clause before was about. */
function readAll(context: DecisionContext, clauses: MessageClause[]): Reading[] {
  let { recent } = context;
  return clauses.map((clause) => {
    const reading = readClause(clause, { ...context, ...(recent !== undefined && { recent }) });
    if ('recent' in reading && reading.recent !== undefined) recent = reading.recent;
    if (reading.kind === 'delete') recent = reading.task.task_id;
    return reading;
  });
}

function decideReadings(context: DecisionContext, readings: Reading[], clauses: MessageClause[]): Draft {
  const refusal = pick(readings, 'refuse')[0];
  if (refusal)
    return {
      type: 'RESPOND_ONLY',
      say: refusal.text + nothingElse(readings),
      steps: [],
      refused: true,
      because: [],
    };
  const unclear = pick(readings, 'ask')[0];
  if (unclear) return ask(unclear, readings, clauses);
  const unreadOnes = pick(readings, 'read_first');
  if (unreadOnes.length > 0)
    return context.tasks === null ? unread(context, 'Please try again in a moment.') : readFirst(unreadOnes);
  if (givesOneTextToSeveral(readings)) return ask(ONE_TEXT_EACH, readings, clauses);
  const deletes = pick(readings, 'delete');
  if (deletes.length > 0) return confirmFirst(context, readings, deletes);
  return run(readings);
}

const ONE_TEXT_EACH: Of<'ask'> = {
  kind: 'ask',
  question:
    'I give a new text to one task at a time, so I have changed nothing. Which one, and what should it say?',
  because: 'several tasks would get one text',
};

/** "Change 1 and 3 to read a book" would lose two texts for one. */
function givesOneTextToSeveral(readings: Reading[]): boolean {
  const texts = pick(readings, 'do').flatMap(({ steps }) =>
    steps.filter(({ call }) => call.tool_name === 'update_task').map(({ call }) => call),
  );
  const tasks = new Set(texts.map(({ parameters }) => parameters.task_id));
  return tasks.size > new Set(texts.map(({ parameters }) => parameters.description)).size;
}

function pick<K extends Reading['kind']>(readings: Reading[], kind: K): Array<Of<K>> {
  return readings.filter((reading): reading is Of<K> => reading.kind === kind);
}

function nothingElse(readings: Reading[]): string {
  return readings.length > 1 ? ' The rest of your message was not done either.' : '';
}

function ask(unclear: Of<'ask'>, readings: Reading[], clauses: MessageClause[]): Draft {
  const { question, shown, open, readFirst } = unclear;
  const several = readings.length > 1;
  return {
    type: 'ASK_CLARIFICATION',
    ...(several && {
      say: `You asked for ${readings.length} things, and one of them is not clear to me, so I have done none of them yet.`,
    }),
    question,
    steps: [],
    ...(readFirst && { readFirst }),
    ...(shown && { shown }),
    ...(open && { open: several ? { ...open, ...around(clauses, readings.indexOf(unclear)) } : open }),
    because: several ? [`${clauses.length} clauses, one of them unclear: asked first`] : [],
  };
}

/** The other clauses wait for the answer too. */
function around(clauses: MessageClause[], at: number) {
  return { before: clauses.slice(0, at), after: clauses.slice(at + 1) };
}

/** What is known before the list is read: which way it goes. Never acted on. */
function readFirst(readings: Array<Of<'read_first'>>): Draft {
  const destroys = readings.find((reading) => reading.destroys);
  return {
    type: destroys ? 'REQUEST_CONFIRMATION' : 'INVOKE_TOOL',
    ...(destroys && {
      question: `Shall I ${destroys.wish}? It cannot be brought back. Please say yes or no.`,
    }),
    steps: [],
    readFirst: true,
    because: [],
  };
}

function confirmFirst(context: DecisionContext, readings: Reading[], deletes: Array<Of<'delete'>>): Draft {
  const task = deletes[0]!.task;
  const others = deletes.slice(1).filter((other) => other.task.task_id !== task.task_id);
  const steps =
    others.length > 0 ? [deleteStep(task, context.user_id)] : once(stepsOf(readings, context.user_id));
  const said = pick(readings, 'say').map(({ text }) => text);
  if (others.length > 0)
    said.push(
      oneByOne(
        others.map((other) => other.task),
        readings.length - deletes.length,
      ),
    );
  const next = others.map((other) => `delete ${shortened(other.task.description)}`);
  return {
    type: 'REQUEST_CONFIRMATION',
    ...(said.length > 0 && { say: said.join(' ') }),
    ...askToDelete(task, { now: context.now, steps, next }),
    recent: task.task_id,
    because: readings.length > 1 ? ['one of the clauses destroys: asked before any of them is run'] : [],
  };
}

function oneByOne(tasks: KnownTask[], further: number): string {
  const named = together(tasks.map(({ description }) => quote(description)));
  const rest = further > 0 ? ' and for the rest of your message' : '';
  return `I ask about one delete at a time; ask me for ${named}${rest} again afterwards.`;
}

function stepsOf(readings: Reading[], user_id: string): Step[] {
  const seen = new Set<string>();
  return readings.flatMap((reading) => {
    if (reading.kind === 'do') return reading.steps;
    if (reading.kind !== 'delete' || seen.has(reading.task.task_id)) return [];
    seen.add(reading.task.task_id);
    return [deleteStep(reading.task, user_id)];
  });
}

/** The same change of the same task is made once; a new task may be wanted twice. */
function once(steps: Step[]): Step[] {
  const seen = new Set<string>();
  return steps.filter(({ call }) => {
    const key = JSON.stringify(call);
    const isNew = call.tool_name === 'add_task' || !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function run(readings: Reading[]): Draft {
  const steps = once(pick(readings, 'do').flatMap((reading) => reading.steps));
  const said = pick(readings, 'say').map(({ text }) => text);
  const about = [...new Set(readings.flatMap((reading) => ('recent' in reading && reading.recent) || []))];
  return {
    type: steps.length > 0 ? 'INVOKE_TOOL' : 'RESPOND_ONLY',
    ...(said.length > 0 && { say: said.join(' ') }),
    steps,
    ...(about.length === 1 && { recent: about[0]! }),
    because: [],
  };
}
