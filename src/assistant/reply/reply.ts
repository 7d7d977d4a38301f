import { z } from 'zod';
import { listFrom, type StepOutcome } from '../act/call-task-tool.ts';
import type { Decided, Step } from '../context.ts';
import {
  isPermanent,
  unreadableListText,
  failureReason,
  describeWish,
  describeList,
  describePart,
  quote,
  joinWords,
} from './wording.ts';

export interface Reply {
  text: string;
  /** Ids of the list that it shows. */
  shown?: string[];
  /** The one task that it is about. */
  recent?: string;
}

/** The reply: what was done, what was not, and what to say next. No internals. */
export function replyTo(decided: Decided, outcomes: readonly StepOutcome[]): Reply {
  const pairs = decided.steps.map((step, i) => ({
    step,
    outcome: outcomes[i] ?? { state: 'skipped' as const },
  }));
  const lists = pairs.flatMap(({ step, outcome }) => (isList(step) ? (shownList(step, outcome) ?? []) : []));
  const shown = lists.at(-1)?.ids ?? decided.shown;
  const only = lists.length > 0 && shown?.length === 1 ? shown[0] : undefined;
  const recent = addedId(pairs.map(({ outcome }) => outcome)) ?? only ?? decided.recent;
  const parts = [
    decided.say,
    ...pairs.map(({ step, outcome }) => sentenceFor(step, outcome)),
    retry(pairs.filter(({ outcome }) => mayBeTriedAgain(outcome)).map(({ step }) => step)),
    decided.decision.clarification_question,
  ];
  return {
    text: join(parts.filter((part) => part !== undefined && part !== '') as string[]),
    ...(shown && { shown }),
    ...(recent !== undefined && { recent }),
  };
}

/** Lists go on separate lines. */
function join(parts: string[]): string {
  return parts.reduce((text, part) => {
    if (text === '') return part;
    return text + (text.includes('\n') || part.includes('\n') ? '\n' : ' ') + part;
  }, '');
}

const isList = ({ call }: Step) => call.tool_name === 'list_tasks';

function shownList({ filter }: Step, outcome: StepOutcome) {
  const list = listFrom(outcome);
  if (!list) return undefined;
  return filter ? describePart(list.tasks, filter) : describeList(list.tasks, list.total);
}

function sentenceFor(step: Step, outcome: StepOutcome): string {
  switch (outcome.state) {
    case 'done':
      return isList(step)
        ? (shownList(step, outcome)?.text ?? unreadableListText())
        : doneSentence(step, outcome.value);
    case 'failed':
      return isList(step)
        ? unreadableListText(outcome.code)
        : `I could not ${describeWish(step.wish)}${failureReason(outcome.code)}`;
    case 'unknown':
      return `No answer came when I tried to ${describeWish(step.wish)}, so I do not know whether it was done; say “show my tasks” to see.`;
    case 'skipped':
      return `I have not tried to ${describeWish(step.wish)}.`;
    default:
      return outcome satisfies never;
  }
}

const Deleted = z.object({ deleted: z.boolean() });

function doneSentence(step: Step, value: unknown): string {
  if (step.call.tool_name !== 'delete_task') return step.done;
  const parsed = Deleted.safeParse(value);
  if (parsed.success && !parsed.data.deleted)
    return `${quote(step.wish.replace(/^delete /, ''))} was already gone from your list, so there was nothing to delete.`;
  return step.done;
}

/** A retry does not help if the call is forbidden or switched off. */
function mayBeTriedAgain(outcome: StepOutcome): boolean {
  if (outcome.state === 'failed') return !isPermanent(outcome.code);
  return outcome.state === 'skipped';
}

function retry(steps: Step[]): string | undefined {
  const wishes = steps.filter((step) => !isList(step)).map(({ wish }) => `“${wish}”`);
  return wishes.length > 0 ? `Say ${joinWords(wishes)} to try again.` : undefined;
}

const Added = z.object({ task: z.object({ task_id: z.string() }) });

/** "It" after one task was added is that task. */
function addedId(outcomes: readonly StepOutcome[]): string | undefined {
  const ids = outcomes.flatMap((outcome) => {
    const parsed = outcome.state === 'done' ? Added.safeParse(outcome.value) : undefined;
    return parsed?.success ? [parsed.data.task.task_id] : [];
  });
  return ids.length === 1 ? ids[0] : undefined;
}
