import type { MessageClause, TaskReference } from '../../contract/chat.ts';
import type { KnownTask, Step } from '../context.ts';
import { normalise } from '../language/normalise.ts';
import { readPositions } from '../language/positions.ts';
import { quote, shorten } from '../reply/wording.ts';
import { step, type ClauseContext, type ClauseOutcome } from './clause-outcome.ts';
import { askWhichTask, findTask, readListFirst } from './find-task.ts';

const LEAD =
  /^(?:(?:please|pls|no|oh|oops|whoops|sorry|wait|ok|okay|actually|hey|hang on|(?:can|could|would) you|i want you to|(?:that|this|it) (?:was|is) (?:a mistake|wrong|not right|not what i (?:meant|wanted))|my (?:mistake|bad))[\s,.!:;]+)*/i;
/** Takes back what was done last. */
const LAST =
  /^(?:undo(?: (?:it|that|this|the last (?:one|change|thing|action|step)|what you (?:just )?did|my last (?:change|action)))?|revert(?: (?:it|that))?|roll ?back|(?:put|bring|change|take|get|set|switch|turn) (?:it|that|this|them|those) back(?: again| please| to what it was| how it was)?|restore (?:it|that)|go back|i want (?:it|that) back|reopen (?:it|that)|uncheck (?:it|that)|untick (?:it|that))$/i;
/** Opens a named task again. */
const REOPENS = [
  /^(?:reopen|re-open|uncheck|untick|unmark|un-?complete|unfinish) (?<x>\S.*)$/i,
  /^(?:mark|set|change|put|flag) (?<x>\S.*?) (?:as |to |back to )(?:not (?:yet )?(?:done|complete|completed|finished)|undone|unfinished|incomplete|open|pending|to do|todo)(?: again)?$/i,
  /^(?<x>\S.*?)(?: (?:is|are|was|were)(?: actually| still)?(?: not|n't)|(?: is|are|was|were)n['’]?t) (?:yet |actually |really )?(?:done|complete|completed|finished)(?: yet| after all| at all)?$/i,
  /^(?<x>\S.*?) (?:is|are|was|were) (?:actually |still )?(?:undone|unfinished|incomplete|open again|still open)(?: yet| after all)?$/i,
  /^(?:i )?(?:have not|haven't|didn't|did not) (?:actually |really )?(?:do|done|finish|finished|complete|completed) (?<x>\S.*?)(?: yet| after all)?$/i,
];
/** "Sunday was right", after it was changed. */
const WAS_RIGHT =
  /^(?:the )?(?<x>\S.*?) (?:was|is|were|are) (?:right|correct|better|fine|ok|good)(?: after all| before| already)?$/i;
const RESTORES = /^(?:restore|bring back|undelete) (?<x>\S.*)$/i;

function coreOf(text: string): string {
  return text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(?<![\s.!?,])[\s.!?,]+$/u, '')
    .replace(LEAD, '')
    .replace(/,?\s(?:please|pls|thanks)$/i, '');
}

export type UndoRequest = { kind: 'last' } | { kind: 'reopen' | 'restore'; name: string };

/** A request to take something back. A new task may be called so ("restore the backup"). */
const PUT_BACK =
  /,? (?:so )?(?:and )?(?:please )?(?:put|bring|move|set|get) it back(?: on(?: the| my)? list| again| please)*$/i;

export function undoRequest(clause: MessageClause, undo: readonly Step[] = []): UndoRequest | undefined {
  const text = coreOf(clause.text);
  if (text.length > 300) return undefined;
  if (LAST.test(text) || prefersOld(text, undo)) return { kind: 'last' };
  const { intent_type } = clause.user_intent;
  if (intent_type === 'CREATE_TASK' || intent_type === 'DELETE_TASK') return undefined;
  const name = reopened(text);
  if (name) return { kind: 'reopen', name };
  const restored = RESTORES.exec(text)?.groups?.['x'];
  return restored ? { kind: 'restore', name: restored } : undefined;
}

/** The name of the task that is to be open again. */
export function reopened(text: string): string | undefined {
  const core = coreOf(text).replace(PUT_BACK, '');
  return REOPENS.map((form) => form.exec(core)?.groups?.['x']).find(Boolean);
}

