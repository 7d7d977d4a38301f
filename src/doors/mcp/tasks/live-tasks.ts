import {
  isOver,
  type BackgroundCall,
  type BackgroundCalls,
  type CalledTool,
  type CallOutcome,
  type CallState,
} from '../../../background/index.ts';
import type { CallResult, Cancellation, Identity, ServerTask, TaskLink } from '../../../contract/call.ts';
import { toProxyError } from '../../../contract/errors.ts';
import { jsonText, type JsonObject } from '../../../json/index.ts';
import type { Log } from '../../../lib/log.ts';
import { CODE, type Outgoing } from '../wire.ts';
import { stateOf } from './task-wire.ts';

/** The link of a call at the MCP door. `called` is set when the call enters the road. */
export interface DoorTask extends TaskLink {
  called?: CalledTool | undefined;
  /** The client has been given a task, or will be. */
  isOpen?: boolean;
}

export type ResumeCall = (
  call: BackgroundCall,
  following: { task: TaskLink; signal: Cancellation },
) => Promise<CallResult>;

interface LiveTask {
  call: BackgroundCall;
  link: DoorTask;
  cancel(reason: string): void;
  /** The questions of a call that another process started are not known here yet: answers to them would be dropped. */
  isUnread: boolean;
  /** The writes to the database, one after the other; rejects never. */
  written: Promise<unknown>;
  over: Promise<void>;
  end(): void;
}

export interface TasksParts {
  calls: BackgroundCalls;
  /** Follows a call of an earlier process along the road. */
  resume: ResumeCall;
  log: Log;
  changed?: (call: BackgroundCall) => void;
}

export type Opening = Pick<BackgroundCall, 'caller' | 'ttlMs'> & {
  link: DoorTask;
  cancel: (reason: string) => void;
};

const RENEW_MS = 20_000;
/** How long a call that another process started may take to be followed again. */
const READY_MS = 30_000;
/** How long a client waits until its answers have reached the server. */
const ANSWER_MS = 5_000;
/** The reason where the client itself cancels a task. */
export const CANCELLED = 'cancelled by the client';

/** The background calls that this process runs or follows. Their state is in the database too. */
export class LiveTasks {
  readonly #parts: TasksParts;
  readonly #live = new Map<string, LiveTask>();
  #renewal: NodeJS.Timeout | undefined;

  constructor(parts: TasksParts) {
    this.#parts = parts;
  }

