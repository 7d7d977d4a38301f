import type { MessageClause } from '../../contract/chat.ts';
import { isNounPhrase } from '../grammar/guards.ts';
import { normalise } from '../language/normalise.ts';
import { nameTask, type EditScope } from './name-task.ts';

const LEAD =
  /^(?:(?:no|nope|nah|sorry|wait|oops|oh|actually|not (?:that|this|it)(?: one)?|(?:the )?wrong one|i (?:mean|meant|said)|rather)(?:[\s,.!]+|$))+/i;
const TAIL = /,? (?:i (?:mean|meant|said)|instead|rather)$/i;
const LONGEST = 80;

/** "No, the Marta one", while a delete waits: another task is to be deleted. */
export function readOther(
  message: string,
  scope: EditScope & { pending?: { task_description: string } | undefined },
): MessageClause | undefined {
  const said = message.trim().replace(/(?<![\s.!])[\s.!]+$/u, '');
  const name = said.replace(LEAD, '').replace(TAIL, '');
  if (name === said || name === '' || said.length > LONGEST || said.includes('?')) return undefined;
  const tokens = normalise(name).sentences.flatMap((sentence) => sentence.tokens);
  const named = isNounPhrase(tokens, [0, tokens.length]) ? nameTask(name, scope) : undefined;
  if (!named || named.by === 'pronoun' || named.task.description === scope.pending?.task_description)
    return undefined;
  const task_reference = named.task.description;
  return {
    text: said,
    user_intent: { intent_type: 'DELETE_TASK', confidence: 1, extracted_params: { task_reference } },
    reference: { kind: 'title', text: task_reference },
    reasons: ['names another task to delete'],
  };
}
