/** A template such as "(add|put) <thing> [please]": alternatives in round brackets, what may be missing in square ones, lists by name. */
export type Slots = ReadonlyMap<string, readonly string[]>;
export type Random = () => number;

/** The same seed, the same numbers, on every machine: integers only. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 0x100000000;
  };
}

export function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)]!;
}

export interface TemplateFile {
  templates: string[];
  slots: Map<string, string[]>;
}

/** Templates first, "3* " before one that is to count three times; "= name" begins a list; "#" begins a remark. */
export function parseTemplates(text: string): TemplateFile {
  const file: TemplateFile = { templates: [], slots: new Map() };
  let entries: string[] | undefined;
  for (const line of text.split('\n').map((line) => line.trim())) {
    if (!line || line.startsWith('# ')) continue;
    if (line.startsWith('= ')) file.slots.set(line.slice(2), (entries = []));
    else if (entries) entries.push(...line.split(', '));
    else file.templates.push(...weighted(line));
  }
  return file;
}

/** "3* …" stands for three lines. */
function weighted(line: string): string[] {
  const [, times, template] = /^(\d)\* (.*)$/.exec(line) ?? [];
  return Array.from({ length: Number(times ?? 1) }, () => template ?? line);
}

export function expand(template: string, slots: Slots, random: Random): string {
  return sequence({ source: template, at: 0, slots, random })
    .replace(/\s+/g, ' ')
    .replace(/ ([,.!?:])/g, '$1')
    .replace(/ '(d|ve|s|m|re|ll)\b/g, "'$1")
    .trim();
}

/** A template that is read from left to right. */
interface Cursor {
  source: string;
  at: number;
  slots: Slots;
  random: Random;
}

function sequence(cursor: Cursor): string {
  let text = '';
  while (cursor.at < cursor.source.length) {
    const character = cursor.source[cursor.at]!;
    if (character === '|' || character === ')' || character === ']') return text;
    cursor.at++;
    if (character === '(' || character === '[') text += choice(cursor, character === '[');
    else if (character === '<') text += named(cursor);
    else text += character;
  }
  return text;
}

/** Every alternative is expanded, so that the numbers drawn do not depend on the choice. */
function choice(cursor: Cursor, isOptional: boolean): string {
  const alternatives: string[] = [];
  for (;;) {
    alternatives.push(sequence(cursor));
    if (cursor.source[cursor.at++] !== '|') break;
  }
  if (isOptional && cursor.random() < 0.6) return '';
  return pick(alternatives, cursor.random);
}

function named(cursor: Cursor): string {
  const { source, slots, random } = cursor;
  const end = source.indexOf('>', cursor.at);
  const name = source.slice(cursor.at, end);
  cursor.at = end + 1;
  const entries = slots.get(name);
  if (!entries) throw new Error(`no list <${name}> for ${source}`);
  return expand(pick(entries, random), slots, random);
}
