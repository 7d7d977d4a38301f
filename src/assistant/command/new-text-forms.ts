import type { TaskChange } from '../../contract/chat.ts';
import { titleText } from '../grammar/intents/new-task.ts';
import { phrases } from '../language/groups.ts';
import { normalise } from '../language/normalise.ts';
import { matchAll, type Phrase, type Span } from '../language/phrase.ts';
import type { Token } from '../language/token.ts';
import { isTimeHead, timeEnds } from '../language/words/times.ts';
import { isSubset, titleWords, wordsOf } from '../reply/task-words.ts';
import { isMention, type Mention } from './mentions.ts';

const GIVE =
  'rename|renaming|retitle|relabel|change|changing|update|updating|edit|editing|modify|modifying|reword|rephrase|rewrite|revise|correct|fix|amend|alter|turn|convert|set|make|adjust|ändere|benenne|changer|renommer|renomme|modifier|modifie|cambiar|renombrar|renombra|cambia|modificar|modifica|rinomina|rinominare|cambiare|modificare|mudar|muda|mude|renomear|renomeia|alterar|altera|altere|wijzig|verander|hernoem';
const EXCHANGE =
  'replace|swap|switch|exchange|change|substitute|ersetze|remplace|remplacer|reemplaza|sostituisci|substitui|vervang';
const NOUN = 'task|todo|item|one|entry|reminder|text|title|name|wording';
const OF =
  'the|my|task|todo|item|reminder|title|text|name|wording|description|of|for|called|named|titled|:|die|aufgabe|la|le|el|tarea|tâche|il|o|a|de|taak';
const TO = 'to|into|as|in|zu|en|a|para|naar|auf';
const BE = 'say|says|saying|be|called|become';
const PART = 'time|day|date|due-date|deadline|hour|priority|status|label|details|content|notes';

/** Ways to give a task, which is X, a new text. A time or day is the new text of its time only. */
const FORMS = phrases(`
  call|name|make ${OF}* X {new} instead
  ${OF}* X to ${BE} called? {new}
  ${GIVE} ${OF}* X ${NOUN}? ${TO} ${BE}* {new}
  ${EXCHANGE} ${OF}* X ${NOUN}? to|with|by|for|durch|par|por|con|door {new}
  ${GIVE} ${OF}* X ${NOUN}? :|- {new}
  ${GIVE} ${OF}* X so that? it says|reads|is|said {new}
  ${GIVE}|have|let ${OF}* X ${NOUN}? say|read|be called? {new}
  ${OF}* X ${NOUN}? should|must|needs|ought|has|shall to? be now? renamed|changed|updated|edited|corrected to {new}
  ${OF}* X ${NOUN}? should|must|needs|ought|has|shall to? be|say|read|become now? called? {new}
  fix|correct the|a? spelling|typo|name :? X should|must be|say {new}
  ${OF}* X ${NOUN}? is now called|named? {new}
  ${OF}* X ${NOUN}? becomes {new}
  instead? of ${OF}* X it|that should|must be|say|read {new}
  instead? of ${OF}* X write|put|say|use|do|make|have it? {new}
  instead? of ${OF}* X i|we meant|mean|want|wanted|need {new}
  instead? of ${OF}* X {new}
  i|we meant|mean|want|wanted {new} instead of X
  make|write|put|say|use|do|it|that it? should? be? {new} instead of X
  {new} instead of X
`);
const TIMED = phrases(`
  ${GIVE}|move|shift the|its? ${PART} of|for|on the|my? X to|into|as|: {new}
  ${GIVE}|move|shift the|my? X 's? ${PART} to|into|as|: {new}
  move|reschedule|re-schedule|postpone|push|shift|delay|defer|bump|snooze|bring|put back|forward|off|up|out? ${OF}* X ${NOUN}? back|forward|up|out|off? to|until|till|by|for|on {new}
`);
/** Only with a time: "dentist is at 5pm". */
const STATES = phrases(`
  ${OF}* X ${NOUN}? is|are now? {new}
`);
const SWAPS = phrases(`
  replace|swap|switch|substitute|change|correct|fix {old:8} with|for|to|by|into {new:8} in|on|of the|my? X
  in the|my? X replace|swap|switch|substitute|change|correct {old:8} with|for|to|by|into {new}
`);
const ADDS = phrases(`
  add|append|attach {new} to|onto the? end? of? the|my? X task|todo|item|entry|reminder|one?
  update|edit|modify|revise|amend|extend|expand the|my? X to also? include|mention|add|cover {new}
  add to the|my? X : {new}
`);
/** Only where an arrow was written. */
const ARROW = phrases(`X to {new}`);
const RENAMES = /^(?:renam|retitl|relabel|reword|rephras|rewrit)/;

