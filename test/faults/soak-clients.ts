import { Agent } from 'node:http';
import { exchange, modern, openSession } from '../e2e/raw-token.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { callOnce } from './calls.ts';

export interface SoakCall {
  tool: string;
  operation: 'read' | 'write';
  args: Record<string, unknown>;
}

/** A client for some seconds, of one of the kinds that there are. */
export interface SoakClient {
  /** The error code, or "ok". */
  call(what: SoakCall): Promise<string>;
  leave(): void;
}

type Open = (proxy: RunningProxy) => Promise<SoakClient>;

const inArguments = ({ tool, operation, args }: SoakCall) => ({
  name: `call_tool_${operation}`,
  arguments: { name: tool, args, intent_operation_type: operation },
});

function codeOf(text: string): string {
  if (text.includes('"isError":true')) return /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? 'isError';
  return text.includes('"result"') ? 'ok' : `odd: ${text.slice(0, 100)}`;
}

const rest: Open = async (proxy) => {
  const agent = new Agent({ keepAlive: true });
  return {
    call: async ({ tool, ...how }) => (await callOnce(proxy, tool, { ...how, agent })).code,
    leave: () => agent.destroy(),
  };
};

const newEra: Open = async ({ url, key: token }) => ({
  call: async (what) =>
    codeOf(await exchange(url, { token, ...modern('tools/call', inArguments(what)) }).ended),
  leave: () => {},
});

/** Every other one says goodbye; the rest is simply not there any more, with its stream cut off. */
function oldEra(polite: boolean): Open {
  return async ({ url, key: token }) => {
    const headers = await openSession(url, token);
    const stream = exchange(url, { token, headers, method: 'GET' });
    let id = 0;
    return {
      call: async (what) => {
        const body = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: inArguments(what) };
        return codeOf(await exchange(url, { token, headers, body }).ended);
      },
      leave() {
        stream.close();
        if (polite) exchange(url, { token, headers, method: 'DELETE' });
      },
    };
  };
}

const KINDS: readonly Open[] = [rest, newEra, oldEra(true), rest, newEra, oldEra(false)];

/** Clients that come and go: whoever stays for too long makes room for another. */
export function createCrowd(proxy: RunningProxy, size: number, stayMs: number) {
  const places: Array<{ client: SoakClient; until: number } | undefined> = Array.from({ length: size });
  let came = 0;

  async function take(place: number): Promise<SoakClient> {
    const found = places[place];
    if (found && performance.now() < found.until) return found.client;
    places[place] = undefined;
    const client = await KINDS[came++ % KINDS.length]!(proxy);
    // Another call may have filled the place meanwhile; then this one is served and gone.
    if (places[place]) setTimeout(() => client.leave(), 5_000);
    else places[place] = { client, until: performance.now() + stayMs * (0.5 + Math.random()) };
    if (found) setTimeout(() => found.client.leave(), 5_000);
    return client;
  }

  return {
    /** Never throws; the time is that of the call alone, not of coming in. */
    async call(what: SoakCall): Promise<{ code: string; ms: number }> {
      let began = performance.now();
      try {
        const client = await take(Math.floor(Math.random() * size));
        began = performance.now();
        return { code: await client.call(what), ms: performance.now() - began };
      } catch (error) {
        return { code: `none: ${(error as Error).message}`, ms: performance.now() - began };
      }
    },
    came: () => came,
    leave: () => places.forEach((place) => place?.client.leave()),
  };
}
