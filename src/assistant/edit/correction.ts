import type { KnownTask } from '../context.ts';
import { isNounPhrase } from '../grammar/guards.ts';
import { normalise } from '../language/normalise.ts';
import { isTypoOf, titleWords, wordsOf } from '../reply/task-words.ts';
import { swapped } from '../decide/new-text.ts';
import { isTimeText } from '../decide/new-time.ts';
import { blend } from './blend.ts';
import { nameTask, spokenOf, unquoted, type EditScope } from './name-task.ts';
import type { Edit } from './new-title.ts';

const SPELLED = [
  /^(?:fix|correct|change) (?:the |a |my )?(?:spelling|typo|name)(?: (?:to|in it)|[:,]) ?(?<right>\S+)$/i,
  /^(?:typo|spelling)[:,]? (?<right>\S+)$/i,
  /^(?:it|that|the name|the word)(?:'?s| is| should be) (?:(?:spelled|spelt|written|called) (?<right>\S+)|(?<spelled>\S+) with (?:an?|one|two|double) \S+)$/i,
  /^(?:(?:oops|sorry|no),? )?i (?:meant|mean) (?<right>\S+)$/i,
  /^(?<wrong>\S+) (?:is|should be) (?:spelled|spelt|written) (?<right>\S+)$/i,
];
/** A word spelled right: it takes the place of the one that looks like it. */
export function misspelling(core: string, scope: EditScope): Edit | undefined {
  const {
    spelled,
    right = spelled,
    wrong,
  } = SPELLED.map((form) => form.exec(core)?.groups).find(Boolean) ?? {};
  if (right === undefined) return undefined;
  const spoken = spokenOf(scope);
  const isMeant = (word: string) =>
    wrong ? word.toLowerCase() === wrong.toLowerCase() : isTypoOf(word.toLowerCase(), right.toLowerCase());
  const slips = (spoken && !wrong ? [spoken] : scope.tasks).flatMap((task) =>
    task.description
      .split(/[\s,;]+/)
      .filter(isMeant)
      .map((from) => ({ task, from })),
  );
  const [slip, another] = slips;
  const text =
    slip && !another && slip.from !== right ? swapped(slip.task.description, slip.from, right) : undefined;
  return text === undefined ? undefined : { task: slip!.task, text, isSure: true };
}

const IT = "(?:it|that|this|the name)(?:'s| is| was| should be)";
const PAIRS = [
  new RegExp(`^(?:${IT} )?not (?<wrong>.{1,60}?)(?:,? but|,? ${IT}|,| -+) (?<right>.{1,60})$`, 'i'),
  /^(?<right>.{1,160}?),? (?:and )?not (?<wrong>.{1,60})$/i,
  /^(?:(?:put|write|use|say) )?(?<right>.{1,160}?),? (?:instead of|rather than) (?<wrong>.{1,60})$/i,
  /^(?<wrong>.{1,60}?) ?(?:->|=>|→) ?(?<right>.{1,60})$/i,
];
const BEFORE = /^(?:at|on|with|in|to|the|my|an?|about)\s+/i;

/** "Saturday, not Friday": the wrong words are in one title only, or in that of the task mentioned last; the right ones replace them. */
export function correction(core: string, scope: EditScope): Edit | undefined {
  for (const form of PAIRS) {
    const { right, wrong = '' } = form.exec(core)?.groups ?? {};
    const from = unquoted(wrong.replace(BEFORE, ''));
    const having = right
      ? scope.tasks.filter(({ description }) => swapped(description, from, 'x') !== undefined)
      : [];
    const spoken = having.find(({ task_id }) => task_id === scope.recent);
    const task = having.length === 1 ? having[0] : (spoken ?? placed(right ?? '', having, scope));
    const edit = task && exchanged(task, { right: unquoted(right!), from }, scope);
    if (edit) return edit;
  }
  return undefined;
}

const PLACE =
  /^(?:(?:the |my )?(?:first|second|third|fourth|fifth|last|\d{1,2}(?:st|nd|rd|th))(?: one| task)?|(?:number |task |# ?)\d{1,2}|\d{1,2}(?= (?:should|is))) /i;
/** "The second one should be …". */
function placed(right: string, having: readonly KnownTask[], scope: EditScope): KnownTask | undefined {
  const place = PLACE.exec(right)?.[0];
  const named = place === undefined ? undefined : nameTask(place, scope);
  return having.find((task) => task === named?.task);
}

/** Words before the right ones that say nothing about them. */
const SAYS =
  /^(?:(?:sorry|wait|oops|oh|ah|actually|we need|i need|we want|i want|one|it's|its|it is|it|that's|that is|that|this is|make it|make that|change it|make|should be|should say|should|must be|will be|goes to|goes|i meant|i mean|i said|with|at|on|in|to|is|are|be|has|was|moved|got|now|really|called|for|due|by|from)[\s,:]+)+/i;

/** "Send it to Mark": what is said of the task, before the new words. */
const OF_IT = /^(?:\p{L}+ )?(?:it|that|this|them) (?:(?:out|over|up) )?(?:to|with|for|at|from|in|on) /iu;

function exchanged(
  task: KnownTask,
  { right, from }: { right: string; from: string },
  scope: EditScope,
): Edit | undefined {
  const { description } = task;
  const place = placed(right, [task], scope) ? PLACE.exec(right)![0] : '';
  const said = right.slice(place.length).replace(SAYS, '').replace(OF_IT, '');
  const isWhole = description.toLowerCase() === from.toLowerCase();
  if (isWhole) return { task, text: unquoted(said), isSure: true };
  // "Order 12 chairs, not 10" says the new text around the wrong word.
  const value = valueIn(said, from) ?? withoutEnd(said, task, from);
  const mixed = value === undefined ? blend(description, said) : undefined;
  if (mixed?.changes === 1 && mixed.shared > 0 && mixed.lost.join(' ').toLowerCase() === from.toLowerCase())
    return { task, text: mixed.text, isSure: true };
  const text = value ?? withoutName(said, task, from);
  if (!isNewWord(text, from)) return undefined;
  return putIn(task, text, from);
}

function putIn(task: KnownTask, text: string, from: string): Edit | undefined {
  const { description } = task;
  const put = swapped(description, from, text)!;
  if (!repeatsMore(put, description)) return { task, text: put, isSure: isPlainly(text) };
  const whole = blend(description, text);
  const isRight = whole !== undefined && !repeatsMore(whole.text, description);
  return isRight ? { task, text: whole.text, isSure: false } : undefined;
}

/** "3 litres of milk litre milk": a word stands there twice that stood there once. */
function repeatsMore(text: string, old: string): boolean {
  const twice = (title: string) => {
    const words = title.split(/\s+/).flatMap((word) => [...wordsOf(word).content]);
    return words.length - new Set(words).size;
  };
  return twice(text) > twice(old);
}

/** The last time that was said, where a time was wrong. */
function valueIn(said: string, wrong: string): string | undefined {
  if (!isTimeText(wrong)) return undefined;
  const words = said.split(/\s+/);
  const at = words.findIndex((_, i) => isTimeText(words.slice(i).join(' ')));
  return at < 0
    ? undefined
    : words
        .slice(at)
        .join(' ')
        .replace(/^(?:at|on|in) /i, '');
}

const MOST_WORDS = 5;
/** A few words, not the wrong ones again, and no mere end of a sentence. */
function isNewWord(text: string, wrong: string): boolean {
  if (text === '' || text.toLowerCase() === wrong.toLowerCase()) return false;
  return text.split(/\s+/).length <= MOST_WORDS && !/^(?:sure|yet|now|bad|really|at all)$/i.test(text);
}

/** No sentence about something else: "he is my brother, not my boss". */
function isPlainly(text: string): boolean {
  const tokens = normalise(text).sentences.flatMap((sentence) => sentence.tokens);
  return isNounPhrase(tokens, [0, tokens.length]);
}

/** "Blue paint" in the place of "red" of "red paint": without the words that follow there already. */
function withoutEnd(said: string, { description }: KnownTask, wrong: string): string | undefined {
  const at = description.toLowerCase().indexOf(wrong.toLowerCase()) + wrong.length;
  const [after = ''] = /^(?: \S+)?/.exec(description.slice(at)) ?? [];
  const isThere = after !== '' && said.toLowerCase().endsWith(after.toLowerCase());
  return isThere ? said.slice(0, -after.length).replace(SAYS, '') : undefined;
}

/** "The dentist is on monday": without the words that name the task and lead to the new ones. */
export function withoutName(right: string, task: KnownTask, wrong = ''): string {
  const said = wordsOf(wrong).stems;
  const own = new Set([...titleWords(task).stems].filter((word) => !said.has(word)));
  const words = right.split(/\s+/);
  let at = 0;
  const isDate = (i: number) => /^the \d/i.test(`${words[i]} ${words[i + 1]}`);
  while (at < words.length && isOwn(words[at]!, own) && !isDate(at)) at++;
  return at === words.length ? right : words.slice(at).join(' ').replace(SAYS, '');
}

function isOwn(word: string, own: ReadonlySet<string>): boolean {
  const { stems } = wordsOf(word.replace(/['’]s$/, ''));
  return /^(?:the|my|a|an)$/i.test(word) || (stems.size > 0 && [...stems].every((one) => own.has(one)));
}
