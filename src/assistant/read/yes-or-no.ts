import type { Message, Token } from '../language/token.ts';

const set = (text: string) => new Set(text.trim().split(/\s+/));
const phrases = (text: string) =>
  text
    .trim()
    .split(/\s*,\s*/)
    .map((phrase) => phrase.split(/\s+/));

/** A yes begins with one of these words or phrases … */
export const YES = set(`
  yes ye yse ys yeah yep yup yea ya yah aye yess yesss yas yeh y affirmative absolutely definitely certainly indeed correct confirm confirmed
  confirming agreed agree approved approve proceed accepted emoji-yes totally yeap yepp yessir ofc uh-huh mhm mhmm exactly precisely right
  ja jawohl jep genau richtig klar natürlich oui ouais exact exactement si sí sì claro correcto certo esatto sim exato juist zeker graag`);
/** Also said to end a conversation ("ok, thanks"), so only words about the delete may follow. */
export const HALF_YES = set('ok sure alright fine surely k perfect');
export const OF_HALF_YES = set(
  'please do it that go ahead for delete remove erase the task now yes yeah yep thing with proceed and then',
);
export const YES_PHRASES = phrases(`
  do it, do that, go ahead, just delete it, just remove it, you bet, that is i want, it is i want, go for it, go on, please do, of course, by all means, that is right, that is correct,
  i confirm, i agree, i am sure, i approve, delete it, delete that, remove it, remove that, erase it, for sure,
  why yes, my answer is yes, the answer is yes, my answer to your question is yes, let us do it, please let us do it, please go ahead,
  please delete it, please remove it, please confirm, you may proceed, you can proceed, you may delete it, you can delete it,
  fine go ahead, fine do it, good go ahead, great do it, awesome do it, perfect do it, i would have to say yes, i have to say yes,
  the answer to that is affirmative, that is true, it is true, that is accurate, you got it right, please proceed, all right do it, alright do it,
  just do it, you may, bin it, bin that, trash it, ditch it, make it so, be my guest, you got it, get rid of it, that one yes, this one yes, sounds good, sounds great, sounds right,
  sounds fine, that is fine, that is ok, that sounds good, looks good, works for me, that works, that is what i want, i want that, i want it gone, d'accord, i do, that is the one, that is it,
  bien sûr, vas-y, va bene, por supuesto, con certeza, pode apagar, graag`);
/** … and contains only these. With any other word it is not a yes. */
export const HARMLESS = set(`
  please thanks thank you very much do it that this is right go ahead with for me i am want would like to delete remove erase task reminder
  todo now the my a so perfect great good fine exactly exact accurate true all everything really 100 percent one of course on may can sounds sound
  works work correct and then bin trash ditch lot will be cool awesome get rid permanently forever already as said just answer your question are by means let us
  alright sure sir mate dear deletion action request removal say have make guest got gone bet bitte danke gern gerne merci por favor gracias
  löschen lösche entfernen weg damit supprime supprimer supprimez efface effacer vas-y vas y bórrala bórralo borra bórrar elimínala elimínalo
  elimina eliminala eliminalo cancellala cancellalo pode apagar apaga excluir verwijder verwijderen maar hoor doe het i que certo claro
  grazie per favore obrigado obrigada bien sûr vous plaît s'il te dank je d'accord do it's thats of tu puoi`);
/** A yes never contains these. */
export const DOUBT = set(`
  no not nope nah never cancel stop wait hold but however actually instead except unless if maybe perhaps later yet until after before rather
  different other another else hmm hm um uh oops mistake wrong false incorrect keep leave dont-forget only second minute think unsure why what
  which who how when negative nay halt abort undo neither nor although though hesitant emoji-no mind doubt reconsider changed first`);

export const NO = set(
  'undo annulla annuler annule annulez abbrechen stopp cancela cancelar annuleer deixa no nope nah nay never negative negatory cancel stop halt abort not n emoji-no noo nooo nop naw nein non não nao nee niet terminate',
);
export const NO_PHRASES = phrases(`
  never mind, do not, forget it, forget that, forget about it, leave it, leave that, keep it, keep that, keep the task, hold on, hold off, wait,
  i changed my mind, changed my mind, on second thought, rather not, i would rather not, i will pass, scratch that, drop it, call it off,
  please stop, please cancel, cancel that, cancel it, can you cancel, you can cancel, hell no, hell nah, no way, not now, i do not, i did not,
  my bad, my mistake, that was a mistake, it was a mistake, certainly not, definitely not, absolutely not, of course not, forget what i told you, forget what i said,
  forget my last request, forget my previous command, i say no, i must say no, i meant no, i am saying no, i think not, the answer is no,
  my answer is no, you can actually stop, i want you to stop, let us keep, let us leave, let us not, please keep it, i will keep it,
  i want to keep it, i would keep it, i still need, i need it, i need that, maybe later, perhaps later, maybe another time, later, another time, some other time, next time,
  lieber nicht, besser nicht, surtout pas, pas maintenant, mejor no, meglio di no, melhor não, liever niet, laat maar`);
