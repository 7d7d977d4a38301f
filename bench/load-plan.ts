import { callHeaders, ENVELOPE, type Era } from './wire.ts';

/** Stands for the number of the call: ten digits, so that every request has the same length. */
export const CALL_NUMBER = '1000000000';

/** A server under load, as the load generator needs to know it. */
export interface Target {
  name: string;
  era: Era;
  /** Where: an endpoint, or a program to start. */
  url?: string;
  command?: string[];
  tool: string;
  args: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The process whose CPU time counts. */
  pid?: number;
}

export interface Round {
  target: Target;
  callers: number;
  warmMs: number;
  /** How long, or how many calls. */
  measureMs?: number;
  calls?: number;
}

export interface RoundResult {
  calls: number;
  callsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of the target's process per call, warm-up and what follows the calls included. */
  cpuUs?: number;
}

/** About 200 bytes, with the number of the call in front, so that an answer can be told to belong to its question. */
export const ECHO_TEXT = `m${CALL_NUMBER} ${'The quick brown fox jumps over the lazy dog. '.repeat(5)}`.slice(
  0,
  200,
);

export function callBody({ era, tool, args }: Target): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: Number(CALL_NUMBER),
    method: 'tools/call',
    params: { name: tool, arguments: args, ...(era === '2026-07-28' && { _meta: ENVELOPE }) },
  });
}

/** One request, ready to be sent once the number is filled in. */
export function callRequest(target: Target, url: URL, session: string | undefined): string {
  const body = callBody(target);
  const headers = {
    host: url.host,
    ...callHeaders(target.era, target.tool),
    ...target.headers,
    ...(session && { 'mcp-session-id': session }),
    'content-length': Buffer.byteLength(body),
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname} HTTP/1.1\r\n${head.join('')}\r\n${body}`;
}
