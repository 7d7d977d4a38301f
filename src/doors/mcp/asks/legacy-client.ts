import { randomBytes } from 'node:crypto';
import type { ClientChannel } from '../../../road/index.ts';
import { isObject, type JsonObject } from '../../../json/index.ts';
import { RpcFault } from '../../../lib/rpc.ts';
import type { ActiveCall } from '../calls.ts';
import { isRequestId, type RequestId } from '../wire.ts';
import { readLevel, wantsLevel } from './log-level.ts';

interface OpenRequest {
  resolve(result: JsonObject): void;
  reject(error: RpcFault): void;
}

const MAX_OPEN = 64;
const INTERNAL = -32603;

/** What a client of the 2025 revisions can be asked for by servers, and how. One per session. */
export class LegacyClient {
  readonly key: string;
  #capabilities: JsonObject = {};
  #level: string | undefined;
  readonly #open = new Map<RequestId, OpenRequest>();
  /** An answer to a request from before a restart must not match a later request. */
  readonly #series = randomBytes(6).toString('hex');
  #last = 0;

  constructor(sessionId: string) {
    this.key = `session ${sessionId}`;
  }

  introduce(capabilities: unknown): void {
    this.#capabilities = isObject(capabilities) ? capabilities : {};
  }

  setLevel(params: JsonObject | undefined): string {
    // Absent is as wrong as unknown.
    const level = readLevel(params?.level);
    this.#level = level;
    return level;
  }

  /** Whether there is anything that a server could ask of this client, or tell it. */
  get #isReachable(): boolean {
    const { elicitation, sampling, roots } = this.#capabilities;
    return Boolean(elicitation ?? sampling ?? roots) || this.#level !== undefined;
  }

  /** Of a request that the proxy makes for the client: it says which client this is to a server. */
  get silentChannel(): ClientChannel | undefined {
    if (!this.#isReachable) return undefined;
    return {
      key: this.key,
      capabilities: this.#capabilities,
      logLevel: this.#level,
      log: () => undefined,
    };
  }

  /** Undefined: the client is not reachable. */
  channelFor(call: ActiveCall): ClientChannel | undefined {
    if (!this.#isReachable) return undefined;
    return {
      key: this.key,
      capabilities: this.#capabilities,
      logLevel: this.#level,
      request: (method, params, signal) => this.#send(call, { method, params }, signal),
      log: (params) => {
        if (call.aborted || !wantsLevel(this.#level ?? 'debug', params.level)) return;
        call.reply.notify({ jsonrpc: '2.0', method: 'notifications/message', params });
      },
    };
  }

  /** The client's response to a request; false: it is unknown here. */
  answered({ id, result, error }: JsonObject): boolean {
    const open = isRequestId(id) ? this.#open.get(id) : undefined;
    if (!open) return false;
    this.#open.delete(id as RequestId);
    if (isObject(result)) open.resolve(result);
    else open.reject(clientFault(error));
    return true;
  }

  #send(
    { reply }: ActiveCall,
    { method, params }: { method: string; params: JsonObject },
    signal: AbortSignal,
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || !reply.listening) return reject(new RpcFault(-32000, 'The client has left'));
      if (this.#open.size >= MAX_OPEN)
        return reject(new RpcFault(-32000, 'Too many open requests to the client'));
      const id = `mcpproxy-ask-${this.#series}-${++this.#last}`;
      const withdraw = (): void => {
        if (!this.#open.delete(id)) return;
        const reason = 'nobody waits for the answer any more';
        reply.notify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, reason },
        });
        reject(new RpcFault(-32000, 'The request was withdrawn'));
      };
      const settle = () => signal.removeEventListener('abort', withdraw);
      this.#open.set(id, {
        resolve: (result) => (settle(), resolve(result)),
        reject: (error) => (settle(), reject(error)),
      });
      signal.addEventListener('abort', withdraw, { once: true });
      // The method is written before the id: the stdio relay tells requests from answers by it.
      reply.notify({ jsonrpc: '2.0', method, id, params });
      return undefined;
    });
  }
}

function clientFault(error: unknown): RpcFault {
  const { code, message } = isObject(error) ? error : {};
  return new RpcFault(
    typeof code === 'number' ? code : INTERNAL,
    typeof message === 'string' ? message.slice(0, 500) : 'The client answered with an error',
  );
}
