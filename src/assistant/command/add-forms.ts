import type { MessageClause } from '../../contract/chat.ts';
import { toClause, readClause } from '../grammar/grammar.ts';
import { titleText } from '../grammar/intents/new-task.ts';
import type { Clause } from '../grammar/reading.ts';
import { phrases } from '../language/groups.ts';
import { normalise } from '../language/normalise.ts';
import { matchAll, type Phrase, type Span } from '../language/phrase.ts';
import type { Message, Sentence } from '../language/token.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';

const NEW =
  'add|create|make|new|put|set|record|log|enter|save|register|insert|open|start|next|another|have|has|got';
const KIND = 'i|we|up|down|me|a|an|the|another|one|more|new|quick|small|little|following';
const NOUN = 'task|thing|todo|to-do|item|reminder|entry|to-do-list-item';
const SAID = 'called|named|titled|saying|labelled|labeled';
const OWN = 'my|the|our|this';
const LIST = 'list|lists|tasks|todos|to-do-list|todo-list|to-dos';
const OF_LIST = 'to-do|todo|to|do|task|shopping|grocery|chores|chore';

/** Everything in {x} is the text of a new task. */
const FORMS = phrases(`
  {x} goes|belongs on|onto ${OWN} ${OF_LIST}* ${LIST}
  {x} should|must|can|needs|has to? go|be on|onto ${OWN} ${OF_LIST}* ${LIST}
  + {x}
  i|we want|need {x} on ${OWN} ${OF_LIST}* ${LIST}
  put|stick|pop|throw {x} on there
  save|keep {x} for later
  write|note|jot {x} down
  add|put|log|save|record|enter|note {x} as a|an new? ${NOUN}
  add the? following|this|these :|- {x}
  dont-forget about|to? {x}
  remind me|us about|of|to {x}
  set|make|create|add|give me|us? a|an? quick|new? reminder|todo|task for|about|of|to {x}
  ${NEW} ${KIND}* ${NOUN} :|- {x}
  i|we have|got a new ${NOUN} : {x}
  ${NEW} ${KIND}* ${NOUN} ${SAID} {x}
  add|create|new ${KIND}* ${NOUN} {x}
  todo|reminder|task|to-do :|- {x}
  todo {x}
  add|put|write|save|enter|include to|on|onto|in ${OWN} ${OF_LIST}* ${LIST} :|- {x}
  add to list|tasks|todos :|- {x}
  add|put|note|write|jot|stick|include|throw|save|enter|place|insert|pop|chuck|slap down? {x} to|on|onto|in|into ${OWN} ${OF_LIST}* ${LIST}
  put|jot|note|write down {x}
  füge {x} hinzu
  füge {x} zu|zur|auf|der|die|meiner|meine|to-do-liste|liste|todo-liste|aufgabenliste* hinzu
  setze|setz|schreib|schreibe|pack {x} auf die|meine liste|to-do-liste|todo-liste|aufgabenliste
  neue aufgabe :|- {x}
  erinnere|erinner mich daran|an , {x}
  erinnere|erinner mich an {x}
  ajoute|ajouter|ajoutez|mets|mettre {x} à|sur|dans ma|la liste
  ajoute|ajouter|ajoutez {x}
  nouvelle tâche :|- {x}
  rappelle-moi|rappelez-moi de|d' {x}
  añade|añadir|agrega|agregar|pon|apunta|anota {x} a|en la|mi lista
  añade|añadir|agrega|agregar|apunta|anota {x}
  nueva tarea :|- {x}
  recuérdame {x}
  aggiungi|aggiungere|metti|segna {x} alla|nella|sulla mia? lista
  aggiungi|aggiungere {x}
  nuova attività :|- {x}
  ricordami di {x}
  adicione|adiciona|adicionar|acrescenta|acrescente|põe|coloca|coloque {x} à|na|a minha? lista
  adicione|adiciona|adicionar|acrescenta|acrescente {x}
  nova tarefa :|- {x}
  lembra-me|lembre-me de {x}
  voeg {x} toe
  voeg {x} toe aan|op mijn|de lijst|takenlijst
  zet {x} op mijn|de lijst|takenlijst
  nieuwe taak :|- {x}
  herinner me|mij aan|eraan om? {x}
`);

/** After a comma or a dash. */
const AFTERWARDS = phrases(`
  {x} -|:? please? add|put it|this|that down? please?
  {x} -|:? please? add|put it|this|that down? to|on|onto ${OWN} ${OF_LIST}* ${LIST}
`);

