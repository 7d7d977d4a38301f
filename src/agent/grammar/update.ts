import type { TaskChange } from '../../contract/assistant.ts';
import { matchAll, textOf, type Slots, type Span } from '../phrase.ts';
import { findTarget, type Target } from '../reference.ts';
import { phrases } from '../words/groups.ts';
import { namesTask } from '../words/nouns.ts';
import { timeEnds } from '../words/times.ts';
import { unquote } from './describe.ts';
import { isNounPhrase } from './guards.ts';
import type { Clause, Reading } from './reading.ts';

interface Shape {
  phrases: ReturnType<typeof phrases>;
  change: (clause: Clause, slots: Slots) => TaskChange | undefined;
  /** Says nothing of tasks by itself, so the object must. */
  needsTask: boolean;
}

const text = (clause: Clause, span: Span | undefined) =>
  span ? unquote(textOf(clause.clean, clause.tokens, span)) : '';

function newText(clause: Clause, { new: span }: Slots): TaskChange | undefined {
  const value = text(clause, span);
  if (!span || !value) return undefined;
  const isWhen = timeEnds(clause.tokens, span[0], span[1])[0] === span[1];
  return { kind: isWhen ? 'when' : 'replace', text: value };
}

const SHAPES: Shape[] = [
  {
    phrases: phrases(`
      change|update|edit|modify|set|move|switch|alter|amend {obj} from {old:8} to|into {new}
      change|swap|replace|switch|substitute {old:5} to|for|with|into {new:6} in|on|for {obj}
      replace|swap|change|switch {old:5} with|for|to|by {new:6} in|on|of {obj}
    `),
    change: (clause, { old, new: span }) =>
      text(clause, old) && text(clause, span)
        ? { kind: 'swap', from: text(clause, old), text: text(clause, span) }
        : undefined,
    needsTask: true,
  },
  {
    phrases: phrases(
      `
      @change|set the|a|due|title|name|description|text|wording|date|deadline|time|day|priority|status|label|details|content|notes|reminder* of|for|on|in {obj} to|as|with|into|: {new}
      @change the? title|name|description|text|wording|due|date|deadline|time|day|priority|status|label|details|content|body* of|for|on|in {obj} to|as|with|into|: {new}
      @change {obj} title|name|description|text|wording|due|date|deadline|time|day|priority|status|label|details to|as|into|with|: {new}
      @change {obj} to|so say|read|be|include|have|that|mention|it|says|reads* {new}
      @change {obj} to|into|as|with|by|: {new}
      @change {obj} over|back|forward|up|out|off to|until|till|by|for {new}
      rename|retitle|relabel|call {obj} {new}
      reword|rephrase|edit|update|modify|fix {obj} : {new}
      make|set|turn {obj} say|read|be|due|into? {new}
      obj@position to|: {new}
      give {obj} a|the new? title|name|description|deadline|due date? : {new}
      give {obj} a|the new? title|name|description|deadline|due date? of {new}
      {obj} should|must|needs to? now? be|say|read {new} instead
      {obj} should now|actually|really be|say|read {new}
    `
        .replace('@change|set the|a|due', '@change the|a|due')
        .replace(
          '{obj} to|so say|read|be|include|have|that|mention|it|says|reads* {new}',
          '{obj} to|so that? it? say|says|read|reads|be|mention {new}',
        ),
    ),
    change: newText,
    needsTask: false,
  },
  {
    phrases: phrases(`
      move|push|shift|bump|reschedule|postpone|delay|defer|snooze|put|bring|pull|extend|set|make|schedule {obj} back|forward|off|out|up|over|later|earlier? new@when
      @change {obj} back|forward|off|out|up|by|earlier|later* new@when
      push|put|move|bump|bring back|off|forward|up|out {obj} to|until|till|by|for? new@when
    `),
    change: newText,
    needsTask: false,
  },
  {
    phrases: phrases(`
      add|append|include|attach|put|insert|tack {new} to|in|into|on|onto {obj}
      @change {obj} to|by also? include|including|adding|add|mention|mentioning|cover {new}
      @change {obj} to also? include|mention|cover {new}
      add to {obj} : {new}
      add a|the? note|detail|details|comment to|on|in {obj} : {new}
      add a|the? note|detail|details|comment to|on|in {obj} that|saying|about {new}
    `),
    change: (clause, { new: span }) =>
      text(clause, span) ? { kind: 'append', text: text(clause, span) } : undefined,
    needsTask: true,
  },
  {
    phrases: phrases(`
      @change {obj}
      @change {obj} later|earlier|instead|again|around|back|off|up
      make @a? changes|change|edit|edits|correction|update to|on|in {obj}
      set|change|update|add|give|edit|modify|raise|lower|increase|decrease @a* due|deadline|priority|date|title|description|details|time* of|for|on|to {obj}
      there is a typo|mistake in {obj}
    `),
    change: () => undefined,
    needsTask: true,
  },
];
const ITS = new Set([
  'call',
  'fix',
  'set',
  'make',
  'turn',
  'put',
  'flag',
  'tag',
  'label',
  'add',
  'put',
  'push',
  'bump',
  'switch',
  'convert',
  'schedule',
  'give',
  'bring',
  'pull',
  'prioritise',
  'prioritize',
  'expand',
  'reset',
  'redo',
  'move',
  'shift',
  'include',
  'attach',
  'insert',
]);

export function readUpdate(clause: Clause): Reading | undefined {
  if (clause.moods.has('negated')) return undefined;
  for (const shape of SHAPES) {
    const reading = readShape(clause, shape);
    if (reading) return reading;
  }
  return undefined;
}

function readShape(clause: Clause, shape: Shape): Reading | undefined {
  for (const item of shape.phrases) {
    const slots = matchAll(item, clause.tokens, clause.core);
    const obj = slots?.['obj'];
    if (!slots || !obj || !isObject(clause, obj)) continue;
    const target = findTarget(clause.clean, clause.tokens, obj);
    const change = shape.change(clause, slots);
    const strength =
      target && (change?.kind !== 'append' || namesTask(clause.tokens, obj))
        ? strengthOf(clause, target, change, shape)
        : undefined;
    if (target && strength)
      return {
        intent: 'UPDATE_TASK',
        strength,
        rule: 'changes a task',
        references: target.references,
        ...(change && { change }),
      };
  }
  return undefined;
}

function isObject(clause: Clause, obj: Span): boolean {
  return isNounPhrase(clause.tokens, obj) || namesTask(clause.tokens, obj);
}

function strengthOf(
  clause: Clause,
  target: Target,
  change: TaskChange | undefined,
  shape: Shape,
): Reading['strength'] | undefined {
  const { plainness, references } = target;
  if (plainness === 'foreign' || references.some(({ kind }) => kind === 'all')) return undefined;
  const loose = ITS.has(clause.tokens[clause.core[0]]!.word);
  if (plainness === 'task') {
    const pronoun = references[0]!.kind === 'recent' && !namesTask(clause.tokens, clause.core);
    if (pronoun) return change ? (change.kind === 'append' ? undefined : 'weak') : 'unsure';
    return 'strong';
  }
  if (shape.needsTask || clause.moods.has('duty')) return undefined;
  if (plainness === 'title') return loose && change?.kind !== 'when' ? undefined : 'weak';
  return !loose && change
    ? change.kind === 'when' || clause.asked
      ? 'weak'
      : 'weak'
    : change?.kind === 'when' && loose
      ? 'weak'
      : undefined;
}
