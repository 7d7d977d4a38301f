import { ProxyError } from '../../contract/errors.ts';
import type { ConnectionProof } from '../../doors/cli/index.ts';
import { isObject } from '../../json/index.ts';
import { VERSION } from '../version.ts';

const LIMIT_MS = 20_000;
const PROTOCOL = '2025-11-25';

/** Connects to the endpoint as a client would, with its token, and lists the tools. */
export async function proveConnection(
  url: string,
  token: string,
  signal: AbortSignal,
): Promise<ConnectionProof> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const headers = new Headers({
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  });
  const send = async (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const response = await fetch(url, { method: 'POST', headers, body, signal: limit });
    const session = response.headers.get('mcp-session-id');
    if (session !== null) headers.set('mcp-session-id', session);
    return resultOf(response, await response.text());
  };
  try {
    const clientInfo = { name: 'mcpproxy-connect', version: VERSION };
    const params = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
    const { protocolVersion } = await send({ id: 1, method: 'initialize', params });
    headers.set('mcp-protocol-version', String(protocolVersion));
    await send({ method: 'notifications/initialized' });
    const { tools } = await send({ id: 2, method: 'tools/list' });
    return { protocol: String(protocolVersion), tools: namesIn(tools) };
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted ? 'no answer in time' : (error as Error).message;
    throw new ProxyError('NO_DAEMON', `A client cannot use ${url} with its token: ${why}`, { url }).withCause(
      error,
    );
  } finally {
    if (headers.has('mcp-session-id'))
      await fetch(url, { method: 'DELETE', headers, signal: limit }).catch(() => undefined);
  }
}

const namesIn = (tools: unknown): string[] =>
  Array.isArray(tools) ? tools.flatMap((tool) => (isObject(tool) ? [String(tool.name)] : [])) : [];

/** The result of a JSON-RPC answer, also where it comes as an event. */
function resultOf(response: Response, text: string): Record<string, unknown> {
  if (!response.ok) throw new Error(`it answers with status ${response.status}`);
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const bodies = isEvents ? [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data]) => data!) : [text];
  for (const body of bodies.filter((each) => each.trim() !== '').reverse()) {
    const message: unknown = JSON.parse(body);
    if (isObject(message) && isObject(message.error)) throw new Error(String(message.error.message));
    if (isObject(message) && isObject(message.result)) return message.result;
  }
  return {};
}

const ANSWER_MS = 2_000;

/** Whether a program answers at this address, whatever it says. No token is sent. */
export async function answersAt(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
