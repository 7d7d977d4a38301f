import type { IncomingMessage } from 'node:http';

/** How much of a body over the limit is still taken in and dropped, so that the sender gets to read its refusal. */
const DRAIN_FACTOR = 4;

/**
 * Collects a body without promises, as it is on every request's way. `done` gets the bytes, or undefined as soon as the body
 * is over the limit; it is never called for a sender that goes away.
 */
export function readBody(
  req: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | undefined) => void,
): void {
  let parts: Buffer[] = [];
  let size = 0;
  let tooLarge = false;

  function refuse(): void {
    tooLarge = true;
    parts = [];
    done(undefined);
  }

  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (!tooLarge && size <= maxBytes) parts.push(chunk);
    else if (!tooLarge) refuse();
    if (size > DRAIN_FACTOR * maxBytes) req.destroy();
  });
  req.on('error', () => (parts = []));
  req.on('end', () => {
    if (!tooLarge) done(parts.length === 1 ? parts[0]! : Buffer.concat(parts, size));
  });
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) refuse();
}
