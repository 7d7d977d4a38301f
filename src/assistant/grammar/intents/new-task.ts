import { matchAll, type Phrase, type Slots, type Span } from '../../language/phrase.ts';
import { FOREIGN } from '../../language/words/foreign.ts';
import { describeTask, titleText } from './describe.ts';
import { listedItems } from '../listed.ts';
import type { Clause, Reading } from '../reading.ts';

/** Says that something is to be added, but not what. */
const NOTHING_SAID = new Set(
  `something that it this them these those a some thing another new one anything stuff things more else item items do get done later
   finish please entry`.split(/\s+/),
);
interface Found {
  slots: Slots;
  phrase: Phrase;
}
export function firstMatch(
  clause: Clause,
  list: readonly Phrase[],
  fits: (slots: Slots, phrase: Phrase) => boolean = () => true,
): Found | undefined {
  for (const item of list) {
    const slots = matchAll(item, clause.tokens, clause.core);
    if (slots && fits(slots, item)) return { slots, phrase: item };
  }
  return undefined;
}

export function newTask(
  clause: Clause,
  slots: Slots,
  { strength, rule }: Pick<Reading, 'strength' | 'rule'>,
): Reading {
  const what = slots['what'];
  const said =
    what && !clause.tokens.slice(...what).every(({ word, quoted }) => NOTHING_SAID.has(word) && !quoted);
  const several = said && !slots['when'] ? listedItems(clause, what) : undefined;
  if (several) return { intent: 'CREATE_TASK', strength, rule, descriptions: several };
  const exact = said && !slots['when'] && isWhole(clause, what, rule);
  const description = exact
    ? titleText(clause, what)
    : said
      ? describeTask(clause, what, slots['when'])
      : undefined;
  return { intent: 'CREATE_TASK', strength, rule, ...(description && { descriptions: [description] }) };
}

/** Behind a colon, or between "add" and the list: all of it is the text. */
function isWhole({ tokens, core }: Clause, [from]: Span, rule: string): boolean {
  return tokens[from - 1]?.word === ':' || (rule === PUTS_ON_LIST && from === core[0] + 1);
}

export const PUTS_ON_LIST = 'puts something on the list';

export const LONGEST_CERTAIN = 24;
/** Short enough to be one thing, and nothing that another program looks after stands first in it. */
export function isPlainText({ tokens, core }: Clause, [from]: Span): boolean {
  return core[1] - core[0] <= LONGEST_CERTAIN && (tokens[from]!.quoted || !FOREIGN.has(tokens[from]!.word));
}

export function hasForeign({ tokens }: Clause, span: Span): boolean {
  return tokens.slice(...span).some(({ word, quoted }) => !quoted && FOREIGN.has(word));
}
