import { id, type Concept } from './concepts.ts';
import { placeOfSecrets } from './places.ts';

/** The names that a definition itself brings: others belong to other tools. */
export interface OwnNames {
  tool: string;
  arguments: ReadonlySet<string>;
  /** Of the tool's name, those that say something: tools of one server often share them. */
  words: ReadonlySet<string>;
  /** What the tool itself is about, by its name. */
  about: readonly number[];
}

export interface Seen {
  words: string[];
  /** What kinds of things stand there, beside what the words say. */
  kinds: number[];
  /** The last name of another tool. */
  name?: string;
}

const MARKS = new Set('important system secret hidden override inst sys im endoftext'.split(' '));
const SOFT_MARKS = new Set(
  'instructions instruction critical mandatory admin assistant user security directive note'.split(' '),
);

const SPEAKER = /^(?:system|assistant|human|agent|ai|model|llm|instructions?):$/i;
const EDGES = new Set('"\'`()[]{}<>*“”«»‘’.,;:!?…');
const NAME = /^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+$|^[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*$/;
/** What a name begins with that is a tool's rather than a field's. */
const VERBS = new Set(
  'get set list create add update delete remove send read write search find fetch run execute call post put push open close move copy make edit mark query show check start stop book transfer pay upload download browser deploy publish export import insert select describe'.split(
    ' ',
  ),
);
const COMMON_WORDS = new Set(
  'get set list create add update delete remove send read write search find fetch run execute check tool id by for and the all to of'.split(
    ' ',
  ),
);

export const wordsOf = (name: string): string[] =>
  name
    .slice(0, 80)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

/** Those that tools of other servers are not called after as well. */
export const tellingWordsOf = (name: string): Set<string> =>
  new Set(wordsOf(name).filter((word) => word.length > 1 && !COMMON_WORDS.has(word)));

/** A certain one: a long number, an account. */
const FIXED = /^\d{5,}$|^(?:0x|bc1)[0-9a-z]{12,}$/i;
const ADDRESS = /:\/\/[^\s|;'"`)<>]*/g;
/** Between two parts of a sentence: what is denied in one is not denied in the next. */
export const STOP = '';
const COMMON = /^[a-z]+$/;
const WORD = /[\p{L}\p{N}']+/gu;

/** What kind of thing stands here, and which words. */
export function look(piece: string, own: OwnNames, seen: Seen): void {
  // Most pieces are a word and no more.
  if (COMMON.test(piece)) {
    if (own.arguments.has(piece)) seen.kinds.push(id('ownArgument'));
    else if (piece === own.tool) seen.kinds.push(id('ownName'));
    return void seen.words.push(piece);
  }
  const kind = (concept: Concept) => seen.kinds.push(id(concept));
  if (/[<[{#|]/.test(piece)) markOf(piece, kind);
  else if (SPEAKER.test(piece)) kind('softMark');
  const core = trimmed(piece);
  if (core === '') return void (piece === '|' && kind('pipe'));
  const away = core.includes('://')
    ? 'url'
    : /^[^@]+@[^@]+\.[^@]/.test(core.slice(0, 100))
      ? 'mailbox'
      : undefined;
  if (away) kind(away);
  if (placeOfSecrets(core)) kind('place');
  if (own.arguments.has(core)) kind('ownArgument');
  else if (core === own.tool) kind('ownName');
  else if (NAME.test(core.slice(0, 80))) {
    kind('otherName');
    const words = wordsOf(core);
    if (VERBS.has(words[0]!)) kind('verbName');
    if (words.some((word) => own.words.has(word))) kind('sibling');
    if (seen.name !== undefined && seen.name !== core) kind('twoNames');
    seen.name = core;
  } else if (FIXED.test(core.slice(0, 80)) || (core.length + 2 <= piece.length && /^["'`“‘]/.test(piece)))
    kind('literal');
  if (core.length > 2 && core === core.toUpperCase() && /^[A-Z]+$/.test(core)) kind('loud');
  // The words of an address say nothing; a command behind it does.
  const said = away === 'url' ? core.replace(ADDRESS, ' ') : away ? '' : core;
  for (const word of said.match(WORD) ?? []) seen.words.push(word.toLowerCase());
  if (/[,:;]$/.test(piece)) seen.words.push(STOP);
}

function trimmed(piece: string): string {
  let [start, end] = [0, piece.length];
  // A dot in front belongs to a name such as .env.
  while (start < end && EDGES.has(piece[start]!) && piece[start] !== '.') start++;
  while (end > start && EDGES.has(piece[end - 1]!)) end--;
  return piece.slice(start, end);
}

function markOf(piece: string, kind: (concept: Concept) => void): void {
  if (piece.startsWith('<!--')) kind('softMark');
  const lower = piece.slice(0, 200).toLowerCase();
  for (const [, inner = ''] of lower.matchAll(/[<[{|#]\/?([a-z]+)(?![a-z_-])/g)) {
    if (MARKS.has(inner)) kind('mark');
    else if (SOFT_MARKS.has(inner)) kind('softMark');
  }
}
