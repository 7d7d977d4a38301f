import type { Message, Token } from './normalise.ts';

export type Answer = 'yes' | 'no' | 'mixed';

const set = (text: string) => new Set(text.split(/\s+/));
/** A yes begins with one of these … */
const YES = set(
  'yes yeah yep yup yea ya yah aye yess yesss yas yeh yup sure ok y affirmative absolutely definitely certainly indeed correct confirm confirmed confirming agreed agree approved approve proceed accepted emoji-yes totally surely',
);
const YES_PHRASES = [
  'do it',
  'do that',
  'go ahead',
  'go for it',
  'go on',
  'please do',
  'of course',
  'by all means',
  'sounds good',
  'that is right',
  'that is correct',
  'that is fine',
  'that works',
  'i confirm',
  'i agree',
  'i am sure',
  'i approve',
  'delete it',
  'delete that',
  'remove it',
  'remove that',
  'erase it',
  'for sure',
  'all right',
  'alright',
  'why yes',
  'my answer is yes',
  'the answer is yes',
  'let us do it',
  'please go ahead',
  'please delete it',
  'please remove it',
  'please confirm',
  'you may proceed',
  'you can proceed',
  'you may delete it',
  'you can delete it',
  'it is ok',
  'that is ok',
  'fine go ahead',
  'fine do it',
  'ahead',
].map((phrase) => phrase.split(' '));
/** … and holds nothing but these. One word that is not listed, and it is no yes. */
const HARMLESS = set(
  `please thanks thank you very much do it that this is right go ahead with for me i am want would like to delete remove erase task reminder todo now
   the my a so perfect great good fine exactly accurate true all everything absolutely really 100 percent one of course on may can sounds
   works correct and lot will be cool awesome totally get rid permanently forever already agree confirm yourself indeed as said just
   answer your question are its by means let us alright up sir mate buddy man dude dear deletion action request removal`,
);
/** A yes never stands beside these. */
const DOUBT = set(
  `no not nope nah never cancel stop wait hold but however actually instead except unless if maybe perhaps later yet until after before rather
   different other another else hmm hm um uh oops mistake wrong false incorrect keep leave don't dont-forget only second minute think
   unsure why what which who how when negative nay halt abort undo what's wont neither nor although though hesitant emoji-no mind doubt
   reconsider changed first`,
);
const NO = set(
  'no nope nah nay never negative negatory cancel stop halt abort not n emoji-no noo nooo nop nein non terminate',
);
const NO_PHRASES = [
  'never mind',
  'do not',
  'forget it',
  'forget that',
  'forget about it',
  'leave it',
  'leave that',
  'keep it',
  'keep that',
  'keep the task',
  'hold on',
  'hold off',
  'wait',
  'i changed my mind',
  'changed my mind',
  'on second thought',
  'rather not',
  'i would rather not',
  'i will pass',
  'scratch that',
  'drop it',
  'call it off',
  'please stop',
  'please cancel',
  'cancel that',
  'cancel it',
  'can you cancel',
  'you can cancel',
  'hell no',
  'hell nah',
  'no way',
  'not now',
  'i do not',
  'i did not',
  'my bad',
  'my mistake',
].map((phrase) => phrase.split(' '));
/** Said of the question itself; they deny it wherever they stand. */
const DENIALS = set(
  'false wrong incorrect untrue disagree negative nope nah no not never cancel stop halt abort',
);
const UNSURE = [
  'not sure',
  'unsure',
  'maybe',
  'perhaps',
  'possibly',
  'i do not know',
  'do not know',
  'not know',
  'no idea',
  'no clue',
  'could be',
  'might be',
  'might go',
  'either',
  'can not say',
  'could not say',
  'not able to say',
  'can not tell',
  'could not tell',
  'who knows',
  'hard to say',
  'hard to tell',
  'it depends',
  'depends',
  'i guess',
  'drawing a blank',
  'foggiest',
  'not certain',
  'uncertain',
  'undecided',
  'have to think',
  'need to think',
  'let me think',
  'beats me',
  'unaware',
  'no knowledge',
  'can not answer',
  'how to answer',
  'on the fence',
  'torn',
  'both would',
  'or both',
  'cannot decide',
  'not decide',
  'whatever',
].map((phrase) => phrase.split(' '));

