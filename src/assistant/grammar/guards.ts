import type { Token } from '../language/token.ts';
import { matchStart, type Phrase, type Span } from '../language/phrase.ts';
import { NOT_AN_ORDER, TAKEOVERS, WANTS } from './phrases/guards.ts';

const set = (text: string) => new Set(text.split(/\s+/));

/** Never inside the name of a thing: where one of these stands, a gap has swallowed a clause. */
const NOT_IN_NOUN_PHRASE = set(
  `i you he she we they said says say told tells think thinks thought know knows knew if because since though although what who whom whose
   why how is are was were am do does did will would could should can may might must shall has had asked asks wants believe guess wonder
   wish hope suppose unless while whether claims heard me`,
);
export function isNounPhrase(tokens: readonly Token[], span: Span | undefined): boolean {
  return hasNone(tokens, span, NOT_IN_NOUN_PHRASE);
}

/** Looser than a noun phrase: what follows a verb may be a deed with words of its own ("tell mum I am late"). */
const NOT_IN_TITLE = set('if because what who why how said says told think whether which did does');
export function isTitle(tokens: readonly Token[], span: Span | undefined): boolean {
  return hasNone(tokens, span, NOT_IN_TITLE);
}

function hasNone(tokens: readonly Token[], span: Span | undefined, words: ReadonlySet<string>): boolean {
  if (!span || span[1] <= span[0]) return false;
  return tokens.slice(...span).every(({ word, quoted }) => quoted || !words.has(word));
}

function begins(list: readonly Phrase[], tokens: readonly Token[], span: Span): boolean {
  return list.some((item) => matchStart(item, tokens, span) !== undefined);
}

/** Asks how, why or whether something is done, supposes something, or tells what somebody said: no order, whatever follows. */
export function isNoOrder(tokens: readonly Token[], span: Span): boolean {
  return begins(NOT_AN_ORDER, tokens, span);
}

const OPENERS = set('today so hi hello ok yes and please');
/** Wants a thing, or some, to be handed over: what is added to it goes on no list. */
export function isAtCounter(tokens: readonly Token[], [start, to]: Span): boolean {
  let from = start;
  while (from < to - 1 && OPENERS.has(tokens[from]!.word)) from++;
  return begins(WANTS, tokens, [from, to]);
}

const OVERRULE = [
  set('ignore disregard forget override bypass discard drop skip overrule neglect cancel delete'),
  set('previous prior above earlier all your any the these preceding former existing original every'),
  set(
    'instructions instruction rules rule prompt prompts guidelines guideline constraints policy policies programming directives restrictions safeguards',
  ),
] as const;
/** Verbs that are said of tasks as well: with them only what is plainly ours counts, so that "cancel the insurance policy task" does not. */
const OF_TASKS = set('forget cancel delete drop skip discard');
const OURS = set('previous prior above earlier your preceding former original these');
const ROLES = set('system assistant developer admin user');
const NEAR = 8;

/** An order to forget the rules, whoever wrote it. Nothing in such a message is carried out. */
export function isTakeover(tokens: readonly Token[]): boolean {
  if (tokens.length > 1 && ROLES.has(tokens[0]!.word) && tokens[1]!.word === ':') return true;
  return tokens.some((_, i) => overrules(tokens, i) || begins(TAKEOVERS, tokens, [i, tokens.length]));
}

function overrules(tokens: readonly Token[], at: number): boolean {
  if (!OVERRULE[0].has(tokens[at]!.word)) return false;
  const owners = OF_TASKS.has(tokens[at]!.word) ? OURS : OVERRULE[1];
  let whose = false;
  for (let i = at + 1; i < tokens.length && i < at + NEAR; i++) {
    whose ||= owners.has(tokens[i]!.word);
    if (whose && OVERRULE[2].has(tokens[i]!.word)) return true;
  }
  return false;
}
