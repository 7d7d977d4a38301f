import type { OperationType } from '../../contract/operation.ts';
import { nameParts } from './inference.ts';
import { verbOperation } from './verbs.ts';

const COURTESY =
  /^\W*(?:(?:hi|hello|hey)\W+)?(?:(?:can|could|would|will) you(?: please)?(?: help me)?|please|i(?: would|'d)? (?:want|need|like|wish)(?: you)? to|help me(?: to)?)\s+/i;
const FIRST_WORD = /^\W*([a-z]+)/i;
const QUESTION = new Set(
  'what who whose which when where how why is are was were do does did has have tell give'.split(' '),
);

/** The operation that the first word of a query asks for: "what …" and "list …" ask to read, "delete …" asks for more. */
export function askedOperation(query: string): OperationType | undefined {
  const first = FIRST_WORD.exec(query.slice(0, 200).replace(COURTESY, ''))?.[1]?.toLowerCase();
  if (first === undefined) return undefined;
  return QUESTION.has(first) ? 'read' : verbOperation(first);
}

/** The operation of the first verb in a tool's name; a prefix may precede it (`jira_create_issue`). */
export function namedOperation(name: string): OperationType | undefined {
  for (const part of nameParts(name).slice(0, 3)) {
    const operation = verbOperation(part);
    if (operation) return operation;
  }
  return undefined;
}
