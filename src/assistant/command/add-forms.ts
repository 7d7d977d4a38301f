import type { MessageClause, UserIntent } from '../../contract/chat.ts';
import { toClause, readClause } from '../grammar/grammar.ts';
import { normalise } from '../language/normalise.ts';
import type { Message } from '../language/token.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { ambiguous } from '../read/user-intent.ts';
import { commandForms, firstForm } from './polite.ts';

const NAMES = {
  put: 'add|adding|put|putting|stick|pop|throw|write|note|jot|include|enter|save|place|append|insert|get|keep|log|chuck|slap|toss|record|track|have|want|need',
  down: '(?: down)?',
  on: "(?:to|on|onto|in|into) (?:(?:my|the|our|this|that|today'?s|tomorrow'?s|tonight'?s|this week'?s) (?:(?:to-?do|to do|task|shopping|grocery|chores?) )*(?:lists?|to-?dos?|tasks)|(?:the )?list|there|tasks|to-?dos)",
  list: '(?:my|the|our) (?:(?:to-?do|to do|task|shopping|grocery|chores?) )*list',
  make: 'add|adding|create|creating|make|making|new|set|set up|put|open|start|log|record|enter|register|insert|give me|gimme|get me|i have|i got|i need|i want|have|another|next|one more|write',
  kind: '(?:(?:me|in|up|down|an?|another|one|the|my|new|quick|following|more|next|extra|small|little) )*',
  noun: 'task|to-?do|to do|reminder|item|entry|thing|chore|to-?do list item',
  called:
    ' (?:called|named|titled|labell?ed|saying|(?:that|which) (?:says|reads)|with the (?:name|title|text)) ?:?| ?[:=]| [-–]| -+',
  this: '(?:this|these|that|the|following|one|ones|more|another|an?|new|next|just|things?|something|it|please|pls|for|me|as|well|also|too)(?: (?:this|these|that|following|ones?|more|another|new|next|things?|please|pls|for|me|as|well|also|too))*',
  be: '(?:should|must|needs? to|has to|have to|ought to|can) (?:be|go)(?: added| put)?|goes|belongs',
};

/** Everything in <x> is the text of a new task, whatever it is about: the form names the list, a task or a reminder. */
const NAMED = commandForms(
  `
  i(?:['’]?ll)? (?:want|need|would like) (?!(?:to|you|u|add|put|an?|my) )<x> @on
  i(?: would|['’]?d) like <x> (?:added|put @on)
  (?:@put|@make) <x> as an? (?:new |open )?(?:@noun)(?: @on)?
  [-*•]? ?(?:\\[ ?\\]|☐|□) ?<x>
  (?:i )?(?:gotta|must|should|(?:have|need|got) to) remember ?: ?<x>
  @make @kind(?:@noun)(?: for me)?(?:@called) <x>
  (?:to-?do|to do|task|reminder|note to self)(?:@called) ?<x>
  (?:@put)@down @on ?[:,–-]+ <x>
  (?:@put) (?:@this) @on ?[:,–-]+ <x>
  (?:add|put|save|log|note|write|enter)(?:@down)(?: @this)? ?[:–-]+ <x>
  (?:new|one more|another one|next one) ?[:–-]+ <x>
  (?:(?:one more|another|next|last|a new|new|one) )?(?:thing|item|one|entry|task|to-?do(?: item)?)(?: (?:for|on|to) (?:my|the|our) (?:to-?do |task )?list)? ?[:,–-]+ <x>
  (?:next )?(?:for|on) (?:my|the|our) (?:to-?do |task )?list ?[:,–-]+ <x>
  (?:list|@list) ?[:–-]+ (?:please )?(?:add )?<x>
  @list (?:should have|should include|needs|must have|still needs) <x>
  (?:make|be) sure (?:that )?<x> (?:is|are|gets?|goes) (?:put |added )?@on
  <x> ?[,;:–—-]+ (?:please )?(?:add|put|note|write|save|log)(?: (?:it|this|that|them)@down(?: @on)?| to (?:my |the )?list)
  <x> (?:@be) @on
  (?:also|plus) <x> @on
  (?:@put)@down <x>@down @on
  (?:save|keep) <x> for later
  (?:write|note|jot) <x> down
  put <x> down for me
  (?:jot|note|write|put|mark|take) down <x>
  (?:@make) @kind(?:reminder|task|to-?do) (?:for|about|of|to(?! the )) <x>
  (?:add|create|new) @kind(?:task|to-?do|item) <x>
  to-?do <x>
  insert (?!(?:into|in|a|an|the|your|it)\\b)<x>
  \\+ <x>
  remind me (?:about|of|to)(?: do)?(?: this| the following)? ?: ?<x>
  remind me (?:about|of|to) <x>
  (?:do not|don'?t)(?: let me| you)? forget (?:about |to )?<x>
  füge? (?:noch )?<x> (?:(?:zu|zur|auf|der|meiner|meine|die|todo|to-do) ?)*(?:-?liste |aufgabenliste )?hinzu
  (?:setze?|schreibe?|packe?) <x> auf (?:die|meine) (?:to-?do-?|aufgaben|einkaufs)?liste
  (?:neue aufgabe|nouvelle tâche|nueva tarea|nuova attività|nova tarefa|nieuwe taak) ?[:-] ?<x>
  <x> (?:hinzufügen|toevoegen)
  (?:je (?:veux|voudrais)|j'aimerais|quiero|vorrei|voglio|quero) (?:ajouter|añadir|agregar|aggiungere|adicionar) <x>
  erinnere? mich (?:daran,? |an )<x>
  (?:ajoute[rz]?|mets|mettre) <x> (?:à|sur|dans) (?:ma|la) liste
  (?:añad[ei]r?|agregar?|pon|apunta|anota) <x> (?:a|en) (?:la|mi) lista
  (?:aggiung(?:i|ere)|metti|segna) <x> (?:alla|nella|sulla) (?:mia )?lista
  (?:adicion(?:e|ar?)|acrescent[ae]|põe|coloc(?:a|que)) <x> (?:à|na|a) (?:minha )?lista
  (?:ajoute[rz]?|añad[ei]r?|agregar?|apunta|anota|aggiung(?:i|ere)|adicion(?:e|ar?)|acrescent[ae]) <x>
  (?:rappelle[rz]?-moi d[e'] ?|recuérdame |ricordami di |lembr[ae]-me de |herinner m(?:ij|e) (?:er ?aan )?(?:om |aan ))<x>
  voeg <x> toe(?: (?:aan|op) (?:mijn|de) (?:taken)?lijst)?
  zet <x> op (?:mijn|de) (?:taken|boodschappen)?lijst
`,
  NAMES,
);
/** Verbs that are also said of other things: not of what they point at. */
const PLAIN = commandForms(
  `
  (?:track|schedule|save|include|i (?:gotta|must|have to|need to|should) remember|remember)(?: to)? <x>
  (?:(?:i )?(?:need|have|ought) to|i (?:gotta|should|must|better)) add <x>
  adding <x>
  enter <x>
`,
  NAMES,
);

