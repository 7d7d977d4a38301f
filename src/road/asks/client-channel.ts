import type { JsonObject } from '../../json/index.ts';

/** The client of a call, as its door offers it to the server of the call. */
export interface ClientChannel {
  /** Clients with the same key are one client to a server. */
  readonly key: string;
  /** What the client says that it can be asked for. */
  readonly capabilities: JsonObject;
  readonly logLevel?: string | undefined;
  /**
   * Sends a request to the client and resolves with its result; rejects with an RpcFault. Absent for clients since 2026-07-28, which are
   * asked by the result of their call ("input required") and answer with their next request.
   */
  request?(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Sends a log message, if the client wants it. */
  log(params: JsonObject): void;
}
