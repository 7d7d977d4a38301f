import type { MessageClause } from '../../contract/chat.ts';
import { tasksWithTitle } from '../command/match-title.ts';
import { withoutCourtesy } from '../command/polite.ts';
import type { KnownTask } from '../context.ts';
import { swapped } from '../decide/new-text.ts';
import { isAmbiguousTime } from '../decide/new-time.ts';
import { reopened } from '../decide/undo.ts';
import { ambiguous } from '../read/user-intent.ts';
import { correction, misspelling } from './correction.ts';
import { CHANGE, FORMS, MOVE, RENAME, SET, SWAP, type Form } from './forms.ts';
import { hasTitle, nameTask, unquoted, type EditScope, type NamedTask } from './name-task.ts';
import { isAction, newTitle, replacesValue, withValue, type Edit } from './new-title.ts';
import { addition, removal } from './parts.ts';
import { restated, sharedEdit, textAfterColon } from './shared-words.ts';

const LONGEST = 600;
/** "Edit 2 to read call mom" says what it is to say; "to read a book" is the text. */
function plainText(said: string): string {
  const rest = /^read (?<rest>.+)$/i.exec(said)?.groups?.['rest'];
  return rest !== undefined && isAction(rest) ? rest : said;
}

const NO_TEXT =
  /^(?:(?:(?:as|to|be|all) )*(?:done|complete|completed|finished|removed|deleted|erased|cancell?ed|scrapped|gone|undone|open|pending|erledigt|fait|terminé|hecho|fatto|feito|klaar)|(?:on|in|off|from) (?:my|the|our) (?:\S+ )?list|(?:something|anything|sth)(?: else| different| new)?|whatever|it|that|this|\d{1,2}|(?:high|low|top|medium)(?: priority)?|urgent|important|instead)$/i;
const NOT_EDITS =
  /^(?:do not|don'?t|never|please don'?t|not to|how|why|what|when|where|who|if|should|did|does|do|is|are|was|i (?:have|had|just))(?![\p{L}-])/iu;

const SPELLING = /^(?:fix|correct) (?:the |a )?(?:spelling|typo|mistake)[:,] (?=.+ (?:should|is|->))/i;

/** A change of what a task says, read against the list: the rest of its text stays, and what is in doubt is asked about. */
export function readEdit(message: string, scope: EditScope): MessageClause | undefined {
  const { core, isAsked } = withoutCourtesy(message);
  const isLong = core.length > LONGEST || message.includes('\n');
  if (scope.tasks.length === 0 || isLong || (message.includes('?') && !isAsked)) return undefined;
  if (NOT_EDITS.test(core) && !hasTitle(core, scope.tasks)) return undefined;
  const edit = editOf(core.replace(/(?<![\s.!])[\s.!]+$/u, '').replace(SPELLING, ''), scope);
  return edit ? toClause(message, edit) : ofField(message, core, scope);
}

const FIELD = new RegExp(
  `^(?:${CHANGE}|${SET}) (?:the )?(?:status|priority|label|details|content|notes|deadline) (?:of|for|on) (?<name>.{1,200}?) (?:to|into|as|:) .+$`,
  'i',
);
/** "Change the status of the report": a task has only a text, so the person is asked what it should say. */
function ofField(message: string, core: string, scope: EditScope): MessageClause | undefined {
  const name = FIELD.exec(core)?.groups?.['name'];
  const named = name === undefined ? undefined : nameTask(name, scope);
  if (named?.by !== 'title') return undefined;
  const text = named.task.description;
  return {
    text: message.trim(),
    user_intent: { intent_type: 'UPDATE_TASK', confidence: 1, extracted_params: { task_reference: text } },
    reference: { kind: 'title', text },
    reasons: ['changes what is kept about a task'],
  };
}

/** "Mark milk as not done". */
export function readReopening(message: string, scope: EditScope): MessageClause | undefined {
  const name = message.length > LONGEST || scope.tasks.length === 0 ? undefined : reopened(message);
  const named = name === undefined ? undefined : nameTask(name, scope);
  const isTitle = tasksWithTitle(message, scope.tasks).length > 0;
  if (!named || named.by === 'words' || isTitle || named.task.status === 'pending') return undefined;
  const text = named.task.description;
  return {
    text: message.trim(),
    user_intent: {
      intent_type: 'UPDATE_TASK',
      confidence: 1,
      extracted_params: { task_reference: text, new_description: text },
    },
    reference: { kind: 'title', text },
    reasons: ['opens a task again'],
  };
}

function editOf(core: string, scope: EditScope): Edit | undefined {
  return (
    addition(core, scope) ??
    removal(core, scope) ??
    exactForm(core, scope) ??
    inside(core, scope) ??
    (hasTitle(core, scope.tasks)
      ? (bestOf(core, scope, ({ by }) => by === 'place') ?? withoutWrong(core, scope))
      : byParts(core, scope))
  );
}