/** Allowed before a no. */
export const POLITE = set(
  'please well oh so ok hey um uh hmm hm er sorry actually thanks thank you very much but and really just then',
);
/** Deny the question wherever they occur. */
export const DENIALS = set(
  'false wrong incorrect untrue disagree negative nope nah no not never cancel stop halt abort keep stay stays nicht pas nein non nee niet não',
);
/** Words of a no that names nothing else. */
export const OF_NO = set(`
  undo no nope nah nay never not mind do stop cancel halt abort negative forget it that this thanks thank you please i want need would rather leave
  keep wait hold on off way now yet at all really absolutely certainly definitely of course the task request action last previous command what
  told to can actually sorry immediately process current mission present doing so is right wrong false correct true drop scratch call changed my
  nein non não nee danke gracias merci obrigado am a mistake saying say must answer was just for and hell terminate your asked said meant pass will think`);
/** "Cancel the task" means the delete while one is pending. */
export const CANCEL_IT = set(`
  please can could you cancel stop abort halt forget the that this it last task request action deletion delete operation command process
  current present now do not complete i gave just want to your actually sorry kindly thanks thank`);

export const UNDECIDED = phrases(`
  not sure, not actually sure, not really sure, not too sure, unsure, maybe, perhaps, possibly, i do not know, do not know, not know, no idea,
  no clue, could be, might be, might go, either, can not say, could not say, not able to say, can not tell, could not tell, who knows, hard to say,
  hard to tell, it depends, depends, i guess, drawing a blank, foggiest, not certain, uncertain, undecided, have to think, need to think,
  let me think, beats me, unaware, no knowledge, can not answer, how to answer, on the fence, torn, both would, or both, not decide, whatever`);
/** Words of an answer that names neither a thing nor an action. */
export const OF_ANSWERS = set(`
  i am we it is was be the a an to that this those of for which one or and answer question either both them say saying certain certainly sure
  really honest honestly actually pretty um uh hmm hm well oh because could would might may can not no do did know idea about anything afraid
  going way go my me you guess think so now right yet at all have any just ok maybe perhaps possibly on how tell unsure uncertain undecided
  sorry will what who knows drawing blank foggiest beats torn fence clue depends hard decide decided too moment thing able unaware aware
  knowledge neither let see need time more still whatever work works fine other`);

/** Friendly, but not a clear yes: the person is asked again while a delete is pending. */
export const ASSENTS = phrases(`
  sounds ok, sounds like a plan, looks fine, fair enough, up to you, as you like, as you wish, if you want, if you like, good idea, why not`);

export type Answer = 'yes' | 'no' | 'mixed';

const SURE_YES = new Set(['yes', 'yeah', 'yep', 'yup']);
const LONGEST_YES = 14;
/** One delete is pending; "delete them all" requests something else. */
const DELETES = new Set(['delete', 'remove', 'erase']);
const MANY = new Set(['all', 'everything', 'them', 'both', 'every']);
const LONGEST_DENIAL = 14;
const LONGEST_UNDECIDED = 14;

export interface AnswerInput {
  message: Message;
  /** The description of the pending task; the answer may contain its words. */
  about?: string;
}

/** Reads the message as an answer to "shall I delete it?". Strict: only a clear yes is a yes. */
export function readAnswer({ message, about }: AnswerInput): Answer | undefined {
  const tokens = withoutReason(tokensOf(message));
  const words = tokens.map(({ word }) => word).filter((word, i, all) => !isOfWanted(word, all, i));
  if (words.length === 0) return undefined;
  const asks = isAsking(message);
  if (startsWithNo(words) && !asks) return noOf(words);
  if (about !== undefined && !asks && isShortYes(message.clean, words)) return 'yes';
  if (!startsWithYes(words)) return undefined;
  if (asks || isInDoubt(tokens, words)) return 'mixed';
  return isPlainYes(tokens, about) ? 'yes' : undefined;
}

function isAsking({ clean, quoted, sentences }: Message): boolean {
  return quoted || (!/\bwhy not\?$/i.test(clean.trim()) && sentences.some(({ question }) => question));
}

/** Both were said, and the no last. */
export function endsWithNo(message: Message): boolean {
  const tokens = tokensOf(message);
  const said = tokens.filter(({ word }) => NO.has(word) || SURE_YES.has(word));
  const isBoth = tokens.some(({ word }) => word === 'and' || word === 'but');
  return !isBoth && said.length > 1 && NO.has(said.at(-1)!.word);
}

/** "No, yes": neither. */
function noOf(words: readonly string[]): Answer {
  return words.some((word) => SURE_YES.has(word)) ? 'mixed' : 'no';
}

function isInDoubt(tokens: readonly Token[], words: readonly string[]): boolean {
  return words.some((word) => DOUBT.has(word)) || tokens.some(({ quoted }) => quoted);
}

