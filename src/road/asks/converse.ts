import {
  knowsTasks,
  TASKS_EXTENSION,
  type CallResult,
  type Caller,
  type Cancellation,
  type TaskLink,
} from '../../contract/call.ts';
import { durationMs, type ClientFeatures } from '../../contract/config.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import { exactValue, isObject, type JsonObject } from '../../json/index.ts';
import {
  FEATURE_OF,
  isAskMethod,
  permittedCapabilities,
  type ClientSession,
  type Continuation,
  type Progress,
  type ServerAsk,
} from '../../upstream/dispatch/dispatch-call.ts';
import type { CallContext } from '../context.ts';
import { releaseSlot } from '../steps/admission.ts';
import type { RoadParts } from '../step.ts';
import { approveAnswer } from './approve-answer.ts';
import { AskRefusal } from './ask-errors.ts';
import { CallAsks } from './call-asks.ts';
import { CallEnd, lastOf } from './call-end.ts';
import type { ClientChannel } from './client-channel.ts';
import { HeldCall } from './held-call.ts';
import { heldState, type HeldState } from './held-calls.ts';
import { serverLog } from './server-log.ts';
import { featuresFor, silentAsks } from './silent-asks.ts';
import { TaskAsks } from './task-asks.ts';

/** Sends the call to its server, once more with each round of answers. */
export type SendRound = (round: {
  continuation: Continuation | undefined;
  session: ClientSession | undefined;
  signal: Cancellation;
  onProgress: ((progress: Progress) => void) | undefined;
  task: () => TaskLink;
}) => Promise<CallResult>;

const MAX_ROUNDS = 16;

/**
 * A call whose server may ask the client of the call. In the 2025 revisions both sides ask by requests of their own, since 2026-07-28 by
 * results; each side is asked and answered in its own way.
 */
export async function converse(call: CallContext, parts: RoadParts, send: SendRound): Promise<CallResult> {
  const { channel, signal, onProgress } = call.request;
  const brought = call.continuation?.requestState;
  const state = brought === undefined ? undefined : heldState(brought);
  if (state) return await resume(call, parts, state);
  if (!channel) return await sendSilently(call, parts, send);
  const held = new HeldCall({ signal, onProgress }, parts.asks.held.proxy);
  const result = await held.run(new Conversation(call, parts, { channel, held, send }).run());
  if (held.isEnded) return result;
  const features = featuresFor(call, parts);
  // The call goes on while its client answers.
  call.isMarked = true;
  const limitMs = durationMs(features.answer_timeout);
  const client = clientKey(call.caller);
  parts.asks.held.hold(held, { client, limitMs, onLeft: () => reportLeft(call, parts) });
  return result;
}

/** The client brings its answers to a call that goes on, here or at another proxy. */
async function resume(call: CallContext, { asks }: RoadParts, state: HeldState): Promise<CallResult> {
  const { signal, onProgress } = call.request;
  const client = clientKey(call.caller);
  const responses = exactValue(call.continuation?.inputResponses);
  if (state.proxy !== asks.held.proxy && asks.elsewhere) {
    const { result, isEnded } = await asks.elsewhere.continue({ state, client, responses }, signal);
    call.isMarked = !isEnded;
    return result;
  }
  const { call: held, again } = asks.held.take(state, client);
  const result = await held.resume({ signal, onProgress }, responses);
  if (held.isEnded) return result;
  call.isMarked = true;
  again();
  return result;
}

interface Sides {
  channel: ClientChannel;
  held: HeldCall;
  send: SendRound;
}

/** The call of one client, from its first request to its result. */
class Conversation {
  readonly #call: CallContext;
  readonly #parts: RoadParts;
  readonly #with: Sides;
  readonly #features: ClientFeatures;
  readonly #capabilities: JsonObject;
  /** What a server of 2026-07-28 is told about the client. */
  readonly #declared: JsonObject;
  readonly #asks: CallAsks;
  /** Made when the server makes a task of the call. */
  #task: TaskAsks | undefined;
  /** Nobody waits for an answer when the call has ended. */
  readonly #over = new CallEnd();
  /** Answers that came with a request of their own, which has passed the road. */
  #checkedAnswers: WeakSet<JsonObject> | undefined;
  #isFlooded = false;

