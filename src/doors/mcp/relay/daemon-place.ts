import { baseUrl } from '../../../contract/routes/client.ts';
import type { Message } from '../wire.ts';

/** Where the daemon listens. It moves when it is started again. */
export interface DaemonPlace {
  url: () => string;
  /** Finds the daemon after a lost connection. Resolves with the reason where that fails. Requests that fail together share one search. */
  findAgain: () => Promise<unknown>;
}

export function createPlace(url: string, find: (() => Promise<string>) | undefined): DaemonPlace {
  let current = endpointOf(url);
  let searching: Promise<unknown> | undefined;
  async function search(): Promise<unknown> {
    try {
      current = endpointOf(await find!());
      return undefined;
    } catch (cause) {
      return cause ?? new Error('no daemon was found');
    }
  }
  return {
    url: () => current,
    findAgain: () => (searching ??= search().finally(() => (searching = undefined))),
  };
}

function endpointOf(url: string): string {
  return `${baseUrl(url)}/mcp`;
}

/** Tools of the proxy that only read. */
const READS: ReadonlySet<unknown> = new Set(['retrieve_tools', 'describe_tool', 'call_tool_read']);

/** Whether a message may be sent a second time although the first may have arrived: it changes nothing, or the same twice. */
export function isRepeatable(message: Message | undefined): boolean {
  if (message === undefined) return false;
  return message.method !== 'tools/call' || READS.has(message.params?.name);
}
