import type { CallResult } from '../../contract/call.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { ServerTask } from '../../contract/call.ts';
import type { JsonObject } from '../../json/index.ts';
import type { RpcMessage } from '../../lib/rpc.ts';
import type { AskTarget } from '../asks/lane-asks.ts';
import type { Upstream } from '../connection/upstream.ts';
import { type Lane, LaneError, readAnswer, type RpcFailure } from '../transport/lane.ts';
import type { DispatchCall } from './dispatch-call.ts';
import { cancelled, timedOut, upstreamFailed } from './failures.ts';
import { isOver, readTask } from './server-task.ts';

const MIN_POLL_MS = 100;
const MAX_POLL_MS = 30_000;
const DEFAULT_POLL_MS = 1000;
/** How long one question about a task may take. */
const ASK_MS = 30_000;
/** How long a server may not answer such questions, for example while it restarts. */
const MAX_SILENCE_MS = 120_000;
/** How many tasks of one server are followed at the same time. */
const MAX_FOLLOWED = 256;

const followed = new WeakMap<Upstream, number>();

interface FollowParts {
  upstream: Upstream;
  /** The connection of the call at this moment. */
  lane: () => Lane | undefined;
  call: DispatchCall;
  /** When the caller gives up, on the clock of `performance.now()`; its limit in ms. */
  deadline: number;
  limitMs: number;
}

/**
 * Follows a call that its server works on in the background until it ends: asks for its state, passes answers of the caller on, and fetches
 * the result. It belongs to the dispatched call, which has passed the road; it sends nothing but requests about this task.
 */
export class TaskFollower {
  readonly #parts: FollowParts;
  #task: ServerTask;
  #timer: NodeJS.Timeout | undefined;
  #lastAnswer = performance.now();
  #isFetching = false;
  #isDone = false;
  #resolve!: (result: CallResult) => void;
  #reject!: (error: ProxyError) => void;

  constructor(task: ServerTask, parts: FollowParts) {
    this.#task = task;
    this.#parts = parts;
  }

