import type { IncomingMessage } from 'node:http';
import { TextCollector, pace, type AskRoom, type Place } from '../../../load/index.ts';
import { LONG_TEXT } from '../../../json/index.ts';

/** How much of a body that is not wanted is still taken in and dropped, so that the sender gets to read its refusal. */
const DRAIN_FACTOR = 4;

export interface BodyReader {
  maxBytes: number;
  /** Absent: there is room for everything. */
  room: AskRoom | undefined;
  /** `isValid`: it was UTF-8; otherwise the text is not what was sent. */
  done: (text: string, isValid: boolean, place: Place | undefined) => void;
  /** As soon as that is known: it is over the limit, or there is no room for it. */
  refused: (why: 'too large' | 'no room') => void;
}

/**
 * Collects a body without promises, as it is on every request's way. Each part becomes text when it comes, so that a long one is never
 * decoded in one go. Neither is called for a sender that goes away.
 */
export function readBody(req: IncomingMessage, { maxBytes, room, done, refused }: BodyReader): void {
  let text = new TextCollector();
  let size = 0;
  let isRefused = false;
  let place: Place | undefined;

  function refuse(why: 'too large' | 'no room'): void {
    isRefused = true;
    text = new TextCollector();
    place?.leave();
    refused(why);
  }

  /** Nothing more is taken in until there is room for all of it. */
  function askRoom(bytes: number): void {
    place = room!(bytes);
    req.pause();
    void place.ready.then((isIn) => {
      if (!isIn && !isRefused && !req.destroyed) refuse('no room');
      req.resume();
    });
  }

  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (!isRefused && size <= maxBytes) text.add(chunk);
    else if (!isRefused) refuse('too large');
    if (size > DRAIN_FACTOR * maxBytes) req.destroy();
    else if (size > LONG_TEXT && room && !place && !isRefused) askRoom(Infinity);
    else if (size > LONG_TEXT) pace(req, chunk.length);
  });
  req.on('error', () => (text = new TextCollector()));
  req.on('end', () => {
    if (isRefused) return;
    const { isValid } = text;
    place?.arrived();
    done(text.take(), isValid, place);
  });
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > maxBytes) refuse('too large');
  else if (room && announced > LONG_TEXT) askRoom(announced);
}
