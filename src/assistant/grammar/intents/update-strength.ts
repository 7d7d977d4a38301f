import type { TaskChange } from '../../../contract/chat.ts';
import type { Target } from '../../language/reference.ts';
import { ACTION_VERBS } from '../../language/words/action-verbs.ts';
import { namesTask } from '../../language/words/nouns.ts';
import type { Clause, Reading } from '../reading.ts';

/** Verbs that say many other things: alone with "it" or some noun they are not enough. */
const LOOSE = new Set(
  `call fix set make turn put flag tag label add push bump switch convert schedule give bring pull prioritise prioritize expand reset redo move
   shift include attach insert`.split(/\s+/),
);

/** "Can I swap milk for cream?" asks what may be done, unless it mentions tasks. */
function asksLeave({ tokens, whole: [at] }: Clause): boolean {
  return /^(?:can|could|may|might)$/.test(tokens[at]!.word) && /^(?:i|we)$/.test(tokens[at + 1]?.word ?? '');
}

/** Verbs for texts: the new one may still be missing. */
const EDITS = new Set('rename retitle relabel reword rephrase edit'.split(' '));

/** Also said of other things than times: "make it work now". */
const NO_TIME = new Set('work time now first thing point far moment day days currently right'.split(' '));

/** "Make it buy two gifts", "make it monday at noon": a title or a time, where "make it work" is neither. */
function isMadeTo({ tokens, core }: Clause, change: TaskChange | undefined): boolean {
  const [verb, it, first, ...more] = tokens.slice(...core);
  if (!change || verb?.word !== 'make' || it?.word !== 'it' || !first) return false;
  if (change.kind === 'when') return !NO_TIME.has(first.word);
  return first.quoted || (more.length > 0 && ACTION_VERBS.has(first.word));
}

/** Said of anything that has a day. */
const POSTPONE = new Set(
  'postpone reschedule push move delay defer snooze bump shift prepone bring'.split(' '),
);

/** A change of something that may be a task. */
interface Attempt {
  clause: Clause;
  target: Target;
  change: TaskChange | undefined;
  /** Says nothing of tasks by itself, so the object must. */
  needsTask: boolean;
}

/** Undefined: no task is meant. */
type Strength = Reading['strength'] | undefined;

export function strengthOfUpdate(attempt: Attempt): Strength {
  const { clause, target, change } = attempt;
  const { kind } = target.references[0]!;
  if (kind === 'all' && (change?.kind !== 'when' || !isAboutList(clause))) return undefined;
  if (target.plainness === 'foreign') return strengthOfForeign(attempt);
  if (target.plainness !== 'task') return strengthOfThing(attempt);
  const isNamed = namesTask(clause.tokens, clause.core);
  if (kind === 'recent' && !isNamed) return strengthOfPronoun(clause, change);
  return change && isNamed ? 'certain' : 'strong';
}

function verbOf({ tokens, core }: Clause): string {
  return tokens[core[0]]!.word;
}

function strengthOfPronoun(clause: Clause, change: TaskChange | undefined): Strength {
  const isLoose = LOOSE.has(verbOf(clause));
  if (!change) {
    if (isLoose) return undefined;
    return EDITS.has(verbOf(clause)) && clause.core[1] - clause.core[0] === 2 ? 'strong' : 'unsure';
  }
  if (change.kind === 'append') return 'weak';
  if (isMadeTo(clause, change)) return change.kind === 'when' ? 'strong' : 'weak';
  if (!isLoose) return 'weak';
  return change.kind === 'when' ? 'unsure' : undefined;
}

function strengthOfThing(attempt: Attempt): Strength {
  const { clause, target, change } = attempt;
  const verb = verbOf(clause);
  const isTitle = target.plainness === 'title';
  if (!change) return isTitle && EDITS.has(verb) && !clause.moods.has('duty') ? 'weak' : undefined;
  if (change.kind === 'append') return 'weak';
  if (isUnlikely(attempt) || verb === 'schedule') return undefined;
  if (LOOSE.has(verb) && change.kind !== 'when') return undefined;
  return isTitle ? 'weak' : 'unsure';
}

/** What another program looks after is only ever moved to another time. */
function strengthOfForeign(attempt: Attempt): Strength {
  const { clause, change } = attempt;
  const isMoved = change?.kind === 'when' && POSTPONE.has(verbOf(clause));
  return isMoved && !isUnlikely(attempt) && !isBooking(clause) ? 'unsure' : undefined;
}

function isUnlikely({ clause, needsTask }: Attempt): boolean {
  return needsTask || clause.moods.has('duty') || asksLeave(clause);
}

const BOOKINGS = new Set(
  'meeting meetings event events calendar conference attendees invite invitation session'.split(' '),
);
/** A calendar keeps these, and moves them. */
function isBooking({ tokens, core }: Clause): boolean {
  return tokens.slice(...core).some(({ word, quoted }) => !quoted && BOOKINGS.has(word));
}

function isAboutList({ tokens, core }: Clause): boolean {
  return (
    namesTask(tokens, core) || tokens.slice(...core).some(({ word, quoted }) => word === 'list' && !quoted)
  );
}
