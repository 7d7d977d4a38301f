import type { TaskChange } from '../../contract/assistant.ts';
import { clauseOf } from '../grammar/grammar.ts';
import { isNoOrder } from '../grammar/guards.ts';
import { unquote } from '../grammar/describe.ts';
import { normalise, type Message } from '../language/normalise.ts';
import { isTimeHead, timeEnds } from '../language/words/times.ts';

export type ListedIntent = 'COMPLETE_TASK' | 'UPDATE_TASK' | 'DELETE_TASK';

/** A command about something that is on the list, if a task is called so. */
export interface ListedForm {
  intent: ListedIntent;
  /** What may be the title, as written. */
  object: string;
  /** Said of tasks before all else: words of a title are enough to mean it. */
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

/** Told or wished, but not ordered: "I want to finish it" does not say that it is done. */
const FINISHES = /^(?:complet|finish|clos|resolv|wrap)/i;

const NEW_TEXT =
  'rename|renaming|retitle|relabel|change|changing|update|updating|edit|editing|modify|modifying|reword|rephrase|rewrite|revise|correct|amend|alter|turn|convert|set|make|switch|replace|swap';
const RENAMES = /^(?:renam|retitl|relabel|reword|rephras|rewrit)/i;
const CHANGES = new RegExp(`^(?:${NEW_TEXT})\\s+(?<rest>\\S.*)$`, 'isu');
/** The part of a task that holds its text, or its time. */
const TEXT_OF =
  /^(?:the |its )?(?<part>title|name|text|wording|description|time|day|date|due date|deadline|hour)\s+(?:of|for|on)\s+(?<rest>.+)$/isu;
const ITS_TEXT =
  /^(?<x>.+?)(?:'s)?\s+(?<part>title|name|text|wording|description|time|day|date|due date|deadline|hour)$/isu;
const MOVES =
  /^(?:move|reschedule|re-schedule|postpone|push|push back|shift|delay|defer|bump|put off|snooze)\s+(?<rest>\S.*)$/isu;
const SEPARATORS = /\s+(?:to say|to|into|as|->|=>|→)\s+|\s*:\s+/giu;
const FOR = /\s+(?:with|for|by)\s+/giu;
const UNTIL = /\s+(?:to|until|till|by|for|->|→)\s+/giu;
const CALLS = /^(?:call|name)\s+(?<rest>\S.*?)\s+instead$/isu;
const MOST_SPLITS = 24;
const LONGEST = 2200;

/** Whether the list can decide what a message means. */
export function mayNameTask(message: string): boolean {
  return listedForms(normalise(message)).length > 0;
}

/** Every way in which a message can be a command about a title on the list. Where a title ends is not known yet, so there may be many. */
export function listedForms(text: Message): ListedForm[] {
  const [sentence] = text.sentences;
  if (!sentence || text.clean.length > LONGEST) return [];
  const { tokens } = sentence;
  const { core, whole, moods } = clauseOf(text.clean, sentence, [0, tokens.length]);
  if (moods.has('negated') || moods.has('duty') || isNoOrder(tokens, whole)) return [];
  const asks = text.sentences.some(({ question }) => question) && !moods.has('request');
  const starts = [...new Set([tokens[core[0]]!.start, tokens[whole[0]]!.start])];
  const trimmed = text.sentences.length === 1 ? tokens[core[1] - 1]!.end : undefined;
  const bodies = starts.flatMap((start) => {
    const all = text.clean.slice(start);
    return trimmed !== undefined && trimmed < text.clean.length && trimmed > start
      ? [all, text.clean.slice(start, trimmed)]
      : [all];
  });
  const wishes = moods.has('wish');
  const forms = [...new Set(bodies.map(withoutEnd))].flatMap((body) => formsOf(body, wishes));
  return asks ? forms.filter(({ intent }) => intent === 'DELETE_TASK') : forms;
}

function withoutEnd(body: string): string {
  return body.replace(/[\s.!?,;…]+$/u, '').replace(/\s+/g, ' ');
}

function formsOf(body: string, wishes: boolean): ListedForm[] {
  const verbs = VERBS.flatMap(({ intent, pattern, plain = false }): ListedForm[] => {
    const object = pattern.exec(body)?.groups?.['x'];
    if (object === undefined || (wishes && FINISHES.test(body))) return [];
    return [{ intent, object, plain }];
  });
  return [...verbs, ...newTexts(body)];
}

function newTexts(body: string): ListedForm[] {
  const rest = CHANGES.exec(body)?.groups?.['rest'];
  const moved = MOVES.exec(body)?.groups?.['rest'];
  const called = CALLS.exec(body)?.groups?.['rest'];
  return [
    ...(rest === undefined ? [] : changes(body, rest)),
    ...(moved === undefined ? [] : splits(moved, UNTIL).map(({ left, right }) => timed(left, right))),
    ...(called === undefined ? [] : atEachBlank(called)),
  ];
}

function changes(body: string, rest: string): ListedForm[] {
  const renames = RENAMES.test(body);
  const exchanges = /^(?:replace|swap|switch|change)/i.test(body);
  const pairs = [...splits(rest, SEPARATORS), ...(exchanges ? splits(rest, FOR) : [])];
  const whole = pairs.flatMap(({ left, right }): ListedForm[] => [
    replaced(left, right, renames),
    ...ofPart(left, right, renames),
  ]);
  return renames && pairs.length === 0 ? atEachBlank(rest) : whole;
}

/** "The time of X", "X's title": the part says whether the whole text is meant. */
function ofPart(left: string, right: string, renames: boolean): ListedForm[] {
  return [TEXT_OF, ITS_TEXT].flatMap((pattern): ListedForm[] => {
    const groups = pattern.exec(left)?.groups;
    const object = groups?.['rest'] ?? groups?.['x'];
    if (!groups || object === undefined) return [];
    const isText = /^(?:title|name|text|wording|description)$/i.test(groups['part']!);
    return [isText ? replaced(object, right, renames) : timed(object, right)];
  });
}

const POLITE_END = /(?:,\s*|\s+)(?:please|pls|thanks|thank you)$/iu;

function replaced(object: string, said: string, renames: boolean): ListedForm {
  const text = unquote(said.replace(POLITE_END, '').trim());
  const base = { intent: 'UPDATE_TASK' as const, object, plain: true };
  // A bare number is more often a place in the list.
  if (text === '' || /^\d{1,2}$/.test(text)) return base;
  return { ...base, change: { kind: !renames && isTime(text) ? 'when' : 'replace', text } };
}

/** A new time, where it is one. Anything else would take the place of the text, which nobody asked for. */
function timed(object: string, said: string): ListedForm {
  const text = said.replace(POLITE_END, '').trim();
  const base = { intent: 'UPDATE_TASK' as const, object, plain: true };
  return isTime(text) ? { ...base, change: { kind: 'when', text } } : base;
}

/** Said of other things than times as well. */
const ALSO_THINGS = new Set(
  'lunch dinner breakfast work christmas easter thanksgiving time point moment far first thing day days night year march may sun sec lunchtime daily weekly monthly nightly'.split(
    ' ',
  ),
);
function isTime(text: string): boolean {
  const { sentences } = normalise(text);
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  if (tokens.length === 0 || timeEnds(tokens, 0, tokens.length)[0] !== tokens.length) return false;
  return tokens.some(({ word }) => isTimeHead(word) && !ALSO_THINGS.has(word));
}

function splits(rest: string, at: RegExp): Array<{ left: string; right: string }> {
  return [...rest.matchAll(at)].slice(0, MOST_SPLITS).flatMap((match) => {
    const [left, right] = [rest.slice(0, match.index), rest.slice(match.index + match[0].length)];
    return left.trim() && right.trim() ? [{ left, right }] : [];
  });
}

/** "Call X Y instead": where X ends only the list can say. */
function atEachBlank(rest: string): ListedForm[] {
  return splits(rest, / /g).map(({ left, right }) => ({ ...replaced(left, right, true), plain: false }));
}
