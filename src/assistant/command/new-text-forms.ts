import type { TaskChange } from '../../contract/chat.ts';
import { normalise } from '../language/normalise.ts';
import type { Token } from '../language/token.ts';
import { isTimeHead, timeEnds } from '../language/words/times.ts';
import { isSubset, titleWords, wordsOf } from '../reply/task-words.ts';
import { isMention, type Mention } from './mentions.ts';
import { commandForms, firstForm } from './polite.ts';

/** Stands for the task. */
const TASK = '\uE000';
const NAMED = `(?:(?:the|my|this|that|task|to-?do|item|reminder|entry|one|title|text|name|wording|description|of|for|called|named|titled|about|die|aufgabe|la|le|el|tarea|tâche|il|o|a|de|taak) |: ?)*["'(]?${TASK}["')\\]]*`;
const NAMES = {
  alone: NAMED,
  give: 'rename|renaming|retitle|relabel|change|changing|update|updating|edit|editing|modify|modifying|reword|rephrase|rewrite|revise|correct|fix|amend|alter|turn|convert|set|make|adjust|ändere|benenne|changer|renomme[rz]?|modifie[rz]?|cambi(?:a|ar|are)|renombr(?:a|ar)|modific(?:a|ar|are)|rinomin(?:a|are)|mud(?:a|ar|e)|renome(?:ia|ie|ar)|alter(?:a|e|ar)|wijzig|verander|hernoem',
  exchange:
    'replace|swap|switch|exchange|change|substitute|ersetze|remplace[rz]?|reemplazar?|cambiar?|sostitui(?:sci|re)|substitu(?:i|a|ir)|troc(?:a|ar|que)|vervang',
  t: `${NAMED}(?: (?:task|to-?do|item|one|entry|reminder|text|title|name|wording))?`,
  to: '(?:to(?: (?:say|be called|be|become))?|as(?: saying)?|into|in|zu|en|a|para|naar|auf|=|->|=>|→)',
  must: "(?:should|must|needs? to|has to|ought to|shall|is supposed to|was supposed to|isn't right,? it should|(?:is|was) (?:wrong|incorrect),? (?:it )?(?:should|must|needs to))(?: now)?",
  part: 'time|day|date|due date|deadline|hour|priority|status|label|details|content|notes',
};

/** Ways to give a task a new text. A time or day is the new text of its time only. */
const FORMS = commandForms(
  `
  (?:call|name|make)(?: that)? @alone <new> instead
  (?:benenne|nenne) @t (?:in|zu|auf) <new> um
  @t (?:is|was) (?:wrong|incorrect|misspelled|not right),? (?:it(?:'s| is)|make it|should be|it should (?:be|say|read)) <new>
  (?:@give) @t @to <new>
  (?:@exchange) @t (?:to|with|by|for|durch|par|por|con|door) <new>
  (?:@give) @t(?: ?[:=]| [–-]) ?<new>
  (?:@give) @t,? (?:so (?:that )?it (?:says|reads|is|said)|(?:and )?(?:make|call) it|it (?:should|must|needs to) (?:be|say|read)) <new>
  (?:@give|have|let) @t (?:say|read|be(?: called)?) <new>
  (?:i(?:'?d| would) like |i want )?@t to (?:say|be|read)(?: called)? <new>
  @t (?:@must) (?:be(?: now)? (?:renamed|changed|updated|edited|corrected) to|(?:be|say|read|become)(?: now)?(?: called)?|have been) <new>
  (?:fix|correct) (?:the |a )?(?:spelling|typo|name) ?:? @t (?:should|must) (?:be|say) <new>
  @t is now (?:called|named) <new>
  @t (?:becomes|changes to|turns into) <new>
  (?:instead )?of @t,? (?:(?:it|that) (?:should|must) (?:be|say|read)|(?:write|put|say|use|do|have|make)(?: it)?|i (?:meant|mean|want|wanted|need)) <new>
  (?:instead )?of @t,? <new>
  not @t,? but <new>
  (?:i (?:meant|mean|want|wanted|need) |(?:make|write|put|say|use|do)(?: it| that)? |(?:it|that) should be )?<new> (?:instead of|in place of|rather than) @t
`,
  NAMES,
);
/** Also said of other things: with a title of several words they change it, with another one they are asked about. */
const LOOSE = commandForms(
  `
  (?:call|name|make) @alone <new>
  @t (?:is|was) (?:actually|really) <new>
  @t is now <new>
`,
  NAMES,
);
/** "To read" may begin the new text. */
const READS = commandForms('(?:@give) @t to read (?!(?:an?|the|my|some|more|chapter)\\b|["\'])<new>', NAMES);
const TIMED = commandForms(
  `
  (?:@give|move|shift) (?:(?:the|its) )?(?:@part) (?:of|for|on) @t (?:to|into|as|:) <new>
  (?:@give|move|shift) @t(?:'s)? (?:@part) (?:to|into|as|:) <new>
  (?:move|re-?schedule|postpone|push|shift|delay|defer|bump|snooze|bring|put)(?: (?:back|forward|off|up|out))? @t(?: (?:back|forward|up|out|off))? (?:to|until|till|by|for|on) <new>
`,
  NAMES,
);
/** Only with a time: "dentist is at 5pm". */
const STATES = commandForms('@t (?:is|are)(?: now)? <new>', NAMES);
const SWAPS = commandForms(
  `
  (?:replace|swap|switch|substitute|change|correct|fix) <old> (?:with|for|to|by|into) <new> (?:in|on|of) @t
  in @t (?:replace|swap|switch|substitute|change|correct) <old> (?:with|for|to|by|into) <new>
`,
  NAMES,
);
const ADDS = commandForms(
  `
  (?:add|append|attach) <new> (?:to|onto)(?: the end of)? @t
  (?:update|edit|modify|revise|amend|extend|expand) @t to (?:also )?(?:include|mention|add|cover) <new>
  add to @t ?: <new>
`,
  NAMES,
);
/** Only where an arrow was written. */
const ARROW = commandForms('@t ?(?:->|=>|→) ?<new>', NAMES);
const RENAMES = /\b(?:renam|retitl|relabel|reword|rephras|rewrit)/i;

