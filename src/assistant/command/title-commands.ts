import type { MessageClause, TaskChange, TaskReference, UserIntent } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import type { Message } from '../language/token.ts';
import { wordsOf, isSubset, titleWords } from '../reply/task-words.ts';
import { ambiguous } from '../read/user-intent.ts';
import { commandForms, type CommandForm } from './command-forms.ts';
import { normaliseTitle, tasksWithTitle } from './match-title.ts';

/** A verb and an exact title: decisive, whatever the words of the title are. */
export function readTitleCommand(
  text: Message,
  tasks: readonly KnownTask[],
  forms: readonly CommandForm[] = tasks.length > 0 ? commandForms(text) : [],
): MessageClause | undefined {
  const found = forms
    .map((form) => ({ form, titled: tasksWithTitle(form.object, tasks) }))
    .filter(({ titled }) => titled.length > 0)
    // One title may contain another: the longest match wins.
    .sort((a, b) => rank(b) - rank(a) || b.form.object.length - a.form.object.length)[0];
  if (!found) return undefined;
  const { form, titled } = found;
  const reference: TaskReference = { kind: 'title', text: titled[0]!.description };
  return {
    text: text.clean.trim(),
    user_intent: intentOf(form, reference),
    reference,
    ...(form.change && { change: form.change }),
    reasons: [`${RULES[form.intent]} by its title`],
  };
}

function rank({ form, titled }: { form: CommandForm; titled: KnownTask[] }): number {
  return normaliseTitle(form.object) === normaliseTitle(titled[0]!.description) ? 1 : 0;
}

/**
 * A verb and words of a title, if neither grammar nor model is sure. A delete needs confirmation anyway; for the rest the person is asked whether it is
 * meant.
 */
export function readPartialTitleCommand(
  text: Message,
  tasks: readonly KnownTask[],
  forms: readonly CommandForm[],
): MessageClause | undefined {
  const form = forms.find((one) => one.plain && isContained(one, tasks));
  if (!form) return undefined;
  const reference: TaskReference = { kind: 'title', text: form.object };
  return {
    text: text.clean.trim(),
    user_intent: form.intent === 'DELETE_TASK' ? intentOf(form, reference) : ambiguous([form.intent]),
    reference,
    ...(form.change && { change: form.change }),
    reasons: [`${RULES[form.intent]} by words of its title`],
  };
}

/** A verb and a name that matches no title: the reply says so. */
export function readUnknownTitleCommand(
  text: Message,
  forms: readonly CommandForm[],
): MessageClause | undefined {
  const form = forms.find(({ plain, change }) => plain && !change);
  if (!form || form.intent === 'UPDATE_TASK') return undefined;
  return {
    text: text.clean.trim(),
    user_intent: ambiguous([form.intent]),
    reference: { kind: 'title', text: form.object },
    reasons: [`${RULES[form.intent]} that is not on the list`],
  };
}

const RULES: Record<CommandForm['intent'], string> = {
  COMPLETE_TASK: 'completes a task',
  UPDATE_TASK: 'changes a task',
  DELETE_TASK: 'deletes a task',
};

const MOST_WORDS = 8;
function isContained({ object, intent, change }: CommandForm, tasks: readonly KnownTask[]): boolean {
  const { content } = wordsOf(object);
  if (content.size === 0 || content.size > MOST_WORDS || (intent === 'UPDATE_TASK' && !change)) return false;
  return tasks.some((task) => isSubset(content, titleWords(task).stems));
}

function intentOf({ intent, change }: CommandForm, { text }: TaskReference): UserIntent {
  const params = { task_reference: text };
  if (intent !== 'UPDATE_TASK') return { intent_type: intent, confidence: 1, extracted_params: params };
  return { intent_type: intent, confidence: 1, extracted_params: { ...params, ...newText(change) } };
}

function newText(change: TaskChange | undefined): { new_description?: string } {
  return change?.kind === 'replace' ? { new_description: change.text } : {};
}