/** Refers to an earlier message, or to several things. */
const POINTS =
  /^(?:(?:it|this|that|them|these|those|everything|something|anything|stuff|things?|one|some|all|of)(?:\s|$))+$|[,;]/iu;
/** What the list is called names no task. */
const OWN_LIST =
  /^(?:(?:my|the|our|all|a|new|to-?do|task|shopping)\s+)*(?:lists?|tasks?|todos?|to-dos?|items?|reminders?)(?:\s+(?:on|for|from|in)\s.*)?$/iu;
/** These words lead to a text, or to another place. */
const LEADS = /^(?:to(?! (?:the|an?|my|our) )|for|of|about|on|in|from|that|who|your|what|how|you)\s/iu;
const LONGEST = 1200;

/** A command to add that can mean nothing else, because it names the list or the task. */
export function readAddForm({ clean, sentences }: Message): MessageClause | undefined {
  const [sentence] = sentences;
  if (!sentence || clean.length > LONGEST) return undefined;
  const tokens = sentences.flatMap((one) => one.tokens);
  const clause = toClause(clean, { ...sentence, tokens }, [0, tokens.length]);
  if (!isOrder(clause, sentences)) return undefined;
  const span = afterwards(clause) ?? firstSpan(FORMS, clause);
  if (!span) return undefined;
  const text = titleText(clause, span).replace(/^([^()]*)\)$/u, '$1');
  return isLed(text, clause, span) || points(text, clause, span) || OWN_LIST.test(text)
    ? undefined
    : added(clean, text, 'puts something on the list');
}

/** A row of things is several tasks, unless it is said to be a name. */
function points(text: string, { tokens }: Clause, [from]: Span): boolean {
  return POINTS.test(text) && !(NAMED.has(tokens[from - 1]?.word ?? '') && text.includes(','));
}

/** "A task to buy milk": the text begins later, where the grammar finds it. */
function isLed(text: string, { tokens }: Clause, [from, to]: Span): boolean {
  return to === tokens.length && LEADS.test(text) && !SAYS.has(tokens[from - 1]?.word ?? '');
}

const NAMED = new Set(['called', 'named', 'titled']);
const SAYS = new Set([':', '-', 'saying', ...NAMED]);

function firstSpan(forms: readonly Phrase[], { tokens, core }: Clause): Span | undefined {
  for (const form of forms) {
    // A title may begin like a greeting and end like a courtesy.
    const end = form.source.endsWith('{x}') ? tokens.length : core[1];
    const start = form.source.startsWith('{x}') && !tokens[core[0]]!.afterComma ? 0 : core[0];
    const span = matchAll(form, tokens, [start, end])?.['x'];
    if (span) return span;
  }
  return undefined;
}

const TELLS = new Set(['i', 'we', 'you', 'there', 'no', 'out', 'running']);
/** "Light bulbs, add that please". */
function afterwards(clause: Clause): Span | undefined {
  const span = TELLS.has(clause.tokens[clause.core[0]]!.word) ? undefined : firstSpan(AFTERWARDS, clause);
  const next = span && clause.tokens[span[1]];
  return next && (next.afterComma || /[-:,–]/.test(clause.clean.slice(0, next.end).slice(-3)))
    ? span
    : undefined;
}

function isOrder({ moods }: Clause, sentences: readonly Sentence[]): boolean {
  const asks = sentences.some(({ question }) => question);
  return !moods.has('negated') && !moods.has('duty') && (!asks || moods.has('request'));
}

function added(clean: string, description: string, reason: string): MessageClause {
  return {
    text: clean.trim(),
    user_intent: { intent_type: 'CREATE_TASK', confidence: 1, extracted_params: { description } },
    reasons: [reason],
  };
}

const ABBREVIATION = /(?<![\p{L}.])(?:(?:\p{L}\.)+\p{L}|jr|sr|ave|blvd|apt|dept|ltd|inc|tel|ext)\.(?=\s)/giu;

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
  if (!reading?.command || reading.descriptions?.length !== 1 || !isPlainAdd(clause)) return undefined;
  return added(clean, reading.descriptions[0]!, reading.rule);
}

function isPlainAdd({ tokens, core }: Clause): boolean {
  const [verb, first] = [tokens[core[0]]!, tokens[core[0] + 1]!];
  const isDeedAlone = ACTION_VERBS.has(first.word) && !first.quoted && core[1] - core[0] === 2;
  return verb.word === 'add' && !isDeedAlone;
}
