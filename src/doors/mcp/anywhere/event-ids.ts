import { isRequestId, type RequestId } from '../wire.ts';

/** Where a client is in a stream: in that of its session, or in the answer to one of its requests. */
export type StreamPosition =
  | { kind: 'session'; sentMs: number }
  | { kind: 'request'; stream: string; seq: number; request: RequestId | undefined };

const SESSION = /^session-(\d{1,15})$/;
const REQUEST = /^request-([0-9a-f]{24})-(\d{1,9})-([\w-]{0,2000})$/;

export const sessionEventId = (sentMs: number) => `session-${Math.trunc(sentMs)}`;

/** The id of the request is part of it: a proxy that knows nothing else can still answer. */
export function requestEventId(stream: string, seq: number, request: RequestId): string {
  return `request-${stream}-${seq}-${Buffer.from(JSON.stringify(request)).toString('base64url')}`;
}

/** Undefined: it is not ours. */
export function readEventId(text: string): StreamPosition | undefined {
  const session = SESSION.exec(text);
  if (session) return { kind: 'session', sentMs: Number(session[1]) };
  const request = REQUEST.exec(text);
  if (!request) return undefined;
  const [, stream, seq, id] = request;
  return { kind: 'request', stream: stream!, seq: Number(seq), request: readRequestId(id!) };
}

function readRequestId(encoded: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    return isRequestId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
