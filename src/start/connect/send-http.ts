import { Agent, request as sendPlain, type IncomingMessage } from 'node:http';
import type { Answer, Call } from '../../contract/routes/client.ts';
import { ProxyError } from '../../contract/errors.ts';

/** Longer answers are read as a stream. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

export interface HttpSender {
  send: (call: Call) => Promise<Answer>;
  close: () => void;
}

/** Sends requests without a time-out: the time-outs of the proxy end a call. `extra` adds headers to each request. */
export function createHttpSender(extra: () => Record<string, string> = () => ({})): HttpSender {
  const agent = new Agent({ keepAlive: true });
  return {
    async send({ url, method, headers, body, signal }) {
      const isPlain = url.startsWith('http:');
      const send = isPlain ? sendPlain : (await import('node:https')).request;
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = send(url, {
          method,
          headers: {
            ...headers,
            ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
            ...extra(),
          },
          ...(isPlain && { agent }),
          ...(signal && { signal }),
        });
        request.once('response', resolve).once('error', reject).end(body);
      });
      return answerOf(url, response);
    },
    close: () => agent.destroy(),
  };
}

function answerOf(url: string, response: IncomingMessage): Answer {
  const status = response.statusCode!;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new ProxyError(
      'NO_DAEMON',
      `${new URL(url).origin} redirects to ${response.headers.location ?? 'another address'}: use that address with --url`,
    );
  }
  return {
    status,
    ok: status >= 200 && status < 300,
    body: response,
    text: () => textOf(response),
  };
}

async function textOf(response: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    bytes += part.length;
    if (bytes > MAX_TEXT_BYTES) throw new Error(`the answer has more than ${MAX_TEXT_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts, bytes).toString();
}
