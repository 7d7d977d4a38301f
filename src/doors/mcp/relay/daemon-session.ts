import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../../../json/index.ts';
import { headersFor as paramHeadersFor, paramHeaders, type ParamHeader } from '../../../lib/param-headers.ts';
import type { LineLog } from './line-log.ts';
import { targetName } from '../revision.ts';
import { META, metaOf, type Message } from '../wire.ts';
import { parseObject, type Daemon } from './daemon-client.ts';

const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** The session of a 2025 client with the daemon. It survives a restart of the daemon: the client's handshake is sent again. */
export class DaemonSession {
  readonly #daemon: Daemon;
  readonly #relay: (text: string) => void;
  readonly #log: LineLog;
  readonly #ended = new AbortController();
  #current: Session | undefined;
  #handshake: string | undefined;
  #renewing: Promise<void> | undefined;

  constructor(daemon: Daemon, relay: (text: string) => void, log: LineLog) {
    this.#daemon = daemon;
    this.#relay = relay;
    this.#log = log;
  }

  get current(): Session | undefined {
    return this.#current;
  }

  /** The daemon has answered the handshake. */
  begin(handshake: string, id: string | undefined, answer: string): void {
    const revision = negotiatedRevision(answer);
    if (id === undefined || revision === undefined) return;
    this.#handshake = handshake;
    this.#current = { id, revision };
  }

  /** The daemon no longer knows this session. */
  renew(lost: Session): Promise<void> {
    if (this.#current !== lost) return this.#renewing ?? Promise.resolve();
    this.#renewing ??= this.#repeatHandshake().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  /** Reads the stream for messages that belong to no request, as long as this session lasts. */
  async listen(): Promise<void> {
    const session = this.#current;
    if (!session) return;
    const { signal } = this.#ended;
    for (let wait = RETRY_MS; this.#current === session && !signal.aborted; wait *= 2) {
      const status = await this.#follow(session).catch(() => undefined);
      // The credential was revoked or has expired; a retry will not change that.
      if (status === 401) return;
      // A session that cannot be renewed now is renewed in the next round.
      if (status === 404) await this.renew(session).catch(() => undefined);
      if (status === 200) wait = RETRY_MS;
      // Rejects only when the signal ends the loop.
      await sleep(Math.min(wait, MAX_RETRY_MS), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async end(): Promise<void> {
    this.#ended.abort();
    if (!this.#current) return;
    await this.#daemon.endSession(sessionHeaders(this.#current)).catch((error: unknown) => {
      this.#log.debug({ err: error }, 'could not end the session with the daemon');
    });
  }

  async #follow(session: Session): Promise<number> {
    const answer = await this.#daemon.listen(sessionHeaders(session), this.#ended.signal);
    await answer.read(answer.status === 200 ? this.#relay : () => undefined);
    return answer.status;
  }

  async #repeatHandshake(): Promise<void> {
    const { signal } = this.#ended;
    let text = '';
    const answer = await this.#daemon.post(this.#handshake!, { headers: {}, signal });
    await answer.read((body) => (text = body));
    this.begin(this.#handshake!, answer.sessionId, text);
    const ready = await this.#daemon.post(INITIALIZED, { headers: sessionHeaders(this.#current), signal });
    await ready.read(() => undefined);
    this.#log.info({}, 'the daemon was restarted; renewed the session');
    void this.listen();
  }
}

function negotiatedRevision(answer: string): string | undefined {
  const message = parseObject(answer);
  const result = message && isObject(message.result) ? message.result : {};
  return typeof result.protocolVersion === 'string' ? result.protocolVersion : undefined;
}

export interface Session {
  id: string;
  revision: string;
}

/** The revision that a 2026 message names; undefined for all others. */
export function claimedRevision(message: Message | undefined): string | undefined {
  const version = metaOf(message?.params)?.[META.version];
  return typeof version === 'string' ? version : undefined;
}

/** The HTTP headers that repeat parts of the message, or name its session. */
export function headersFor(
  message: Message | undefined,
  session: Session | undefined,
  declared: ReadonlyMap<unknown, ParamHeader[]> = NONE,
): Record<string, string> {
  const revision = claimedRevision(message);
  if (message === undefined || revision === undefined) return sessionHeaders(session);
  const params = message.method === 'tools/call' ? declared.get(message.params?.name) : undefined;
  const args = message.params?.arguments;
  const name = targetName(message);
  return {
    'mcp-protocol-version': headerText(revision),
    'mcp-method': headerText(message.method),
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
    ...(params && isObject(args) && paramHeadersFor(params, args)),
  };
}

const NONE: ReadonlyMap<unknown, ParamHeader[]> = new Map();

/** The parameters that have to be repeated as headers, of each tool in an answer to `tools/list` that declares some. */
export function declaredIn(body: string): Array<[name: string, ParamHeader[]]> {
  if (!body.includes('"x-mcp-header"')) return [];
  const result = parseObject(body)?.result;
  const tools = isObject(result) && Array.isArray(result.tools) ? result.tools.filter(isObject) : [];
  return tools.map(({ name, inputSchema }) => {
    const declared = isObject(inputSchema) ? paramHeaders(inputSchema) : [];
    return [String(name), Array.isArray(declared) ? declared : []];
  });
}

function sessionHeaders(session: Session | undefined): Record<string, string> {
  return session ? { 'mcp-session-id': session.id, 'mcp-protocol-version': session.revision } : {};
}

/** Headers carry plain ASCII only; everything else is encoded. */
function headerText(text: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
