import { isOver, type BackgroundCall } from '../../../background/index.ts';
import type { Caller, Identity } from '../../../contract/call.ts';
import type { ToolMode } from '../../../contract/tool.ts';
import { isObject, type JsonObject } from '../../../json/index.ts';
import { hasFairShare } from '../../../load/index.ts';
import type { Answers } from '../answers.ts';
import { ActiveCall, CallTable, tooManyCalls, type HandleTool } from '../calls.ts';
import type { Reply } from '../reply.ts';
import { CODE, errorMessage, resultMessage, RpcError, type Outgoing, type Request } from '../wire.ts';
import { CANCELLED, LiveTasks, type DoorTask, type TasksParts } from './live-tasks.ts';
import { TaskReply } from './task-reply.ts';
import { TaskUpdates } from './task-updates.ts';
import { checkExtension, legacyOutcome, legacyTask, modernTask, stateOf, unknownTask } from './task-wire.ts';

/** How long a background call may take, and its outcome is kept. */
const DEFAULT_TTL_MS = 60 * 60 * 1000;
const MAX_TTL_MS = 24 * DEFAULT_TTL_MS;
const MIN_TTL_MS = 60_000;
const MAX_RUNNING = 256;
const MAX_RUNNING_OF_CALLER = 64;
const PAGE = 50;

/** The revision of 2025 that has tasks. */
const TASKS_REVISION = '2025-11-25';

interface Arrived {
  caller: Caller;
  reply: Reply;
  mode: ToolMode;
  /** Sends a message that belongs to no request. */
  push: (message: Outgoing) => void;
}

interface Asker {
  identity: Identity;
  revision: string;
}

export interface MethodParts extends TasksParts {
  handleTool: HandleTool;
  answers: Pick<Answers, 'legacyResult' | 'modernResult'>;
}

type Method = (identity: Identity, params: JsonObject) => Promise<JsonObject>;

/** Background calls of MCP clients: tasks of revision 2025-11-25, and the extension of 2026-07-28. */
export class TaskMethods {
  readonly live: LiveTasks;
  /** Calls of 2025 clients, which are tasks from the start; their sessions may end before they do. */
  readonly calls: CallTable;
  readonly updates = new TaskUpdates();
  readonly #parts: MethodParts;
  readonly #legacy: Record<string, Method>;
  readonly #modern: Record<string, Method>;