export function resolveUndo(
  request: UndoRequest,
  clause: MessageClause,
  context: ClauseContext,
): ClauseOutcome {
  if (request.kind === 'reopen') return reopen(referenceFrom(request.name), clause, context);
  const { undo } = context;
  if (!undo || (request.kind === 'restore' && !names(undo, request.name)))
    return { kind: 'say', text: NOTHING, because: 'there is no change of this conversation to take back' };
  return takeBack(undo, context);
}

const NOTHING =
  'I can take back the last change that I made in this conversation, and I see none, so nothing was changed. You can add a task again with “add …”, or open a finished one again with “reopen …”.';

function prefersOld(text: string, undo: readonly Step[]): boolean {
  const right = WAS_RIGHT.exec(text)?.groups?.['x'];
  return (
    right !== undefined && undo.some(({ call }) => call.tool_name === 'update_task') && names(undo, right)
  );
}

function names(undo: readonly Step[], name: string): boolean {
  const said = name.toLowerCase().replace(/^(?:the|my)\s+/, '');
  return undo.some(({ wish }) => wish.toLowerCase().includes(said));
}

/** Taking back a new task deletes it, which needs confirmation. */
function takeBack(undo: Step[], { tasks }: ClauseContext): ClauseOutcome {
  const because = 'takes back the last change';
  const deletes = undo.filter(({ call }) => call.tool_name === 'delete_task');
  const others = undo.filter(({ call }) => call.tool_name !== 'delete_task');
  if (deletes.length === 0) {
    const { intent } = others[0]!;
    return { kind: 'do', steps: others, ...(intent && { intent }), because };
  }
  if (!tasks) return { kind: 'read_first', wish: deletes[0]!.wish, destroys: true, because };
  const ids = deletes.map(({ call }) => call.parameters['task_id']);
  const left = tasks.tasks.filter(({ task_id }) => ids.includes(task_id));
  if (left.length === 0) return { kind: 'say', text: NOTHING, because: 'the new task is gone already' };
  const task_reference = left[0]!.description;
  const intent = { intent_type: 'DELETE_TASK' as const, extracted_params: { task_reference } };
  return { kind: 'delete', tasks: left, steps: others, intent, because };
}

function referenceFrom(name: string): TaskReference {
  const { clean, sentences } = normalise(name);
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  const [position, another] = readPositions(clean, tokens, [0, tokens.length]) ?? [];
  if (position && !another) return position;
  return /^(?:it|that|this|that one|this one)$/i.test(name)
    ? { kind: 'recent', text: name }
    : { kind: 'title', text: name };
}

function reopen(reference: TaskReference, clause: MessageClause, context: ClauseContext): ClauseOutcome {
  if (!context.tasks) return readListFirst('UPDATE_TASK', reference);
  const done = context.tasks.tasks.filter(({ status }) => status === 'completed');
  const inDone = findTask('UPDATE_TASK', reference, { ...context, tasks: { ...context.tasks, tasks: done } });
  const found = inDone.kind === 'one' ? inDone : findTask('UPDATE_TASK', reference, context);
  if (found.kind !== 'one')
    return askWhichTask({ type: 'UPDATE_TASK', clause: { ...clause, reference }, context }, found);
  return openAgain(found.task, context.user_id);
}

function openAgain({ task_id, description, status }: KnownTask, user_id: string): ClauseOutcome {
  const named = quote(description);
  if (status === 'pending')
    return { kind: 'say', text: `${named} is open already.`, recent: task_id, because: 'it is open already' };
  const parameters = { user_id, task_id, description, status: 'pending' };
  const open = step(
    { tool_name: 'update_task', parameters },
    `${named} is open again.`,
    `reopen ${shorten(description)}`,
  );
  const intent = {
    intent_type: 'UPDATE_TASK' as const,
    extracted_params: { task_reference: description, new_description: description },
  };
  return {
    kind: 'do',
    steps: [{ ...open, intent }],
    recent: task_id,
    intent,
    because: 'a finished task is opened again',
  };
}
