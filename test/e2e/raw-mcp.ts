import type { RunningProxy } from './start-proxy.ts';

export interface RawAnswer {
  status: number;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what comes over the wire is looked at field by field
  json: any;
}

/** Sends exactly these bytes to /mcp, in a session of the 2025 revisions. */
export interface RawMcp {
  send(body: string | Uint8Array, headers?: Record<string, string>): Promise<RawAnswer>;
  /** A tools/call whose arguments are this JSON text, as it stands. */
  call(variant: string, argumentsJson: string): Promise<RawAnswer>;
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

export async function openRawMcp({ url, key }: Pick<RunningProxy, 'url' | 'key'>): Promise<RawMcp> {
  const common = {
    'x-api-key': key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (body: string | Uint8Array, headers: Record<string, string>) =>
    fetch(`${url}/mcp`, { method: 'POST', headers: { ...common, ...headers }, body });
  const opened = await post(INITIALIZE, {});
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-06-18',
  };
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}', session);
  let id = 0;

  async function send(body: string | Uint8Array, headers: Record<string, string> = {}): Promise<RawAnswer> {
    const response = await post(body, { ...session, ...headers });
    const text = await response.text();
    const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
    return { status: response.status, text, json: data.startsWith('{') ? JSON.parse(data) : undefined };
  }
  return {
    send,
    call: (variant, argumentsJson) =>
      send(
        `{"jsonrpc":"2.0","id":${++id},"method":"tools/call","params":{"name":"${variant}","arguments":${argumentsJson}}}`,
      ),
  };
}
