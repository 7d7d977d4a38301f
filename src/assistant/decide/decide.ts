import type { Classification, IntentType, MessageClause } from '../../contract/chat.ts';
import { decideAnswer } from './answer-question.ts';
import { decideClauses } from './decide-clauses.ts';
import type { Decided, DecisionContext, PendingDelete } from '../context.ts';
import { toDecided, type DecisionDraft } from './draft.ts';
import { decideYes, namesOf, targetsOf } from './decide-yes.ts';
import { askedBack } from './asked-back.ts';
import { shorten } from '../reply/wording.ts';

/**
 * Decides what to do about a message. Pure: the same context gives the same decision, byte for byte. A pending delete comes first: a yes
 * runs it, a no cancels it, and anything else drops it and is then decided like every other message.
 */
export function decide(context: DecisionContext, classification: Classification): Decided {
  const draft = context.pending_confirmation
    ? decidePending(context, context.pending_confirmation, classification)
    : decideNew(context, classification.clauses);
  return toDecided(context, classification, draft);
}

function decidePending(
  context: DecisionContext,
  pending: PendingDelete,
  { clauses }: Classification,
): DecisionDraft {
  const expired = Date.parse(context.now) >= Date.parse(pending.expires_at);
  const back = expired ? undefined : askedBack(context.message, pending, asksMore(clauses));
  if (back) return back;
  const answer = bareAnswer(clauses);
  if (answer !== undefined && expired) return tooLate(pending);
  if (answer === 'CONFIRM_YES') return decideYes(context, pending);
  if (answer === 'CONFIRM_NO') return cancelled(pending, clauses);
  const draft = decideNew(context, withoutAnswers(clauses));
  return expired ? afterExpiry(draft, pending) : afterDrop(draft, pending);
}

/** A request of its own, whatever else it asks. */
function asksMore(clauses: MessageClause[]): boolean {
  return clauses.some(({ user_intent }) => /_TASKS?$/.test(user_intent.intent_type));
}

function afterExpiry(draft: DecisionDraft, pending: PendingDelete): DecisionDraft {
  return {
    ...draft,
    say: joined(expiredNote(pending), askAgainNote(draft, pending), draft.say),
    pending: 'expire',
    because: ['the pending delete has expired', ...draft.because],
  };
}

function afterDrop(draft: DecisionDraft, pending: PendingDelete): DecisionDraft {
  const isAskedAgain = draft.asks?.task_id === pending.task_id && !draft.asks.others;
  return {
    ...draft,
    say: joined(isAskedAgain ? undefined : droppedNote(pending), askAgainNote(draft, pending), draft.say),
    pending: 'drop',
    because: ['a new message drops the pending delete', ...draft.because],
  };
}

function joined(...parts: Array<string | undefined>): string {
  return parts.filter(Boolean).join(' ');
}

function decideNew(context: DecisionContext, clauses: MessageClause[]): DecisionDraft {
  return decideAnswer(context, clauses) ?? decideClauses(context, clauses);
}

/** Reminds of the dropped delete if the message led to nothing else. */
function askAgainNote(
  { steps, asks, readFirst }: DecisionDraft,
  { task_description }: PendingDelete,
): string | undefined {
  if (steps.length > 0 || asks || readFirst) return undefined;
  return `Say “delete ${shorten(task_description)}” if you still want it deleted.`;
}

/** A yes or a no and nothing else. */
function bareAnswer(clauses: MessageClause[]): 'CONFIRM_YES' | 'CONFIRM_NO' | undefined {
  const types = new Set(clauses.map(({ user_intent }) => user_intent.intent_type));
  if (types.size !== 1) return undefined;
  const [type] = types;
  return isAnswer(type!) ? type : undefined;
}

function isAnswer(type: IntentType): type is 'CONFIRM_YES' | 'CONFIRM_NO' {
  return type === 'CONFIRM_YES' || type === 'CONFIRM_NO';
}

/** "No, show my tasks": the no drops the delete; the rest is decided like any other message. */
function withoutAnswers(clauses: MessageClause[]): MessageClause[] {
  const rest = clauses.filter(({ user_intent }) => !isAnswer(user_intent.intent_type));
  return rest.length > 0 ? rest : clauses;
}

const MEANS_ANOTHER = /\b(?:meant?|instead|other one|different one|wrong one)\b/i;

function cancelled(pending: PendingDelete, clauses: MessageClause[]): DecisionDraft {
  const another = clauses.some(({ text }) => MEANS_ANOTHER.test(text));
  const others = pending.steps.filter(({ call }) => call.tool_name !== 'delete_task');
  const undone =
    others.length > 0
      ? ` The rest of that request was not done either; say “${others.map(({ wish }) => wish).join('” and “')}” if you still want it.`
      : '';
  return {
    type: 'CANCEL_PENDING',
    say: `All right, ${namesIn(pending)} ${pending.others ? 'stay' : 'stays'} on your list.${undone}`,
    ...(another && {
      question: 'If you want something else done, say it once more, “delete buy milk” for example.',
    }),
    steps: [],
    pending: 'cancel',
    recent: pending.task_id,
    because: ['the answer to the question is no'],
  };
}

function tooLate(pending: PendingDelete): DecisionDraft {
  return {
    type: 'RESPOND_ONLY',
    say: `${expiredNote(pending)} Ask me again if you still want it deleted.`,
    steps: [],
    pending: 'expire',
    recent: pending.task_id,
    because: ['the question has expired; an answer that comes later decides nothing'],
  };
}

function expiredNote(pending: PendingDelete): string {
  return `My question about deleting ${namesIn(pending)} has expired, and nothing was deleted.`;
}

function namesIn(pending: PendingDelete): string {
  return namesOf(targetsOf(pending).map(({ task_description }) => task_description));
}

function droppedNote(pending: PendingDelete): string {
  return `I have dropped the request to delete ${namesIn(pending)}; ${pending.others ? 'they were' : 'it was'} not deleted.`;
}
