import type { IncomingMessage, ServerResponse } from 'node:http';
import { waitForDrain, isLarge, sendText, textStream } from '../../load/index.ts';

/** A web Request over a node request. Its signal aborts when the client disconnects before the answer is complete. */
export function toRequest(req: IncomingMessage, res: ServerResponse): Request {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  const headers = new Headers();
  for (let i = 0; i < req.rawHeaders.length; i += 2)
    headers.append(req.rawHeaders[i]!, req.rawHeaders[i + 1]!);
  const method = req.method ?? 'GET';
  // Joined as text: resolving "//other.host/" against a base would change the host.
  const url = `http://${req.headers.host}${req.url}`;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method,
    headers,
    signal: gone.signal,
    ...(hasBody && { body: bodyOf(req), duplex: 'half' as const }),
  });
}

/**
 * Reads no faster than the consumer, and not before it asks: node discards an unread body after the response. Cancelling discards the
 * rest as well instead of destroying the connection, so that the client can still read why its body was rejected.
 */
function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  let listening = false;
  let over = false;
  let onData: (chunk: Buffer) => void;

  function listen(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const finish = (act: () => void) => () => {
      if (!over) act();
      over = true;
    };
    const fail = (why: string) => finish(() => controller.error(new Error(why)));
    onData = (chunk) => {
      req.pause();
      controller.enqueue(chunk);
    };
    listening = true;
    req.on('data', onData);
    req.once(
      'end',
      finish(() => controller.close()),
    );
    req.once('error', fail('the body could not be read'));
    req.once('close', fail('the client disconnected before its body was complete'));
  }

  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (!listening) listen(controller);
        req.resume();
      },
      cancel() {
        over = true;
        if (listening) req.off('data', onData);
        req.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

const wholeTexts = new WeakMap<Response, string>();

/** A response whose text is known, so that `sendResponse` writes it in one go instead of reading it back from a stream. */
export function textResponse(text: string, init: ResponseInit): Response {
  // The stream is only for a consumer that reads the response itself; `sendResponse` does not use it.
  const response = new Response(isLarge(text) ? textStream(text) : text, init);
  wholeTexts.set(response, text);
  return response;
}

/** The text of such a response, unless it is large. */
export function wholeTextOf(response: Response): string | undefined {
  const text = wholeTexts.get(response);
  return text === undefined || isLarge(text) ? undefined : text;
}

/** Writes no faster than the client reads; when the client disconnects, the source ends. Throws the errors of the source. */
export async function sendResponse(response: Response, res: ServerResponse): Promise<void> {
  for (const [name, value] of response.headers) res.setHeader(name, value);
  res.writeHead(response.status);
  const text = wholeTexts.get(response);
  if (text !== undefined) {
    if (!isLarge(text)) return void res.end(text);
    await sendText(res, text);
    return void res.end();
  }
  if (response.body === null) return void res.end();
  const reader = response.body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  res.once('close', stop);
  // A source that fails while the client is not reading would otherwise wait for that client.
  reader.closed.catch(() => res.destroy());
  try {
    for (let part = await reader.read(); !part.done && !res.destroyed; part = await reader.read()) {
      if (!res.write(part.value)) await waitForDrain(res);
    }
    res.end();
  } finally {
    res.off('close', stop);
  }
}
