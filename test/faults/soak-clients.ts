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

/** Clients that come and go. Each has one call at a time; after some seconds it makes room for another. */
export function createCrowd(proxy: RunningProxy, stayMs: number) {
  let came = 0;
  return {
    came: () => came,
    /** One slot: its client makes the calls, and the next client enters when that one leaves. */
    place() {
      let here: { client: SoakClient; until: number } | undefined;
      const leave = () => {
        here?.client.leave();
        here = undefined;
      };
      /** Never throws; the time is that of the call alone, not of coming in. */
      const call = async (what: SoakCall): Promise<{ code: string; ms: number }> => {
        let began = performance.now();
        try {
          if (here && performance.now() > here.until) leave();
          here ??= {
            client: await KINDS[came++ % KINDS.length]!(proxy),
            until: performance.now() + stayMs * (0.5 + Math.random()),
          };
          began = performance.now();
          return { code: await here.client.call(what), ms: performance.now() - began };
        } catch (error) {
          leave();
          return { code: `none: ${(error as Error).message}`, ms: performance.now() - began };
        }
      };
      return { call, leave };
    },
  };
}
