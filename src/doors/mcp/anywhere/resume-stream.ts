import type { Relay } from '../../../db/index.ts';
import { isObject } from '../../../json/index.ts';
import type { Log } from '../../../lib/log.ts';
import type { EventWriter } from '../http/event-writer.ts';
import { CODE, errorMessage, RpcError } from '../wire.ts';
import { requestEventId, type StreamPosition } from './event-ids.ts';
import { streamTopic, type KeptEvent } from './kept-stream.ts';

interface Parts {
  relay: Relay;
  log: Log;
  sessionId: string;
  position: Extract<StreamPosition, { kind: 'request' }>;
  to: EventWriter;
}

const CHECK_MS = 1_000;
/** A proxy that has not said for this time that the call still runs is taken for dead. */
const SILENT_MS = 12_000;

/** Sends the rest of the answer to a request, whichever proxy runs its call. Returns what stops it when the client leaves. */
export function resumeStream({ relay, log, sessionId, position, to }: Parts): () => void {
  const { stream, request } = position;
  const topic = streamTopic(sessionId, stream);
  let after = position.seq;
  let heard = performance.now();
  let isOver = false;
  let reading: Promise<void> | undefined;

  function finish(): void {
    if (isOver) return;
    stop();
    to.end();
  }

  function stop(): void {
    isOver = true;
    clearInterval(timer);
    stopListening();
  }

  async function forward(): Promise<void> {
    for (const { seq, message } of await relay.read(topic, after)) {
      if (isOver) return;
      after = seq;
      heard = performance.now();
      const { text, isLast } = message as KeptEvent;
      if (text !== undefined) to.sendText(text, requestEventId(stream, seq, request ?? 0));
      if (isLast) finish();
    }
  }

  /** One at a time, so that nothing is sent twice. */
  function read(): void {
    reading ??= forward()
      .catch((error: unknown) => log.debug({ err: error }, 'a stream cannot be resumed at this moment'))
      .finally(() => (reading = undefined));
  }

  function check(): void {
    read();
    if (performance.now() - heard < SILENT_MS) return;
    if (request !== undefined) to.send(errorMessage(request, lost()));
    finish();
  }

  const stopListening = relay.on({
    wants: (about) => about === topic,
    got(_, news) {
      if (isObject(news) && 'resumed' in news) return;
      heard = performance.now();
      if (isObject(news) && !('alive' in news)) read();
    },
  });
  const timer = setInterval(check, CHECK_MS).unref();
  relay.send(topic, { resumed: true }).catch(() => read());
  read();
  return stop;
}

function lost(): RpcError {
  const message =
    'The proxy that made this call has ended, so its outcome is unknown: the call may have run. Check what it did before you repeat it';
  return new RpcError(CODE.server, message, { data: { code: 'OUTCOME_UNKNOWN' } });
}
