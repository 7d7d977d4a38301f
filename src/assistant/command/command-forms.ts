import type { TaskChange } from '../../contract/chat.ts';
import { toClause } from '../grammar/grammar.ts';
import { isNotOrder } from '../grammar/guards.ts';
import { unquote, POLITE_END } from '../grammar/intents/new-task.ts';
import { normalise } from '../language/normalise.ts';
import type { Message } from '../language/token.ts';
import { isTimeHead, timeEnds } from '../language/words/times.ts';

export type CommandIntent = 'COMPLETE_TASK' | 'UPDATE_TASK' | 'DELETE_TASK';

/** A possible command about a task of the list. */
export interface CommandForm {
  intent: CommandIntent;
  /** The possible title, as written. */
  object: string;
  /** Mostly used for tasks: some words of the title are enough. */
  plain: boolean;
  change?: TaskChange;
}

interface Verb {
  intent: 'COMPLETE_TASK' | 'DELETE_TASK';
  pattern: RegExp;
  plain?: true;
}

const LIST = String.raw`\s+(?:from|off|off of|on|in)\s+(?:my|the|our)(?:\s+[\w-]+){0,3}?\s*(?:list|tasks|todos|to-dos)`;
const DONE = '(?:done|complete|completed|finished)';
/** A title may end like the name of a list, so each verb is read with and without one. */
const verb = (intent: Verb['intent'], source: string, plain?: true): Verb[] =>
  [LIST, ''].map((end) => ({
    intent,
    pattern: new RegExp(`^${source}${end}$`, 'isu'),
    ...(plain && { plain }),
  }));
const X = String.raw`\s+(?<x>\S.*?)`;
const VERBS: readonly Verb[] = [
  ...verb('DELETE_TASK', `(?:delete|remove|erase|cancel|get rid of|rm|del)${X}`, true),
  ...verb(
    'DELETE_TASK',
    `(?:drop|scrap|trash|ditch|discard|bin|clear|forget(?: about)?|dump|throw (?:out|away)|call off|take off|deleting|removing|erasing|cancell?ing)${X}`,
  ),
  ...verb('DELETE_TASK', String.raw`(?:take|pull|scratch|strike)${X}\s+(?:off|out)`),
  ...verb('COMPLETE_TASK', `(?:complete|finish)(?: off| up)?${X}`, true),
  ...verb('COMPLETE_TASK', `(?:check|tick|cross|mark|strike|scratch) (?:off|out)${X}`, true),
  ...verb('COMPLETE_TASK', String.raw`(?:check|tick|cross|mark|strike|scratch)${X}\s+(?:off|out)`, true),
  ...verb(
    'COMPLETE_TASK',
    String.raw`(?:mark|set|flag|put|change|update|move|check|tick|log|record)${X}\s+(?:(?:down )?as |to |is )?${DONE}`,
    true,
  ),
  ...verb('COMPLETE_TASK', String.raw`(?:mark|set|flag) (?:as )?${DONE}\s*:?${X}`, true),
  ...verb('COMPLETE_TASK', `(?:close|close out|resolve|wrap up|tick|completing|finishing)${X}`),
  ...verb('COMPLETE_TASK', String.raw`(?:all )?${DONE}(?: with)?\s*:?${X}`),
  ...verb(
    'COMPLETE_TASK',
    String.raw`(?:i|we)(?:'ve| have| had|'m| am|'re| are)?(?: just| already| finally| now| also)*\s+(?:did|done|finish|finished|complete|completed)(?: with| doing)?${X}`,
  ),
  ...verb(
    'COMPLETE_TASK',
    String.raw`(?<x>\S.*?)(?:\s+(?:is|are|was|were|has been|have been|got)|'s|:)?(?:\s+(?:now|all|already|finally))?\s+${DONE}`,
  ),
];

/** Not a command after a wish: "I want to finish it" does not say that it is done. */
const FINISHES = /^(?:complet|finish|clos|resolv|wrap)/i;

const NEW_TEXT =
  'rename|renaming|retitle|relabel|change|changing|update|updating|edit|editing|modify|modifying|reword|rephrase|rewrite|revise|correct|amend|alter|turn|convert|set|make|switch|replace|swap';
const RENAMES = /^(?:renam|retitl|relabel|reword|rephras|rewrit)/i;
const CHANGES = new RegExp(`^(?:${NEW_TEXT})\\s+(?<rest>\\S.*)$`, 'isu');
/** The part of a task that holds its text, or its time. */
const PARTS =
  'title|name|text|wording|description|time|day|date|due date|deadline|hour|priority|status|label|details|content|notes';
