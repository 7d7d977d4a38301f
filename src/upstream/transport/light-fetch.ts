import { Readable, Transform, type TransformCallback } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { LaneError } from './lane.ts';
import { MAX_MESSAGE_BYTES } from '../../lib/rpc.ts';

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

const HEADERS_TIMEOUT_MS = 30_000;
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * The part of `fetch` that the SDK's transports use, on undici's `request`: far cheaper, without listeners left on the transport's long-lived
 * signal, and with a limit on the size of a message. Redirects are returned, never followed.
 */
export function createLightFetch(agent: Dispatcher): FetchLike {
  return async (url, init = {}) => {
    const { request } = (await import('undici')).default;
    const { signal, detach } = ownSignal(init.signal ?? undefined);
    try {
      const answer = await request(url, {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        body: typeof init.body === 'string' ? init.body : null,
        signal,
        dispatcher: agent,
        headersTimeout: HEADERS_TIMEOUT_MS,
        // Event streams may be silent for long; requests have their own deadlines.
        bodyTimeout: 0,
      });
      answer.body.once('close', detach);
      return toResponse(answer);
    } catch (error) {
      detach();
      throw error;
    }
  };
}

/** One signal per request, so that listeners do not pile up on the signal of the connection. */
function ownSignal(outer: AbortSignal | undefined): { signal: AbortSignal; detach: () => void } {
  const own = new AbortController();
  if (!outer) return { signal: own.signal, detach: () => undefined };
  outer.throwIfAborted();
  const abort = () => own.abort(outer.reason);
  outer.addEventListener('abort', abort, { once: true });
  return { signal: own.signal, detach: () => outer.removeEventListener('abort', abort) };
}

function toResponse({ statusCode, headers, body }: Dispatcher.ResponseData): Response {
  const shown = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value ?? []].flat()) shown.append(name, one);
  const encoding = shown.get('content-encoding');
  shown.delete('content-encoding');
  shown.delete('content-length');
  if (WITHOUT_BODY.has(statusCode)) {
    body.resume();
    return new Response(null, { status: statusCode, headers: shown });
  }
  const events = shown.get('content-type')?.startsWith('text/event-stream') === true;
  const plain = decoded(body, encoding).pipe(new MessageCap(events));
  body.once('error', (error: Error) => plain.destroy(error));
  plain.once('close', () => body.destroy());
  return new Response(Readable.toWeb(plain) as ReadableStream<Uint8Array>, {
    status: statusCode,
    headers: shown,
  });
}

/** The proxy does not ask for compression, but reads compressed answers within the same limit. */
export function decoded(body: Readable, encoding: string | null | undefined): Readable {
  const decoder = createDecoder(encoding);
  if (!decoder) return body;
  body.once('error', (error: Error) => decoder.destroy(error));
  return body.pipe(decoder);
}

export function createDecoder(encoding: string | null | undefined): Transform | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new LaneError('http', `the server uses the unknown content encoding ${JSON.stringify(encoding)}`);
  }
}

/** Aborts a body that exceeds the limit. In an event stream the limit applies to each event, because the stream may live for days. */
class MessageCap extends Transform {
  readonly #events: boolean;
  #bytes = 0;

  constructor(events: boolean) {
    super();
    this.#events = events;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const boundary = this.#events
      ? Math.max(chunk.lastIndexOf('\n\n'), chunk.lastIndexOf('\r\n\r\n'), chunk.lastIndexOf('\r\r'))
      : -1;
    this.#bytes = boundary === -1 ? this.#bytes + chunk.length : chunk.length - boundary;
    if (this.#bytes <= MAX_MESSAGE_BYTES) return done(null, chunk);
    done(new LaneError('too_large', `a message is larger than ${MAX_MESSAGE_BYTES} bytes`));
  }
}