  constructor(parts: MethodParts) {
    this.#parts = parts;
    this.live = new LiveTasks({ ...parts, changed: (call) => this.updates.changed(call) });
    this.calls = new CallTable({
      ...parts,
      items: undefined,
      render: (result, call) => parts.answers.legacyResult(result, call),
    });
    const { live } = this;
    this.#legacy = {
      'tasks/get': async (identity, params) => legacyTask(await this.#find(identity, params)),
      'tasks/list': (identity, params) => this.#list(identity, params),
      'tasks/result': async (identity, params) => legacyOutcome(await this.#ended(identity, params)),
      'tasks/cancel': async (identity, params) => {
        const call = await this.#find(identity, params);
        if (isOver(call)) throw invalidParams(`the task has ended already: ${call.status}`);
        await live.cancel(call);
        return legacyTask((await live.get(identity, call.id)) ?? call);
      },
    };
    this.#modern = {
      'tasks/get': async (identity, params) => modernTask(await this.#find(identity, params)),
      'tasks/update': async (identity, params) => {
        const call = await this.#find(identity, params);
        if (!isObject(params.inputResponses)) throw invalidParams('"inputResponses" must be an object');
        await live.answer(call, params.inputResponses);
        return {};
      },
      'tasks/cancel': async (identity, params) => {
        const call = await this.#find(identity, params);
        if (!isOver(call)) await live.cancel(call);
        return {};
      },
    };
  }

  /** A request about tasks of a 2025 client. False: it is none. */
  legacy(request: Request, { identity, revision }: Asker, reply: Reply): boolean {
    const method = revision === TASKS_REVISION ? own(this.#legacy, request.method) : undefined;
    if (!method) return false;
    void this.#run(method, { request, identity, reply, render: (result) => result });
    return true;
  }

  modern(request: Request, identity: Identity, reply: Reply): boolean {
    const method = own(this.#modern, request.method);
    if (!method) return false;
    checkExtension(request);
    const render = (result: JsonObject) => this.#parts.answers.modernResult(result);
    void this.#run(method, { request, identity, reply, render });
    return true;
  }

  /** Those of the tasks that belong to the caller, and whose changes this process learns. */
  async watchable(identity: Identity, ids: readonly string[]): Promise<BackgroundCall[]> {
    const found = await Promise.all(ids.map((id) => this.live.get(identity, id)));
    return found
      .filter((call) => call !== undefined)
      .filter((call) => isOver(call) || this.live.follows(call.id));
  }

  /** A `tools/call` of 2025-11-25 with `task`: it is answered with a task, and runs in the background. */
  start(request: Request, { caller, reply, mode, push }: Arrived): void {
    const { task } = request.params!;
    if (!isObject(task)) throw invalidParams('"task" must be an object');
    const count = this.live.countOf(caller.principal);
    const hasPlace = count < MAX_RUNNING_OF_CALLER && hasFairShare(count, this.live.size, MAX_RUNNING);
    if (!hasPlace) throw tooManyCalls(count);
    const ttlMs = ttlOf(task.ttl);
    const answers = new TaskReply(reply);
    const call = new ActiveCall(request, caller, { reply: answers, mode });
    const link: DoorTask = { ttlMs, limitMs: ttlMs, changed: (state) => open.changed(state) };
    call.task = link;
    // A person may take as long as the task. A client that cancels it withdraws what waits for a person.
    call.hooks = { waitMs: ttlMs, isWithdrawn: () => call.left };
    const open = this.#opening(call, answers, { link, ttlMs });
    this.calls.run(call, call);
    open.begin({ status: 'working' }, (made) => {
      this.updates.follow(made, (params) =>
        push({ jsonrpc: '2.0', method: 'notifications/tasks/status', params }),
      );
      return { task: legacyTask(made) };
    });
  }

  /** For a call of 2026-07-28: its server decides whether it becomes a task. */
  mayBecomeTask(call: ActiveCall, reply: TaskReply): void {
    const link: DoorTask = { limitMs: DEFAULT_TTL_MS, changed: (state) => open.changed(state) };
    const open = this.#opening(call, reply, { link, ttlMs: DEFAULT_TTL_MS });
    link.changed = (state) => {
      if (!open.begin(stateOf(state), (made) => this.#created(made))) open.changed(state);
    };
    call.task = link;
  }

  /** Lets tasks of servers go on, and ends all others. */
  async stop(): Promise<void> {
    await this.live.stop();
  }

  #created(call: BackgroundCall): JsonObject {
    // The questions of the server are told by `tasks/get` only.
    const { inputRequests: _, ...task } = modernTask(call);
    return this.#parts.answers.modernResult({ resultType: 'task', ...task });
  }

  /** Stores the call, answers the client with the task, and routes what follows to it. */
  #opening(call: ActiveCall, reply: TaskReply, { link, ttlMs }: { link: DoorTask; ttlMs: number }) {
    const { live } = this;
    const { principal, userId, token, client } = call.caller;
    let opened: Promise<BackgroundCall> | undefined;
    let openId: string | undefined;
    const then = (act: (id: string) => void) => {
      if (openId !== undefined) act(openId);
      // That it could not be stored is reported by `begin`.
      else void opened?.then(({ id }) => act(id)).catch(() => undefined);
    };
    return {
      changed: (state: Parameters<DoorTask['changed']>[0]) => then((id) => live.changed(id, state)),
      begin(state: ReturnType<typeof stateOf>, answer: (made: BackgroundCall) => JsonObject): boolean {
        if (opened) return false;
        link.isOpen = true;
        const cancel = (reason: string) => {
          call.left = reason === CANCELLED;
          call.cancel(reason);
        };
        const caller = { principal, userId, tokenId: token?.id, client };
        opened = live.open({ caller, ttlMs, link, cancel }, state);
        reply.becomeTask((message) => then((id) => live.answered(id, message)));
        opened.then(
          (made) => {
            openId = made.id;
            reply.answerTask(resultMessage(call.id, answer(made)));
          },
          () => {
            call.cancel('the task could not be stored');
            reply.answerTask(errorMessage(call.id, notStored()));
          },
        );
        return true;
      },
    };
  }

  async #run(method: Method, { request, identity, reply, render }: RunOptions): Promise<void> {
    try {
      reply.answer(resultMessage(request.id, render(await method(identity, request.params ?? {}))));
    } catch (cause) {
      if (!(cause instanceof RpcError))
        this.#parts.log.error({ err: cause }, 'a request about a task failed');
      const error = cause instanceof RpcError ? cause : new RpcError(CODE.internal, 'Internal error');
      reply.answer(errorMessage(request.id, error), error.status);
    }
  }

  async #find(identity: Identity, { taskId }: JsonObject): Promise<BackgroundCall> {
    if (typeof taskId !== 'string') throw invalidParams('"taskId" must be a string');
    const call = await this.live.get(identity, taskId);
    if (!call) throw unknownTask();
    return call;
  }

  async #ended(identity: Identity, params: JsonObject): Promise<BackgroundCall> {
    for (;;) {
      const call = await this.#find(identity, params);
      if (isOver(call)) return call;
      await this.live.settled(call.id);
    }
  }

  async #list(identity: Identity, { cursor }: JsonObject): Promise<JsonObject> {
    if (cursor !== undefined && typeof cursor !== 'string') throw invalidParams('Invalid cursor');
    const calls = await this.live.list(identity, { after: cursor, limit: PAGE + 1 });
    const page = calls.slice(0, PAGE);
    return { tasks: page.map(legacyTask), ...(calls.length > PAGE && { nextCursor: page.at(-1)!.id }) };
  }
}

interface RunOptions {
  request: Request;
  identity: Identity;
  reply: Reply;
  render: (result: JsonObject) => JsonObject;
}

function own(methods: Record<string, Method>, name: string): Method | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}

function ttlOf(given: unknown): number {
  if (given === undefined || given === null) return DEFAULT_TTL_MS;
  if (typeof given !== 'number' || !(given >= 0))
    throw invalidParams('"task.ttl" must be a number of milliseconds');
  return Math.min(Math.max(given, MIN_TTL_MS), MAX_TTL_MS);
}

function invalidParams(problem: string): RpcError {
  return new RpcError(CODE.invalidParams, `Invalid params: ${problem}`, { record: 'INVALID_REQUEST' });
}

function notStored(): RpcError {
  return new RpcError(
    CODE.internal,
    'The task could not be stored, so the call was cancelled; it may have run',
  );
}
