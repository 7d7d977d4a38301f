import type { CatalogTool } from '../catalog-tool.ts';
import { editDistance } from '../../lib/edit-distance.ts';
import { nameParts } from '../verdict/inference.ts';

export interface NameForms {
  name: string;
  full: string;
  tool: string;
  /** A bit set of the characters by their last five bits: names that differ in many bits are far apart. */
  letters: number;
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
  return { name, full, tool, letters: lettersOf(tool) };
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) & 31);
  return letters;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Words that the intended name may have and the wrong one lacks. */
const MAX_MISSING_WORDS = 2;

/**
 * How far a name is from one of the same server that has the same words, roughly, and a few more: `read_txt` means `read_text_file`.
 * Undefined where it has not.
 */
function wordDistance(target: NameForms, candidate: NameForms): number | undefined {
  const serverOf = ({ full, tool }: NameForms) => full.slice(0, full.length - tool.length);
  if (serverOf(target) !== serverOf(candidate)) return undefined;
  const [wanted, left] = [target.tool.split('_'), candidate.tool.split('_')];
  if (left.length > wanted.length + MAX_MISSING_WORDS) return undefined;
  let distance = 0;
  for (const word of wanted) {
    const at = left.findIndex((each) => editDistance(word, each, boundOf(word)) <= boundOf(word));
    if (at < 0) return undefined;
    distance += editDistance(word, left[at]!, boundOf(word));
    left.splice(at, 1);
  }
  return distance + left.length;
}

/**
 * The probable intended names for a wrong one: similar as a whole, the right tool with the wrong server, or one with the same words and
 * more.
 */
export function nearestNames(wanted: string, names: Iterable<NameForms>, count: number): string[] {
  const target = nameForms(wanted);
  const bound = Math.min(8, Math.max(2, Math.floor(target.tool.length / 3)));
  const near: Array<{ name: string; distance: number }> = [];
  for (const candidate of names) {
    const byWords = wordDistance(target, candidate);
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
    const whole = editDistance(target.full, candidate.full, bound);
    // Plus one, so that names with the right server come first.
    const distance = Math.min(whole, 1 + editDistance(target.tool, candidate.tool, bound - 1));
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
