import type { CallResult, ServerTask, TaskLink } from '../../contract/call.ts';
import type { ProxyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../json/index.ts';
import type { RpcMessage } from '../../lib/rpc.ts';
import type { AskTarget } from '../asks/lane-asks.ts';
import type { Upstream } from '../connection/upstream.ts';
import { type Lane, LaneError, readAnswer, type RpcFailure } from '../transport/lane.ts';
import type { DispatchCall } from './dispatch-call.ts';
import { cancelled, timedOut, upstreamFailed } from './failures.ts';
import { isOver, readTask } from './server-task.ts';
import {
  cancelledByServer,
  continues,
  failureOf,
  lostTask,
  MAX_FOLLOWED,
  MAX_OF_CLIENT,
  tooMany,
} from './task-failures.ts';

const MIN_POLL_MS = 100;
const MAX_POLL_MS = 30_000;
const DEFAULT_POLL_MS = 1000;
/** How long one question about a task may take. */
const ASK_MS = 30_000;
/** How long a server may not answer such questions, for example while it restarts. */
const MAX_SILENCE_MS = 120_000;

/** The tasks that are followed, by server and client. */
const followed = new WeakMap<Upstream, Map<string, number>>();

function countFollowed(upstream: Upstream, client: string): { all: number; own: number } {
  const counts = followed.get(upstream) ?? new Map<string, number>();
  return { all: [...counts.values()].reduce((sum, count) => sum + count, 0), own: counts.get(client) ?? 0 };
}

function addFollowed(upstream: Upstream, client: string, change: 1 | -1): void {
  const counts = followed.get(upstream) ?? new Map<string, number>();
  followed.set(upstream, counts);
  const count = (counts.get(client) ?? 0) + change;
  if (count > 0) counts.set(client, count);
  else counts.delete(client);
}

interface FollowParts {
  upstream: Upstream;
  /** The connection of the call at this moment. */
  lane: () => Lane | undefined;
  call: DispatchCall;
  /** What the caller gets to know of the task. */
  link: TaskLink | undefined;
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
  #isPolled = false;
  #isFetching = false;
  #isDone = false;
  #resolve!: (result: CallResult) => void;
  #reject!: (error: ProxyError) => void;

  constructor(task: ServerTask, parts: FollowParts) {
    this.#task = task;
    this.#parts = parts;
  }

  run(): Promise<CallResult> {
    const { upstream, call, link } = this.#parts;
    const { client = '' } = call;
    const { all, own } = countFollowed(upstream, client);
    addFollowed(upstream, client, 1);
    return new Promise<CallResult>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (all >= MAX_FOLLOWED || own >= MAX_OF_CLIENT) return this.cancel(tooMany(call, own));
      if (link) {
        link.answer = (responses) => this.#answer(responses);
        link.cancel = (error) => this.cancel(error as ProxyError);
      }
      this.#changed(this.#task);
    }).finally(() => {
      this.#isDone = true;
      clearTimeout(this.#timer);
      addFollowed(upstream, client, -1);
    });
  }

  /** Gives the task up. The server is told, unless the task is to go on without this process. */
  cancel(error = cancelled(this.#parts.call, true)): void {
    if (this.#isDone) return;
    const isKept = this.#parts.link?.isKept === true;
    if (!isKept && !isOver(this.#task))
      void this.#ask('tasks/cancel', { taskId: this.#task.id }).catch(() => undefined); // the caller has its answer
    this.#reject(isKept ? continues(this.#parts.call) : error);
  }

  #changed(task: ServerTask): void {
    this.#task = task;
    try {
      this.#parts.link?.changed(task);
    } catch (error) {
      return this.cancel(error as ProxyError);
    }
    // What belongs to a state is told by `tasks/get` only, not by the answer that made the task.
    if (this.#isModern() && !isDetailed(task) && !this.#isPolled) return void this.#poll();
    if (isOver(task)) return void this.#end(task);
    // A 2025 server sends its questions, and the result, on the request for the result.
    if (task.status === 'input_required' && !this.#isModern()) void this.#fetch();
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
      this.#isPolled = true;
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

/** Whether a task of 2026-07-28 carries what belongs to its state. */
function isDetailed({ status, inputRequests, result, error }: ServerTask): boolean {
  if (status === 'input_required') return inputRequests !== undefined;
  if (status === 'completed') return result !== undefined;
  return status !== 'failed' || error !== undefined;
}