/** Refers to an earlier message, or to several things. */
const POINTS =
  /^(?:(?:it|this|that|them|these|those|everything|something|anything|stuff|things?|one|some|all|of)(?:\s|$))+$/iu;
/** What the list is called names no task. */
const OWN_LIST =
  /^(?:(?:my|the|our|all|an?|new|to-?do|task|shopping)\s+)*(?:lists?|tasks?|todos?|to-dos?|items?|reminders?)(?:\s+(?:on|for|from|in)\s.*)?$/iu;
/** A row may be a title, but another command may follow a comma. */
const HAS_ORDER =
  /[,;] ?(?:(?:and|then|also|please|but) )*(?:add|put|remind|delete|remove|erase|cancel|complete|finish|mark|tick|check|cross|rename|change|update|edit|show)\b/iu;
/** These words lead to a text, or to another place. */
const LEADS =
  /^(?:to(?! (?:the|an?|my|our) )|for|of|about|on|in|from|that|who|your|what|how|you|is|are|was)\s/iu;
const NO_TITLES = [POINTS, OWN_LIST, /^(?:rid of|if|whether|to see|everything)\s/iu];
/** "Remember when …", "track my order", "save me": talk, or for other programs. */
const ELSEWHERE =
  /^(?:me|us|my|your|our|his|her|their|this|that|these|those|it|them|him|(?:when|how|what|where|who|which)(?! to\b)|why|if|whether|i|you|we|he|she|they|there|is|changes?|time|money|space|now|again|as|in|on|at|to|for|from|with|all|everything|an? (?:meeting|call|event|demo|tour|ride|pickup|flight|table|room|copy|lot))\b/iu;
