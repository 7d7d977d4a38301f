import type { IntentType, MessageClause, UserIntent } from '../../contract/chat.ts';
import type { OpenQuestion } from '../context.ts';
import { tooLong } from '../read/readings.ts';
import { quote, shortened, together } from '../reply/wording.ts';

export interface AskedWhat {
  question: string;
  open?: OpenQuestion;
}

const UNCLEAR = 'I am not sure what to do with that, so I have changed nothing.';

/** Asks what is wanted: where one thing is likely, whether it is that; otherwise names what could be meant, in words that would be understood. */
export function askWhat(clause: MessageClause, possible: readonly IntentType[]): AskedWhat {
  const [likely, another] = possible;
  if (possible.includes('CONFIRM_YES')) return { question: NEITHER };
  if (likely !== undefined && another === undefined) return askWhether(clause, likely);
  const named = nameIn(clause);
  const short = named !== '' && Array.from(named).length <= EXAMPLE_LENGTH ? shortened(named) : '…';
  const wishes = possible.flatMap((type) => WISH[type]?.(short) ?? []);
  const options = wishes.length > 0 ? wishes : [WISH.CREATE_TASK!(short), WISH.LIST_TASKS!('')];
  return { question: `${UNCLEAR} You can say ${together([...new Set(options)], 'or')}. Which is it?` };
}

const NEITHER =
  'I could not tell whether that is a yes or a no, so I have changed nothing. Say what you would like, “show my tasks” for example.';

const WISH: Partial<Record<IntentType, (text: string) => string>> = {
  CREATE_TASK: (text) => `“add ${text}”`,
  LIST_TASKS: () => '“show my tasks”',
  COMPLETE_TASK: (text) => `“complete ${text}”`,
  UPDATE_TASK: (text) => `“change ${text} to …”`,
  DELETE_TASK: (text) => `“delete ${text}”`,
};
const EXAMPLE_LENGTH = 40;
/** The examples bring their own. */
const OWN_VERB =
  /^(?:(?:please|hey|hi|ok|okay)[\s,]+)*(?:add|create|put|note|complete|finish|mark|tick|check|cross|delete|remove|erase|drop|change|update|edit|rename|modify|show|list)(?:\s+off)?[\s:]+/i;

/** What the clause is about, without the verb. */
function nameIn({ text, reference }: MessageClause): string {
  return (reference?.text ?? text.replace(OWN_VERB, '')).trim().replace(/(?<![.?!…\s])[.?!…\s]+$/u, '');
}

/** The person's own words, where they begin with the verb; then a yes is enough. */
function guessIn(clause: MessageClause): string {
  return clause.reference || OWN_VERB.test(clause.text) ? nameIn(clause) : '';
}

function askWhether(clause: MessageClause, likely: IntentType): AskedWhat {
  if (likely === 'LIST_TASKS')
    return thus('Should I show your tasks?', clause, { intent_type: likely, extracted_params: {} });
  const guess = guessIn(clause);
  if (likely === 'CREATE_TASK') return whetherToAdd(clause, guess);
  if (likely === 'COMPLETE_TASK' || likely === 'DELETE_TASK') return whetherThisTask(clause, likely, guess);
  return {
    question: `${UNCLEAR} Which task should I change, and what should it say? Say “change buy milk to buy oat milk”, for example.`,
  };
}

function whetherToAdd(clause: MessageClause, description: string): AskedWhat {
  if (description === '')
    return { question: `${UNCLEAR} Should something go on your list? Say “add buy milk”, for example.` };
  const intent: UserIntent = { intent_type: 'CREATE_TASK', extracted_params: { description } };
  return (
    tooLong(description, { about: 'CREATE_TASK' }) ??
    thus(`Should I put ${quote(description)} on your list?`, clause, intent)
  );
}

function whetherThisTask(
  clause: MessageClause,
  intent_type: 'COMPLETE_TASK' | 'DELETE_TASK',
  task_reference: string,
): AskedWhat {
  const isDelete = intent_type === 'DELETE_TASK';
  if (task_reference === '')
    return {
      question: `${UNCLEAR} Which task should I ${isDelete ? 'delete' : 'mark as done'}? Say its name, or “show my tasks”.`,
      open: { about: intent_type },
    };
  const named = quote(task_reference);
  const reference = clause.reference ?? { kind: 'title' as const, text: task_reference };
  return thus(
    isDelete ? `Do you want ${named} to be deleted?` : `Should I mark ${named} as done?`,
    { ...clause, reference },
    { intent_type, extracted_params: { task_reference } },
  );
}

/** A question that a yes makes the request. */
function thus(question: string, { text, reference }: MessageClause, user_intent: UserIntent): AskedWhat {
  const clause = { text, user_intent, reasons: [], ...(reference && { reference }) };
  return {
    question: `${question} Nothing was changed yet; please say yes or no.`,
    open: { about: 'THIS', clause },
  };
}
