import type { IncomingMessage } from 'node:http';
import { LONG_TEXT } from '../lib/in-turn.ts';
import { pace } from '../lib/pace.ts';
import { TextCollector } from '../lib/text-collector.ts';

/** How much of a body over the limit is still taken in and dropped, so that the sender gets to read its refusal. */
const DRAIN_FACTOR = 4;

/**
 * Collects a body without promises, as it is on every request's way. Each part becomes text when it comes, so that a long one is never
 * decoded in one go. `done` gets the text, or undefined as soon as the body is over the limit; it is never called for a sender that goes
 * away. `isValid`: it was UTF-8; otherwise the text is not what was sent.
 */
export function readBody(
  req: IncomingMessage,
  maxBytes: number,
  done: (text: string | undefined, isValid: boolean) => void,
): void {
  let text = new TextCollector();
  let size = 0;
  let tooLarge = false;

  function refuse(): void {
    tooLarge = true;
    text = new TextCollector();
    done(undefined, false);
  }

  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (!tooLarge && size <= maxBytes) text.add(chunk);
    else if (!tooLarge) refuse();
    if (size > DRAIN_FACTOR * maxBytes) req.destroy();
    else if (size > LONG_TEXT) pace(req, chunk.length);
  });
  req.on('error', () => (text = new TextCollector()));
  req.on('end', () => {
    if (tooLarge) return;
    const { isValid } = text;
    done(text.take(), isValid);
  });
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) refuse();
}
