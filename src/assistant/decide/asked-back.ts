import type { PendingDelete } from '../context.ts';
import type { DecisionDraft } from './draft.ts';
import { namesOf, targetsOf } from './decide-yes.ts';

const why = /^(?:h+m+,? |wait,? )?(?:but )?why\b.{0,30}$/i;
const which =
  /^(?:h+m+,? |wait,? |sorry,? |and )*(?:which|what|huh|sorry|pardon|eh|wait,? what)(?: (?:one|ones|task|tasks|is it|was it|was that|does it say|do you mean|did you say|will be deleted|would be deleted|are you deleting|do they say|are they|again|task was (?:it|that)|was that task|was the task))*(?: again)?$|^(?:say|tell me|repeat) (?:that|it)(?: again)?$|^is it (?:done|open|finished)(?: already| yet)?$/i;
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
export function askedBack(
  message: string,
  pending: PendingDelete,
  asksMore: boolean,
): DecisionDraft | undefined {
  const text = bare(message);
  const targets = targetsOf(pending);
  const names = namesOf(targets.map(({ task_description }) => task_description));
  const what = targets.length > 1 ? `the tasks ${names}` : `the task ${names}${stateOf(pending)}`;
  const say =
    answerTo(text, what) ?? (!asksMore && isAboutIt(message, names) ? `It is about ${what}.` : undefined);
  if (!say) return undefined;
  return {
    type: 'RESPOND_ONLY',
    say,
    question: `Shall I delete ${names}? Please say yes or no.`,
    steps: [],
    recent: pending.task_id,
    intent: { intent_type: 'GENERAL_CHAT', extracted_params: {} },
    because: ['it asks about the question, which stays open'],
  };
}

function stateOf({ task_status }: PendingDelete): string {
  return task_status === 'completed' ? ', which is done' : ', which is still open';
}

const ASKS =
  /\?\s*$|^(?:wait,? )?(?:which|what|why|who|huh|welche[rs]?|was|warum|quoi|laquelle|lequel|pourquoi|cuál|qué|quale|cosa|perché|qual|welke|wat|waarom)(?![\p{L}])/iu;
const OF_IT = new Set(
  `which what why who when will is are was were can could do does did would happens if i you it that this these those they one ones task tasks
   question the a say says said yes no gone forever undo undone later back get be being been deleting delete deleted remove removing removed
   sure mean meant again wait going happen add added only for old same still in when name called about really have to permanent final there exactly huh welche welcher welches was warum quoi
   laquelle lequel pourquoi cuál qué por quale cosa perché che qual quê que welke wat waarom`.split(/\s+/),
);
const LONGEST = 12;
/** A question of a few words that are about the question, or about the task that it names. */
function isAboutIt(message: string, what: string): boolean {
  const own = new Set(what.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const words = message.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (!ASKS.test(message.trim()) || words.length > LONGEST) return false;
  if (words.every((word) => /^(?:yes|no|s)$/.test(word))) return false;
  return words.every((word) => word === 's' || OF_IT.has(word) || own.has(word));
}

function answerTo(text: string, what: string): string | undefined {
  if (why.test(text))
    return `I ask before I delete anything, so that nothing is lost by mistake. It is about ${what}.`;
  if (which.test(text)) return `It is about ${what}.`;
  if (then.test(text))
    return `It is about ${what}. Right after a delete you can say “undo”, and I add the text again as a new task.`;
  return undefined;
}
