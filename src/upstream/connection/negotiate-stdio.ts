import {
  isSpecType,
  SUPPORTED_PROTOCOL_VERSIONS,
  type DiscoverResult,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { isObject, type JsonObject } from '../../json/index.ts';
import type { RpcMessage } from '../../lib/rpc.ts';
import { MODERN } from './server-memory.ts';

/** The answer to one of the two opening requests. */
export type Negotiated = { discover: DiscoverResult } | { initialize: RpcMessage };

export interface NegotiateOptions {
  /** The era of the last connection; absent: both are tried. */
  era?: 'legacy' | typeof MODERN | undefined;
  clientInfo: { name: string; version: string };
  /** What a server of the older revisions may ask of clients. */
  capabilities?: JsonObject | undefined;
  /** What every request of the 2026-07-28 revision carries in its `_meta`. */
  envelope: JsonObject;
  /** From the start of the process until the first usable answer. */
  limitMs: number;
  /** After this time without any answer, `initialize` is sent as well: some servers hold every other request until they have it. */
  patienceMs: number;
}

/** No usable answer came within the limit. */
export class StartTimeout extends Error {}

type Opening = 'discover' | 'initialize';
type Asked = 'unasked' | 'open' | 'rejected';
const OPENINGS: Opening[] = ['discover', 'initialize'];
/** Numbers, because some servers support no other ids; above those of the SDK client and below those of the lane. */
const IDS: Record<Opening, number> = { discover: 900_000_001, initialize: 900_000_002 };
const PING_ID = 900_000_003;
/** Some servers answer the ping first and the earlier request a moment later. */
const PING_LEAD_MS = 1000;

/**
 * Starts a stdio server and detects its protocol era. A server that starts slowly looks like one that ignores `server/discover`, so a ping
 * follows that request: once the server answers the ping, it has started and has read the request before it. Only then, or when it rejects
 * the request, `initialize` is sent. No request is given up because another is sent: the first usable answer decides, until the limit.
 */
export async function negotiateStdio(transport: Transport, options: NegotiateOptions): Promise<Negotiated> {
  const asked: Record<Opening, Asked> = { discover: 'unasked', initialize: 'unasked' };
  const timers: NodeJS.Timeout[] = [];
  const late = (ms: number, then: () => void): void => void timers.push(setTimeout(then, ms));
  try {
    return await new Promise<Negotiated>((done, fail) => {
      const send = (message: RpcMessage): void =>
        void transport.send(message as JSONRPCMessage).catch((error: unknown) => fail(error));
      const ask = (opening: Opening): void => {
        if (asked[opening] !== 'unasked') return;
        asked[opening] = 'open';
        send(openingRequest(opening, options));
      };
      const onmessage = (message: RpcMessage): void => {
        if (message.method === 'ping' && message.id !== undefined)
          return send({ jsonrpc: '2.0', id: message.id, result: {} });
        if (message.id === PING_ID && message.method === undefined)
          return late(Math.min(PING_LEAD_MS, options.patienceMs), () => ask('initialize'));
        const opening = OPENINGS.find((one) => IDS[one] === message.id);
        if (!opening || message.method !== undefined) return;
        const answer = usable(opening, message);
        if (answer) return done(answer);
        asked[opening] = 'rejected';
        if (OPENINGS.every((one) => asked[one] === 'rejected')) fail(rejection(opening, message));
        else OPENINGS.forEach(ask);
      };
      const onclose = (): void => fail(new Error('the connection was closed during the handshake'));
      Object.assign(transport, { onmessage, onclose });
      const begin = (): void => {
        if (options.era === 'legacy') return ask('initialize');
        ask('discover');
        if (options.era !== undefined) return;
        send({ jsonrpc: '2.0', id: PING_ID, method: 'ping', params: { _meta: options.envelope } });
        late(options.patienceMs, () => ask('initialize'));
      };
      late(options.limitMs, () => fail(new StartTimeout(timeoutText(options.limitMs))));
      transport.start().then(begin, fail);
    });
  } finally {
    timers.forEach(clearTimeout);
    Object.assign(transport, { onmessage: undefined, onclose: undefined });
  }
}

/**
 * Lets the SDK client take over a started transport: its `start` does nothing, and its `initialize` is answered with the server's answer to
 * the earlier one.
 */
export function handOver(transport: Transport, negotiated: Negotiated): void {
  const start = transport.start.bind(transport);
  const send = transport.send.bind(transport);
  transport.start = () => {
    transport.start = start;
    return Promise.resolve();
  };
  if (!('initialize' in negotiated)) return;
  transport.send = (message, ...more) => {
    transport.send = send;
    if (!('method' in message) || message.method !== 'initialize' || !('id' in message))
      return send(message, ...more);
    const answer = { ...negotiated.initialize, id: message.id };
    queueMicrotask(() => transport.onmessage?.(answer as JSONRPCMessage));
    return Promise.resolve();
  };
}

function openingRequest(
  opening: Opening,
  { clientInfo, envelope, capabilities = {} }: NegotiateOptions,
): RpcMessage {
  const id = IDS[opening];
  if (opening === 'discover')
    return { jsonrpc: '2.0', id, method: 'server/discover', params: { _meta: envelope } };
  const params = { protocolVersion: SUPPORTED_PROTOCOL_VERSIONS[0], capabilities, clientInfo };
  return { jsonrpc: '2.0', id, method: 'initialize', params };
}

function usable(opening: Opening, message: RpcMessage): Negotiated | undefined {
  const { result } = message;
  if (opening === 'initialize') return isObject(result) ? { initialize: message } : undefined;
  if (!isSpecType.DiscoverResult(result) || !result.supportedVersions.includes(MODERN)) return undefined;
  return { discover: result };
}

function rejection(opening: Opening, { error }: RpcMessage): Error {
  const text = isObject(error) && typeof error.message === 'string' ? error.message : 'no result';
  const method = opening === 'discover' ? 'server/discover' : 'initialize';
  return new Error(`the server rejected the handshake (its answer to ${method}: ${text})`);
}

function timeoutText(limitMs: number): string {
  const advice = 'does it speak MCP, and does it start without asking anything?';
  return `no answer to the handshake within ${inWords(limitMs)} of its start; ${advice} If it needs longer, set its "startup_timeout"`;
}

function inWords(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
