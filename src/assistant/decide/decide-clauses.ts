import type { MessageClause, UserIntent } from '../../contract/chat.ts';
import type { DecisionContext, Step } from '../context.ts';
import { deleteQuestion, unreadableDraft } from './decide-yes.ts';
import type { DecisionDraft } from './draft.ts';
import { splitNamedTasks } from './find-task.ts';
import { resolveClause } from './resolve-clause.ts';
import { deleteStep, type ClauseOutcome } from './clause-outcome.ts';

type Of<K extends ClauseOutcome['kind']> = Extract<ClauseOutcome, { kind: K }>;

/** Decides a message without a pending delete: its clauses in order, after a question if one of them deletes or is unclear. */
export function decideClauses(context: DecisionContext, clauses: MessageClause[]): DecisionDraft {
  const wanted = essential(clauses).flatMap((clause) => splitNamedTasks(clause, context));
  const outcomes = resolveEach(context, wanted);
  const because = outcomes.map((outcome) => outcome.because);
  const draft = decideOutcomes(context, outcomes, wanted);
  const [{ intent } = {}, another] = outcomes;
  return { ...draft, ...(intent && !another && { intent }), because: [...because, ...draft.because] };
}

/** Small talk beside a request gets no reply. */
function essential(clauses: MessageClause[]): MessageClause[] {
  const requests = clauses.filter(
    ({ user_intent: { intent_type } }) =>
      intent_type !== 'GENERAL_CHAT' && intent_type !== 'CONFIRM_YES' && intent_type !== 'CONFIRM_NO',
  );
  return requests.length > 0 ? requests : clauses.slice(0, 1);
}

/** "It" in a clause refers to the task of the previous clause. */
function resolveEach(context: DecisionContext, clauses: MessageClause[]): ClauseOutcome[] {
  let { recent } = context;
  return clauses.map((clause) => {
    const outcome = resolveClause(clause, { ...context, ...(recent !== undefined && { recent }) });
    if ('recent' in outcome && outcome.recent !== undefined) recent = outcome.recent;
    if (outcome.kind === 'delete') recent = outcome.tasks[0]!.task_id;
    return clauses.length > 1 ? withIntent(outcome, clause.user_intent) : outcome;
  });
}

/** Each call of several requests is recorded with the intent of its own. */
function withIntent(outcome: ClauseOutcome, intent: UserIntent): ClauseOutcome {
  if (outcome.kind !== 'do') return outcome;
  return { ...outcome, steps: outcome.steps.map((step) => ({ intent, ...step })) };
}

function decideOutcomes(
  context: DecisionContext,
  outcomes: ClauseOutcome[],
  clauses: MessageClause[],
): DecisionDraft {
  const refusal = pick(outcomes, 'refuse')[0];
  if (refusal)
    return {
      type: 'RESPOND_ONLY',
      say: refusal.text + nothingElse(outcomes),
      steps: [],
      refused: true,
      because: [],
    };
  const unclear = pick(outcomes, 'ask')[0];
  if (unclear) return ask(unclear, outcomes, clauses);
  const unreadOnes = pick(outcomes, 'read_first');
  if (unreadOnes.length > 0)
    return context.tasks === null
      ? unreadableDraft(context, 'Please try again in a moment.')
      : readFirst(unreadOnes);
  if (givesOneTextToSeveral(outcomes)) return ask(ONE_TEXT_EACH, outcomes, clauses);
  const deletes = pick(outcomes, 'delete');
  if (deletes.length > 0)
    return context.may_delete === false ? notPermitted(outcomes) : confirmFirst(context, outcomes, deletes);
  return run(outcomes);
}

const ONE_TEXT_EACH: Of<'ask'> = {
  kind: 'ask',
  question:
    'I give a new text to one task at a time, so I have changed nothing. Which one, and what should it say?',
  because: 'several tasks would get one text',
};

/** "Change 1 and 3 to read a book" would overwrite two texts with one. */
function givesOneTextToSeveral(outcomes: ClauseOutcome[]): boolean {
  const texts = pick(outcomes, 'do').flatMap(({ steps }) =>
    steps.filter(({ call }) => call.tool_name === 'update_task').map(({ call }) => call),
  );
  const tasks = new Set(texts.map(({ parameters }) => parameters.task_id));
  return tasks.size > new Set(texts.map(({ parameters }) => parameters.description)).size;
}

