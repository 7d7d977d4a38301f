import type { Message, Token } from '../language/token.ts';
import { DEEDS } from '../language/words/deeds.ts';
import { FOREIGN } from '../language/words/foreign.ts';

const set = (text: string) => new Set(text.split(/\s+/));
const LONGEST = 5;
/** Words of sentences and of small talk: with one of them it is more than a noun. */
const MORE = set(
  `i you he she we they it me us him them is are was were am be been do does did have has had can could would will shall should may might must
   not no yes what which who whom whose why how when where hello hi hey thanks thank bye goodbye ok please sorry lol haha wow cool nice great
   good bad awesome amazing perfect terrific excellent regards cheers hola yo hmm hm oh ah damn omg yay really seriously sure right wrong true
   false fine well there here that this those these and or but if because so than then very too also just only even still already always never
   maybe perhaps tell give play turn stop start find search look call set previous skip volume louder quieter repeat again help welcome morning
   congratulations congrats happy sad tired bored hungry let us to with without about into interesting funny boring weird sup wassup howdy
   greetings test testing ping more less nothing something anything everything whatever later soon ciao cya ttyl brb gtg define translate weather
   news joke time date song music my your in on at from by got live lives`,
);
/** Orders, unless they are two or three words that could be a title. */
const VERBS = set(
  `turn call delete cancel remove change update rename play open close reset switch navigate dial text send book order mark list add create merge
   write draft draw sing lock unlock mute pause resume dim increase decrease raise lower enable disable activate deactivate complete finish start
   stop show check clear make set put`,
);

/** A thing and nothing else, like "groceries" or "dentist appointment". */
export function isBareNoun({ sentences }: Message): boolean {
  const [sentence, another] = sentences;
  if (!sentence || another || sentence.question) return false;
  const [first] = sentence.tokens;
  const rest = first && ['my', 'the'].includes(first.word) ? sentence.tokens.slice(1) : sentence.tokens;
  if (rest.length === 0 || rest.length > LONGEST) return false;
  if (rest.length > 1 && VERBS.has(rest[0]!.word) && !isDeed(rest)) return false;
  return rest.every((token, i) => isNoun(token) || (i === 0 && rest.length > 1 && DEEDS.has(token.word)));
}

function isNoun({ word }: Token): boolean {
  return /^\p{L}[\p{L}\p{M}\p{N}'&.-]*$/u.test(word) && !MORE.has(word);
}

/** "call mom", "book dentist": could be the title of a task. "call mom on speaker" could not. */
function isDeed(tokens: readonly Token[]): boolean {
  return (
    DEEDS.has(tokens[0]!.word) &&
    tokens.length <= 3 &&
    !tokens.some(({ word }) => FOREIGN.has(word) || word === 'off')
  );
}