  countOf(principal: string): number {
    return [...this.#live.values()].filter(({ call }) => call.caller.principal === principal).length;
  }

  get size(): number {
    return this.#live.size;
  }

  /** Whether this process is told about the further states of the call. */
  follows(id: string): boolean {
    return this.#live.has(id);
  }

  /** Resolves once the call is stored as a background call. */
  async open({ caller, ttlMs, link, cancel }: Opening, state: CallState): Promise<BackgroundCall> {
    const call = await this.#parts.calls.add({ caller, ttlMs, request: link.called, ...state });
    this.#keep(call, link, cancel);
    return call;
  }

  /** A further state of a running call. Its end is told with the outcome. */
  changed(id: string, task: ServerTask): void {
    const live = this.#live.get(id);
    if (!live || isOver(live.call) || isOver(task)) return;
    const state = stateOf(task);
    if (state.inputRequests) live.isUnread = false;
    live.call = { ...live.call, ...state, updatedAt: Date.now() };
    this.#parts.changed?.(live.call);
    this.#write(live, () => this.#parts.calls.update(id, state));
  }

  /** The answer that the client would have got. */
  answered(id: string, message: Outgoing): void {
    if ('result' in message) this.#finish(id, 'completed', { result: jsonText(message.result, 1) });
    else if ('error' in message) this.#finish(id, 'failed', { error: message.error });
  }

  async get(identity: Identity, id: string): Promise<BackgroundCall | undefined> {
    const live = this.#live.get(id);
    const call = live?.call ?? (await this.#parts.calls.get(id));
    if (!call || !isOwner(call, identity)) return undefined;
    if (live || isOver(call) || !call.isAbandoned) return call;
    return (await this.#adopt(call))?.call ?? call;
  }

  list(identity: Identity, page: { after?: string | undefined; limit: number }): Promise<BackgroundCall[]> {
    return this.#parts.calls.list(identity, page);
  }

  /** Resolves when the call has ended, or soon; another process may run it. */
  async settled(id: string): Promise<void> {
    const live = this.#live.get(id);
    if (live) return live.over;
    await new Promise((done) => setTimeout(done, 1000).unref());
  }

  async cancel(call: BackgroundCall): Promise<void> {
    const live = this.#live.get(call.id) ?? (await this.#adopt(call, true));
    if (!live || isOver(live.call)) return;
    this.#finish(call.id, 'cancelled');
    live.cancel(CANCELLED);
    await live.written;
  }

  /** Passes answers to the questions of the call on to its server. False: it asks nothing. */
  async answer(call: BackgroundCall, inputResponses: JsonObject): Promise<boolean> {
    const live = this.#live.get(call.id) ?? (await this.#adopt(call, true));
    if (!live) return false;
    const isWaiting = () => (live.isUnread || !live.link.answer) && !isOver(live.call);
    for (let waited = 0; isWaiting() && waited < READY_MS; waited += 50)
      await new Promise((done) => setTimeout(done, 50));
    if (!live.link.answer || isOver(live.call)) return false;
    const passed = live.link.answer(inputResponses);
    // A person may have to approve the answers; the state of the task tells what became of them.
    await Promise.race([passed, new Promise((done) => setTimeout(done, ANSWER_MS).unref())]);
    return true;
  }

  /** Goes on with the calls of an earlier process. */
  async resumeAll(): Promise<void> {
    await this.#parts.calls.sweep();
    for (const call of await this.#parts.calls.abandoned()) await this.#adopt(call);
  }

  /** Tasks of servers go on without this process; it, or another one, follows them later. */
  async stop(): Promise<void> {
    clearInterval(this.#renewal);
    const kept = [...this.#live.values()].filter(({ call }) => call.serverTask !== undefined);
    for (const live of kept) {
      live.link.isKept = true;
      this.#live.delete(live.call.id);
      live.cancel('the proxy is stopping');
    }
    const written = [...kept, ...this.#live.values()].map((live) => live.written);
    await Promise.all(written);
    await this.#parts.calls
      .release(kept.map(({ call }) => call.id))
      .catch((error: unknown) => this.#warn(error));
  }

  async #adopt(call: BackgroundCall, force = false): Promise<LiveTask | undefined> {
    if (!(await this.#parts.calls.claim(call.id, force))) return undefined;
    const signal = new AbortController();
    const link: DoorTask = {
      limitMs: Math.max(1000, call.createdAt + call.ttlMs - Date.now()),
      changed: (task) => this.changed(call.id, task),
    };
    const live = this.#keep(call, link, () => signal.abort());
    live.isUnread = true;
    if (call.serverTask === undefined || !call.request) {
      this.#finish(call.id, 'failed', { error: { code: CODE.internal, message: INTERRUPTED } });
      return live;
    }
    this.#parts.resume(call, { task: link, signal: signal.signal }).then(
      (result) => this.#finish(call.id, 'completed', { result: jsonText(result, 1) }),
      (cause: unknown) => {
        const error = toProxyError(cause);
        if (link.isKept) return;
        this.#finish(call.id, 'failed', {
          error: {
            code: CODE.server,
            message: error.agentMessage ?? error.message,
            data: { code: error.code },
          },
        });
      },
    );
    return live;
  }

  #keep(call: BackgroundCall, link: DoorTask, cancel: (reason: string) => void): LiveTask {
    let end!: () => void;
    const over = new Promise<void>((done) => (end = done));
    const live: LiveTask = { call, link, cancel, isUnread: false, written: Promise.resolve(), over, end };
    this.#live.set(call.id, live);
    this.#renewal ??= setInterval(() => void this.#renew(), RENEW_MS).unref();
    return live;
  }

  #finish(id: string, status: CallState['status'], outcome?: CallOutcome): void {
    const live = this.#live.get(id);
    if (!live || isOver(live.call)) return;
    const { serverTask } = live.call;
    live.call = { ...live.call, status, outcome, inputRequests: undefined, updatedAt: Date.now() };
    this.#parts.changed?.(live.call);
    live.end();
    this.#write(live, () => this.#parts.calls.update(id, { status, serverTask }, outcome));
    void live.written.then(() => this.#live.delete(id));
  }

  #write(live: LiveTask, write: () => Promise<unknown>): void {
    live.written = live.written.then(write).catch((error: unknown) => this.#warn(error));
  }

  /** What another process has taken over is followed there. */
  async #renew(): Promise<void> {
    const ids = [...this.#live.keys()];
    if (ids.length === 0) {
      clearInterval(this.#renewal);
      this.#renewal = undefined;
    }
    try {
      for (const id of await this.#parts.calls.renew(ids)) this.#lose(id);
      await this.#parts.calls.sweep();
    } catch (error) {
      this.#warn(error);
    }
  }

  #lose(id: string): void {
    const live = this.#live.get(id);
    if (!live || isOver(live.call)) return;
    this.#live.delete(id);
    live.link.isKept = true;
    live.end();
    live.cancel('another proxy has taken the task over');
  }

  #warn(error: unknown): void {
    this.#parts.log.warn({ err: error }, 'the state of a background call could not be stored');
  }
}

const INTERRUPTED =
  'The proxy restarted while this call ran, so its outcome is not known. Check whether it ran before you repeat it.';

/** Tokens are compared by id: a new token may have the name of a revoked one. */
function isOwner({ caller }: BackgroundCall, { principal, token }: Identity): boolean {
  return caller.principal === principal && caller.tokenId === token?.id;
}
