import type { Message } from './normalise.ts';
import { FOREIGN } from './words/foreign.ts';
import { DEEDS } from './words/verbs.ts';

const set = (text: string) => new Set(text.split(/\s+/));
const LONGEST = 5;
/** Words of sentences and of small talk: with one of them it is more than a noun. */
const MORE = set(
  `i you he she we they it me us him them is are was were am be been do does did have has had can could would will shall should may might must not no yes
   what which who whom whose why how when where hello hi hey thanks thank bye goodbye ok please sorry lol haha wow cool nice great good bad awesome amazing
   perfect terrific excellent regards cheers hola yo hmm hm oh ah damn omg yay really seriously sure right wrong true false fine well there here that this
   those these and or but if because so than then very too also just only even still already always never maybe perhaps tell give show play turn stop start find
   search look call set next previous skip volume louder quieter up down repeat again help welcome morning night evening afternoon congratulations congrats
   happy sad tired bored hungry let us to with without about into interesting funny boring weird sup wassup howdy greetings welcome test testing ping 1 2 3 asdf
   more less nothing something anything everything whatever nevermind later soon ciao cya ttyl brb gtg define translate weather news joke time date song music
   what's up my your`,
);

const VERBS = set(
  'turn call delete cancel remove change update rename play open close reset switch navigate dial text send book order buy-me mark list add create merge write draft draw sing lock unlock mute pause resume dim increase decrease raise lower enable disable activate deactivate',
);
/** A thing and nothing else, like "groceries" or "dentist appointment". */
export function isBareNoun({ sentences }: Message): boolean {
  if (sentences.length !== 1 || sentences[0]!.question) return false;
  const { tokens } = sentences[0]!;
  const rest = tokens[0]?.word === 'my' || tokens[0]?.word === 'the' ? tokens.slice(1) : tokens;
  if (rest.length === 0 || rest.length > LONGEST) return false;
  if (rest.length > 1 && VERBS.has(rest[0]!.word) && !isDeed(rest)) return false;
  return rest.every(
    ({ word }, i) =>
      /^\p{L}[\p{L}\p{N}'&.-]*$/u.test(word) &&
      (!MORE.has(word) || (i === 0 && DEEDS.has(word) && rest.length > 1)),
  );
}

/** "call mom", "book dentist": could be the title of a task. "call mom on speaker" could not. */
function isDeed(tokens: Message['sentences'][number]['tokens']): boolean {
  return (
    DEEDS.has(tokens[0]!.word) &&
    tokens.length <= 3 &&
    !tokens.some(({ word }) => FOREIGN.has(word) || word === 'off')
  );
}
