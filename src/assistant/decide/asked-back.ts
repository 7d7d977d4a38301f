import type { PendingDelete } from '../context.ts';
import type { DecisionDraft } from './draft.ts';
import { namesOf, targetsOf } from './decide-yes.ts';

const why = /^(?:but )?why\b.{0,30}$/i;
const which =
  /^(?:which|what|huh|sorry|pardon|eh|wait,? what)(?: (?:one|ones|task|tasks|is it|was it|was that|does it say|do you mean|did you say|will be deleted|would be deleted|are you deleting|do they say|are they|again|task was (?:it|that)|was that task|was the task))*(?: again)?$|^(?:say|tell me|repeat) (?:that|it)(?: again)?$|^is it (?:done|open|finished)(?: already| yet)?$/i;
const then =
  /^(?:can (?:i|it|that|this|you) (?:be )?(?:undo|undone|undone later|get it back|reverse[d]?|bring it back)(?: (?:it|that|this|later))*|is (?:it|that|this) (?:permanent|final|reversible|forever)|what happens (?:then|next|if (?:i|you) (?:do|say yes))|are you sure)$/i;

/** Whether a message asks about the assistant's last question instead of answering it. */
export function isAskedBack(message: string): boolean {
  return answerTo(bare(message), '') !== undefined;
}

function bare(message: string): string {
  return message.trim().replace(/(?<![\s.?!])[\s.?!]+$/u, '');
}

/** A question about the question: answered, and the question stays open. */
export function askedBack(message: string, pending: PendingDelete): DecisionDraft | undefined {
  const text = bare(message);
  const targets = targetsOf(pending);
  const names = namesOf(targets.map(({ task_description }) => task_description));
  const say = answerTo(
    text,
    targets.length > 1 ? `the tasks ${names}` : `the task ${names}${stateOf(pending)}`,
  );
  if (!say) return undefined;
  return {
    type: 'RESPOND_ONLY',
    say,
    question: `Shall I delete ${names}? Please say yes or no.`,
    steps: [],
    recent: pending.task_id,
    because: ['it asks about the question, which stays open'],
  };
}

function stateOf({ task_status }: PendingDelete): string {
  return task_status === 'completed' ? ', which is done' : ', which is still open';
}

function answerTo(text: string, what: string): string | undefined {
  if (why.test(text))
    return `I ask before I delete anything, so that nothing is lost by mistake. It is about ${what}.`;
  if (which.test(text)) return `It is about ${what}.`;
  if (then.test(text))
    return `It is about ${what}. Right after a delete you can say “undo”, and I add the text again as a new task.`;
  return undefined;
}