const POLITE = set(
  'please well oh so ok hey um uh hmm hm er sorry actually thanks thank you very much but and really just then',
);
/** Words of an answer that names neither a thing nor a deed. */
const OF_ANSWERS = set(
  `i am we it is was be the a an to that this those of for which one or and answer question either both them say saying certain certainly sure really honest honestly
   actually pretty um uh hmm hm well oh because could would might may can not no do did not know idea about anything afraid going way go my me you guess think so
   now right yet at all have any just ok maybe perhaps possibly on it's how tell unsure uncertain undecided sorry will what is who knows could drawing blank
   foggiest beats torn fence clue depends hard decide decided think too moment thing able unaware aware knowledge neither let see need time more still whatever
   haven't work works fine other`,
);
const LONGEST_YES = 14;

export interface AnswerInput {
  message: Message;
  /** The description of what waits for a yes; its words may stand in the answer. */
  about?: string;
}

/** Reads the message as an answer to "shall I delete it?". Strict for yes: whatever is not plainly one is none. */
export function readAnswer({ message, about }: AnswerInput): Answer | undefined {
  const tokens = message.sentences.flatMap((sentence) => sentence.tokens);
  const words = tokens.map(({ word }) => word);
  if (words.length === 0) return undefined;
  const asks = message.sentences.some(({ question }) => question) || message.quoted;
  const saysYes = startsWithYes(words);
  const denied = words.some((word) => DOUBT.has(word));
  if (saysYes && !asks && !denied && isPlainYes(tokens, about)) return 'yes';
  if (saysYes && (denied || asks)) return 'mixed';
  return startsWithNo(words) && !asks ? 'no' : undefined;
}

function startsWithYes(words: readonly string[]): boolean {
  return (
    YES.has(words[0]!) ||
    startsWithPhrase(words, YES_PHRASES) ||
    (words[0] === 'please' && YES.has(words[1] ?? ''))
  );
}

function isPlainYes(tokens: readonly Token[], about: string | undefined): boolean {
  if (tokens.length > LONGEST_YES) return false;
  const title = new Set((about ?? '').toLowerCase().split(/[^\p{L}\p{N}']+/u));
  return tokens.every(({ word }) => YES.has(word) || HARMLESS.has(word) || title.has(word));
}

function startsWithPhrase(words: readonly string[], list: readonly string[][]): boolean {
  return list.some((phrase) => phrase.every((word, i) => words[i] === word));
}

function startsWithNo(words: readonly string[]): boolean {
  let at = 0;
  while (at < words.length - 1 && POLITE.has(words[at]!) && !startsWithPhrase(words.slice(at), NO_PHRASES))
    at++;
  const rest = words.slice(at);
  return NO.has(rest[0]!) || startsWithPhrase(rest, NO_PHRASES);
}

/** Denies the question without beginning with a no: "that is wrong". Only worth reading while a question is open. */
export function denies(message: Message): boolean {
  const words = message.sentences.flatMap((sentence) => sentence.tokens.map(({ word }) => word));
  return words.length <= 14 && words.some((word) => DENIALS.has(word));
}

const OF_NO = set(
  `no nope nah nay never not mind do don't stop cancel halt abort negative forget it that this thanks thank you please i want need would rather leave keep wait hold on off
   way now yet at all really absolutely certainly definitely of course the task request action last previous command what told to can actually sorry immediately process current
   mission present doing so is right wrong false correct true thats drop scratch call changed my am saying say must answer was just for and hell terminate your am asked`,
);
/** A no and nothing else: without an open question, whatever else is said beside a "no" is talk. */
export function isPlainNo(message: Message): boolean {
  return message.sentences.every(
    ({ tokens, question }) => !question && tokens.every(({ word }) => OF_NO.has(word)),
  );
}

const LONGEST_UNSURE = 14;
/** "Not sure", "it could go either way": neither yes nor no. */
export function isUndecided(message: Message): boolean {
  const words = message.sentences.flatMap((sentence) => sentence.tokens.map(({ word }) => word));
  if (words.length > LONGEST_UNSURE) return false;
  if (!words.every((word) => OF_ANSWERS.has(word))) return false;
  return words.some((_, i) => UNSURE.some((phrase) => phrase.every((word, k) => words[i + k] === word)));
}
