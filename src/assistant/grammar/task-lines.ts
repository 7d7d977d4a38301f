import { phrases } from '../language/groups.ts';
import type { Sentence } from '../language/token.ts';
import { matchAll } from '../language/phrase.ts';
import type { ReadClause } from './reading.ts';
import { MOST_TASKS, unquote } from './intents/new-task.ts';
import { toClause } from './grammar.ts';

/** A command whose objects stand below it. */
const HEADER = phrases(`
  @addAlone these|those|the|this|following|below|few|some|new|my|more|all|of|two|three|four|five* tasks|items|things|todos|reminders|ones|stuff? @onto? @list? below? :?
  create|put|make|save these|those|the|this|following|below|few|some|new|my|more|all|of|two|three|four|five* tasks|items|things|todos|reminders|ones|stuff @onto? @list? below? :?
  put these|those|the|this|following|below* @onto @list :?
`);
const BULLET = /^\s*(?:[-*•·‣–—+]|\d{1,2}[.)]|[a-z][.)]|\[[ x]?\])\s+(?:\[[ x]?\]\s+)?/i;

export interface TaskLines {
  list: ReadClause;
  /** Where the rest of the message begins. */
  end: number;
}

/** "Add:" and then a line for each task, with or without bullets. More than can be made at once are not read. */
export function readTaskLines(clean: string, [header]: readonly Sentence[]): TaskLines | undefined {
  const last = header?.tokens.at(-1);
  if (!header || !last || !clean.includes('\n', last.end)) return undefined;
  const clause = toClause(clean, header, [0, header.tokens.length]);
  const below = clean.indexOf('\n', last.end);
  if (/[^\s:;.!-]/.test(clean.slice(last.end, below))) return undefined;
  if (clause.moods.has('negated') || !HEADER.some((item) => matchAll(item, clause.tokens, clause.core)))
    return undefined;
  const { items, end } = itemsBelow(clean, below + 1);
  if (items.length === 0 || items.length > MOST_TASKS) return undefined;
  const rule = 'lists new tasks line by line';
  const reading = { intent: 'CREATE_TASK', strength: 'certain', rule, descriptions: items } as const;
  return { list: { clause, cut: false, reading: { ...reading, descriptions: items } }, end };
}

/** Until the bullets end; without bullets, until an empty line. */
function itemsBelow(clean: string, from: number): { items: string[]; end: number } {
  const items: string[] = [];
  let end = from;
  let bulleted: boolean | undefined;
  for (const line of clean.slice(from).split('\n')) {
    const bullet = BULLET.test(line);
    const text = unquote(line.replace(BULLET, '').replace(/\s+/g, ' ').trim());
    const blank = text === '';
    bulleted ??= blank ? undefined : bullet;
    if (blank ? items.length > 0 && !bulleted : bulleted && !bullet) break;
    if (!blank) items.push(text);
    end += line.length + 1;
  }
  return { items, end };
}