  constructor(call: CallContext, parts: RoadParts, using: Sides) {
    const { tool, caller, record } = call;
    const { channel, held } = using;
    this.#call = call;
    this.#parts = parts;
    this.#with = using;
    this.#features = featuresFor(call, parts);
    this.#capabilities = permittedCapabilities(this.#features, channel.capabilities);
    // A client of the older era gets the result of a task, so it need not know that there was one.
    if (channel.request !== undefined || knowsTasks(channel.capabilities))
      this.#declared = { ...this.#capabilities, extensions: { [TASKS_EXTENSION]: {} } };
    else this.#declared = this.#capabilities;
    this.#asks = new CallAsks(
      { activity: parts.activity, budget: parts.asks.budget },
      {
        server: tool.server,
        tool: tool.tool,
        caller,
        recordId: record!.id,
        features: this.#features,
        client: { key: channel.key, capabilities: channel.capabilities },
        send: (method, params, signal) => this.#ask(method, params, signal),
        approve: async (given) =>
          this.#checkedAnswers?.has(given.answer) ? undefined : approveAnswer(call, parts, given),
        onFlood: () => {
          this.#isFlooded = true;
          held.abort('the server asked the client too often');
        },
      },
    );
  }

  readonly #taskLink = (): TaskAsks =>
    (this.#task ??= taskAsks(this.#call, this.#parts, {
      asks: () => this.#asks,
      byRequest: this.#with.channel.request !== undefined,
      over: this.#over,
    }));

  async run(): Promise<CallResult> {
    const { held, send } = this.#with;
    const session = this.#session();
    const task = this.#taskLink;
    try {
      let continuation: Continuation | undefined = this.#firstRound();
      for (let round = 1; ; round++) {
        const result = await send({ continuation, session, signal: held, onProgress: held.progress, task });
        if (result.resultType !== 'input_required') return result;
        if (round > MAX_ROUNDS) throw this.#refused(`it asked more than ${MAX_ROUNDS} times`);
        const answers = await this.#answersTo(result);
        if (!answers) return await this.#passedOn(result);
        const { requestState } = exactValue(result) as CallResult;
        continuation = { clientCapabilities: this.#declared, inputResponses: answers, requestState };
      }
    } catch (error) {
      throw this.#isFlooded ? this.#refused('it asked on after it was refused many times') : error;
    } finally {
      this.#over.end();
    }
  }

  /** The way to a client of the 2025 revisions, or to one that is asked by results. */
  async #ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { channel, held } = this.#with;
    if (channel.request) return channel.request(method, params, signal);
    if (this.#task?.isOpen) return this.#task.ask(method, params, signal);
    this.#parts.asks.held.checkRoom(held, clientKey(this.#call.caller));
    const answer = await held.request(method, params, signal);
    (this.#checkedAnswers ??= new WeakSet()).add(answer);
    return answer;
  }

  #firstRound(): Continuation {
    const { continuation } = this.#call;
    return { ...continuation, clientCapabilities: this.#declared };
  }

  #session(): ClientSession {
    const { channel } = this.#with;
    const { server } = this.#call.tool;
    return {
      key: channel.key,
      isExclusive: channel.request === undefined,
      capabilities: this.#capabilities,
      logLevel: this.#features.logging === 'deny' ? undefined : channel.logLevel,
      asked: (ask) => this.#asks.answer({ ...ask, signal: AbortSignal.any([ask.signal, this.#end(ask)]) }),
      joined: () => ({
        recordId: this.#call.record!.id,
        ended: this.#over.signal,
        approve: (given) => approveAnswer(this.#call, this.#parts, { ...given, isOther: true }),
      }),
      ...(this.#features.logging !== 'deny' && { logged: serverLog(server, channel) }),
    };
  }

  /** The end of the last call that the question may be about. */
  #end({ others = [] }: ServerAsk): AbortSignal {
    return others.length === 0
      ? this.#over.signal
      : lastOf([this.#over.signal, ...others.map((call) => call.ended)]);
  }

  /** The answers to the questions of a result; undefined: the client itself gets the result. */
  async #answersTo({ inputRequests }: CallResult): Promise<JsonObject | undefined> {
    const asks = requestsOf(exactValue(inputRequests));
    const needsConsent = asks.some(([, { method }]) => this.#policyOn(method) === 'ask');
    if (!this.#with.channel.request && !needsConsent) return undefined;
    const { signal } = this.#over;
    const answers = asks.map(async ([key, { method, params }]) => {
      if (!isAskMethod(method)) throw this.#refused(`it asked for '${method}', which is unknown`);
      return [key, await this.#asks.answer({ method, params, signal })] as const;
    });
    try {
      return Object.fromEntries(await Promise.all(answers));
    } catch (cause) {
      throw cause instanceof AskRefusal ? this.#refused(cause.message, cause) : cause;
    }
  }

  /** A client since 2026-07-28 gets the question of such a server as it is, and brings the answer with its next request. */
  async #passedOn(result: CallResult): Promise<CallResult> {
    const asks = requestsOf(exactValue(result.inputRequests));
    if (asks.length === 0) return result;
    try {
      const passed: Array<[string, unknown]> = [];
      for (const [key, { method, params }] of asks)
        passed.push([
          key,
          isAskMethod(method)
            ? { method, params: await this.#asks.passOn({ method, params }) }
            : { method, params },
        ]);
      const { ...copy } = exactValue(result) as CallResult;
      return { ...copy, inputRequests: Object.fromEntries(passed) };
    } catch (cause) {
      // How a dialog is refused is decided with the result.
      if (cause instanceof AskRefusal && cause.why === 'DIALOG_REFUSED') return result;
      throw cause instanceof AskRefusal ? this.#refused(cause.message, cause) : cause;
    }
  }

  #policyOn(method: string) {
    return isAskMethod(method) ? this.#features[FEATURE_OF[method]] : undefined;
  }

  #refused(why: string, cause?: unknown): ProxyError {
    return refused(this.#call, why, cause);
  }
}

function requestsOf(requests: unknown): Array<[string, { method: string; params: JsonObject }]> {
  if (!isObject(requests)) return [];
  return Object.entries(requests).map(([key, request]) => {
    const { method, params } = isObject(request) ? request : {};
    return [key, { method: String(method), params: isObject(params) ? params : {} }];
  });
}

/**
 * The session of a call whose client cannot be asked. A class: an object literal with a getter gets a hidden class of its own each time it is
 * made, which lives until the next full collection and keeps the whole call alive.
 */
class SilentSession implements ClientSession {
  readonly isExclusive = false;
  readonly capabilities = {};
  readonly #call: CallContext;
  readonly #parts: RoadParts;
  #asks: CallAsks | undefined;
  #key: string | undefined;

  constructor(call: CallContext, parts: RoadParts) {
    this.#call = call;
    this.#parts = parts;
  }

  get key(): string {
    const { caller } = this.#call;
    return (this.#key ??= JSON.stringify([caller.source, clientKey(caller), caller.sessionId ?? null]));
  }

  readonly asks = (): CallAsks => (this.#asks ??= silentAsks(this.#call, this.#parts));

  asked(ask: ServerAsk): Promise<JsonObject> {
    return this.asks().answer(ask);
  }
}

/** Nobody can be asked: whatever the server asks is refused. */
async function sendSilently(call: CallContext, parts: RoadParts, send: SendRound): Promise<CallResult> {
  const { continuation } = call;
  const { signal, onProgress } = call.request;
  const session = new SilentSession(call, parts);
  let over: CallEnd | undefined;
  let made: TaskAsks | undefined;
  const task = () =>
    (made ??= taskAsks(call, parts, { asks: session.asks, byRequest: true, over: (over = new CallEnd()) }));
  try {
    return await send({ continuation, session, signal, onProgress, task });
  } finally {
    over?.end();
  }
}

function taskAsks(
  call: CallContext,
  parts: RoadParts,
  using: { asks: () => CallAsks; byRequest: boolean; over: CallEnd },
): TaskAsks {
  const { server, tool } = call.tool;
  return new TaskAsks({
    ...using,
    server,
    tool,
    link: call.request.task,
    // While the server works in the background the call needs no slot.
    onTask: () => releaseSlot(call, parts),
    refused: (cause) => refused(call, (cause as Error).message, cause),
  });
}

function refused({ tool: { server, tool } }: CallContext, why: string, cause?: unknown): ProxyError {
  const error = new ProxyError(
    'ASK_REFUSED',
    `Server '${server}' could not finish '${tool}': ${why}. The tool may have run in part; check what it did before you repeat the call`,
    { server, tool, why },
  );
  return cause === undefined ? error : error.withCause(cause);
}

function clientKey({ principal, userId, token }: Caller): string {
  return JSON.stringify([principal, token?.id ?? null, userId]);
}

/** The client never came back for the rest of its call. */
function reportLeft({ tool, caller, record }: CallContext, { activity, log }: RoadParts): void {
  const error = new ProxyError(
    'CANCELLED',
    `The client did not come back for the call of '${tool.name}', so it was cancelled; it may have run`,
  );
  const left = activity.open({
    type: 'tool_call',
    source: caller.source,
    server_name: tool.server,
    tool_name: tool.tool,
    request_id: caller.requestId,
    ...(caller.sessionId && { session_id: caller.sessionId }),
    ...(caller.client && { client: caller.client }),
    metadata: { principal: caller.principal, call_record: record!.id },
  });
  void left
    .close({ status: error.outcome, error_code: error.code, error_message: error.message })
    .catch((cause: unknown) => log.warn({ err: toProxyError(cause) }, 'an abandoned call is not recorded'));
}
