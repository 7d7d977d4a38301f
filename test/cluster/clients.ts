import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenCall, ToolName } from './history.ts';

export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

export interface ClientPlace {
  url: string;
  token: string;
  era: Era;
}

type Answered = Pick<SeenCall, 'outcome' | 'said'>;
const VARIANT: Record<ToolName, 'read' | 'write' | 'destructive'> = {
  get: 'read',
  put: 'write',
  log: 'write',
  wipe: 'destructive',
};
const ANSWER_MS = 20_000;
const META = 'io.modelcontextprotocol';
const CLIENT = { name: 'cluster', version: '1' };
const ENVELOPE = {
  [`${META}/protocolVersion`]: '2026-07-28',
  [`${META}/clientInfo`]: CLIENT,
  [`${META}/clientCapabilities`]: {},
};
/** The call may have run: the codes of the reference of errors whose outcome is unknown. */
const UNCLEAR = ['UPSTREAM_TIMEOUT', 'OUTCOME_UNKNOWN', 'CANCELLED', 'RESULT_TOO_LARGE'];

/** A client that logs how each of its calls was answered. A client of the older era has a session, and opens a new one only after a 404. */
export function createClusterClient({ url, token, era }: ClientPlace) {
  let session: string | undefined;
  let lastId = 0;

  function post(body: object, more: Record<string, string> = {}): Promise<Response> {
    return fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': era,
        ...(session !== undefined && { 'mcp-session-id': session }),
        ...more,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  }

  async function open(): Promise<boolean> {
    session = undefined;
    const params = { protocolVersion: era, capabilities: {}, clientInfo: CLIENT };
    const opened = await post({ id: ++lastId, method: 'initialize', params });
    await opened.text();
    session = opened.headers.get('mcp-session-id') ?? undefined;
    if (!opened.ok || session === undefined) return false;
    await (await post({ method: 'notifications/initialized' })).text();
    return true;
  }

  async function call(tool: ToolName, nonce: string): Promise<Answered> {
    const isModern = era === '2026-07-28';
    const operation = VARIANT[tool];
    const name = `call_tool_${operation}`;
    const args = { name: `ledger:${tool}`, args: { nonce }, intent_operation_type: operation };
    try {
      if (!isModern && session === undefined && !(await open()))
        return { outcome: 'refused', said: 'no session' };
    } catch (error) {
      return { outcome: 'refused', said: `no session: ${String(error)}` };
    }
    try {
      const params = { name, arguments: args, ...(isModern && { _meta: ENVELOPE }) };
      const headers: Record<string, string> = isModern
        ? { 'mcp-method': 'tools/call', 'mcp-name': name }
        : {};
      const response = await post({ id: ++lastId, method: 'tools/call', params }, headers);
      const text = await response.text();
      if (response.status === 404) session = undefined;
      return readAnswer(response.status, text, nonce);
    } catch (error) {
      return { outcome: 'unclear', said: String(error) };
    }
  }
  return { call };
}

interface Rpc {
  result?: {
    isError?: boolean;
    content?: Array<{ text?: string }>;
    structuredContent?: { error?: { code: string; details?: { executed?: boolean } } };
  };
}

function readAnswer(status: number, text: string, nonce: string): Answered {
  const body = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  const { result } = parsed(body);
  const said = `HTTP ${status} ${body.slice(0, 300)}`;
  if (!result) return { outcome: isRejected(status) ? 'refused' : 'unclear', said };
  if (result.isError !== true) return { outcome: hasText(result, nonce) ? 'done' : 'unclear', said };
  const refusal = result.structuredContent?.error;
  if (!refusal) return { outcome: 'unclear', said };
  const mayHaveRun = UNCLEAR.includes(refusal.code) || refusal.details?.executed === true;
  return { outcome: mayHaveRun ? 'unclear' : 'refused', said: refusal.code };
}

/** The proxy took no call. A 502 comes from the balancer, which lost the proxy. */
const isRejected = (status: number) => status < 500 || status === 503;

const hasText = ({ content }: NonNullable<Rpc['result']>, text: string) => content?.[0]?.text === text;

function parsed(text: string): Rpc {
  try {
    return JSON.parse(text) as Rpc;
  } catch {
    return {};
  }
}

/** Waits, or ends early with the run. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
