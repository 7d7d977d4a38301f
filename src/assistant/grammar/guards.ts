import type { Token, Message } from '../language/token.ts';
import { matchStart, type Phrase, type Span } from '../language/phrase.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { FOREIGN } from '../language/words/foreign.ts';
import { phrases } from '../language/groups.ts';

export const NOT_AN_ORDER = phrases(`
  how to|do|does|did|can|could|would|should|come|is|are|was|about|long|often|far|old|big|tall|fast|hard|exactly|else|might|will, why
  what if|happens|happened|would|will|could|might, what is the best|easiest|fastest|right|proper|way|difference|point|use
  if i|we|you|he|she|they|the|my|it|this|that|there|someone|somebody
  suppose|supposing|imagine|pretend|assume|assuming|hypothetically|theoretically, should|shall i|we
  would it be ok|bad|wrong|wise|better|good|smart|safe|rude|weird|fine
  is it ok|bad|wrong|wise|better|good|smart|safe|rude|weird|fine|legal|normal|true|worth, was it|that|i|he|she, were you|they
  do|did|have|has|had you, have|had i, did he|she|they|we|it|the|my|someone|anyone, does|did anyone|anybody|someone|it|he|she|that|this
  i wish i|we|you|it|there|he|she|they|that
  i wonder|wondered|hope|hoped|guess|remember|forgot|tried|was|used|heard|read|saw|think|thought|believe|feel|felt|hate|love|like|enjoy
  i just? deleted|removed|added|created|changed|cancelled|canceled|erased|renamed|updated
  i have just|already? deleted|removed|added|created|changed|cancelled|canceled|erased|renamed|updated
  you just? deleted|removed|added|created|changed|cancelled|canceled|erased|renamed|updated|forgot|did|were|are|have|said|told|remind|made|keep|always|never
  he|she|they|someone|somebody|everyone|everybody|nobody|people|who|whoever
  it is|was a|an|so|such|very|too|hard|easy|not|impossible|difficult
  my|the|our boss|wife|husband|mom|mum|dad|mother|father|friend|manager|teacher|brother|sister|partner|colleague|girlfriend|boyfriend|roommate|doctor|son|daughter|kid|kids|coworker|neighbor|neighbour said|says|told|tells|asked|asks|wants|wanted|keeps|thinks|deleted|added|is|was|will|might
  translate|define|explain|describe|spell|pronounce|paraphrase|compose|proofread, write me? a|an|some|about
  teach|recommend|suggest|advise
  in|with|using python|java|javascript|sql|git|excel|word|photoshop|linux|windows|vim|docker|bash|react|css|html|php|ruby|rust|kotlin|swift|typescript|powershell|notion|jira|trello|outlook|gmail|google|todoist|asana|slack
  once upon
`);

/** Requests to a seller or a waiter. */
export const WANTS = phrases(`
  i|we will|would|just|also|like|love|want|to* have|take|order|purchase|get|like|want a|an|one|two|three|four|2|3|4|another
  can|could|may i|we please|just|also* get|have|order a|an|one|two|three|four|2|3|4|another
  can|could you please? give|get|bring me a|an|one|two|three|four|2|3|4|another, give|get me a|an|one|two|three|four
  one|two|three|a large|small|medium|single|double|triple
`);

export const INJECTIONS = phrases(`
  system prompt|override|message, developer|debug|god|admin|dan|jailbreak|sudo|maintenance|root|override mode, you are now
  act|behave as if, act as a|an|the|root|admin|dan, pretend to be, pretend that? you are, new|updated instructions, end of prompt
  as the|an? system? administrator|admin|developer, i am the|an|your system? administrator|admin|developer|creator
  without asking|confirmation|confirming, do not ask for? confirmation|me, no confirmation, skip the? confirmation, prompt injection
`);

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

/** Looser than a noun phrase: what follows a verb may be a whole action ("tell mum I am late"). */
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

/** Asks how, why or whether something is done, supposes something, or tells what somebody said: no command, whatever follows. */
export function isNotOrder(tokens: readonly Token[], span: Span): boolean {
  return begins(NOT_AN_ORDER, tokens, span);
}

const OPENERS = set('today so hi hello ok yes and please');
/** A purchase or an order of food: what is added to it is not for the list. */
export function isPurchaseRequest(tokens: readonly Token[], [start, to]: Span): boolean {
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

/** An attempt to override the rules. Nothing in such a message is executed. */
export function isPromptInjection(tokens: readonly Token[]): boolean {
  if (tokens.length > 1 && ROLES.has(tokens[0]!.word) && tokens[1]!.word === ':') return true;
  return tokens.some((_, i) => overrules(tokens, i) || begins(INJECTIONS, tokens, [i, tokens.length]));
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
   news joke time date song music enough fair my your in on at from by got live lives`,
);
/** Commands, unless they are two or three words that could be a title. */
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
  if (rest.length > 1 && VERBS.has(rest[0]!.word) && !isAction(rest)) return false;
  return rest.every(
    (token, i) => isNoun(token) || (i === 0 && rest.length > 1 && ACTION_VERBS.has(token.word)),
  );
}

function isNoun({ word }: Token): boolean {
  return /^\p{L}[\p{L}\p{M}\p{N}'&.-]*$/u.test(word) && !MORE.has(word);
}

/** "call mom", "book dentist": could be the title of a task. "call mom on speaker" could not. */
function isAction(tokens: readonly Token[]): boolean {
  return (
    ACTION_VERBS.has(tokens[0]!.word) &&
    tokens.length <= 3 &&
    !tokens.some(({ word }) => FOREIGN.has(word) || word === 'off')
  );
}
