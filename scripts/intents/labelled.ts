import { createHash } from 'node:crypto';
import { IntentType } from '../../src/contract/chat.ts';

/** A message whose intent somebody wrote down. */
export interface Labelled {
  label: IntentType;
  message: string;
  source: string;
  tags: string[];
}

/** Lines of intent, message, source and a label of the source with tags behind semicolons; the last two may be missing. */
export function readLabelled(text: string): Labelled[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\t'))
    .flatMap(([label, message = '', source = '', original = '']) => {
      const intent = IntentType.safeParse(label);
      return intent.success ? [{ label: intent.data, message, source, tags: original.split(';') }] : [];
    });
}

/** Two fifths of any file are kept out of tuning, by a hash of the message: the same ones on every machine. */
export function isHeldOut({ message }: Pick<Labelled, 'message'>): boolean {
  return createHash('sha256').update(message.trim().toLowerCase()).digest()[0]! % 5 < 2;
}
