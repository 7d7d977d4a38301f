import type { MessageClause, TaskReference } from '../../contract/chat.ts';
import type { DecisionContext } from '../context.ts';
import { normalise } from '../language/normalise.ts';
import { readPositions } from '../language/positions.ts';
import { resolveTask } from '../decide/resolve-task.ts';
import { isSmallTalk } from '../reply/small-talk.ts';

const BOTH = /^both(?: of (?:them|these|those))?[.!\s]*$/i;
const ALL = /^(?:all|everything|every one|all of (?:them|these|those))[.!\s]*$/i;
const MOST_CHOSEN = 20;

/** The places in the list that an answer to "which one?" names, where it names those and nothing else. */
export function tasksChosen(text: string, among: number): TaskReference[] | undefined {
  if ((BOTH.test(text) && among === 2) || (ALL.test(text) && among > 1 && among <= MOST_CHOSEN))
    return Array.from({ length: among }, (_, i) => ({ kind: 'position', text, position: i + 1 }));
  const { clean, sentences } = normalise(text);
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  return readPositions(clean, tokens, [0, tokens.length]);
}

const THINKING =
  /^(?:h+m+|u+m+|u+h+|e+r+m*|well|wait|let me|i (?:do not|don'?t) know|idk|dunno|not sure|whatever|lol|ha(?:ha)+|wow|why|what|who|how|when|where)\b/i;

/** Means nothing by itself: it can be the text that was asked for. */
export function isBareText(clause: MessageClause): boolean {
  const intent = clause.user_intent;
  if (intent.intent_type === 'AMBIGUOUS')
    return !intent.extracted_params.possible_intents.includes('CONFIRM_YES');
  return (
    intent.intent_type === 'GENERAL_CHAT' && !isSmallTalk(clause.text) && !THINKING.test(clause.text.trim())
  );
}

/** Whether it names one of the tasks. Where the list was read and none fits, it is no answer. */
export function isAnswer(
  clause: MessageClause,
  title: TaskReference,
  { tasks, shown }: DecisionContext,
): boolean {
  if (!isBareText(clause)) return false;
  if (!tasks) return true;
  return resolveTask(title, { tasks: tasks.tasks, ...(shown && { shown }) }).kind !== 'none';
}
