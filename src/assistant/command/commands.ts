import type { MessageClause } from '../../contract/chat.ts';
import type { EditScope } from '../edit/name-task.ts';
import { findOrder } from '../language/carriers.ts';
import { normalise } from '../language/normalise.ts';
import type { Message, Token } from '../language/token.ts';
import { isDeed, readAbbreviated, readAdded, readAddForm, readPlainAdd } from './add-forms.ts';
import { isFrameWord, isPlainVerb } from './frame-words.ts';
import { isMention, withMentions, withPlaces } from './mentions.ts';
import { readNamedRow } from './named-row.ts';
import { isTitle, readOrders, startsOrder } from './orders.ts';
import { readClearing, spelledOut } from './whole-message.ts';

/**
 * The message as one or several commands: a verb and any text to add, or a verb and tasks of the list. Undefined if one part is not such
 * a command; then the grammar and the model read it.
 */
export function readCommands(message: Message, scope: EditScope): MessageClause[] | undefined {
  const { tasks } = scope;
  if (message.clean.trim().includes('\n') || message.sentences.length === 0) return undefined;
  const { text, asked } = spelledOut(message);
  const tokens = tasks.length > 0 ? placed(text, withMentions(text, tasks)) : [];
  const startsWithTitle = isTitle(tokens[0]);
  return (
    (startsWithTitle ? readOrders(text, tokens, scope) : undefined) ??
    readAlso(text, scope) ??
    readSeries(text, scope) ??
    readClearing(text) ??
    readNew(text, asked) ??
    readNamedRow(text, scope) ??
    readOrders(text, tokens, scope) ??
    asList(readPlainAdd(text))
  );
}

/** A verb that is said of tasks, and places in the list. */
function placed({ clean, sentences: [, another] }: Message, tokens: readonly Token[]): readonly Token[] {
  const [from, to] = findOrder(tokens, [0, tokens.length]).span;
  const isNamed = tokens.some(isMention);
  if (isNamed || another || from >= to || !isPlainVerb(tokens[from]!.word)) return tokens;
  const isSaid = (at: number) => isFrameWord(tokens[at]!.word) || isPlainVerb(tokens[at]!.word);
  let [start, end] = [from + 1, to];
  while (start < end && isSaid(start)) start++;
  while (end > start && isSaid(end - 1)) end--;
  return start < end ? withPlaces(clean, tokens, [start, end]) : tokens;
}

const asList = (clause: MessageClause | undefined) => clause && [clause];

function readNew(text: Message, asked: Pick<Message, 'clean'> | undefined): MessageClause[] | undefined {
  return asList(readAddForm(text) ?? (asked && readAddForm(asked, true)) ?? readAbbreviated(text));
}

const ALSO = /^(?<first>.+?),? (?:and|plus) also,? (?<second>.+)$/iu;
/** "Add milk, and also call mom": what follows is a command of its own, or another text to add. */
function readAlso({ clean }: Message, scope: EditScope): MessageClause[] | undefined {
  const { first = '', second = '' } = ALSO.exec(clean.trim())?.groups ?? {};
  if (first === '') return undefined;
  const added = readAdded(first);
  const more = added && (readCommands(normalise(second), scope) ?? textAdded(second));
  return more && [...added, ...more];
}

const MOST_PARTS = 20;
/** "Add pay rent; call mom. Clean the kitchen": what follows is a command too, or one more thing to do. */
function readSeries({ clean }: Message, scope: EditScope): MessageClause[] | undefined {
  const [first = '', ...more] = clean.trim().split(/;\s*|\.\s+(?=\p{L})/u, MOST_PARTS + 1);
  if (more.length === 0 || more.length >= MOST_PARTS) return undefined;
  const parts = [
    readAdded(first),
    ...more.map((said) => {
      const isTold = !clean.includes(';') && !isDeed(said);
      return readCommands(normalise(said), scope) ?? (isTold ? undefined : textAdded(said));
    }),
  ];
  return parts[0] && parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

/** Text to add, unless it starts like another command. */
function textAdded(said: string): MessageClause[] | undefined {
  const tokens = normalise(said).sentences.flatMap((sentence) => sentence.tokens);
  if (tokens.length === 0 || startsOrder(tokens, 0)) return undefined;
  return readAdded(said) ?? readAdded(`add ${said.replace(/^to /i, '')}`);
}
