import type { MessageClause, TaskReference, UserIntent } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { findOrder } from '../language/carriers.ts';
import { normalise } from '../language/normalise.ts';
import type { Message } from '../language/token.ts';
import { ambiguous } from '../read/user-intent.ts';
import { isSubset, wordsOf } from '../reply/task-words.ts';
import { isDeed } from './add-forms.ts';
import { commandForms, firstForm } from './polite.ts';

const LONGEST_NEWS = 8;

/** Short verbs with two letters swapped, which rarely make another word. */
const SWAPPED = new Map(
  'mark check tick edit change'.split(' ').flatMap((word) =>
    Array.from({ length: word.length - 1 }, (_, i) => {
      return [`${word.slice(0, i)}${word[i + 1]}${word[i]}${word.slice(i + 2)}`, word] as const;
    }),
  ),
);

/** The message with its verb spelled right, and what is asked for without the words that ask. */
export function spelledOut(message: Message): { text: Message; asked?: Pick<Message, 'clean'> } {
  const { clean, sentences } = message;
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  const { span, moods } = findOrder(tokens, [0, tokens.length]);
  const verb = tokens[span[0]];
  if (!verb) return { text: message };
  const meant = SWAPPED.get(verb.word) ?? (verb.corrected ? verb.word : undefined);
  const [before, after] = [clean.slice(0, verb.start), clean.slice(verb.end)];
  const right = meant ?? clean.slice(verb.start, verb.end);
  const text = meant === undefined ? message : normalise(`${before}${right}${after}`);
  const isAsked = moods.size === 1 && moods.has('request');
  return { text, ...(isAsked && { asked: { clean: `${right}${after}` } }) };
}

const CLEARS = commandForms(
  "(?:clear|clean|delete|remove|erase|wipe|purge|drop|get rid of)(?: up| out| away| off)? (?:(?:all|everything|what|of|my|the|that|is|was|i|have|has been|that's|what's|already) )*(?:completed|done|finished|checked off|ticked off|checked|ticked|crossed off)(?: (?:ones|tasks?|items?|things|stuff|entries|todos?))?(?: (?:from|on|off) (?:my|the) list)?",
);
const CLEARS_ALL = commandForms(
  '(?:clear|empty|wipe|reset|erase|delete|clean)(?: out| off)? (?:(?:all|of|my|the|whole|entire|this) )*(?:to-?do |task )?list',
);
/** "Clear completed": all that is done, whatever it is called. "Clear the list": all. */
export function readClearing({ clean }: Message): MessageClause[] | undefined {
  const isAll = firstForm(CLEARS_ALL, clean.trim()) !== undefined;
  if (!isAll && !firstForm(CLEARS, clean.trim())) return undefined;
  const reference: TaskReference = { kind: 'all', text: isAll ? 'all tasks' : 'completed tasks' };
  const extracted_params = { task_reference: reference.text };
  const user_intent: UserIntent = { intent_type: 'DELETE_TASK', confidence: 1, extracted_params };
  return [
    { text: clean.trim(), user_intent, reference, reasons: [isAll ? 'deletes all' : 'deletes what is done'] },
  ];
}

const NO_NEWS =
  /^(?:what|which|who|when|where|why|how|do|does|should)\b|\b(?:not|never|no|will|if|should|is so|are so)\b|n't\b/i;
const DID =
  /^(?:i(?:'ve)? )?(?:(?:just|already|finally) )?(?:did|done|bought|got) (?!(?:i|you|we|they|he|she|it|that|this|an?) )(?<what>.+)$/i;
/** "The plumber called", "did the milk": it says all that an open task says, so that one may be done. */
export function readNews(
  { clean, sentences }: Message,
  tasks: readonly KnownTask[],
): MessageClause | undefined {
  const said = wordsOf(clean).stems;
  const isQuestion = sentences.some(({ question }) => question);
  if (isQuestion || said.size > LONGEST_NEWS || NO_NEWS.test(clean.trim()) || isDeed(clean.trim()))
    return undefined;
  const done = wordsOf(DID.exec(clean.trim())?.groups?.['what'] ?? '').content;
  const [task, another] = tasks.filter(({ description, status }) => {
    const { content, stems } = wordsOf(description);
    const isTold = (content.size > 1 && isSubset(content, said)) || (done.size > 0 && isSubset(done, stems));
    return status === 'pending' && isTold;
  });
  if (!task || another) return undefined;
  return {
    text: clean.trim(),
    user_intent: ambiguous(['COMPLETE_TASK']),
    reference: { kind: 'title', text: task.description },
    reasons: ['tells of what a task says'],
  };
}
