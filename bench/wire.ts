/** What the two protocol eras look like on the wire, for the raw parts of the bench. */
export type Era = '2025-11-25' | '2026-07-28';

export interface Rpc {
  jsonrpc: '2.0';
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

export const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export const CLIENT_INFO = { name: 'bench', version: '1.0.0' };

const META = 'io.modelcontextprotocol';

/** Since 2026-07-28 every request says who asks and in which revision; there is no handshake. */
export const ENVELOPE = {
  [`${META}/protocolVersion`]: '2026-07-28',
  [`${META}/clientInfo`]: CLIENT_INFO,
  [`${META}/clientCapabilities`]: {},
};

export function isEnveloped({ params }: Rpc): boolean {
  const meta = params?._meta as Record<string, unknown> | undefined;
  return meta?.[`${META}/protocolVersion`] !== undefined;
}

export function stamped(result: Record<string, unknown>): Record<string, unknown> {
  return {
    ...result,
    resultType: 'complete',
    _meta: { [`${META}/serverInfo`]: { name: 'echo', version: '1.0.0' } },
  };
}

/** Headers of one call. The 2026 revision repeats method and name, so that a proxy can route without reading the body. */
export function callHeaders(era: Era, tool: string): Record<string, string> {
  const common = { ...JSON_HEADERS, 'mcp-protocol-version': era };
  return era === '2025-11-25' ? common : { ...common, 'mcp-method': 'tools/call', 'mcp-name': tool };
}
