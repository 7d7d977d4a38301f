import { MESSAGE_MAX_LENGTH } from '../../contract/chat.ts';
import { ProxyError } from '../../contract/errors.ts';

/** Control characters, direction marks and invisible letters. Joiners and emoji selectors stay, because scripts need them. */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\u034f|\u17b4|\u17b5/gu;

export interface CleanMessage {
  text: string;
  /** Invisible characters were removed. */
  cleaned: boolean;
}

/** The visible text of a message. Throws if it is empty or too long. */
export function cleanMessage(raw: string): CleanMessage {
  const length = characters(raw);
  if (length > MESSAGE_MAX_LENGTH) {
    throw bad(
      `That message has ${length} characters; the limit is ${MESSAGE_MAX_LENGTH}. Nothing was done. Please send a shorter message`,
      { limit: MESSAGE_MAX_LENGTH, length },
    );
  }
  const visible = raw.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(HIDDEN, '');
  const text = visible.replace(/\t/g, ' ').trim();
  if (text === '')
    throw bad('That message is empty. Nothing was done; say “show my tasks”, for example', {
      length: 0,
    });
  return { text, cleaned: visible.length !== raw.replace(/\r\n?|[\u2028\u2029]/g, '\n').length };
}

function characters(text: string): number {
  let n = 0;
  for (const _ of text) n++;
  return n;
}

function bad(message: string, details: Record<string, unknown>): ProxyError {
  return new ProxyError('INVALID_REQUEST', message, { in: 'body', parameter: 'message', ...details });
}
