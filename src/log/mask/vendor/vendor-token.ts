import { one, type Found } from '../found.ts';
import { isLikeToken } from '../header-values.ts';
import { JOINS, WORD, isIn, skipBack, skipSome } from '../characters.ts';
import { randomness } from '../random.ts';
import { isPlaceholder } from '../placeholder.ts';
import { INNER_RULES, type InnerRule } from './inner-rules.ts';
import { VENDOR_RULES, type VendorRule } from './rules.ts';

const rulesOf = new Map<string, VendorRule[]>();
for (const rule of VENDOR_RULES) rulesOf.set(rule.prefix, [...(rulesOf.get(rule.prefix) ?? []), rule]);
const innerOf = new Map(INNER_RULES.map((rule) => [rule.anchor, rule]));

/** A shorter beginning is found in other texts too. */
const SURE_PREFIX = 3;

/** The token of a vendor that begins here. */
export function vendorToken(text: string, at: number, prefix: string): Found | null {
  if (!beginsWord(text, at)) return null;
  for (const rule of rulesOf.get(prefix) ?? []) {
    const found = byRule(text, at, rule);
    if (found) return found;
  }
  return null;
}

/** Nothing that a token could be part of stands in front; a line break may be written as `\n`. */
function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !isIn(JOINS, text.charCodeAt(at - 1))) return true;
  return text[at - 2] === '\\' && 'nrt'.includes(text[at - 1]!);
}

function byRule(
  text: string,
  at: number,
  { kind, prefix, body, min, max, keepPrefix }: VendorRule,
): Found | null {
  const start = at + prefix.length;
  const end = withoutStop(text, start, skipSome(text, start, { set: body, most: max + 1 }));
  if (end - start < min || end - start > max) return null;
  if (max < Infinity && isIn(WORD, text.charCodeAt(end))) return null;
  const value = text.slice(start, end);
  // Nothing here, and nothing to look at again: such a text may be long.
  if (prefix.length < SURE_PREFIX ? randomness(value) === null : isPlaceholder(value))
    return { spans: [], end };
  if (!keepPrefix) return one(kind, at, end);
  return isLikeToken(text.slice(start, end)) ? one(kind, start, end) : null;
}

/** The end of a sentence is no part of a token that may hold dots. */
function withoutStop(text: string, start: number, end: number): number {
  let i = end;
  while (i > start && text[i - 1] === '.') i--;
  return i;
}

/** The token around characters that only this vendor has within it. */
export function innerToken(
  text: string,
  at: number,
  { anchor, from }: { anchor: string; from: number },
): Found | null {
  const { kind, left, right } = innerOf.get(anchor) as InnerRule;
  const start = Math.max(from, skipBack(text, at, { set: left.set, most: left.max }));
  const behind = at + anchor.length;
  const end = skipSome(text, behind, { set: right.set, most: right.max + 1 });
  const fits = at - start >= left.min && end - behind >= right.min && end - behind <= right.max;
  return fits && !isPlaceholder(text.slice(start, end)) ? one(kind, start, end) : null;
}
