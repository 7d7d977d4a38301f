import { ProxyError } from '../../contract/errors.ts';
import { isObject } from '../../json/index.ts';
import { RpcFault } from '../../lib/rpc.ts';
import type { HeldCall } from './held-call.ts';

interface Entry {
  call: HeldCall;
  client: string;
  timer: NodeJS.Timeout;
  onLeft: () => void;
}

const MAX_HELD = 512;
const MAX_HELD_PER_CLIENT = 32;
/** The client may need a moment more than the person. */
const GRACE_MS = 5_000;

/** Calls whose client has to answer something before they go on. They live in this process: no other proxy can continue them. */
export class HeldCalls {
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /** Throws where no further call can wait for its client. */
  checkRoom(call: HeldCall, client: string): void {
    if (this.#entries.has(call.id)) return;
    let own = 0;
    for (const entry of this.#entries.values()) if (entry.client === client) own++;
    if (this.#entries.size < MAX_HELD && own < MAX_HELD_PER_CLIENT) return;
    throw new RpcFault(-32000, 'Too many calls wait for an answer of their client');
  }

  /** Keeps the call until the client comes back, and no longer than it may take. */
  hold(
    call: HeldCall,
    { client, limitMs, onLeft }: { client: string; limitMs: number; onLeft: () => void },
  ): void {
    this.release(call);
    const timer = setTimeout(() => this.#leave(call), limitMs + GRACE_MS).unref();
    this.#entries.set(call.id, { call, client, timer, onLeft });
  }

  release(call: HeldCall): void {
    clearTimeout(this.#entries.get(call.id)?.timer);
    this.#entries.delete(call.id);
  }

  /** The call that a state names; undefined: the state is a server's own. Throws where the call is not there any more. */
  take(state: unknown, client: string): HeldCall | undefined {
    if (!isObject(state) || typeof state.mcpproxy_held !== 'string') return undefined;
    const entry = this.#entries.get(state.mcpproxy_held);
    if (!entry || entry.client !== client || entry.call.round !== state.round) throw ended();
    this.release(entry.call);
    return entry.call;
  }

  #leave(call: HeldCall): void {
    const entry = this.#entries.get(call.id);
    this.release(call);
    call.abort('the client did not answer in time');
    entry?.onLeft();
  }
}

function ended(): ProxyError {
  return new ProxyError(
    'INVALID_STATE',
    'The call that this state belongs to has ended: its answer took too long, the proxy was restarted, or it was continued already. Check what it did before you repeat it',
    {},
  );
}
