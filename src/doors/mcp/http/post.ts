import type { Place } from '../../../load/index.ts';
import { LONG_TEXT, inTurn, type Steps } from '../../../json/index.ts';
import type { McpCore } from '../core.ts';
import type { LegacyDoor } from './legacy.ts';
import type { ModernDoor } from './modern.ts';
import { parseSteps, parseText, readableId, shapeOf, tooMuch } from '../parse-message.ts';
import { readBody } from './read-body.ts';
import { modernRevision } from '../revision.ts';
import { headerOf, refuse, type Visit } from '../visit.ts';
import { CODE, RpcError, type Message } from '../wire.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const EXCERPT = 2_000;

/** Every message comes by POST: read it within the limits, see which era it speaks, hand it on. */
export function createPostDoor(core: McpCore, legacy: LegacyDoor, modern: ModernDoor) {
  function route(visit: Visit, body: unknown): void {
    if (Array.isArray(body)) return legacy.batch(visit, body);
    const shape = shapeOf(body);
    const message = body as Message;
    if (shape !== 'response' && modernRevision(message, shape, routingHeaders(visit)) !== undefined) {
      return modern(visit, message, shape);
    }
    legacy.post(visit, message, shape);
  }

  function receive(visit: Visit, text: string, read: () => unknown): void {
    let body: unknown;
    try {
      body = read();
      route(visit, body);
    } catch (cause) {
      const excerpt = () => text.slice(0, EXCERPT);
      refuse(core, visit, cause, { id: readableId(body), excerpt });
    }
  }

  /** A long message is read in steps, and to act on it is one more. */
  function* receiveLong(visit: Visit, text: string, isValid: boolean): Steps<void> {
    let read: () => unknown;
    try {
      const body = yield* parseSteps(text, isValid);
      read = () => body;
    } catch (cause) {
      read = () => {
        throw cause;
      };
    }
    yield;
    if (visit.res.destroyed) refuse(core, visit, leftEarly(), { excerpt: () => text.slice(0, EXCERPT) });
    else receive(visit, text, read);
  }

  function take(visit: Visit, text: string, isValid: boolean, place: Place | undefined): void {
    if (text.length <= LONG_TEXT) receive(visit, text, () => parseText(text, isValid));
    else void inTurn(receiveLong(visit, text, isValid)).then(() => place?.leave());
  }

  return function post(visit: Visit): void {
    const type = visit.req.headers['content-type'] ?? '';
    if (type !== 'application/json' && !JSON_TYPE.test(type)) {
      visit.req.resume();
      return refuse(core, visit, wrongType());
    }
    const { bodyBytes: maxBytes } = core.limits;
    readBody(visit.req, {
      maxBytes,
      room: visit.room,
      done: (text, isValid, place) => take(visit, text, isValid, place),
      refused(why) {
        if (why === 'too large') refuse(core, visit, tooLarge(maxBytes));
        else refuse(core, visit, tooMuch(), { headers: { 'retry-after': '1' } });
      },
    });
  };
}

function routingHeaders(visit: Visit) {
  return {
    version: headerOf(visit, 'mcp-protocol-version'),
    method: headerOf(visit, 'mcp-method'),
    name: headerOf(visit, 'mcp-name'),
  };
}

function leftEarly(): RpcError {
  const message = 'The client left before its message was read; nothing was called';
  return new RpcError(CODE.server, message, { status: 499, record: 'CANCELLED' });
}

function wrongType(): RpcError {
  const message = 'Unsupported Media Type: the Content-Type must be application/json';
  return new RpcError(CODE.server, message, { status: 415, record: 'INVALID_REQUEST' });
}

function tooLarge(limit: number): RpcError {
  const options = { data: { limit }, status: 413, record: 'PAYLOAD_TOO_LARGE' } as const;
  return new RpcError(CODE.server, `Payload Too Large: the limit is ${limit} bytes`, options);
}