const TELLS =
  /^(?:i|we|you|there|no|out|running|did|do(?= (?:i|we|you|they) )|does|is|are|who|(?:what|how|when|where)(?! to))(?=[\s'])/iu;
const LONGEST = 1200;

/** A command to add that can mean nothing else, because it names the list or the task. */
export function readAddForm({ clean }: Pick<Message, 'clean'>, isAsked = false): MessageClause | undefined {
  const text = clean.trim().replace(/\s+/g, ' ');
  if (text.length > LONGEST) return undefined;
  const groups = firstForm(NAMED, text);
  const title = groups?.['x'] ?? '';
  if (!groups || isOther(text, title, isAsked || groups['request'] !== undefined)) return undefined;
  return added(text, title, 'puts something on the list');
}

/** The words lead elsewhere, ask something, or name several things. */
function isOther(text: string, title: string, asks: boolean): boolean {
  if (NO_TITLES.some((form) => form.test(title)) || (text.endsWith('?') && !asks)) return true;
  if (text.startsWith(title)) return TELLS.test(title);
  if (CALLED.test(text.slice(0, text.indexOf(title)))) return false;
  const isLast = text.replace(/(?<![\s.!?])[\s.!?]+$/u, '').endsWith(title);
  return HAS_ORDER.test(title) || (isLast && LEADS.test(title));
}

const CALLED = /(?:called|named|titled|saying|says|reads|[:=–-]) ?["']?$/iu;

/** "Adding salt makes it salty" tells something. */
const SAYS_MORE =
  /^(?:up|the (?:site|building|house|room|competition|contest|market|code|password|pin)\b|password|pin\b)|\s(?:is|are|was|were|will|would|can|could|should|makes?|made|helps?|takes?|gives?|keeps?|seems?|sounds?|works?)\s/iu;
const NOT_KEPT = [ELSEWHERE, HAS_ORDER, OWN_LIST];
/** "Track X", "save X": a title that points nowhere. */
export function readPlainAdd({ clean }: Message): MessageClause | undefined {
  const text = clean.trim().replace(/\s+/g, ' ');
  const title = text.length > LONGEST || text.endsWith('?') ? undefined : firstForm(PLAIN, text)?.['x'];
  if (title === undefined || NOT_KEPT.some((form) => form.test(title))) return undefined;
  if (/\b(?:adding|enter) /i.test(text) && SAYS_MORE.test(title)) return undefined;
  if (!/^an? /i.test(title)) return added(text, title, 'keeps something');
  const reasons = ['keeps something, here or in another program'];
  return {
    text,
    user_intent: ambiguous(['CREATE_TASK']),
    reference: { kind: 'title', text: title },
    reasons,
  };
}

function added(said: string, title: string, reason: string): MessageClause {
  const description = (/^(["'`])([^"`]*)\1$/.exec(title)?.[2] ?? title).trim();
  return {
    text: said,
    user_intent: { intent_type: 'CREATE_TASK', confidence: 1, extracted_params: { description } },
    reasons: [reason],
  };
}

const ABBREVIATION =
  /(?<![\p{L}.])(?:(?:\p{L}\.)+\p{L}|jr|sr|ch|vol|fig|ave|blvd|apt|dept|ltd|inc|tel|ext)\.(?=\s)/giu;

/** "Add R.S.V.P. to Kim" is one sentence. */
export function readAbbreviated({ clean, sentences }: Message): MessageClause | undefined {
  if (sentences.length < 2) return undefined;
  const undotted = normalise(clean.replace(ABBREVIATION, (found) => `${found.slice(0, -1)} `));
  return undotted.sentences.length === 1 && undotted.clean.length === clean.length
    ? readAddition({ ...undotted, clean })
    : undefined;
}

/** "Add milk", but not "add wash and …", where the title may continue. */
export function readAddition({ clean, sentences: [sentence, another] }: Message): MessageClause | undefined {
  if (!sentence || another) return undefined;
  const clause = toClause(clean, sentence, [0, sentence.tokens.length]);
  const reading = readClause(clause);
  if (!reading?.command || reading.descriptions?.length !== 1) return undefined;
  const { tokens, core } = clause;
  const [verb, first] = [tokens[core[0]]!, tokens[core[0] + 1]!];
  const isDeedAlone = ACTION_VERBS.has(first.word) && !first.quoted && core[1] - core[0] === 2;
  if (verb.word !== 'add' || isDeedAlone) return undefined;
  return added(clean.trim(), reading.descriptions[0]!, reading.rule);
}

/** One thing to add, however it is said. */
export function readAdded(said: string): MessageClause[] | undefined {
  const part = normalise(said);
  const clause = readAddForm(part) ?? readAddition(part);
  return clause && [clause];
}

const QUOTED = /^"[^"]+"(?:(?:,? and|,|,? &) "[^"]+")+$/iu;
const JOINT = / ?[,;] ?(?:and |then |and then )?| and (?:then )?/iu;
/** A row of things to do, with a comma between them: each has a verb and an object of its own. */
export function splitRow(clause: MessageClause): MessageClause[] {
  const { user_intent } = clause;
  const row =
    user_intent.intent_type === 'CREATE_TASK' ? (user_intent.extracted_params.description ?? '') : '';
  if (QUOTED.test(row)) return partsOf(clause, row.match(/(?<=")[^"]+(?="(?:$|[ ,]))/g)!);
  if (!/[,;]/.test(row) || row.length > LONGEST || /["“”]/.test(clause.text)) return [clause];
  const parts = row.split(JOINT).filter(Boolean);
  const isRow = parts.length > 1 && parts.every((part) => part.includes(' ') && isDeed(part));
  return isRow ? partsOf(clause, parts) : [clause];
}

function partsOf(clause: MessageClause, parts: readonly string[]): MessageClause[] {
  return parts.map((description) => ({
    ...clause,
    user_intent: { ...clause.user_intent, extracted_params: { description } } as UserIntent,
  }));
}

export const isDeed = (text: string) => ACTION_VERBS.has(text.split(' ', 1)[0]!.toLowerCase());