  run(): Promise<CallResult> {
    const { upstream, call } = this.#parts;
    const count = followed.get(upstream) ?? 0;
    followed.set(upstream, count + 1);
    return new Promise<CallResult>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (count >= MAX_FOLLOWED) return this.cancel(tooMany(call));
      if (call.task) {
        call.task.answer = (responses) => this.#answer(responses);
        call.task.cancel = (error) => this.cancel(error as ProxyError);
      }
      this.#changed(this.#task);
    }).finally(() => {
      this.#isDone = true;
      clearTimeout(this.#timer);
      followed.set(upstream, followed.get(upstream)! - 1);
    });
  }

  /** Gives the task up. The server is told, unless the task is to go on without this process. */
  cancel(error = cancelled(this.#parts.call, true)): void {
    if (this.#isDone) return;
    const isKept = this.#parts.call.task?.isKept === true;
    if (!isKept && !isOver(this.#task))
      void this.#ask('tasks/cancel', { taskId: this.#task.id }).catch(() => undefined); // the caller has its answer
    this.#reject(isKept ? continues(this.#parts.call) : error);
  }

  #changed(task: ServerTask): void {
    this.#task = task;
    try {
      this.#parts.call.task?.changed(task);
    } catch (error) {
      return this.cancel(error as ProxyError);
    }
    if (isOver(task)) return void this.#end(task);
    // A 2025 server sends its questions, and the result, on the request for the result.
    if (task.status === 'input_required' && !task.inputRequests) void this.#fetch();
    this.#pollLater();
  }

  #pollLater(): void {
    const { deadline } = this.#parts;
    const now = performance.now();
    if (now >= deadline) return this.#expire();
    const pollMs = Math.min(Math.max(this.#task.pollMs ?? DEFAULT_POLL_MS, MIN_POLL_MS), MAX_POLL_MS);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#poll(), Math.min(pollMs, deadline - now));
  }

  async #poll(): Promise<void> {
    if (this.#isDone) return;
    if (performance.now() >= this.#parts.deadline) return this.#expire();
    try {
      const answer = await this.#ask('tasks/get', { taskId: this.#task.id });
      const task = readTask(answer, this.#isModern());
      if (!task || task.id !== this.#task.id) throw new Error('the answer to tasks/get is not this task');
      this.#lastAnswer = performance.now();
      if (!this.#isDone) this.#changed(task);
    } catch (error) {
      this.#retry(error);
    }
  }

  /** A server may restart and still know its tasks; one that says that it does not know this one is not asked again. */
  #retry(error: unknown): void {
    if (this.#isDone) return;
    const isRefused = error instanceof TaskRefused;
    if (!isRefused && performance.now() - this.#lastAnswer < MAX_SILENCE_MS) return this.#pollLater();
    const why = this.#parts.upstream.shown((error as Error).message);
    this.#reject(lostTask(this.#parts.call, why));
  }

  async #end(task: ServerTask): Promise<void> {
    const { call } = this.#parts;
    if (task.status === 'cancelled') return this.#reject(cancelledByServer(call, task));
    if (!this.#isModern()) return this.#fetch();
    if (task.result) return this.#resolve(task.result);
    this.#reject(upstreamFailed(call, failureOf(task)));
  }

  /** 2025-11-25: the server answers once the task has ended. */
  async #fetch(): Promise<void> {
    if (this.#isFetching || this.#isDone) return;
    this.#isFetching = true;
    try {
      const left = Math.max(1, this.#parts.deadline - performance.now());
      const result = await this.#ask('tasks/result', { taskId: this.#task.id }, left);
      this.#resolve(result);
    } catch (error) {
      this.#isFetching = false;
      if (error instanceof TaskRefused && isOver(this.#task))
        return this.#reject(upstreamFailed(this.#parts.call, error.failure));
      if (isOver(this.#task)) this.#task = { ...this.#task, status: 'working' };
      this.#retry(error);
    }
  }

  async #answer(inputResponses: JsonObject): Promise<void> {
    try {
      await this.#ask('tasks/update', { taskId: this.#task.id, inputResponses });
    } catch (error) {
      this.#retry(error);
      throw error;
    }
    clearTimeout(this.#timer);
    await this.#poll();
  }

  #expire(): void {
    const { call, limitMs } = this.#parts;
    this.cancel(timedOut(call, limitMs, { phase: 'total', bytes: 0 }));
  }

  #isModern(): boolean {
    return this.#parts.lane()?.modern ?? this.#task.inputRequests !== undefined;
  }

  #ask(method: string, params: JsonObject, limitMs = ASK_MS): Promise<JsonObject> {
    const lane = this.#parts.lane();
    if (!lane) return Promise.reject(new LaneError('unsent', 'the server is not connected'));
    return ask(lane, { method, params, limitMs, client: this.#parts.call.session });
  }
}

/** The server answered, and does not know the task or refuses what was asked of it. */
class TaskRefused extends Error {
  readonly failure: RpcFailure;

  constructor(failure: RpcFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** `client`: whom the server can ask meanwhile. */
interface AboutTask {
  method: string;
  params: JsonObject;
  limitMs: number;
  client: AskTarget | undefined;
}

function ask(lane: Lane, { method, params, limitMs, client }: AboutTask): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      lane.cancel(id, `no answer within ${limitMs} ms`);
      reject(new LaneError('late', `no answer to ${method} within ${limitMs} ms`));
    }, limitMs);
    const id = lane.request(method, params, {
      ...(client?.asked && { asked: (about) => client.asked!(about) }),
      ...(client?.logged && { logged: (about) => client.logged!(about) }),
      answered(message: RpcMessage) {
        clearTimeout(timer);
        const answer = readAnswer(message);
        if ('result' in answer) resolve(answer.result);
        else reject(new TaskRefused(answer.failure));
      },
      lost(error) {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}

function failureOf({ error, message }: ServerTask): RpcFailure {
  const { code, message: text } = (error ?? {}) as Partial<RpcFailure>;
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof text === 'string' ? text : (message ?? 'the task failed'),
  };
}

function tooMany({ server, tool }: DispatchCall): ProxyError {
  return new ProxyError(
    'SERVER_BUSY',
    `Server '${server}' works on ${MAX_FOLLOWED} tasks already, so the task of '${tool}' was cancelled. It may have run in part.`,
    { server, tool, tasks: MAX_FOLLOWED },
  );
}

function continues({ server, tool }: DispatchCall): ProxyError {
  return new ProxyError(
    'OUTCOME_UNKNOWN',
    `The proxy stopped while server '${server}' worked on '${tool}' in the background. The task goes on; its outcome is recorded when the proxy has asked for it.`,
    { server, tool, continues: true },
  );
}

function lostTask({ server, tool }: DispatchCall, why: string): ProxyError {
  const text = (reason: string) =>
    `Server '${server}' worked on '${tool}' in the background and no longer tells how it went${reason}. Check whether it ran before you call it again.`;
  return new ProxyError('OUTCOME_UNKNOWN', text(`: ${why}`), { server, tool }).withAgentMessage(text(''));
}

function cancelledByServer({ server, tool }: DispatchCall, { message }: ServerTask): ProxyError {
  const why = message ? `: ${message}` : '';
  return new ProxyError('CANCELLED', `The task of '${tool}' on server '${server}' was cancelled${why}`, {
    server,
    tool,
    sent: true,
  });
}
