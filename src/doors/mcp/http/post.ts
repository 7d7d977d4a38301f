import type { IncomingMessage } from 'node:http';
import { inTurn, LONG_TEXT, type Steps } from '../../../json/index.ts';
import { pace, TextCollector, type Reservation, type ReserveBody } from '../../../load/index.ts';
import type { McpCore } from '../core.ts';
import { requestedBy } from '../items/item-methods.ts';
import { modernListener, type ModernPeer } from '../modern-peer.ts';
import { compareParams, modernRevision } from '../revision.ts';
import type { Subscriptions } from '../subscriptions.ts';
import {
  CODE,
  parseSteps,
  parseText,
  readableId,
  RpcError,
  shapeOf,
  tooManyLongMessages,
  type Message,
  type Request,
  type Shape,
} from '../wire.ts';
import { EventWriter } from './event-writer.ts';
import { Exchange, headerOf, rejectRequest, sendAccepted, type HttpRequest } from './exchange.ts';
import type { LegacyDoor } from './legacy.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const EXCERPT = 2_000;

type ModernDoor = (http: HttpRequest, message: Message, shape: Shape) => void;

/** Every message arrives by POST: it is read within the limits and passed on to the protocol era that it belongs to. */
export function createPostDoor(core: McpCore, legacy: LegacyDoor, modern: ModernDoor) {
  function route(http: HttpRequest, body: unknown): void {
    if (Array.isArray(body)) return legacy.batch(http, body);
    const shape = shapeOf(body);
    const message = body as Message;
    if (shape !== 'response' && modernRevision(message, shape, routingHeaders(http)) !== undefined) {
      return modern(http, message, shape);
    }
    legacy.post(http, message, shape);
  }

  function receive(http: HttpRequest, text: string, read: () => unknown): void {
    let body: unknown;
    try {
      body = read();
      route(http, body);
    } catch (cause) {
      rejectRequest(core, http, { cause, id: readableId(body), excerpt: () => text.slice(0, EXCERPT) });
    }
  }

  /** A long message is parsed in steps; acting on it is one more step. */
  function* receiveLong(http: HttpRequest, text: string, isValid: boolean): Steps<void> {
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
    if (http.res.destroyed)
      rejectRequest(core, http, { cause: clientLeft(), excerpt: () => text.slice(0, EXCERPT) });
    else receive(http, text, read);
  }

  return function post(http: HttpRequest): void {
    const type = http.req.headers['content-type'] ?? '';
    if (type !== 'application/json' && !JSON_TYPE.test(type)) {
      http.req.resume();
      return rejectRequest(core, http, { cause: wrongType() });
    }
    const { bodyBytes: maxBytes } = core.limits;
    readBody(http.req, {
      maxBytes,
      reserve: http.reserve,
      done(text, isValid, reservation) {
        if (text.length <= LONG_TEXT) receive(http, text, () => parseText(text, isValid));
        else void inTurn(receiveLong(http, text, isValid)).then(() => reservation?.release());
      },
      rejected(why) {
        if (why === 'too large') rejectRequest(core, http, { cause: tooLarge(maxBytes) });
        else rejectRequest(core, http, { cause: tooManyLongMessages(), headers: { 'retry-after': '1' } });
      },
    });
  };
}

/** Revision 2026-07-28 over HTTP: no sessions, and a client cancels by closing the response. */
export function createModernDoor(core: McpCore, peer: ModernPeer, subscriptions: Subscriptions): ModernDoor {
  function listen(http: HttpRequest, request: Request): void {
    const { res, identity, isDirect } = http;
    const from = { key: res, identity, isDirect, ...modernListener(request, http) };
    subscriptions.listen(request, from, () => new EventWriter(res, core.limits));
    res.on('close', () => subscriptions.remove(res));
  }

  return function post(http, message, shape) {
    // No notification of a client has a meaning in this revision.
    if (shape !== 'request') return sendAccepted(http);
    const request = message as Request;
    if (request.method === 'subscriptions/listen') return listen(http, request);
    if (request.method === 'tools/call' && core.modeOf(http) !== 'search') {
      const { name, arguments: args } = request.params ?? {};
      compareParams(core.declaredHeaders(name, http.identity), args, (header) => headerOf(http, header));
    }
    if (request.method === 'tools/call' || requestedBy(request.method)) {
      http.res.on('close', () => peer.calls.cancel(http, 'the client closed the response'));
    }
    peer.request(request, http, new Exchange(http.res, core.limits));
  };
}

/** How much of a rejected body is still read and dropped, so that the client gets to read the error. */
const DRAIN_FACTOR = 4;

export interface BodyReader {
  maxBytes: number;
  /** Absent: long bodies are not limited. */
  reserve: ReserveBody | undefined;
  /** `isValid`: the body was UTF-8; otherwise the text differs from what was sent. */
  done: (text: string, isValid: boolean, reservation: Reservation | undefined) => void;
  /** Called as soon as it is known that the body is over the limit or the budget. */
  rejected: (why: 'too large' | 'no room') => void;
}

/**
 * Collects a body without promises, as every request passes here. Each part is decoded on arrival, so that a long body is never decoded
 * in one go. Neither callback is called when the client disconnects.
 */
export function readBody(req: IncomingMessage, { maxBytes, reserve, done, rejected }: BodyReader): void {
  let text = new TextCollector();
  let size = 0;
  let isRejected = false;
  let reservation: Reservation | undefined;

  function reject(why: 'too large' | 'no room'): void {
    isRejected = true;
    text = new TextCollector();
    reservation?.release();
    rejected(why);
  }

  /** Nothing more is read until the budget has room for all of it. */
  function waitForRoom(bytes: number): void {
    reservation = reserve!(bytes);
    req.pause();
    void reservation.granted.then((isGranted) => {
      if (!isGranted && !isRejected && !req.destroyed) reject('no room');
      req.resume();
    });
  }

  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (!isRejected && size <= maxBytes) text.add(chunk);
    else if (!isRejected) reject('too large');
    if (size > DRAIN_FACTOR * maxBytes) req.destroy();
    else if (size > LONG_TEXT && reserve && !reservation && !isRejected) waitForRoom(Infinity);
    else if (size > LONG_TEXT) pace(req, chunk.length);
  });
  req.on('error', () => (text = new TextCollector()));
  req.on('end', () => {
    if (isRejected) return;
    const { isValid } = text;
    reservation?.arrived();
    done(text.take(), isValid, reservation);
  });
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > maxBytes) reject('too large');
  else if (reserve && announced > LONG_TEXT) waitForRoom(announced);
}

function routingHeaders(http: HttpRequest) {
  return {
    version: headerOf(http, 'mcp-protocol-version'),
    method: headerOf(http, 'mcp-method'),
    name: headerOf(http, 'mcp-name'),
  };
}

function clientLeft(): RpcError {
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