/** A task that gets a new text. */
export interface NewTextForm {
  mention: Mention;
  /** Absent if the text is missing. */
  change?: TaskChange;
  /** To be asked about. */
  isDoubtful?: boolean;
}

/** The first task among the tokens that gets a new text. */
export function readNewText(clean: string, tokens: readonly Token[]): NewTextForm | undefined {
  const [start, end] = [tokens[0]!.start, tokens.at(-1)!.end];
  const rest = /^[^\s]*/.exec(clean.slice(end))![0];
  for (const mention of tokens.filter(isMention)) {
    const text = `${clean.slice(start, mention.start)}${TASK}${clean.slice(mention.end, end)}${rest}`;
    const found = newTextIn(text.replace(/\s+/g, ' '), mention);
    if (found) return { ...found, mention };
  }
  return undefined;
}

function newTextIn(text: string, mention: Mention): Omit<NewTextForm, 'mention'> | undefined {
  const read = (forms: readonly RegExp[]) => firstForm(forms, text);
  const swap = read(SWAPS);
  if (swap) return { change: { kind: 'swap', from: bare(swap['old']!), text: bare(swap['new']!) } };
  const more = read(ADDS)?.['new'];
  if (more !== undefined && !isOwnOrder(text, more)) return { change: { kind: 'append', text: more.trim() } };
  const stated = read(STATES)?.['new'];
  if (stated !== undefined && isTime(stated)) return timeChange(stated);
  const timed = read(TIMED)?.['new'];
  if (timed !== undefined) return timeChange(bare(timed));
  return replacedBy(text, mention);
}

function replacedBy(text: string, mention: Mention): Omit<NewTextForm, 'mention'> | undefined {
  const reads = firstForm(READS, text);
  const sure = reads ? undefined : (firstForm(ARROW, text) ?? firstForm(FORMS, text));
  const found = reads ?? sure ?? (mention.isExact ? firstForm(LOOSE, text) : undefined);
  if (!found) return undefined;
  const said = withoutTask(bare(found['new']!), mention);
  if (DONE.test(said) || ON_LIST.test(said)) return undefined;
  const change = changeTo(said, RENAMES.test(text));
  const isDoubtful = !sure && isUnclear(mention, reads !== undefined);
  return { ...(change && { change }), ...(isDoubtful && { isDoubtful }) };
}

function isUnclear({ said }: Mention, isReading: boolean): boolean {
  return isReading || !said.includes(' ');
}

function bare(text: string): string {
  return (/^(["'`])([^"`]*)\1$/.exec(text)?.[2] ?? text).trim();
}

/** "Update X to add Tom to the chat" gives X a new text. */
function isOwnOrder(text: string, more: string): boolean {
  return !/\b(?:add|append|attach)\b/i.test(text.slice(0, text.indexOf(TASK))) && / to /.test(more);
}

const DONE =
  /^(?:done|complete|completed|finished|removed|deleted|erased|cancell?ed|scrapped|gone|erledigt|fait|terminé|hecho|fatto|feito|klaar)$/i;
/** "X should be on my list" gives it no new text. */
const ON_LIST = /^(?:on|in|off|from) (?:my|the|our) (?:\S+ )?list$/i;
const IN_TASK = /^(.+) (?:in|of|on) (?:the |my )?(.+?)(?: task| one)?$/i;
const SHORTER = /^something (?:a bit |a little )?\p{L}+\s?: ?/iu;
/** "Change Ane to Anne in the meeting task": the new text is "Anne". */
function withoutTask(text: string, { tasks, isExact }: Mention): string {
  const [, before, name] = (isExact ? null : IN_TASK.exec(text)) ?? [];
  const isName = name !== undefined && isSubset(wordsOf(name).content, titleWords(tasks[0]!).stems);
  return (isName ? before! : text).replace(SHORTER, '');
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
