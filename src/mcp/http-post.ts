import { hasRoom, inTurn, LONG_TEXT } from '../lib/in-turn.ts';
import type { McpCore } from './core.ts';
import type { LegacyDoor } from './http-legacy.ts';
import type { ModernDoor } from './http-modern.ts';
import { parseSteps, parseText, readableId, shapeOf, tooMuch } from './parse-message.ts';
import { readBody } from './read-body.ts';
import { modernRevision } from './revision.ts';
import { headerOf, refuse, type Visit } from './visit.ts';
import { CODE, RpcError, type Message } from './wire.ts';

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

  /** A long message waits until its turn has come to be read, and again to be acted on. */
  function receiveLong(visit: Visit, text: string, isValid: boolean): void {
    if (!hasRoom(text.length)) return refuse(core, visit, tooMuch());
    void inTurn(text.length, parseSteps(text, isValid))
      .then(
        (body) => () => body,
        (cause: unknown) => () => {
          throw cause;
        },
      )
      .then((read) => setImmediate(() => visit.res.destroyed || receive(visit, text, read)));
  }

  return function post(visit: Visit): void {
    const type = visit.req.headers['content-type'] ?? '';
    if (type !== 'application/json' && !JSON_TYPE.test(type)) {
      visit.req.resume();
      return refuse(core, visit, wrongType());
    }
    readBody(visit.req, core.limits.bodyBytes, (text, isValid) => {
      if (text === undefined) refuse(core, visit, tooLarge(core.limits.bodyBytes));
      else if (text.length > LONG_TEXT) receiveLong(visit, text, isValid);
      else receive(visit, text, () => parseText(text, isValid));
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

function wrongType(): RpcError {
  const message = 'Unsupported Media Type: the Content-Type must be application/json';
  return new RpcError(CODE.server, message, { status: 415, record: 'INVALID_REQUEST' });
}

function tooLarge(limit: number): RpcError {
  const options = { data: { limit }, status: 413, record: 'PAYLOAD_TOO_LARGE' } as const;
  return new RpcError(CODE.server, `Payload Too Large: the limit is ${limit} bytes`, options);
}