const TEXT_OF = new RegExp(
  String.raw`^(?:the |its )?(?<part>${PARTS})\s+(?:of|for|on)\s+(?<rest>.+)$`,
  'isu',
);
const ITS_TEXT = new RegExp(String.raw`^(?<x>.+?)(?:'s)?\s+(?<part>${PARTS})$`, 'isu');
/** More of the text, not another one. */
const INCLUDES = /^(?:also\s+)?(?:include|mention)\s+(?<more>.+)$/isu;
/** Only with verbs that keep the old text; "change X to add Y" is a new text. */
const ADDS = /^(?:also\s+)?(?:add|cover)\s+(?<more>(?!.*\sto\s).+)$/isu;
const EXTENDS = /^(?:updat|edit|modif|revis|amend)/i;
/** Replaces a word in a named task. */
const WORD_IN =
  /^(?:replace|swap|switch|substitute|change)\s+(?<old>\S.*?)\s+(?:with|for|to|by)\s+(?<text>\S.*?)\s+(?:in|on|of)\s+(?<x>\S.*)$/isu;
const MOVES =
  /^(?:move|reschedule|re-schedule|postpone|push|push back|shift|delay|defer|bump|put off|snooze)\s+(?<rest>\S.*)$/isu;
const SEPARATORS = /(?<!\s)\s+(?:to say|to|into|as|->|=>|→)\s+|(?<!\s)\s*:\s+/giu;
/** A new name may begin with any verb. */
const TO = /(?<!\s)\s+(?:to|into|as|->|=>|→)\s+|(?<!\s)\s*:\s+/giu;
const FOR = /(?<!\s)\s+(?:with|for|by)\s+/giu;
const UNTIL = /(?<!\s)\s+(?:to|until|till|by|for|->|→)\s+/giu;
const CALLS = /^(?:call|name)\s+(?<rest>\S.*?)\s+instead$/isu;
const MOST_SPLITS = 24;
const LONGEST = 2200;

/** Fast check: most messages have none of these words. */
const SPEAKS_OF_LIST = new RegExp(
  String.raw`\b(?:delet|remov|eras|cancel|rid of|rm|del|drop|scrap|trash|ditch|discard|bin|clear|forget|dump|throw|call|take|pull|scratch|strike|complet|finish|check|tick|cross|mark|set|flag|put|log|record|close|resolve|wrap|done|did|${NEW_TEXT}|name|move|re-?schedul|postpone|push|shift|delay|defer|bump|snooze)`,
  'iu',
);

/** "All tasks" and pronouns are not titles. */
const NO_TITLE =
  /^(?:(?:all|every|each)(?: of)?(?: (?:my|the|these|those|single))*(?: (?:tasks?|todos?|to-dos?|items?|things?|reminders?|ones?|them))?|everything|it|that|this|them|(?:the|my|that|this) (?:task|list|one))$/i;

/** Whether the list is needed to classify the message. */
export function mayNameTask(message: string): boolean {
  return commandForms(normalise(message)).some(({ object }) => !NO_TITLE.test(object));
}

/** All ways to read a message as a command about a title. There may be many, because the end of the title is not known yet. */
export function commandForms(text: Message): CommandForm[] {
  const [sentence] = text.sentences;
  if (!sentence || text.clean.length > LONGEST || !SPEAKS_OF_LIST.test(text.clean)) return [];
  const { tokens } = sentence;
  const { core, whole, moods } = toClause(text.clean, sentence, [0, tokens.length]);
  if (moods.has('negated') || moods.has('duty')) return [];
  const asks = text.sentences.some(({ question }) => question) && !moods.has('request');
  const starts = [...new Set([core[0], whole[0], 0].map((at) => tokens[at]!.start))];
  const trimmed = text.sentences.length === 1 ? tokens[core[1] - 1]!.end : undefined;
  const bodies = starts.flatMap((start) => {
    const all = text.clean.slice(start);
    return trimmed !== undefined && trimmed < text.clean.length && trimmed > start
      ? [all, text.clean.slice(start, trimmed)]
      : [all];
  });
  const wishes = moods.has('wish');
  // In a question or a report only a complete title counts.
  const plain = !isNotOrder(tokens, whole);
  const forms = [...new Set(bodies.map(withoutEnd))]
    .flatMap((body) => formsOf(body, wishes))
    .map((form) => ({ ...form, plain: form.plain && plain }));
  return asks ? forms.filter(({ intent }) => intent === 'DELETE_TASK') : forms;
}

function withoutEnd(body: string): string {
  return body.replace(/(?<![\s.!?,;…])[\s.!?,;…]+$/u, '').replace(/\s+/g, ' ');
}

function formsOf(body: string, wishes: boolean): CommandForm[] {
  const verbs = VERBS.flatMap(({ intent, pattern, plain = false }): CommandForm[] => {
    const object = pattern.exec(body)?.groups?.['x'];
    if (object === undefined || (wishes && FINISHES.test(body))) return [];
    return [{ intent, object, plain }];
  });
  return [...verbs, ...newTexts(body)];
}

