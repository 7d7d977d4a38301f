import type { MessageClause, TaskChange } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { swapped } from '../decide/new-text.ts';
import { atNewTime, hasClock, isTimeText } from '../decide/new-time.ts';
import { readPositions } from '../language/positions.ts';
import { normalise } from '../language/normalise.ts';
import { ambiguous } from '../read/user-intent.ts';
import { isTypoOf, titleWords, wordsOf } from '../reply/task-words.ts';
import { splice, type Splice } from './splice.ts';

/** What an edit may be about. */
export interface EditScope {
  tasks: readonly KnownTask[];
  recent?: string | undefined;
  shown?: readonly string[] | undefined;
}

interface Edit {
  task: KnownTask;
  change: TaskChange;
  /** The message names the task, or it was mentioned last: done without a question. */
  isSure: boolean;
}

const LONGEST = 200;
const LEAD =
  /^(?:(?:no|oh|oops|sorry|wait|ok|okay|hey|hmm|actually|please|pls|and|but|so|well|can you|could you|i mean|i meant)[\s,]+)+/i;
const TAIL = /(?<![\s,])(?:[\s,]+(?:please|pls|thanks|thank you|now|then|ok))+$/i;

function coreOf(message: string): string | undefined {
  const text = message.trim().replace(/(?<![\s.!])[\s.!]+$/u, '');
  if (text.length > LONGEST || text.includes('?') || text.includes('\n')) return undefined;
  return text.replace(LEAD, '').replace(TAIL, '');
}

/** "Saturday, not Friday", "tomatos -> tomatoes", "it's spelled Michael": a few words of a task are replaced, and the rest stays. */
export function readCorrection(message: string, scope: EditScope): MessageClause | undefined {
  const core = coreOf(message);
  const edit =
    core === undefined || scope.tasks.length === 0
      ? undefined
      : (bySpelling(core, scope) ?? byPair(core, scope));
  return edit && toClause(message, edit);
}

/** "Meet Tom in the cafe instead", "make it chapter 4", "the party's on sunday": said without a verb that changes something. */
export function readEdit(message: string, scope: EditScope): MessageClause | undefined {
  const core = coreOf(message);
  if (core === undefined || scope.tasks.length === 0) return undefined;
  const edit = byProperty(core, scope) ?? bySplice(core, scope);
  return edit && toClause(message, edit);
}

function toClause(message: string, { task, change, isSure }: Edit): MessageClause {
  const task_reference = task.description;
  const new_description =
    change.kind === 'swap' ? swapped(task_reference, change.from, change.text)! : change.text;
  return {
    text: message.trim(),
    user_intent: isSure
      ? { intent_type: 'UPDATE_TASK', confidence: 1, extracted_params: { task_reference, new_description } }
      : ambiguous(['UPDATE_TASK']),
    reference: { kind: 'title', text: task_reference },
    change,
    reasons: ['replaces some words of a task'],
  };
}

const spokenOf = ({ tasks, recent }: EditScope) =>
  tasks.find(({ task_id }) => task_id === recent) ?? (tasks.length === 1 ? tasks[0] : undefined);

