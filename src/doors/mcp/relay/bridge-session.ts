import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../lib/log.ts';
import { sessionHeaders, type BridgeSession } from './bridge-headers.ts';
import type { Daemon } from './daemon.ts';
import { isObject } from '../../../json/index.ts';

const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** The session that a 2025 client has with the daemon. It outlives a restart of the daemon: the client's handshake is said again. */
export class DaemonSession {
  readonly #daemon: Daemon;
  readonly #relay: (text: string) => void;
  readonly #log: Log;
  readonly #ended = new AbortController();
  #current: BridgeSession | undefined;
  #handshake: string | undefined;
  #renewing: Promise<void> | undefined;

  constructor(daemon: Daemon, relay: (text: string) => void, log: Log) {
    this.#daemon = daemon;
    this.#relay = relay;
    this.#log = log;
  }

  get current(): BridgeSession | undefined {
    return this.#current;
  }

  /** The daemon has answered the handshake. */
  begin(handshake: string, id: string | undefined, answer: string): void {
    const revision = negotiated(answer);
    if (id === undefined || revision === undefined) return;
    this.#handshake = handshake;
    this.#current = { id, revision };
  }

  /** The daemon no longer knows this session. */
  renew(lost: BridgeSession): Promise<void> {
    if (this.#current !== lost) return this.#renewing ?? Promise.resolve();
    this.#renewing ??= this.#shakeHandsAgain().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  /** Follows the stream for what belongs to no request, as long as this session lasts. */
  async listen(): Promise<void> {
    const session = this.#current;
    if (!session) return;
    const { signal } = this.#ended;
    for (let wait = RETRY_MS; this.#current === session && !signal.aborted; wait *= 2) {
      const status = await this.#follow(session).catch(() => undefined);
      // The credential is good no more; asking again will not change that.
      if (status === 401) return;
      if (status === 404) await this.renew(session).catch(() => undefined);
      if (status === 200) wait = RETRY_MS;
      await sleep(Math.min(wait, MAX_RETRY_MS), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async end(): Promise<void> {
    this.#ended.abort();
    if (!this.#current) return;
    await this.#daemon.endSession(sessionHeaders(this.#current)).catch((error: unknown) => {
      this.#log.debug({ err: error }, 'the daemon could not be told that the session ends');
    });
  }

  async #follow(session: BridgeSession): Promise<number> {
    const answer = await this.#daemon.listen(sessionHeaders(session), this.#ended.signal);
    await answer.read(answer.status === 200 ? this.#relay : () => undefined);
    return answer.status;
  }

  async #shakeHandsAgain(): Promise<void> {
    const { signal } = this.#ended;
    let text = '';
    const answer = await this.#daemon.post(this.#handshake!, {}, signal);
    await answer.read((body) => (text = body));
    this.begin(this.#handshake!, answer.sessionId, text);
    const ready = await this.#daemon.post(INITIALIZED, sessionHeaders(this.#current), signal);
    await ready.read(() => undefined);
    this.#log.info('the daemon was restarted; the session was renewed');
    void this.listen();
  }
}

function negotiated(answer: string): string | undefined {
  const message = parseObject(answer);
  const result = message && isObject(message.result) ? message.result : {};
  return typeof result.protocolVersion === 'string' ? result.protocolVersion : undefined;
}

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
