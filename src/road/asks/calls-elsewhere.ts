import { randomUUID } from 'node:crypto';
import type { CallResult, Cancellation } from '../../contract/call.ts';
import { ProxyError, toProxyError, type ErrorCode } from '../../contract/errors.ts';
import type { Relay } from '../../db/index.ts';
import { exactJson, isObject } from '../../json/index.ts';
import type { Log } from '../../lib/log.ts';
import { callEnded, type HeldCalls, type HeldState } from './held-calls.ts';
import type { Round } from './held-call.ts';

interface Asked {
  state: HeldState;
  client: string;
  responses: unknown;
  /** Where the answer goes. */
  reply: string;
}

/** What the proxy that runs the call says: it goes on; or how this round ended. */
type Said =
  | { alive: true }
  | { result: CallResult; isEnded: boolean }
  | { error: { code: ErrorCode; message: string; details: Record<string, unknown>; agentMessage?: string } };

type RoundEnd = { result: CallResult; isEnded: boolean };

const HELD = 'held ';
const REPLY = 'reply ';
const CANCEL = 'cancel ';
const ALIVE_MS = 2_000;
/** After this silence the proxy that runs the call, or none that has it, is taken for dead. */
const SILENT_MS = 8_000;
/** Messages are not kept for longer. */
const FORGET_MS = 900_000;
const MAX_RESULT = 16 * 1024 * 1024;

/**
 * Calls that wait for an answer of their client, at another proxy on the same database: its next request may arrive at any of them. The call
 * goes on where it runs; nothing is sent to its server a second time.
 */
export class CallsElsewhere {
  readonly #relay: Relay;
  readonly #held: HeldCalls;
  readonly #log: Log;
  /** A message may come twice. */
  readonly #handled = new Set<string>();

  constructor(relay: Relay, held: HeldCalls, log: Log) {
    this.#relay = relay;
    this.#held = held;
    this.#log = log;
    relay.on({
      wants: (topic) => topic.startsWith(HELD) && held.has(topic.slice(HELD.length)),
      got: (_, asked) => void this.#continueHere(asked as Asked),
    });
  }

  /** Waits for the end of the round, at the proxy that has the call. Throws INVALID_STATE where none has it. */
  continue(asked: Omit<Asked, 'reply'>, signal: Cancellation): Promise<RoundEnd> {
    const reply = randomUUID();
    return new Promise((resolve, reject) => {
      let isTaken = false;
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        stop();
        signal.removeEventListener('abort', aborted);
        act();
      };
      const giveUp = () => settle(() => reject(isTaken ? lost() : callEnded()));
      const timer = setTimeout(giveUp, SILENT_MS).unref();
      const aborted = {
        handleEvent: () => {
          // The call runs out of its own time where nobody hears it.
          this.#relay.send(CANCEL + reply, {}).catch(() => {});
          settle(() => reject(new ProxyError('CANCELLED', 'The client left; the call may have run')));
        },
      };
      const stop = this.#relay.on({
        wants: (topic) => topic === REPLY + reply,
        got(_, message) {
          const said = message as Said;
          isTaken = true;
          if ('alive' in said) timer.refresh();
          else settle(() => ('error' in said ? reject(readError(said.error)) : resolve(said)));
        },
      });
      signal.addEventListener('abort', aborted);
      this.#relay.send(HELD + asked.state.mcpproxy_held, { ...asked, reply }).catch((error: unknown) => {
        settle(() => reject(error));
      });
    });
  }

  async #continueHere({ state, client, responses, reply }: Asked): Promise<void> {
    if (this.#handled.has(reply)) return;
    this.#handled.add(reply);
    setTimeout(() => this.#handled.delete(reply), FORGET_MS).unref();
    const say = (said: Said) => this.#relay.send(REPLY + reply, said);
    // It is said again in a moment.
    const alive = () => void say({ alive: true }).catch(() => {});
    const timer = setInterval(alive, ALIVE_MS).unref();
    const left = new LeftElsewhere();
    const stop = this.#relay.on({ wants: (topic) => topic === CANCEL + reply, got: () => left.abort() });
    alive();
    try {
      await say(await this.#round(state, client, { signal: left }, responses));
    } catch (error) {
      this.#log.error({ err: error }, 'the rest of a call cannot be passed on to another proxy');
    } finally {
      clearInterval(timer);
      stop();
    }
  }

  async #round(...[state, client, round, responses]: [HeldState, string, Round, unknown]): Promise<Said> {
    try {
      const { call, again } = this.#held.take(state, client);
      const result = await call.resume(round, responses);
      if (!call.isEnded) again();
      const text = exactJson(result) ?? '';
      return text.length > MAX_RESULT ? { error: tooLarge(text.length) } : { result, isEnded: call.isEnded };
    } catch (cause) {
      const { code, message, details, agentMessage } = toProxyError(cause);
      return { error: { code, message, details, ...(agentMessage !== undefined && { agentMessage }) } };
    }
  }
}

/** The request of the client, which waits at another proxy. */
class LeftElsewhere implements Cancellation {
  aborted = false;
  readonly reason = 'the client closed the response';
  readonly #listeners = new Set<Parameters<Cancellation['addEventListener']>[1]>();

  addEventListener(_type: 'abort', listener: Parameters<Cancellation['addEventListener']>[1]): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: Parameters<Cancellation['addEventListener']>[1]): void {
    this.#listeners.delete(listener);
  }

  abort(): void {
    this.aborted = true;
    for (const listener of this.#listeners) listener.handleEvent();
  }
}

function readError({
  code,
  message,
  details,
  agentMessage,
}: Extract<Said, { error: object }>['error']): ProxyError {
  const error = new ProxyError(code, message, isObject(details) ? details : {});
  return agentMessage === undefined ? error : error.withAgentMessage(agentMessage);
}

function tooLarge(length: number) {
  const message = `The result has ${length} characters and cannot be passed on from the proxy that ran the call; the limit is ${MAX_RESULT}. The call ran; do not repeat it without need`;
  return { code: 'RESULT_TOO_LARGE' as const, message, details: { limit: MAX_RESULT } };
}

function lost(): ProxyError {
  return new ProxyError(
    'OUTCOME_UNKNOWN',
    'The proxy that ran this call does not answer any more, so its outcome is unknown: it may have run. Check what it did before you repeat it',
  );
}
