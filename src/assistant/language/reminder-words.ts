import type { Token } from './token.ts';
import { DEEDS } from './words/deeds.ts';
import { FOREIGN } from './words/foreign.ts';
import { isTimeHead, timeEnds } from './words/times.ts';

const set = (text: string) => new Set(text.split(/\s+/));
/** "Notify me to …", "give me a nudge about …": a reminder by another name. */
const VERBS = set('notify alert nudge ping poke buzz prompt pester');
const NOUNS = set('notification alert notice nudge ping prompt poke heads-up');
const SELF = set('me us myself');
/** "Alert me when it rains": of what happens elsewhere, not of what is to be done. */
const OCCASIONS = set('when if whenever once unless with');
const LEADS = set('about for at on in that regarding by around next this every');
/** What other programs send word of. */
const NEWS = set(
  'news weather stock stocks price prices traffic score scores email emails message messages forecast sale sales updates update',
);
const BEFORE = set(
  `a an my the any another that this delete remove cancel erase clear trash scrap drop add create set make schedule no out of send give`,
);
/** What is switched on and off belongs to a device. */
const SWITCHES = set(
  'turn switch enable disable mute silence activate deactivate read show open check got received sent',
);
const LONGEST_TIME = 8;
const NEAR = 16;

/** The same words, where another one stands for "remind" or "reminder". */
export function nameReminders(tokens: readonly Token[]): Token[] {
  return tokens.map((token, at) => {
    if (token.quoted) return token;
    if (isVerb(tokens, at)) return { ...token, word: 'remind' };
    return isNoun(tokens, at) ? { ...token, word: 'reminder' } : token;
  });
}

function isVerb(tokens: readonly Token[], at: number): boolean {
  const [word, next] = [tokens[at]!.word, tokens[at + 1]?.word ?? ''];
  if (!SELF.has(next)) return at === 0 && VERBS.has(word) && reachesDeed(tokens, 1);
  const after = tokens[at + 2]?.word ?? '';
  if (word === 'tell') return reachesDeed(tokens, at + 2);
  return VERBS.has(word) && after !== '' && !OCCASIONS.has(after) && !ofNews(tokens, at);
}

function isNoun(tokens: readonly Token[], at: number): boolean {
  if (!NOUNS.has(tokens[at]!.word) || !BEFORE.has(tokens[at - 1]?.word ?? '')) return false;
  return !isOfDevice(tokens, at) && leadsToText(tokens, at);
}

function isOfDevice(tokens: readonly Token[], at: number): boolean {
  return tokens.slice(Math.max(0, at - NEAR), at).some(({ word }) => SWITCHES.has(word));
}

/** "A notification to call mum", "an alert for nine". */
function leadsToText(tokens: readonly Token[], at: number): boolean {
  const [next, after] = [tokens[at + 1]?.word ?? '', tokens[at + 2]?.word ?? ''];
  if (FOREIGN.has(after) || ofNews(tokens, at)) return false;
  if (next === 'to') return isDeed(after);
  return LEADS.has(next) || timeEnds(tokens, at + 1, tokens.length).length > 0;
}

/** Orders to the assistant are deeds here: the person is to be told to do them. */
const MORE_DEEDS = set('remind delete remove lay look keep hold come stay sit stand bring be have get');
function isDeed(word: string): boolean {
  return DEEDS.has(word) || MORE_DEEDS.has(word);
}

function ofNews(tokens: readonly Token[], at: number): boolean {
  return tokens.slice(at, at + NEAR).some(({ word }) => NEWS.has(word)) && !reachesDeed(tokens, at + 2);
}

/** A time, if anything, and then what is to be done: "at nine to call mum". */
function reachesDeed(tokens: readonly Token[], from: number): boolean {
  for (let i = from; i < tokens.length && i < from + LONGEST_TIME; i++) {
    const { word } = tokens[i]!;
    if (word === 'to' && isDeed(tokens[i + 1]?.word ?? '')) return true;
    if (!isTimeHead(word) && !LEADS.has(word) && !/^(?:a|the|half|past|from|later|to|\w+teen)$/.test(word))
      return false;
  }
  return false;
}
