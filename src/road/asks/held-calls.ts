import { randomUUID } from 'node:crypto';
import { ProxyError } from '../../contract/errors.ts';
import { isObject } from '../../json/index.ts';
import { RpcFault } from '../../lib/rpc.ts';
import type { HeldCall } from './held-call.ts';

interface Terms {
  client: string;
  limitMs: number;
  onLeft: () => void;
}

interface Entry {
  call: HeldCall;
  terms: Terms;
  timer: NodeJS.Timeout;
}

/** The state of a call that the proxy itself holds; other states are a server's own. */
export interface HeldState {
  mcpproxy_held: string;
  round: unknown;
  /** Where the call runs. */
  proxy: unknown;
}

/** A call whose client came back; `again`: it must be asked once more. */
interface Taken {
  call: HeldCall;
  again: () => void;
}

const MAX_HELD = 512;
const MAX_HELD_PER_CLIENT = 32;
/** The client may need a moment more than the person. */
const GRACE_MS = 5_000;

/** Calls of this process whose client has to answer something before they go on. */
export class HeldCalls {
  /** Names this place among those of all proxies on one database. */
  readonly proxy = randomUUID();
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /** Throws where no further call can wait for its client. */
  checkRoom(call: HeldCall, client: string): void {
    if (this.#entries.has(call.id)) return;
    let own = 0;
    for (const entry of this.#entries.values()) if (entry.terms.client === client) own++;
    if (this.#entries.size < MAX_HELD && own < MAX_HELD_PER_CLIENT) return;
    throw new RpcFault(-32000, 'Too many calls wait for an answer of their client');
  }

  /** Keeps the call until the client comes back, and no longer than it may take. */
  hold(call: HeldCall, terms: Terms): void {
    this.release(call);
    const timer = setTimeout(() => this.#leave(call), terms.limitMs + GRACE_MS).unref();
    this.#entries.set(call.id, { call, terms, timer });
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  release(call: HeldCall): void {
    clearTimeout(this.#entries.get(call.id)?.timer);
    this.#entries.delete(call.id);
  }

  /** Throws where the call is not there any more. */
  take(state: HeldState, client: string): Taken {
    const entry = this.#entries.get(state.mcpproxy_held);
    if (!entry || entry.terms.client !== client || entry.call.round !== state.round) throw callEnded();
    const { call, terms } = entry;
    this.release(call);
    return { call, again: () => this.hold(call, terms) };
  }

  #leave(call: HeldCall): void {
    const entry = this.#entries.get(call.id);
    this.release(call);
    call.abort('the client did not answer in time');
    entry?.terms.onLeft();
  }
}

export function heldState(state: unknown): HeldState | undefined {
  const isHeld = isObject(state) && typeof state.mcpproxy_held === 'string';
  return isHeld ? (state as unknown as HeldState) : undefined;
}

export function callEnded(): ProxyError {
  return new ProxyError(
    'INVALID_STATE',
    'The call that this state belongs to has ended: its answer took too long, the proxy was restarted, or it was continued already. Check what it did before you repeat it',
    {},
  );
}
