import type { CatalogTool } from '../catalog-tool.ts';
import { editDistance } from '../../lib/edit-distance.ts';
import { nameParts } from '../verdict/inference.ts';

export interface NameForms {
  name: string;
  full: string;
  tool: string;
  /** A bit set of the characters by their last five bits: names that differ in many bits are far apart. */
  letters: number;
  /** The part before the tool's name, and the words of the tool's name. */
  server: string;
  words: readonly string[];
}

const MAX_LENGTH = 128;

/** Case and separators are the most common mistakes, so they do not count. */
export function nameForms(name: string): NameForms {
  const full = name
    .slice(0, 2 * MAX_LENGTH)
    .toLowerCase()
    .replace(/[-_. ]+/g, '_')
    .slice(0, MAX_LENGTH);
  const tool = full.slice(full.indexOf(':') + 1);
  const server = full.slice(0, full.length - tool.length);
  return { name, full, tool, letters: lettersOf(tool), server, words: tool.split('_') };
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) & 31);
  return letters;
}

/** How far two names are from each other as a whole, or, plus one, without their servers: names with the right server come first. */
function spellingDistance(target: NameForms, candidate: NameForms, bound: number): number {
  if (target.server === candidate.server) return editDistance(target.tool, candidate.tool, bound);
  const whole = editDistance(target.full, candidate.full, bound);
  return Math.min(whole, 1 + editDistance(target.tool, candidate.tool, Math.min(whole, bound) - 1));
}

/** Counts the bits in pairs, in fours and in bytes. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Words that the intended name may have and the wrong one lacks. */
const MAX_MISSING_WORDS = 2;

/** How far a word is from each other word, where it is near. Names share few words, so each pair is compared once. */
function createWordDistances(word: string): (other: string) => number | undefined {
  const known = new Map<string, number | undefined>();
  const bound = boundOf(word);
  return (other) => {
    if (known.has(other)) return known.get(other);
    const distance = editDistance(word, other, bound);
    const near = distance <= bound ? distance : undefined;
    known.set(other, near);
    return near;
  };
}

/**
 * How far a name is from one of the same server that has the same words, roughly, and a few more: `read_txt` means `read_text_file`.
 * Undefined where it has not.
 */
function createNameDistance(target: NameForms): (candidate: NameForms) => number | undefined {
  const wanted = target.words.map(createWordDistances);
  return (candidate) => {
    if (target.server !== candidate.server) return undefined;
    if (candidate.words.length > wanted.length + MAX_MISSING_WORDS) return undefined;
    const left = [...candidate.words];
    let distance = 0;
    for (const distanceTo of wanted) {
      const at = left.findIndex((each) => distanceTo(each) !== undefined);
      if (at < 0) return undefined;
      distance += distanceTo(left[at]!)!;
      left.splice(at, 1);
    }
    return distance + left.length;
  };
}

/**
 * The probable intended names for a wrong one: similar as a whole, the right tool with the wrong server, or one with the same words and
 * more.
 */
export function nearestNames(wanted: string, names: Iterable<NameForms>, count: number): string[] {
  const target = nameForms(wanted);
  const bound = Math.min(8, Math.max(2, Math.floor(target.tool.length / 3)));
  const near: Array<{ name: string; distance: number }> = [];
  const wordDistance = createNameDistance(target);
  for (const candidate of names) {
    const byWords = wordDistance(candidate);
    if (byWords !== undefined) {
      near.push({ name: candidate.name, distance: byWords });
      continue;
    }
    // An edit adds at most one new character, so more missing ones exceed the bound.
    if (
      bitCount(target.letters & ~candidate.letters) > bound ||
      bitCount(candidate.letters & ~target.letters) > bound
    )
      continue;
    const distance = spellingDistance(target, candidate, bound);
    if (distance <= bound) near.push({ name: candidate.name, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}

const MAX_TOOLS = 5000;
const MAX_QUERY_WORDS = 8;
const MAX_SUGGESTED = 5;

/** Words of tool names that are similar to words of the query. Computed only if nothing was found. */
export function nearestWords(query: string, tools: Iterable<Pick<CatalogTool, 'tool'>>): string[] {
  const wanted = nameParts(query)
    .filter((word) => word.length >= 3)
    .slice(0, MAX_QUERY_WORDS);
  const near = new Map<string, number>();
  for (const word of wordsOf(tools)) {
    const distance = Math.min(
      ...wanted.map((each) => editDistance(each, word, boundOf(each)) - boundOf(each)),
    );
    if (distance <= 0) near.set(word, distance);
  }
  return [...near]
    .sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .slice(0, MAX_SUGGESTED)
    .map(([word]) => word);
}

function wordsOf(tools: Iterable<Pick<CatalogTool, 'tool'>>): Set<string> {
  const words = new Set<string>();
  let seen = 0;
  for (const { tool } of tools) {
    for (const word of nameParts(tool)) if (word.length >= 3 && word.length <= 40) words.add(word);
    if (++seen >= MAX_TOOLS) break;
  }
  return words;
}

function boundOf(word: string): number {
  return word.length < 5 ? 1 : 2;
}
