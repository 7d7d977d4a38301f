import type { MessageClause } from '../../contract/chat.ts';
import { hasTitle, nameTask, type EditScope, type NamedTask } from '../edit/name-task.ts';
import { normalise } from '../language/normalise.ts';
import type { Message } from '../language/token.ts';
import type { FrameClass } from './frame-words.ts';
import { startsOrder } from './orders.ts';
import { withoutCourtesy } from './polite.ts';

const DELETES =
  /^(?:delete|remove|erase|get rid of|take (?:off|away)|cross out)(?: (?:off|both|all(?: of)?))? (?<row>.+?)(?: (?:from|off) (?:(?:my|the) (?:to-?do )?list)?)?$/iu;
const COMPLETES =
  /^(?:complete|finish|(?:i(?:'?m| am|'?ve| have)? )?(?:done(?: with)?|finished(?: with)?|did|completed)|(?:check|tick|cross) off|mark(?: off)?) (?!i |you |we |it )(?<row>.+?)(?: (?:as )?(?:done|complete|completed|finished)| off)?$/iu;
const JOINT = /,? (?:and|&|plus|then|and then) (?:also )?|, ?/iu;
const MOST = 20;
const LONGEST = 300;

/** "Delete 1, 2 and gym": a verb and several tasks, each named in its own way. One that is not on the list is asked about, not left out. */
export function readNamedRow({ clean }: Message, scope: EditScope): MessageClause[] | undefined {
  const { core, isAsked } = withoutCourtesy(clean);
  if (core.length > LONGEST || (clean.includes('?') && !isAsked)) return undefined;
  const [intent, row] = orderOf(core);
  const parts = row?.split(JOINT, MOST + 1).filter(Boolean) ?? [];
  if (!intent || parts.length < 2 || parts.length > MOST || isOneTitle(core, scope)) return undefined;
  const named = parts.map((part) => nameTask(part, scope));
  return isRow(parts, named) ? parts.map((part, i) => toClause(part, intent, named[i])) : undefined;
}

function orderOf(core: string): [FrameClass?, string?] {
  const deleted = DELETES.exec(core)?.groups?.['row'];
  if (deleted !== undefined) return ['DELETE_TASK', deleted];
  const completed = COMPLETES.exec(core)?.groups?.['row'];
  return completed === undefined ? [] : ['COMPLETE_TASK', completed];
}

/** "Milk, eggs and bread" may be one task. */
function isOneTitle(core: string, scope: EditScope): boolean {
  const joined = scope.tasks.filter(({ description }) => JOINT.test(description));
  return hasTitle(core, joined);
}

/** At least one is on the list, and the others are no commands of their own. */
function isRow(parts: readonly string[], named: ReadonlyArray<NamedTask | undefined>): boolean {
  const known = named.filter((one) => one !== undefined);
  const isPlain = parts.every((part, i) => named[i] || isName(part));
  return isPlain && known.length > 0 && new Set(known.map(({ task }) => task)).size === known.length;
}

const MOST_WORDS = 3;
function isName(part: string): boolean {
  const [sentence] = normalise(part).sentences;
  return sentence !== undefined && !startsOrder(sentence.tokens, 0) && part.split(' ').length <= MOST_WORDS;
}

function toClause(part: string, intent_type: FrameClass, named: NamedTask | undefined): MessageClause {
  const task_reference = named?.task.description ?? part;
  return {
    text: part,
    user_intent: { intent_type, confidence: 1, extracted_params: { task_reference } },
    reference: named
      ? { kind: 'recent', text: task_reference, task_id: named.task.task_id }
      : { kind: 'title', text: part },
    reasons: ['names several tasks'],
  };
}
