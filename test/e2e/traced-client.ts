import type { CallResult } from '../../src/contract/call.ts';
import type { RunningProxy } from './start-proxy.ts';

export interface TracedCall {
  tool: string;
  args: Record<string, unknown>;
  /** Put into `_meta`. */
  meta?: Record<string, string>;
  headers?: Record<string, string>;
}

export type SendCall = (call: TracedCall) => Promise<CallResult>;

const PREFIX = 'io.modelcontextprotocol/';

/** Clients that say exactly what a test wants in `_meta` and in headers. */
export async function tracedClient(era: '2025' | '2026', proxy: RunningProxy): Promise<SendCall> {
  const common = {
    authorization: `Bearer ${proxy.key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  let id = 0;
  const post = async (method: string, params: unknown, headers: Record<string, string>) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
    return fetch(`${proxy.url}/mcp`, { method: 'POST', headers: { ...common, ...headers }, body });
  };
  const resultOf = async (response: Response) => ((await response.json()) as { result: CallResult }).result;
  if (era === '2026') {
    const envelope = { [`${PREFIX}protocolVersion`]: '2026-07-28', [`${PREFIX}clientCapabilities`]: {} };
    return async ({ tool, args, meta, headers }) => {
      const routing = {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': tool,
      };
      const params = { name: tool, arguments: args, _meta: { ...envelope, ...meta } };
      return resultOf(await post('tools/call', params, { ...routing, ...headers }));
    };
  }
  const opened = await post(
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'traced', version: '1' } },
    {},
  );
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await opened.text();
  return async ({ tool, args, meta, headers }) => {
    const params = { name: tool, arguments: args, ...(meta && { _meta: meta }) };
    return resultOf(await post('tools/call', params, { ...session, ...headers }));
  };
}
