import type { CallResult, Span, Trace } from '../../contract/call.ts';
import { knowsTasks, type ServerTask, TASKS_EXTENSION } from '../../contract/call.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import { isObject, merge, type JsonObject } from '../../json/index.ts';
import { RpcFault, type RpcMessage } from '../../lib/rpc.ts';
import { type BulkheadCall, retryDelayMs } from '../../load/index.ts';
import { METHOD_NOT_FOUND, type OtherCall, type ServerAsk } from '../asks/lane-asks.ts';
import { describeError } from '../connection/open-server.ts';
import type { Upstream } from '../connection/upstream.ts';
import { askerOf, type Lease } from '../sessions/client-connections.ts';
import { type Lane, type LaneError, type LaneRequest, readAnswer } from '../transport/lane.ts';
import { type Upstreams, connectionsOf } from '../upstreams.ts';
import type { Continuation, Dispatch, DispatchCall, ItemCall } from './dispatch-call.ts';
import { TaskFollower } from './follow-task.ts';
import { readTask } from './server-task.ts';
import {
  breakerOpen,
  busy,
  cancelled,
  isLoginNeeded,
  itemFailed,
  notAnswered,
  timedOut,
  unavailable,
  unknownServer,
  upstreamFailed,
} from './failures.ts';
import { watchResource } from './watch-resource.ts';

const METHOD = 'tools/call';
/** Subscriptions are shared by all clients of a server, so they are kept with its connection. */
const ITEM_METHODS: Record<ItemCall, string> = {
  prompt: 'prompts/get',
  resource: 'resources/read',
  completion: 'completion/complete',
  subscribe: 'resources/subscribe',
  unsubscribe: 'resources/unsubscribe',
  skill: 'skills/get',
  directory: 'resources/directory/read',
};
const HEADER_MISMATCH = -32020;
const PROGRESS_PER_SECOND = 200;
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
/** The capabilities that a server can use within a call. All others need methods that bypass the road, so they are not forwarded. */
const FORWARDED_CAPABILITIES = ['elicitation', 'sampling', 'roots'];

/** The only place that sends a tool call, or another request of a caller. Nothing but the road may call it. */
export function createDispatch(upstreams: Upstreams): Dispatch {
  const connections = connectionsOf(upstreams);
  return withSpan((call) => {
    const upstream = connections.get(call.server)?.upstream;
    if (!upstream) return Promise.reject(unknownServer(call));
    if (call.watcher) return watchResource(upstream, call, call.watcher);
    const lease = call.session && upstream.leaseFor(call.session, call.client ?? '');
    return lease ? runLeased(upstream, call, lease) : new DispatchedCall(upstream, call).run();
  });
}

/** The time that the connection took to open counts towards the limit of the call. */
async function runLeased(
  upstream: Upstream,
  call: DispatchCall,
  opening: Promise<Lease>,
): Promise<CallResult> {
  const since = call.since ?? performance.now();
  const lease = await opening.catch((error: unknown) => {
    if (error instanceof ProxyError) throw error;
    const lastError = upstream.shown(describeError(error));
    throw unavailable(call, { state: 'failed', lastError });
  });
  try {
    return await new DispatchedCall(upstream, merge(call, { since }), lease.lane).run();
  } finally {
    lease.release();
  }
}

/** Traces the exchange with the server, from the server's queue to the answer. The server receives this span as the parent of its own spans. */
function withSpan(dispatch: Dispatch): Dispatch {
  return (call) => {
    const method = methodOf(call);
    const span = call.trace?.begin?.(`${method} ${call.tool}`, 'client', {
      'mcp.method.name': method,
      ...(call.kind === undefined && {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': call.tool,
      }),
      'mcpproxy.server': call.server,
    });
    return span ? runInSpan(span, dispatch, merge(call, { trace: span })) : dispatch(call);
  };
}