function pick<K extends ClauseOutcome['kind']>(outcomes: ClauseOutcome[], kind: K): Array<Of<K>> {
  return outcomes.filter((outcome): outcome is Of<K> => outcome.kind === kind);
}

function nothingElse(outcomes: ClauseOutcome[]): string {
  return outcomes.length > 1 ? ' The rest of your message was not done either.' : '';
}

function ask(unclear: Of<'ask'>, outcomes: ClauseOutcome[], clauses: MessageClause[]): DecisionDraft {
  const { question, shown, open, readFirst } = unclear;
  const several = outcomes.length > 1;
  return {
    type: 'ASK_CLARIFICATION',
    ...(several && {
      say: `You asked for ${outcomes.length} things, and one of them is not clear to me, so I have done none of them yet.`,
    }),
    question,
    steps: [],
    ...(readFirst && { readFirst }),
    ...(shown && { shown }),
    ...(open && { open: several ? { ...open, ...around(clauses, outcomes.indexOf(unclear)) } : open }),
    because: several ? [`${clauses.length} clauses, one of them unclear: asked first`] : [],
  };
}

/** The other clauses wait for the answer too. */
function around(clauses: MessageClause[], at: number) {
  return { before: clauses.slice(0, at), after: clauses.slice(at + 1) };
}

/** The preliminary decision before the list is read. Never executed. */
function readFirst(outcomes: Array<Of<'read_first'>>): DecisionDraft {
  const destroys = outcomes.find((outcome) => outcome.destroys);
  return {
    type: destroys ? 'REQUEST_CONFIRMATION' : 'INVOKE_TOOL',
    ...(destroys && {
      question: `Shall I ${destroys.wish}? Please say yes or no.`,
    }),
    steps: [],
    readFirst: true,
    because: [],
  };
}

function notPermitted(outcomes: ClauseOutcome[]): DecisionDraft {
  return {
    type: 'RESPOND_ONLY',
    say: `Your token does not permit deleting tasks, so nothing was deleted. Ask the operator, or mark the task as done instead.${nothingElse(outcomes)}`,
    steps: [],
    refused: true,
    because: ['the scope of the credential does not include deletes'],
  };
}

function confirmFirst(
  context: DecisionContext,
  outcomes: ClauseOutcome[],
  deletes: Array<Of<'delete'>>,
): DecisionDraft {
  const tasks = [
    ...new Map(deletes.flatMap((one) => one.tasks).map((task) => [task.task_id, task])).values(),
  ];
  const said = pick(outcomes, 'say').map(({ text }) => text);
  return {
    type: 'REQUEST_CONFIRMATION',
    ...(said.length > 0 && { say: said.join(' ') }),
    ...deleteQuestion(tasks, context, once(stepsOf(outcomes, context.user_id))),
    recent: tasks[0]!.task_id,
    because:
      outcomes.length > 1
        ? ['one of the requests deletes: confirmation is needed before any of them runs']
        : [],
  };
}

function stepsOf(outcomes: ClauseOutcome[], user_id: string): Step[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.kind === 'do') return outcome.steps;
    if (outcome.kind !== 'delete') return [];
    return [...(outcome.steps ?? []), ...outcome.tasks.map((task) => deleteStep(task, user_id))];
  });
}

/** Removes repeated changes of the same task; a task may be added twice. */
function once(steps: Step[]): Step[] {
  const seen = new Set<string>();
  return steps.filter(({ call }) => {
    const key = JSON.stringify(call);
    const isNew = call.tool_name === 'add_task' || !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function run(outcomes: ClauseOutcome[]): DecisionDraft {
  const steps = once(pick(outcomes, 'do').flatMap((outcome) => outcome.steps));
  const said = pick(outcomes, 'say').map(({ text }) => text);
  const about = [...new Set(outcomes.flatMap((outcome) => ('recent' in outcome && outcome.recent) || []))];
  return {
    type: steps.length > 0 ? 'INVOKE_TOOL' : 'RESPOND_ONLY',
    ...(said.length > 0 && { say: said.join(' ') }),
    steps,
    ...(about.length === 1 && { recent: about[0]! }),
    because: [],
  };
}
