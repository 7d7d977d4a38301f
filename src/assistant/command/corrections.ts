import type { MessageClause } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { swapped } from '../decide/new-text.ts';
import { ambiguous } from '../read/user-intent.ts';

/** Words before the right word that say nothing about it. */
const LEAD =
  /^(?:(?:no|sorry|oops|wait|actually|ok|please|it's|its|it is|that's|that is|this is|make it|make that|it should be|that should be|should be|should say|i meant|i mean|with|at|on|in|to|is|are|be|now|really)[\s,]+)+/i;
const NAMED =
  /^(?:(?:the |my )?(?:first|second|third|fourth|fifth|last)(?: one| task)?|(?:number |task |# ?)\d{1,2}|\d{1,2}(?= should)) /i;
const LONGEST = 200;
const MOST_WORDS = 5;

interface Pair {
  right: string;
  wrong: string;
}

/** "Saturday, not Friday", "not Sam but Kim", "4pm instead of 3pm": one word of a task is replaced, and the rest stays. */
export function readCorrection(
  message: string,
  {
    tasks,
    recent,
    shown,
  }: { tasks: readonly KnownTask[]; recent?: string | undefined; shown?: readonly string[] | undefined },
): MessageClause | undefined {
  const text = message.trim().replace(/(?<![\s.!])[\s.!]+$/u, '');
  if (text.length > LONGEST || text.includes('?') || text.includes('\n')) return undefined;
  const pair = pairIn(text);
  if (!pair) return undefined;
  const having = tasks.filter(({ description }) => swapped(description, pair.wrong, 'x') !== undefined);
  const task = having.length === 1 ? having[0] : having.find(({ task_id }) => task_id === recent);
  const right = task && rightWord(pair, task, shown);
  if (!task || !right) return undefined;
  const isWhole = task.description.toLowerCase() === pair.wrong.toLowerCase();
  const isNamed = isWhole || task.task_id === recent || right.isNamed;
  const new_description = swapped(task.description, pair.wrong, right.text)!;
  const params = { task_reference: task.description, new_description };
  return {
    text,
    user_intent: isNamed
      ? { intent_type: 'UPDATE_TASK', confidence: 1, extracted_params: params }
      : ambiguous(['UPDATE_TASK']),
    reference: { kind: 'title', text: task.description },
    change: { kind: 'swap', from: pair.wrong, text: right.text },
    reasons: ['corrects a word of a task'],
  };
}

/** The right and the wrong words of a correction. */
function pairIn(text: string): Pair | undefined {
  const but = /^(?:it's |it is )?not (.{1,60}) but (.{1,60})$/i.exec(text);
  if (but) return { wrong: but[1]!, right: but[2]! };
  for (const joint of [', not ', ' not ', ' instead of ', ' rather than ']) {
    const at = text.toLowerCase().lastIndexOf(joint);
    if (at <= 0) continue;
    const wrong = text.slice(at + joint.length).replace(/^(?:at|on|with|in|to|the)\s+/i, '');
    return { right: text.slice(0, at).replace(/,$/, ''), wrong };
  }
  return undefined;
}

/** The words that take the place of the wrong ones; undefined if the message says more than that. */
function rightWord(
  { right, wrong }: Pair,
  { task_id, description }: KnownTask,
  shown: readonly string[] | undefined,
): { text: string; isNamed: boolean } | undefined {
  const place = shown?.includes(task_id) ? (NAMED.exec(right)?.[0] ?? '') : '';
  const isPlace = place !== '';
  const said = right.slice(place.length);
  const before = description.slice(0, description.toLowerCase().indexOf(wrong.toLowerCase())).trim();
  const own = before.split(/\s+/).at(-1) ?? '';
  const at = own === '' ? -1 : ` ${said.toLowerCase()}`.lastIndexOf(` ${own.toLowerCase()} `);
  const text = (at >= 0 ? said.slice(at + own.length + 1) : said).replace(LEAD, '');
  const lead = said.slice(0, said.length - text.length);
  const isNamed = isPlace || isAbout(lead, description);
  if (!isOther(text, wrong)) return undefined;
  return at >= 0 || lead.replace(LEAD, '').trim() === '' ? { text, isNamed } : undefined;
}

/** Whether these are a few words, and not the wrong ones again. */
function isOther(text: string, wrong: string): boolean {
  return text !== '' && text.split(/\s+/).length <= MOST_WORDS && text.toLowerCase() !== wrong.toLowerCase();
}

/** Whether the words before the right one name the task. */
function isAbout(lead: string, description: string): boolean {
  const first = description.toLowerCase().split(/\s+/)[0]!;
  return first.length > 2 && lead.toLowerCase().split(/\s+/).includes(first);
}
