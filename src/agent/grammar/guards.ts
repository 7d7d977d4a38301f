import type { Token } from '../normalise.ts';
import { matchStart, type Span } from '../phrase.ts';
import { phrases } from '../words/groups.ts';

const set = (text: string) => new Set(text.split(/\s+/));

/** Never inside the name of a thing: where one of these stands, a gap has swallowed a clause. */
const NOT_IN_NOUN_PHRASE = set(
  `i you he she we they said says say told tells think thinks thought know knows knew if because since though although what who whom whose
   why how is are was were am do does did will would could should can may might must shall has had said asked asks wants
   believe guess wonder wish hope suppose unless while whether claims heard me`,
);
export function isNounPhrase(tokens: readonly Token[], span: Span | undefined): boolean {
  if (!span || span[1] <= span[0]) return false;
  return tokens.slice(...span).every(({ word, quoted }) => quoted || !NOT_IN_NOUN_PHRASE.has(word));
}

/** Looser than a noun phrase: what follows a verb may be a deed with words of its own ("tell mum I am late"). */
const NOT_IN_TITLE = set('if because what who why how said says told think whether which did does');
export function isTitle(tokens: readonly Token[], span: Span | undefined): boolean {
  if (!span || span[1] <= span[0]) return false;
  return tokens.slice(...span).every(({ word, quoted }) => quoted || !NOT_IN_TITLE.has(word));
}

/** Asks how, why or whether something is done, supposes something, or tells what somebody said: no order, whatever follows. */
const NOT_AN_ORDER = phrases(`
  how to|do|does|did|can|could|would|should|come|is|are|was|about|long|often|far|old|big|tall|fast|hard|exactly|else|might|will
  why
  what if|happens|happened|would|will|could|might
  what is the best|easiest|fastest|right|proper|way|difference|point|use
  if i|we|you|he|she|they|the|my|it|this|that|there|someone|somebody
  suppose|supposing|imagine|pretend|assume|assuming|hypothetically|theoretically
  should i|we
  shall i|we
  would it be ok|bad|wrong|wise|better|good|smart|safe|rude|weird|fine
  is it ok|bad|wrong|wise|better|good|smart|safe|rude|weird|fine|legal|normal|true|worth
  was it|that|i|he|she
  were you|they
  do|did|have|has|had you
  have|had i
  did he|she|they|we|it|the|my|someone|anyone
  does|did anyone|anybody|someone|it|he|she|that|this
  i wonder|wondered|wish|hope|hoped|guess|remember|forgot|tried|was|used|heard|read|saw|think|thought|believe|feel|felt|hate|love|like|enjoy
  i just? deleted|removed|added|created|changed|cancelled|canceled|erased|renamed|updated
  i have just|already? deleted|removed|added|created|changed|cancelled|canceled|erased|renamed|updated
  you just? deleted|removed|added|created|changed|cancelled|canceled|erased|renamed|updated|forgot|did|were|are|have|said|told
  he|she|they|it|someone|somebody|everyone|everybody|nobody|people|who|whoever
  my|the|our boss|wife|husband|mom|mum|dad|mother|father|friend|manager|teacher|brother|sister|partner|colleague|girlfriend|boyfriend|roommate|doctor|son|daughter|kid|kids|coworker|neighbor|neighbour said|says|told|tells|asked|asks|wants|wanted|keeps|thinks|deleted|added|is|was|will|might
  translate|define|explain|describe|spell|pronounce|summarize|summarise|paraphrase|compose|rewrite|proofread
  write me? a|an|some|about
  teach|recommend|suggest|advise
  imagine|guess
  in|with|using python|java|javascript|sql|git|excel|word|photoshop|linux|windows|vim|docker|bash|react|css|html|php|ruby|rust|kotlin|swift|typescript|powershell|notion|jira|trello|outlook|gmail|google|todoist|asana|slack
  once upon
`);
export function isNoOrder(tokens: readonly Token[], span: Span): boolean {
  return NOT_AN_ORDER.some((item) => matchStart(item, tokens, span) !== undefined);
}

/** An order to forget the rules, whoever wrote it. Nothing in such a message is carried out. */
const TAKEOVER = [
  set('ignore disregard forget override bypass discard drop skip overrule neglect cancel delete'),
  set('previous prior above earlier all your any the these preceding former existing original every'),
  set(
    'instructions instruction rules rule prompt prompts guidelines guideline constraints policy policies programming directives restrictions safeguards orders context',
  ),
] as const;
const TAKEOVER_PHRASES = phrases(
  `
  system prompt
  developer|debug|god|admin|dan|jailbreak|sudo|maintenance|root|override mode
  you are now
  act|behave as an? ?
  pretend to be
  pretend you are
  new instructions
  updated instructions
  end of prompt
  system override
  system message
  as the|an? system? administrator|admin|developer
  i am the|an|your system? administrator|admin|developer|creator
  without asking|confirmation|confirming
  do not ask for? confirmation|me
  no confirmation
  skip the? confirmation
  on behalf of
  prompt injection
`.replace('  act|behave as an? ?\n', '  act|behave as if\n  act as an?\n'),
);
const ROLES = set('system assistant developer admin user');

export function isTakeover(tokens: readonly Token[]): boolean {
  if (tokens.length > 1 && ROLES.has(tokens[0]!.word) && tokens[1]!.word === ':') return true;
  return tokens.some(
    (_, i) =>
      overrules(tokens, i) ||
      TAKEOVER_PHRASES.some((item) => matchStart(item, tokens, [i, tokens.length]) !== undefined),
  );
}

function overrules(tokens: readonly Token[], at: number): boolean {
  if (!TAKEOVER[0].has(tokens[at]!.word)) return false;
  let all = false;
  for (let i = at + 1; i < tokens.length && i < at + 8; i++) {
    all ||= TAKEOVER[1].has(tokens[i]!.word);
    if (all && TAKEOVER[2].has(tokens[i]!.word)) return true;
  }
  return false;
}