function byParts(core: string, scope: EditScope): Edit | undefined {
  return (
    misspelling(core, scope) ??
    ofProperty(core, scope) ??
    correction(core, scope) ??
    bestOf(core, scope, () => true) ??
    sharedEdit(core, scope) ??
    textAfterColon(core, scope) ??
    withoutWrong(core, scope) ??
    restated(core, scope)
  );
}

const NOT_WRONG =
  /(?:, (?:and )?not (?!need|necess|want|requir|relevan|happen|done)| not (?=\d|\w+day)|,? (?:instead of|rather than) )[^,]{1,40}$/i;
/** "Dentist is at 4pm, not 3": what was wrong is not there as it was said. */
function withoutWrong(core: string, scope: EditScope): Edit | undefined {
  const right = core.replace(NOT_WRONG, '');
  return right === core
    ? undefined
    : (bestOf(right, scope, () => true) ?? sharedEdit(`${right} instead`, scope));
}

/** With a whole title nothing else can be meant. */
function exactForm(core: string, scope: EditScope): Edit | undefined {
  return bestOf(core, scope, ({ by }) => by === 'title');
}

interface Divided {
  named: NamedTask;
  said: string;
  form: Form;
}

function bestOf(core: string, scope: EditScope, fits: (named: NamedTask) => boolean): Edit | undefined {
  for (const form of FORMS) {
    const rest = form.starts.exec(core)?.groups?.['rest'];
    const divided =
      rest === undefined
        ? []
        : divisions(rest, form, scope).filter(({ named }) => fits(named) && isNamedFor(form, named, scope));
    for (const one of divided.sort((a, b) => rank(a) - rank(b))) {
      const edit = made(one);
      if (edit) return edit;
    }
  }
  return undefined;
}

function isNamedFor({ whole, isPlace, manner }: Form, named: NamedTask, { shown }: EditScope): boolean {
  if (isPlace) return named.by === 'place' && shown !== undefined && !/^\d+$/.test(named.said);
  return !whole || isPlaced(named) || (manner === 'text' && named.by === 'pronoun');
}

/** A title of one word may be said of something else. */
function isPlaced({ by, said }: NamedTask): boolean {
  return by === 'place' || (by === 'title' && said.includes(' '));
}

/** A longer title is more exact; of other names the first that fits is meant. */
function rank({ named: { by, task }, said }: Divided): number {
  if (by !== 'words') return by === 'title' ? -task.description.length : 1;
  return withValue(task.description, said) === undefined ? 3 : 2;
}

const MOST_DIVISIONS = 40;
const SHORTER = /^something (?:a bit |a little )?(?:shorter|simpler|longer|better|clearer) ?[:,] ?/i;
function divisions(rest: string, form: Form, scope: EditScope): Divided[] {
  return [...rest.matchAll(form.between)].slice(0, MOST_DIVISIONS).flatMap(({ 0: between, index }) => {
    const [before, after] = [rest.slice(0, index), rest.slice(index + between.length)];
    const [name, put] = form.isTurned ? [after, before] : [before, after];
    const said = unquoted(put.replace(/,? instead$/i, '').replace(SHORTER, ''));
    const isCut = said === '' || /[:,]\s*$/.test(name);
    const named = isCut ? undefined : nameTask(name, scope);
    return named ? [{ named, said: plainText(said), form }] : [];
  });
}

/** "Change 5 to 8" may mean the fifth task, or a number in a title. */
function isNumber({ by, said: name }: NamedTask, said: string): boolean {
  return by === 'place' && /^\d+$/.test(name) && /^\d+$/.test(said);
}

function made({ named, said, form }: Divided): Edit | undefined {
  const { task } = named;
  const needsValue = form.needsValue === true;
  if (!isText(named, said)) return undefined;
  const isValue = replacesValue(task.description, said);
  if (needsValue && !isValue && withValue(task.description, said) === undefined) return undefined;
  const title = newTitle(named, said, form.manner);
  if (!title?.text) return undefined;
  const isTold = needsValue && named.by === 'words' && !isValue;
  const isOrder = !needsValue || named.isWhole;
  return { ...title, task, isOrder, isSure: title.isSure && !isTold && isPlain(task, said) };
}

/** Words that a task can say; a number only in the place of another. */
function isText(named: NamedTask, said: string): boolean {
  const isAmount = /^\d+$/.test(said) && named.by === 'words' && withValue(named.task.description, said);
  return (!NO_TEXT.test(said) || Boolean(isAmount)) && !isNumber(named, said);
}

/** Of two times either may be meant. */
function isPlain({ description }: KnownTask, said: string): boolean {
  return (
    !isAmbiguousTime(description, said) &&
    !pointsBack(said, description) &&
    !/,? not (?:the|an?) /i.test(said)
  );
}

const PRONOUN = /\b(?:it|them|him|her)\b/i;
/** "The book one: finish it": the text says something that only the message explains. */
const pointsBack = (said: string, title: string) => PRONOUN.test(said) && !PRONOUN.test(title);