/** "Delete", "100%": only after the question. */
function isShortYes(clean: string, [word = '', another]: readonly string[]): boolean {
  return (another === undefined && DELETES.has(word)) || /^\s*100 ?%[\s.!]*$/.test(clean);
}

const NEED = new Set(['need', 'want']);
const ANY_MORE = new Set('it that this one any anymore more longer now'.split(' '));
/** "Sure, why not", "yes, I don't need it any more": a reason to delete. */
function withoutReason(tokens: readonly Token[]): readonly Token[] {
  const [why, not] = tokens.slice(-2);
  if (tokens.length > 2 && why!.word === 'why' && not!.word === 'not') return tokens.slice(0, -2);
  const at = tokens.findIndex(({ word }, i) => i > 0 && word === 'i' && NEED.has(tokens[i + 3]?.word ?? ''));
  const isDenied = at > 0 && tokens[at + 1]!.word === 'do' && tokens[at + 2]!.word === 'not';
  return isDenied && tokens.slice(at + 4).every(({ word }) => ANY_MORE.has(word))
    ? tokens.slice(0, at)
    : tokens;
}

/** "What i want" is no question. */
function isOfWanted(word: string, words: readonly string[], at: number): boolean {
  return word === 'what' && words[at + 1] === 'i' && /^(?:want|wanted|asked|said)$/.test(words[at + 2] ?? '');
}

function tokensOf({ sentences }: Message): Token[] {
  return sentences.flatMap(({ tokens }) => tokens);
}

function startsWithYes(words: readonly string[]): boolean {
  const first = words[0] === 'please' ? (words[1] ?? 'yes') : words[0]!;
  return YES.has(first) || HALF_YES.has(first) || startsWith(words, YES_PHRASES);
}

/** A yes may contain words of the pending task, but not of another task. */
function isPlainYes(tokens: readonly Token[], about: string | undefined): boolean {
  if (tokens.length > LONGEST_YES) return false;
  const title = new Set((about ?? '').toLowerCase().split(/[^\p{L}\p{M}\p{N}']+/u));
  if (tokens.some(({ word }) => DELETES.has(word)) && tokens.some(({ word }) => MANY.has(word))) return false;
  if (HALF_YES.has(tokens[0]!.word))
    return tokens.every(({ word }) => HALF_YES.has(word) || OF_HALF_YES.has(word) || title.has(word));
  return tokens.every(
    ({ word }) => YES.has(word) || HARMLESS.has(word) || title.has(word) || word === 'what',
  );
}

function startsWith(words: readonly string[], list: readonly string[][]): boolean {
  return list.some((phrase) => phrase.every((word, i) => words[i] === word));
}

function startsWithNo(words: readonly string[]): boolean {
  let at = 0;
  while (at < words.length - 1 && POLITE.has(words[at]!) && !startsWith(words.slice(at, at + 8), NO_PHRASES))
    at++;
  return NO.has(words[at]!) || startsWith(words.slice(at, at + 8), NO_PHRASES);
}

/** Denies the question without starting with a no: "that is wrong". Only used while a question is open. */
export function isDenial(message: Message): boolean {
  const words = tokensOf(message).map(({ word }) => word);
  return words.length <= LONGEST_DENIAL && words.some((word) => DENIALS.has(word));
}

/** A no and nothing else. */
export function isPlainNo(message: Message): boolean {
  return message.sentences.every(
    ({ tokens, question }) => !question && tokens.every(({ word }) => OF_NO.has(word)),
  );
}

/** "You can cancel the task": cancels the pending delete. */
export function cancelsPending(message: Message): boolean {
  const words = tokensOf(message).map(({ word }) => word);
  return (
    words.some((word) => NO.has(word) || word === 'forget') && words.every((word) => CANCEL_IT.has(word))
  );
}

/** "Not sure", "it could go either way": neither yes nor no. */
export function isUndecided(message: Message): boolean {
  const words = tokensOf(message).map(({ word }) => word);
  if (words.length > LONGEST_UNDECIDED || !words.every((word) => OF_ANSWERS.has(word))) return false;
  return words.some((_, i) => startsWith(words.slice(i, i + 6), UNDECIDED));
}

const LONGEST_ASSENT = 6;
/** "Sounds good", or a yes followed by more ("yes and also call mom"): not a clear yes, so the person is asked. */
export function isHalfYes(message: Message): boolean {
  if (startsWithSureYes(message)) return true;
  const words = tokensOf(message).map(({ word }) => word);
  return words.length <= LONGEST_ASSENT && startsWith(words, ASSENTS);
}

/** "Ok", "fine": also said to end a conversation. */
export function isWeakYes(message: Message): boolean {
  const words = tokensOf(message).map(({ word }) => word);
  return (
    words.length <= 2 &&
    words[0] !== 'sure' &&
    words.every((word) => HALF_YES.has(word) || word === 'then' || word === 'thanks')
  );
}

export function startsWithSureYes(message: Message): boolean {
  return SURE_YES.has(tokensOf(message)[0]?.word ?? '');
}
