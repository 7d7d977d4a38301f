import type { CallResult } from '../../contract/call.ts';
import { toProxyError, type ProxyError } from '../../contract/errors.ts';
import { retryDelayMs, type BulkheadCall } from '../../load/index.ts';
import type { DispatchCall } from './dispatch-call.ts';
import { broughtTo, metaOf } from './continuation.ts';
import {
  breakerOpen,
  busy,
  cancelled,
  notAnswered,
  timedOut,
  unavailable,
  upstreamFailed,
} from './failures.ts';
import { readAnswer, type Lane, type LaneError, type Waiter } from '../transport/lane.ts';
import type { RpcMessage } from '../../lib/rpc.ts';
import type { Upstream } from '../connection/upstream.ts';
import type { JsonObject } from '../../json/index.ts';

const HEADER_MISMATCH = -32020;
const PROGRESS_PER_SECOND = 200;

/**
 * One call from the moment it is accepted to the one moment it is settled: queued, sent, answered; or cancelled, out of time, lost.
 * It is the bulkhead's passenger, the lane's waiter and the listener on the caller's signal in one object, as there is one per call.
 */
export class DispatchedCall implements BulkheadCall, Waiter {
  readonly deadline: number;
  readonly client: string;
  readonly progressed: ((params: JsonObject) => void) | undefined;
  readonly #method: string;
  readonly #upstream: Upstream;
  readonly #call: DispatchCall;
  readonly #resolve: (result: CallResult) => void;
  readonly #reject: (error: ProxyError) => void;
  readonly #limitMs: number;
  #lane: Lane | undefined;
  #id = 0;
  #settled = false;
  /** The one call that tries a server which failed again and again. */
  #probe = false;
  #told = false;
  #retried = false;
  #progressWindow = 0;
  #progressCount = 0;

  constructor(
    method: string,
    upstream: Upstream,
    call: DispatchCall,
    resolve: (result: CallResult) => void,
    reject: (error: ProxyError) => void,
  ) {
    this.#method = method;
    this.#upstream = upstream;
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#limitMs = Math.max(1, Math.min(call.timeoutMs ?? Infinity, upstream.limitMs()));
    this.client = call.client ?? '';
    this.deadline = (call.since ?? performance.now()) + this.#limitMs;
    this.progressed = call.onProgress && this.#relayProgress.bind(this, call.onProgress);
  }

  begin(): void {
    const { signal } = this.#call;
    if (signal.aborted) return this.#fail(cancelled(this.#call, false));
    if (!this.#retried) this.#upstream.retries.earn();
    if (!this.#upstream.lane) {
      const comesBack = this.#upstream.status.state === 'connecting';
      if (comesBack && this.#again(() => this.begin())) return;
      return this.#fail(unavailable(this.#call, this.#upstream.status));
    }
    const waitMs = this.#upstream.breaker.enter();
    if (waitMs > 0) return this.#fail(breakerOpen(this.#call, waitMs, this.#upstream.status.lastError));
    this.#probe = this.#upstream.breaker.state !== 'closed';
    signal.addEventListener('abort', this);
    if (!this.#upstream.bulkhead.enter(this)) this.#fail(busy(this.#call, this.#upstream.bulkhead.limit));
  }

  /** From the bulkhead: there is room now. */
  start(): void {
    const { tool, args } = this.#call;
    const lane = this.#upstream.lane;
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
    const round = lane.modern && this.#call.continuation;
    this.#id = lane.request(
      this.#method,
      { name: tool, arguments: args, ...(round && broughtTo(round)) },
      this,
      this.#upstream.headersFor(tool, args),
      metaOf(round || undefined, this.#call.trace),
    );
  }

  /** From the bulkhead: the deadline has passed, whatever has happened in between. */
  expire(): void {
    const reached = this.#lane?.progress(this.#id);
    this.#lane?.cancel(this.#id, `no answer within ${this.#limitMs} ms`);
    if (this.#lane)
      this.#upstream.noteFailure(`no answer to '${this.#call.tool}' within ${this.#limitMs} ms`);
    // A limit that the caller chose says nothing about the server.
    if (this.#lane && this.#limitMs >= this.#upstream.limitMs()) this.#broke();
    this.#fail(timedOut(this.#call, this.#limitMs, reached));
  }

  /** From the bulkhead: clients with fewer calls go first. */
  displaced(): void {
    this.#fail(busy(this.#call, this.#upstream.bulkhead.limit));
  }

  /** From the caller's signal. */
  handleEvent(): void {
    this.#lane?.cancel(this.#id, 'the caller cancelled the call');
    this.#fail(cancelled(this.#call, this.#lane !== undefined));
  }

  answered(message: RpcMessage): void {
    const answer = readAnswer(message);
    this.#upstream.status.callWorked();
    this.#upstream.breaker.recordSuccess();
    this.#told = true;
    if ('result' in answer) {
      if (this.#settle()) this.#resolve(answer.result);
      return;
    }
    // The headers come from the tool's schema, so that ours must be out of date.
    if (answer.failure.code === HEADER_MISMATCH) this.#upstream.refreshSoon();
    this.#fail(upstreamFailed(this.#call, answer.failure));
  }

  lost(error: LaneError): void {
    const reason = this.#upstream.shown(error.message);
    this.#upstream.noteFailure(reason);
    if (error.fault !== 'too_large') this.#broke();
    if (error.fault === 'unsent' && !this.#probe) {
      this.#lane = undefined;
      if (this.#again(() => this.start())) return;
    }
    this.#fail(notAnswered(this.#call, error, reason, this.#upstream.status));
  }

  /** Once, and only a read that never left: nobody can tell whether anything else has run. */
  #again(attempt: () => void): boolean {
    const delay = retryDelayMs();
    if (!this.#call.repeatable || this.#retried || performance.now() + delay >= this.deadline) return false;
    if (!this.#upstream.retries.spend()) return false;
    this.#retried = true;
    setTimeout(() => !this.#settled && attempt(), delay);
    return true;
  }

  /** A flood of progress is thinned out, as every one of them goes on to the caller. */
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

  #broke(): void {
    this.#told = true;
    this.#upstream.breaker.recordFailure(this.#probe);
  }

  #fail(error: ProxyError): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#call.signal.removeEventListener('abort', this);
    this.#upstream.bulkhead.leave(this);
    if (this.#probe && !this.#told) this.#upstream.breaker.abandonProbe();
    return true;
  }
}