const SPELLED = [
  /^(?:fix|correct|change) (?:the |a |my )?(?:spelling|typo|name)(?: (?:to|in it)|[:,]) ?(?<right>[^\s]+)$/i,
  /^(?:typo|spelling)[:,]? (?<right>[^\s]+)$/i,
  /^(?:it|that|the name|the word)(?:'s| is| should be) (?:spelled|spelt|written|called) (?<right>[^\s]+)$/i,
  /^(?<wrong>\S+) (?:is|should be) (?:spelled|spelt|written) (?<right>\S+)$/i,
];
/** A word spelled right: it takes the place of the one that looks like it. */
function bySpelling(core: string, scope: EditScope): Edit | undefined {
  const { right, wrong } = SPELLED.map((form) => form.exec(core)?.groups).find(Boolean) ?? {};
  if (right === undefined) return undefined;
  const spoken = spokenOf(scope);
  const slips = (spoken && !wrong ? [spoken] : scope.tasks).flatMap((task) =>
    task.description
      .split(/\s+/)
      .filter((word) =>
        wrong
          ? word.toLowerCase() === wrong.toLowerCase()
          : isTypoOf(word.toLowerCase(), right.toLowerCase()),
      )
      .map((from) => ({ task, from })),
  );
  const [slip, another] = slips;
  if (!slip || another || slip.from === right) return undefined;
  return { task: slip.task, change: { kind: 'swap', from: slip.from, text: right }, isSure: true };
}

const PAIRS = [
  /^(?:it's |it is |that's )?not (?<wrong>.{1,60}?)(?:,? but|, ?(?:it's |it is )?| -+) (?<right>.{1,60})$/i,
  /^(?<right>.{1,120}?),? (?:and )?not (?<wrong>.{1,60})$/i,
  /^(?<right>.{1,120}?),? (?:instead of|rather than) (?<wrong>.{1,60})$/i,
  /^(?<wrong>.{1,60}?) ?(?:->|=>|→) ?(?<right>.{1,60})$/i,
  /^(?:change|swap|replace|switch|correct|move) (?:the )?(?<wrong>\S*\d\S+) (?:to|with|for|by|into) (?<right>.{1,60})$/i,
];
const BEFORE = /^(?:at|on|with|in|to|the|my)\s+/i;

/** The right and the wrong words. The wrong ones are in one task, or in the one mentioned last. */
function byPair(core: string, scope: EditScope): Edit | undefined {
  for (const form of PAIRS) {
    const { right, wrong = '' } = form.exec(core)?.groups ?? {};
    const from = wrong.replace(BEFORE, '').replace(/^["']|["']$/g, '');
    const having = right
      ? scope.tasks.filter(({ description }) => swapped(description, from, 'x') !== undefined)
      : [];
    const task = having.length === 1 ? having[0] : having.find(({ task_id }) => task_id === scope.recent);
    // With the whole title it is a command.
    const isTitled = task && from.length < task.description.length && isIn(task.description, core);
    const edit = task && !isTitled && exchanged(task, { right: right!, from }, scope);
    if (edit) return edit;
  }
  return undefined;
}

function isIn(title: string, text: string): boolean {
  return text.toLowerCase().includes(title.toLowerCase());
}

/** Words before the right ones that say nothing about them. */
const SAYS =
  /^(?:(?:one|it's|its|it is|it|that's|that is|that|this is|make it|make that|make|should be|should say|should|must be|will be|goes to|goes|i meant|i mean|with|at|on|in|to|is|are|be|has|was|moved|got|now|really|called|for)[\s,]+)+/i;
const PLACE =
  /^(?:(?:the |my )?(?:first|second|third|fourth|fifth|last)(?: one| task)?|(?:number |task |# ?)\d{1,2}|\d{1,2}(?= (?:should|is))) /i;

/** "The second one", where the list was shown. */
function placeIn(right: string, { task_id }: KnownTask, { shown = [] }: EditScope): string {
  return shown.includes(task_id) ? (PLACE.exec(right)?.[0] ?? '') : '';
}

function exchanged(
  task: KnownTask,
  { right, from }: { right: string; from: string },
  scope: EditScope,
): Edit | undefined {
  const isWhole = task.description.toLowerCase() === from.toLowerCase();
  const whole = isWhole ? undefined : splice(task.description, right.replace(SAYS, ''));
  const isSpoken = task.task_id === scope.recent;
  // "Order 12 chairs, not 10" says the new text around the wrong word.
  if (whole?.old.toLowerCase() === from.toLowerCase())
    return { task, change: { kind: 'swap', from, text: whole.put }, isSure: true };
  const place = placeIn(right, task, scope);
  const { text, isNamed } = isWhole ? wholeText(right) : withoutName(right.slice(place.length), task, from);
  if (!isNewWord(text, from)) return undefined;
  const isSure = [isWhole, isSpoken, isNamed, place !== ''].includes(true);
  return { task, change: { kind: 'swap', from, text }, isSure };
}

/** A few words, not the wrong ones again, and no mere end of a sentence. */
function isNewWord(text: string, wrong: string): boolean {
  if (text === '' || text.toLowerCase() === wrong.toLowerCase()) return false;
  return text.split(/\s+/).length <= MOST_WORDS && !/^(?:sure|yet|now|bad|really|at all)$/i.test(text);
}

const MOST_WORDS = 5;

function wholeText(right: string): { text: string; isNamed: boolean } {
  return { text: right.replace(SAYS, '').replace(/^"(.*)"$/, '$1'), isNamed: true };
}

/** "The dentist is on monday": without the words that name the task and lead to the new ones. */
function withoutName(right: string, task: KnownTask, wrong = ''): { text: string; isNamed: boolean } {
  const said = wordsOf(wrong).stems;
  const own = new Set([...titleWords(task).stems].filter((word) => !said.has(word)));
  const words = right.replace(SAYS, '').split(/\s+/);
  let at = 0;
  while (at < words.length && isOwn(words[at]!, own)) at++;
  // The right word may look like the wrong one.
  if (at === words.length) return { text: words.join(' '), isNamed: false };
  const rest = words.slice(at).join(' ').replace(SAYS, '');
  return { text: rest, isNamed: words.slice(0, at).some((word) => wordsOf(word).content.size > 0) };
}

function isOwn(word: string, own: ReadonlySet<string>): boolean {
  const { stems } = wordsOf(word.replace(/['’]s$/, ''));
  return /^(?:the|my|a|an)$/i.test(word) || (stems.size > 0 && [...stems].every((stem) => own.has(stem)));
}

const PROPERTY =
  /^(?:change|set|make|move|put|update|edit|switch|push) (?:the |its |it's )?(?<part>time|day|date|hour|deadline|due date|number|amount)(?: (?:of|for|on) (?<name>.{1,80}?))? (?:to|into|as|:|=) ?(?<new>.{1,40})$/i;
/** "Change the time to 6": of the task mentioned last, or of the named one. */
function byProperty(core: string, scope: EditScope): Edit | undefined {
  const { part = '', name, new: said = '' } = PROPERTY.exec(core)?.groups ?? {};
  const task = part === '' ? undefined : name === undefined ? spokenOf(scope) : named(name, scope);
  if (!task) return undefined;
  if (/^(?:number|amount)$/i.test(part)) return counted(task, said);
  return isTimeText(said) ? timed(task, said, true) : undefined;
}

/** Another number, if the task has exactly one. */
function counted(task: KnownTask, said: string): Edit | undefined {
  const [from, another] = task.description.match(/(?<![\p{L}\d:])\d+(?![\d:])/gu) ?? [];
  if (from === undefined || another !== undefined || !/^\d/.test(said)) return undefined;
  return { task, change: { kind: 'swap', from, text: said }, isSure: true };
}

function timed(task: KnownTask, when: string, isSure: boolean): Edit {
  return { task, change: { kind: 'replace', text: atNewTime(task.description, when) }, isSure };
}

/** The one task that has all these words. */
function named(name: string, { tasks, shown }: EditScope): KnownTask | undefined {
  const { clean, sentences } = normalise(name);
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  const [place] = readPositions(clean, tokens, [0, tokens.length]) ?? [];
  if (place?.kind === 'position') return tasks.find(({ task_id }) => task_id === shown?.[place.position - 1]);
  const { content } = wordsOf(name);
  const found =
    content.size === 0
      ? []
      : tasks.filter((task) => [...content].every((word) => titleWords(task).stems.has(word)));
  return found.length === 1 ? found[0] : undefined;
}

const ASKS_SO =
  /^(?:(?:make|set|change|have|let|let's make|let's do|let's have|do|put) (?:it|that|this)(?: to| say| be)?|it (?:should|must|needs to|has to) (?:be|say)|(?:that|this) (?:should|must) be|it's|make|set|let's do|let's have|put|i'll|i will|we'll|we will|i'm going to|do) /i;
const IT = /^\w+ (?:it|that|this)\b|^it\b/i;
const INSTEAD = /(?:,? instead|,? rather|,? now)$/i;
const LEADS_TO =
  /^(?:(?:'s|is|are|was|will be|has been|got|gets|been|moved|changed|rescheduled|pushed|postponed|due|starts|begins|leaves|departs|opens|happens|takes place|to|at|on|by|for|from|until|now|actually|in|the)\s+)*/i;

/** The message repeats a part of a task, with something new in it. Without words that ask for a change, only a new time is one. */
function bySplice(core: string, scope: EditScope): Edit | undefined {
  const bare = core.replace(INSTEAD, '').replace(ASKS_SO, '');
  const asks = bare !== core;
  const spoken = asks && IT.test(core) ? spokenOf(scope) : undefined;
  const task = spoken ?? sharing(bare, scope.tasks);
  if (!task) return undefined;
  const found = asks ? splice(task.description, bare) : undefined;
  const when = timeSaid(bare, task, spoken !== undefined);
  if (when !== undefined && !(found && /^\d+$/.test(when))) return timed(task, when, asks);
  if (!found || !(spoken || found.shared >= LEAST_SHARED)) return undefined;
  return spliced(task, found, core);
}

/** Sure if the message says that it is a change: "make it …", "… instead". */
function spliced(task: KnownTask, { text, isPlain }: Splice, core: string): Edit {
  const isTold = IT.test(core) || INSTEAD.test(core);
  return { task, change: { kind: 'replace', text }, isSure: isPlain && isTold };
}

/** The new time, if the message says nothing else about the task. A lone number is one only if the task has a time. */
function timeSaid(bare: string, task: KnownTask, isIt: boolean): string | undefined {
  const { text, isNamed } = withoutName(bare.replaceAll(/(?<=\p{L})['’]s\b/gu, ' is'), task);
  const when = text.replace(LEADS_TO, '');
  if (when === '' || !isTimeText(when) || !(isNamed || isIt)) return undefined;
  return /^\d+$/.test(when) && !hasClock(task.description) ? undefined : when;
}

const LEAST_SHARED = 2;

/** The one task that shares the most words with a text; none if two share as many, or only filler words. */
function sharing(text: string, tasks: readonly KnownTask[]): KnownTask | undefined {
  const { content } = wordsOf(text);
  const scored = tasks.map((task) => ({
    task,
    score: [...content].filter((word) => titleWords(task).content.has(word)).length,
  }));
  const best = Math.max(...scored.map(({ score }) => score));
  const [found, another] = best === 0 ? [] : scored.filter(({ score }) => score === best);
  return another ? undefined : found?.task;
}