function newTexts(body: string): CommandForm[] {
  const rest = CHANGES.exec(body)?.groups?.['rest'];
  const moved = MOVES.exec(body)?.groups?.['rest'];
  const called = CALLS.exec(body)?.groups?.['rest'];
  return [
    ...(rest === undefined ? [] : changes(body, rest)),
    ...(moved === undefined ? [] : splits(moved, UNTIL).map(({ left, right }) => timed(left, right))),
    ...(called === undefined ? [] : atEachBlank(called)),
  ];
}

function changes(body: string, rest: string): CommandForm[] {
  const renames = RENAMES.test(body);
  const exchanges = /^(?:replace|swap|switch|change)/i.test(body);
  const pairs = [...splits(rest, renames ? TO : SEPARATORS), ...(exchanges ? splits(rest, FOR) : [])];
  const whole = pairs.flatMap(({ left, right }): CommandForm[] => [
    included(body, left, right) ?? replaced(left, right, renames),
    ...ofPart(left, right, renames),
  ]);
  // Without a new text the person is asked for it.
  const bare: CommandForm = { intent: 'UPDATE_TASK', object: rest, plain: false };
  return [...whole, ...wordIn(body), bare, ...(renames && pairs.length === 0 ? atEachBlank(rest) : [])];
}

function included(body: string, object: string, said: string): CommandForm | undefined {
  const found = INCLUDES.exec(said) ?? (EXTENDS.test(body) ? ADDS.exec(said) : undefined);
  const text = found?.groups?.['more']?.replace(POLITE_END, '').trim();
  if (!text || RENAMES.test(body)) return undefined;
  return { intent: 'UPDATE_TASK', object, plain: true, change: { kind: 'append', text: unquote(text) } };
}

function wordIn(body: string): CommandForm[] {
  const groups = WORD_IN.exec(body)?.groups;
  if (!groups) return [];
  const { old: from = '', text = '', x: object = '' } = groups;
  return [
    {
      intent: 'UPDATE_TASK',
      object,
      plain: false,
      change: { kind: 'swap', from: unquote(from), text: unquote(text) },
    },
  ];
}

/** "The time of X", "X's title": the part says whether the whole text is meant. */
function ofPart(left: string, right: string, renames: boolean): CommandForm[] {
  return [TEXT_OF, ITS_TEXT].flatMap((pattern): CommandForm[] => {
    const groups = pattern.exec(left)?.groups;
    const object = groups?.['rest'] ?? groups?.['x'];
    if (!groups || object === undefined) return [];
    const isText = /^(?:title|name|text|wording|description)$/i.test(groups['part']!);
    return [isText ? replaced(object, right, renames) : timed(object, right)];
  });
}

function replaced(object: string, said: string, renames: boolean): CommandForm {
  const text = unquote(said.replace(POLITE_END, '').trim());
  const base = { intent: 'UPDATE_TASK' as const, object, plain: true };
  // A number is more often a position in the list.
  if (text === '' || /^\d{1,2}$/.test(text)) return base;
  return { ...base, change: { kind: !renames && isTime(text) && !isThing(text) ? 'when' : 'replace', text } };
}

/** A change of the time only: any other text would overwrite the task. */
function timed(object: string, said: string): CommandForm {
  const text = said.replace(POLITE_END, '').trim();
  const base = { intent: 'UPDATE_TASK' as const, object, plain: true };
  return isTime(text) ? { ...base, change: { kind: 'when', text } } : base;
}

function timeWords(text: string): string[] | undefined {
  const tokens = normalise(text).sentences.flatMap((sentence) => sentence.tokens);
  const isWhole = tokens.length > 0 && timeEnds(tokens, 0, tokens.length)[0] === tokens.length;
  return isWhole ? tokens.map(({ word }) => word).filter(isTimeHead) : undefined;
}

function isTime(text: string): boolean {
  return timeWords(text) !== undefined;
}

/** Time words that also name other things. */
const ALSO_THINGS = new Set(
  `lunch dinner breakfast work christmas easter thanksgiving time point moment far first thing day days night year march may sun sec lunchtime
   daily weekly monthly nightly weekend weekends week`.split(/\s+/),
);
function isThing(text: string): boolean {
  return timeWords(text)?.every((word) => ALSO_THINGS.has(word)) === true;
}

function splits(rest: string, at: RegExp): Array<{ left: string; right: string }> {
  return [...rest.matchAll(at)].slice(0, MOST_SPLITS).flatMap((match) => {
    const [left, right] = [rest.slice(0, match.index), rest.slice(match.index + match[0].length)];
    return left.trim() && right.trim() ? [{ left, right }] : [];
  });
}

/** "Call X Y instead": only the list tells where X ends. */
function atEachBlank(rest: string): CommandForm[] {
  return splits(rest, / /g).map(({ left, right }) => ({ ...replaced(left, right, true), plain: false }));
}