/** A task that gets a new text. */
export interface NewTextForm {
  /** Place of the task among the tokens. */
  at: number;
  /** Absent if the text is missing. */
  change?: TaskChange;
}

export function readNewText(clean: string, tokens: readonly Token[], core: Span): NewTextForm | undefined {
  const slice = (span: Span | undefined) => (span ? titleText({ clean, tokens }, span) : '');
  const first = (list: readonly Phrase[]) => {
    for (const form of list) {
      const slots = matchAll(form, tokens, core);
      const place = slots && mentionOutside(tokens, core, slots['new']);
      if (slots && place !== undefined) return { slots, at: place };
    }
    return undefined;
  };
  const swap = first(SWAPS);
  if (swap) {
    const [from, text] = [slice(swap.slots['old']), slice(swap.slots['new'])];
    return { at: swap.at, change: { kind: 'swap', from, text } };
  }
  const more = first(ADDS);
  if (more && !isOwnOrder(tokens, core, more.slots['new']!))
    return { at: more.at, change: { kind: 'append', text: slice(more.slots['new']) } };
  const stated = first(STATES);
  if (stated && isTime(slice(stated.slots['new'])))
    return { at: stated.at, ...timeChange(slice(stated.slots['new'])) };
  const timed = first(TIMED);
  if (timed) return { at: timed.at, ...timeChange(slice(timed.slots['new'])) };
  const found = first(FORMS) ?? (/->|=>|→/.test(clean) ? first(ARROW) : undefined);
  if (!found) return undefined;
  const text = withoutTask(slice(found.slots['new']), tokens[found.at] as Mention);
  if (DONE.test(text)) return undefined;
  const change = changeTo(text, RENAMES.test(tokens[core[0]]!.word));
  return { at: found.at, ...(change && { change }) };
}

/** "Update X to add Tom to the chat" gives X a new text. */
function isOwnOrder(tokens: readonly Token[], core: Span, [from, to]: Span): boolean {
  return tokens[core[0]]!.word !== 'add' && tokens.slice(from, to).some(({ word }) => word === 'to');
}

const DONE =
  /^(?:done|complete|completed|finished|removed|deleted|erased|cancell?ed|scrapped|gone|erledigt|fait|terminé|hecho|fatto|feito|klaar)$/i;
const IN_TASK = /^(.+) (?:in|of|on) (?:the |my )?(.+?)(?: task| one)?$/i;
const SHORTER = /^something (?:a bit |a little )?\p{L}+\s?: ?/iu;
/** "Change Ane to Anne in the meeting task": the new text is "Anne". */
function withoutTask(text: string, { tasks, isExact }: Mention): string {
  const [, before, name] = (isExact ? null : IN_TASK.exec(text)) ?? [];
  const isName = name !== undefined && isSubset(wordsOf(name).content, titleWords(tasks[0]!).stems);
  return (isName ? before! : text).replace(SHORTER, '');
}

/** The mention that the form names: not the one inside the new text. */
function mentionOutside(
  tokens: readonly Token[],
  [from, to]: Span,
  text: Span | undefined,
): number | undefined {
  for (let i = from; i < to; i++)
    if (isMention(tokens[i]!) && !(text && i >= text[0] && i < text[1])) return i;
  return undefined;
}

/** A number is more often a position in the list than a text. */
export function changeTo(text: string, renames: boolean): TaskChange | undefined {
  if (text === '' || /^\d{1,2}$/.test(text)) return undefined;
  return { kind: !renames && isTime(text) && !isThing(text) ? 'when' : 'replace', text };
}

/** A change of the time only: any other text would overwrite the task. */
function timeChange(text: string): { change?: TaskChange } {
  return isTime(text) ? { change: { kind: 'when', text } } : {};
}

function timeWords(text: string): string[] | undefined {
  const tokens = normalise(text).sentences.flatMap((sentence) => sentence.tokens);
  const isWhole = tokens.length > 0 && timeEnds(tokens, 0, tokens.length)[0] === tokens.length;
  return isWhole ? tokens.map(({ word }) => word).filter(isTimeHead) : undefined;
}

function isTime(text: string): boolean {
  return timeWords(text) !== undefined;
}

/** Time words that also name other things. */
const ALSO_THINGS = new Set(
  `lunch dinner breakfast work christmas easter thanksgiving time point moment far first thing day days night year march may sun sec lunchtime
   daily weekly monthly nightly weekend weekends week`.split(/\s+/),
);
function isThing(text: string): boolean {
  return timeWords(text)?.every((word) => ALSO_THINGS.has(word)) === true;
}