const INSIDE = [
  new RegExp(
    `^(?:${CHANGE}|${RENAME}|${SWAP}|${SET}) (?<name>.{1,200}?) from (?<old>.{1,80}?) to (?<put>.{1,120})$`,
    'i',
  ),
  new RegExp(
    `^${SWAP} (?<old>.{1,80}?) (?:with|for|to|by|into) (?<put>.{1,120}?) (?:in|on|of|for) (?<name>.{1,200})$`,
    'i',
  ),
  new RegExp(
    `^in (?<name>.{1,200}?),? ${SWAP} (?<old>.{1,80}?) (?:with|for|to|by|into) (?<put>.{1,120})$`,
    'i',
  ),
  new RegExp(
    `^(?:${CHANGE} )?(?:(?:the|a|my) )?(?:spelling|typo|mistake|wording) (?:in|on|of) (?<name>[^:,]{1,200}?)[:,] ?(?<rest>.{1,300})$`,
    'i',
  ),
  new RegExp(
    `^(?:${CHANGE}|${RENAME}|${SET}) (?<name>[^:,]{1,200}?)(?: (?:to )?(?:something |a bit )?(?:shorter|simpler|longer|better|clearer))?[:,] ?(?<rest>.{1,300})$`,
    'i',
  ),
  /^(?<name>(?:the|my) (?:\S+ ){1,4}one): (?<rest>.{1,120} (?:should|must) be .{1,120})$/i,
  /^(?<name>[^:,]{1,120}?) (?:is|was) (?:wrong|incorrect|misspelled|not right),? ?(?<rest>.{1,300})$/i,
];
/** "Change friday to thursday in the dinner one", "edit the flight: it's Milan, not Rome": the task, and then what changes in it. */
function inside(core: string, scope: EditScope): Edit | undefined {
  for (const form of INSIDE) {
    const { name, old, put, rest } = form.exec(core)?.groups ?? {};
    const known = name === undefined ? undefined : nameTask(name, scope);
    const named = known?.by === 'words' && hasTitle(core, scope.tasks) ? undefined : known;
    const only = named && { tasks: [named.task], recent: named.task.task_id };
    const edit = only && (rest === undefined ? swap(named, old!, put!) : within(rest, named, only));
    if (edit) return edit;
  }
  return undefined;
}

function swap({ task }: NamedTask, old: string, put: string): Edit | undefined {
  const text = swapped(task.description, unquoted(old), unquoted(put));
  return text === undefined ? undefined : { task, text, isSure: true };
}

const SO =
  /^(?:it(?:'?s| is| should be| should say| goes to| should read| must be)?|make it|should be|to(?: say)?|say|now|that's|:) /i;
function within(rest: string, named: NamedTask, only: EditScope): Edit | undefined {
  const [old, put = ''] = rest.split(/ (?:should|must) be /i);
  const inner = correction(rest, only) ?? misspelling(rest, only) ?? (put && swap(named, old!, put));
  if (inner) return { ...inner, isSure: true };
  const said = unquoted(rest.replace(SO, ''));
  return NO_TEXT.test(said)
    ? undefined
    : made({
        named: { ...named, isWhole: true },
        said,
        form: { ...TEXT, manner: SO.test(rest) ? 'change' : 'text' },
      });
}
const TEXT: Form = { starts: /^/, between: /^/g, manner: 'text' };

const PROPERTY = new RegExp(
  `^(?:${CHANGE}|${SET}|${MOVE}) (?:the |its |it's )?(?:(?<part>time|day|date|hour|deadline|due date|number|amount|place|name|text|title|wording)(?: (?:of|for|on|in) (?<name>.{1,200}?))?|(?<owner>.{1,200}?)['’]s (?:time|day|date|hour|deadline|due date|number|amount)) (?:to|into|as|:|=) ?(?<put>.{1,120})$`,
  'i',
);
/** "Change the time to 6": of the task mentioned last, or of the named one. */
function ofProperty(core: string, scope: EditScope): Edit | undefined {
  const { name, owner, part = '', put = '' } = PROPERTY.exec(core)?.groups ?? {};
  if (put === '') return undefined;
  const named = nameTask(name ?? owner ?? 'it', scope);
  const isText = /^(?:name|text|title|wording)$/i.test(part);
  const form: Form = isText ? TEXT : { ...TEXT, manner: 'change', needsValue: true };
  return named && made({ named, said: unquoted(put), form });
}

function toClause(message: string, { task, text, isSure, isOrder }: Edit): MessageClause {
  const task_reference = task.description;
  const extracted_params = { task_reference, new_description: text };
  return {
    text: message.trim(),
    user_intent:
      isSure || isOrder
        ? { intent_type: 'UPDATE_TASK', confidence: 1, extracted_params }
        : ambiguous(['UPDATE_TASK']),
    reference: isSure
      ? { kind: 'recent', text: task_reference, task_id: task.task_id }
      : { kind: 'title', text: task_reference },
    change: { kind: 'replace', text },
    ...(!isSure && { unsure: true }),
    reasons: ['changes what a task says'],
  };
}