async function runInSpan(span: Span, dispatch: Dispatch, call: DispatchCall): Promise<CallResult> {
  try {
    const result = await dispatch(call);
    if (result.isError === true) span.fail('tool_error');
    return result;
  } catch (error) {
    span.fail(toProxyError(error).code);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * One call until it is settled: queued, sent, answered; or cancelled, timed out, lost. The same object waits in the bulkhead, is the lane's
 * request and listens to the caller's signal, because there is one per call.
 */
class DispatchedCall implements BulkheadCall, LaneRequest {
  deadline: number;
  readonly client: string;
  readonly progressed: ((params: JsonObject) => void) | undefined;
  headers: Record<string, string> | undefined;
  meta: JsonObject | undefined;
  readonly #upstream: Upstream;
  readonly #call: DispatchCall;
  #resolve!: (result: CallResult) => void;
  #reject!: (error: ProxyError) => void;
  readonly #limitMs: number;
  #lane: Lane | undefined;
  #id = 0;
  #settled = false;
  /** The single call that tests a server while its circuit breaker is half open. */
  #probe = false;
  /** Whether the breaker knows how this call went. */
  #reported = false;
  #retried = false;
  /** Set while the server works on the call in the background. */
  #follower: TaskFollower | undefined;
  #progressWindow = 0;
  #progressCount = 0;
  /** The client's own connection. */
  readonly #own: Lane | undefined;
  /** Requests to the client that are not answered; the time of the call does not pass meanwhile. */
  #openAsks = 0;
  #remainingMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(upstream: Upstream, call: DispatchCall, own?: Lane) {
    this.#upstream = upstream;
    this.#call = call;
    this.#own = own;
    this.#limitMs = Math.max(1, Math.min(call.timeoutMs ?? Infinity, upstream.limitMs()));
    this.client = call.client ?? '';
    this.deadline = (call.since ?? performance.now()) + this.#limitMs;
    this.progressed = call.onProgress && this.#relayProgress.bind(this, call.onProgress);
  }

  run(): Promise<CallResult> {
    return new Promise((resolve: (result: CallResult) => void, reject: (error: ProxyError) => void) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#begin();
    });
  }

  #begin(): void {
    const { signal } = this.#call;
    if (signal.aborted) return this.#fail(cancelled(this.#call, false));
    if (!this.#retried) this.#upstream.retries.earn();
    if (!this.#present) {
      const isConnecting = this.#upstream.status.state === 'connecting';
      if (isConnecting && this.#retryLater(() => this.#begin())) return;
      return this.#fail(unavailable(this.#call, this.#upstream.status));
    }
    const waitMs = this.#upstream.breaker.enter();
    if (waitMs > 0) return this.#fail(breakerOpen(this.#call, waitMs, this.#upstream.status.lastError));
    this.#probe = this.#upstream.breaker.state !== 'closed';
    signal.addEventListener('abort', this);
    if (!this.#upstream.bulkhead.enter(this)) this.#fail(busy(this.#call, this.#upstream.bulkhead.limit));
  }

  get #present(): Lane | undefined {
    return this.#own ?? this.#upstream.lane;
  }

  /** The bulkhead has a free slot. */
  start(): void {
    const { tool, args, kind } = this.#call;
    const lane = this.#present;
    if (!lane) return this.#fail(unavailable(this.#call, this.#upstream.status));
    const { breaker } = this.#upstream;
    if (!this.#probe && breaker.state !== 'closed')
      return this.#fail(breakerOpen(this.#call, breaker.waitMs(), this.#upstream.status.lastError));
    try {
      this.#call.onTurn?.();
    } catch (cause) {
      return this.#fail(toProxyError(cause));
    }
    this.#lane = lane;
    const { resumes, trace } = this.#call;
    if (resumes !== undefined) return this.#follow({ id: resumes, status: 'working' });
    const round = lane.modern ? this.#call.continuation : undefined;
    this.headers = kind === undefined ? this.#upstream.headersFor(tool, args) : undefined;
    this.meta = callMeta(lane.modern ? requestMeta(this.#call, round) : undefined, trace);
    const params = kind === undefined ? callParams(this.#call, lane.modern) : itemParams(kind, tool, args);
    this.#id = lane.request(
      methodOf(this.#call),
      round ? merge(params, continuationParams(round)) : params,
      this,
    );
  }

  /** The bulkhead reports that the deadline has passed, whether or not the call was sent. */
  expire(): void {
    const reached = this.#lane?.progress(this.#id);
    this.#lane?.cancel(this.#id, `no answer within ${this.#limitMs} ms`);
    if (this.#lane)
      this.#upstream.recordCallFailure(`no answer to '${this.#call.tool}' within ${this.#limitMs} ms`);
    // A shorter limit set by the caller does not count against the server.
    if (this.#lane && this.#limitMs >= this.#upstream.limitMs()) this.#reportFailure();
    this.#fail(timedOut(this.#call, this.#limitMs, reached));
  }

  /** The bulkhead removed the call from its queue in favour of a client with fewer calls. */
  displaced(): void {
    this.#fail(busy(this.#call, this.#upstream.bulkhead.limit));
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    if (this.#follower) return this.#follower.cancel();
    this.#lane?.cancel(this.#id, 'the caller cancelled the call');
    this.#fail(cancelled(this.#call, this.#lane !== undefined));
  }

  answered(message: RpcMessage): void {
    const answer = readAnswer(message);
    this.#upstream.status.recordCallSuccess();
    this.#upstream.breaker.recordSuccess();
    this.#reported = true;
    if ('result' in answer) {
      const isModern = this.#lane!.modern;
      const task = (isModern || this.#call.asTask) && createdTask(answer.result, isModern);
      if (task) this.#follow(task);
      else if (this.#settle()) this.#resolve(answer.result);
      return;
    }
    // The headers come from the tool's schema, so the schema known here is out of date.
    if (answer.failure.code === HEADER_MISMATCH) this.#upstream.refreshSoon();
    const failed = this.#call.kind === undefined ? upstreamFailed : itemFailed;
    this.#fail(failed(this.#call, answer.failure));
  }

  get asker(): unknown {
    const { session } = this.#call;
    return session ? askerOf(session) : this;
  }

  /** The server asks the client. The call leaves its slot to others while a person or a model takes its time. */
  async asked(ask: ServerAsk): Promise<JsonObject> {
    const { session } = this.#call;
    if (!session?.asked)
      throw new RpcFault(METHOD_NOT_FOUND, 'Method not found: this caller cannot be asked');
    this.#hold();
    try {
      return await session.asked(ask);
    } finally {
      this.#continue();
    }
  }

  joined(done: Promise<unknown>): OtherCall | undefined {
    this.#hold();
    void done.then(() => this.#continue());
    return this.#call.session?.joined?.(done);
  }

  logged(params: JsonObject): void {
    if (!this.#settled) this.#call.session?.logged?.(params);
  }

  #hold(): void {
    if (this.#openAsks++ > 0 || this.#settled) return;
    this.#remainingMs = Math.max(1, this.deadline - performance.now());
    this.deadline = Infinity;
    clearTimeout(this.#timer);
    this.#upstream.bulkhead.leave(this);
  }

  #continue(): void {
    if (--this.#openAsks > 0 || this.#settled) return;
    this.deadline = performance.now() + this.#remainingMs;
    this.#timer = setTimeout(() => this.expire(), this.#remainingMs).unref();
  }

  lost(error: LaneError): void {
    const reason = this.#upstream.shown(error.message);
    const { state } = this.#upstream.status;
    // What is missing is a log-in; the server itself works.
    if (isLoginNeeded(error, state)) return this.#fail(notAnswered(this.#call, error, { reason, state }));
    this.#upstream.recordCallFailure(reason);
    if (error.fault !== 'too_large') this.#reportFailure();
    if (error.fault === 'unsent' && !this.#probe) {
      this.#lane = undefined;
      if (this.#retryLater(() => this.start())) return;
    }
    this.#fail(notAnswered(this.#call, error, { reason, state: this.#upstream.status.state }));
  }

  /** The server works on the call in the background: the slot is free for other calls meanwhile. */
  #follow(task: ServerTask): void {
    if (this.#settled) return;
    const link = this.#call.task?.();
    this.#upstream.bulkhead.leave(this);
    const limitMs = link?.limitMs ?? this.#limitMs;
    const deadline = link?.limitMs === undefined ? this.deadline : performance.now() + limitMs;
    this.#follower = new TaskFollower(task, {
      upstream: this.#upstream,
      lane: () => this.#present,
      call: this.#call,
      link,
      deadline,
      limitMs,
    });
    this.#follower.run().then(
      (result) => this.#settle() && this.#resolve(result),
      (error: ProxyError) => this.#fail(error),
    );
  }

  /** Retries once, and only a read that was never sent: any other call may have run already. */
  #retryLater(attempt: () => void): boolean {
    const delay = retryDelayMs();
    if (!this.#call.repeatable || this.#retried || performance.now() + delay >= this.deadline) return false;
    if (!this.#upstream.retries.spend()) return false;
    this.#retried = true;
    setTimeout(() => !this.#settled && attempt(), delay);
    return true;
  }

  /** Each progress notification is forwarded to the caller, so their rate is limited. */
  #relayProgress(onProgress: NonNullable<DispatchCall['onProgress']>, params: JsonObject): void {
    if (this.#settled || typeof params.progress !== 'number') return;
    const second = Math.floor(performance.now() / 1000);
    this.#progressCount = second === this.#progressWindow ? this.#progressCount + 1 : 1;
    this.#progressWindow = second;
    if (this.#progressCount > PROGRESS_PER_SECOND) return;
    const { progress, total, message } = params;
    onProgress({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  #reportFailure(): void {
    this.#reported = true;
    this.#upstream.breaker.recordFailure(this.#probe);
  }

  #fail(error: ProxyError): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#call.signal.removeEventListener('abort', this);
    this.#upstream.bulkhead.leave(this);
    if (this.#probe && !this.#reported) this.#upstream.breaker.abandonProbe();
    return true;
  }
}

function methodOf({ kind }: DispatchCall): string {
  return kind === undefined ? METHOD : ITEM_METHODS[kind];
}

function itemParams(kind: ItemCall, name: string, args: JsonObject): JsonObject {
  if (kind === 'completion' || kind === 'directory') return args;
  if (kind !== 'prompt') return { uri: name };
  return Object.keys(args).length > 0 ? { name, arguments: args } : { name };
}

/** The parameters of a continued exchange, beside the name and the arguments of the call. */
function continuationParams({ inputResponses, requestState }: Continuation): JsonObject {
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** `task`: in 2025-11-25 the caller says that a call is to become one. */
function callParams({ tool, args, asTask, task }: DispatchCall, isModern: boolean): JsonObject {
  if (isModern || !asTask) return { name: tool, arguments: args };
  const ttl = task?.().ttlMs;
  return { name: tool, arguments: args, task: ttl === undefined ? {} : { ttl } };
}

/** The task that the server has made of the call; undefined: the answer is the result itself. */
function createdTask(answer: JsonObject, isModern: boolean): ServerTask | undefined {
  if (!isModern) return isObject(answer.task) ? readTask(answer.task, false) : undefined;
  return answer.resultType === 'task' ? readTask(answer, true) : undefined;
}

/** What this call adds to the `_meta` of every request. */
function callMeta(capabilities: JsonObject | undefined, trace: Trace | undefined): JsonObject | undefined {
  if (!trace) return capabilities;
  return { ...capabilities, ...trace.context };
}

/** A server since 2026-07-28 logs for a request that says how much it wants, and nothing for others. */
function requestMeta({ session }: DispatchCall, round: Continuation | undefined): JsonObject | undefined {
  const capabilities = capabilitiesFor(round);
  return session?.logLevel === undefined ? capabilities : { ...capabilities, [LOG_LEVEL]: session.logLevel };
}

/** The caller does not know tasks; the proxy waits for them on its behalf. */
const FOLLOWS_TASKS = { [CAPABILITIES]: { extensions: { [TASKS_EXTENSION]: {} } } };

/** The caller answers the server's questions, so the caller's capabilities apply to this call. */
function capabilitiesFor(round: Continuation | undefined): JsonObject | undefined {
  if (!round) return FOLLOWS_TASKS;
  const { clientCapabilities } = round;
  if (clientCapabilities === undefined) return undefined;
  const known = FORWARDED_CAPABILITIES.filter((name) => clientCapabilities[name] !== undefined);
  const forwarded = Object.fromEntries(known.map((name) => [name, clientCapabilities[name]]));
  if (knowsTasks(clientCapabilities)) forwarded.extensions = { [TASKS_EXTENSION]: {} };
  return { [CAPABILITIES]: forwarded };
}
