import { inOrder, setOf, together } from './near.ts';
import { plainOf, type Plain } from './plain-words.ts';
import {
  CONTEXT, COVERT, CREDENTIALS, EARLIER, MOVE, MUST, NOT, OVERRIDE, PERSON, ROLE_MARKS, RULES, SECRET_PLACES, SENDS, SHELL, SPEAKERS, SPOKEN_TO_MODEL,
  TAKES, TELL,
} from './vocabulary.ts'; // prettier-ignore

export interface Signal {
  rule: string;
  /** 2: alone a reason to look; 1: together with another. */
  weight: 1 | 2;
  why: string;
}

type Rule = (plain: Plain) => Signal | undefined;

const has = (text: string, phrases: readonly string[]) => phrases.find((phrase) => text.includes(phrase));
const signal = (rule: string, weight: 1 | 2, why: string): Signal => ({ rule, weight, why });

/** Somewhere outside, as a URL or a mailbox. What stands around each "@" is looked at once, so that no text can make this slow. */
function namesAddress(text: string): boolean {
  if (text.includes('http://') || text.includes('https://')) return true;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1))
    if (
      /\w$/.test(text.slice(Math.max(0, at - 1), at)) &&
      /^[\w-]{1,63}\.\w/.test(text.slice(at + 1, at + 66))
    )
      return true;
  return false;
}

const TOOL_WORDS = setOf('tool tools function functions command commands action actions request operation');
const HIDES = setOf('reveal disclose admit mention tell');
const THAT = setOf('that this it about');
const COLLECTS = setOf('collect gather include extract dump find grab take');
const EVERYTHING = setOf('all every any everything each');
const BEFORE = setOf('before prior first beforehand after');
const USING = setOf(
  'using calling invoking executing running use call invoke any every other all proceeding',
);

const REPLACES = setOf('replace change redirect reroute swap substitute');
const RECEIVER = setOf('recipient recipients address destination payee account');

const RULE_LIST: readonly Rule[] = [
  ({ hidden }) =>
    hidden.tags > 0
      ? signal('hidden-text', 2, `${hidden.tags} invisible characters that a model reads as letters`)
      : undefined,
  ({ hidden }) =>
    hidden.bidi > 0
      ? signal('turned-text', 2, 'characters that turn the direction of text around')
      : undefined,
  ({ hidden }) =>
    hidden.zeroWidth > 1
      ? signal('zero-width', 2, `${hidden.zeroWidth} characters without width`)
      : undefined,
  ({ hidden }) =>
    hidden.control > 0
      ? signal('control-characters', 2, 'control characters, such as terminal escapes')
      : undefined,
  ({ told }) =>
    inOrder(told, [OVERRIDE, EARLIER, RULES], 4) >= 0
      ? signal('override', 2, 'asks to set other instructions aside')
      : undefined,
  ({ spelled }) =>
    spelled.some((word) =>
      /(ignore|disregard|forget|override).*(instruction|rule|prompt)/.test(word.slice(0, 500)),
    )
      ? signal('override', 2, 'asks to set other instructions aside, letter by letter')
      : undefined,
  ({ told }) =>
    inOrder(told, [NOT, TELL, PERSON], 7) >= 0 || inOrder(told, [NOT, HIDES, THAT], 2) >= 0
      ? signal('secrecy', 2, 'asks to keep something from the person')
      : undefined,
  ({ spaced }) => {
    const found = has(spaced, SPOKEN_TO_MODEL);
    return found === undefined ? undefined : signal('spoken-to-model', 2, `speaks to the model: "${found}"`);
  },
  ({ lower }) => {
    const strong = has(lower, ROLE_MARKS);
    const found = strong ?? has(lower, SPEAKERS);
    return found === undefined
      ? undefined
      : signal('role-mark', strong ? 2 : 1, `marks itself as an instruction: "${found}"`);
  },
  ({ told, lower }) => {
    const place = has(lower, SECRET_PLACES);
    if (place === undefined) return undefined;
    const moved = told.some(({ word }) => MOVE.has(word));
    return signal('secret-place', moved ? 2 : 1, `names a place of secrets: "${place}"`);
  },
  ({ told, spaced }) => {
    const found = has(spaced, CONTEXT);
    if (found === undefined || !told.some(({ word }) => MOVE.has(word) || USING.has(word))) return undefined;
    return signal('context', 2, `asks for what the model knows: "${found}"`);
  },
  ({ told, lower }) => {
    if (has(lower, CREDENTIALS) === undefined || together(told, [MOVE, MUST], 12) < 0) return undefined;
    const all = together(told, [COLLECTS, MUST, EVERYTHING], 8) >= 0;
    return signal('credentials', all ? 2 : 1, 'asks for credentials');
  },
  ({ told }) =>
    together(told, [COVERT, TAKES], 10) >= 0 ? signal('covert', 2, 'asks to act unnoticed') : undefined,
  ({ told }) =>
    inOrder(told, [BEFORE, USING, TOOL_WORDS], 4) >= 0
      ? signal('other-tools', 1, 'speaks about how other tools are to be used')
      : undefined,
  ({ told, lower }) =>
    namesAddress(lower) && together(told, [SENDS, MUST], 14) >= 0
      ? signal('sends-away', 1, 'asks to send something to an address')
      : undefined,
  ({ lower }) => {
    const found = has(lower, SHELL);
    return found === undefined ? undefined : signal('shell', 1, `contains a command: "${found}"`);
  },
  ({ told }) =>
    together(told, [REPLACES, RECEIVER, MUST], 12) >= 0
      ? signal('redirect', 2, 'asks to send something to somebody else')
      : undefined,
];

const ENCODED = /[A-Za-z0-9+/]{48,}={0,2}/g;
const MAX_DECODED = 5;

/** A text that is shorter is read in one go. */
const LONG = 8192;

/**
 * Everything that is wrong with one text. Decodes what is encoded once, and looks at that too. Where the text is long it comes up for air
 * between its steps, so that whoever drives it can let others go first.
 */
export function* scanText(text: string, depth = 0): Generator<void, Signal[]> {
  const plain = plainOf(text);
  const signals: Signal[] = [];
  for (const rule of RULE_LIST) {
    if (text.length > LONG) yield;
    const found = rule(plain);
    if (found) signals.push(found);
  }
  if (depth === 0) signals.push(...(yield* scanEncoded(text)));
  return signals;
}

function* scanEncoded(text: string): Generator<void, Signal[]> {
  const found: Signal[] = [];
  for (const blob of (text.match(ENCODED) ?? []).slice(0, MAX_DECODED)) {
    const decoded = Buffer.from(blob, 'base64').toString('utf8');
    const printable = decoded.replace(/[^\x20-\x7e\n]/g, '').length / Math.max(1, decoded.length);
    if (printable < 0.95) continue;
    const inside = yield* scanText(decoded, 1);
    found.push(signal('encoded', inside.length > 0 ? 2 : 1, 'holds encoded text'), ...inside);
  }
  return found;
}
