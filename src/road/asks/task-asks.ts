import type { ServerTask, TaskLink } from '../../contract/call.ts';
import type { ProxyError } from '../../contract/errors.ts';
import { exactJson, exactValue, isObject, type JsonObject } from '../../json/index.ts';
import { RpcFault } from '../../lib/rpc.ts';
import { isAskMethod } from '../../upstream/dispatch/dispatch-call.ts';
import { markDialogs } from '../dialogs/mark-dialogs.ts';
import { markedText } from '../dialogs/server-text.ts';
import type { CallAsks, SendAsk } from './call-asks.ts';
import type { CallEnd } from './call-end.ts';

interface Parts {
  server: string;
  tool: string;
  /** Absent: the caller waits for the result and knows nothing of the task. */
  link: TaskLink | undefined;
  asks: () => CallAsks;
  /** True: the client is asked by requests; false: by the state of its task. */
  byRequest: boolean;
  over: CallEnd;
  /** The server has made a task, or its state has changed. */
  onTask: () => void;
  /** The error that the call ends with where a question is refused. */
  refused: (cause: unknown) => ProxyError;
}

interface Question {
  text: string | undefined;
  withdrawal: AbortController;
}

interface OpenAsk {
  method: string;
  params: JsonObject;
  resolve(answer: JsonObject): void;
}

/**
 * What the server of a task asks, by the state of the task or by a request of its own. Each question is checked, limited and recorded like
 * every other one; the client sees only those that were passed on, and only answers to these reach the server.
 */
export class TaskAsks implements TaskLink {
  readonly #parts: Parts;
  readonly #questions = new Map<string, Question>();
  readonly #open = new Map<string, OpenAsk>();
  readonly #names = new Set<string>();
  readonly #ready = new Map<string, JsonObject>();
  #task: ServerTask | undefined;
  #pass: TaskLink['answer'];
  #cancel: TaskLink['cancel'];
  /** Questions that are being checked or recorded; all others wait for the client. */
  #busy = 0;
  #waiters: Array<() => void> = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get ttlMs(): number | undefined {
    return this.#parts.link?.ttlMs;
  }

  get limitMs(): number | undefined {
    return this.#parts.link?.limitMs;
  }

  get isKept(): boolean {
    return this.#parts.link?.isKept === true;
  }

  set answer(pass: NonNullable<TaskLink['answer']>) {
    this.#pass = pass;
    const { link } = this.#parts;
    if (link) link.answer = (responses) => this.#answered(responses);
  }

  set cancel(cancel: NonNullable<TaskLink['cancel']>) {
    this.#cancel = cancel;
  }

  /** Whether the client has a task that can show a question. */
  get isOpen(): boolean {
    return this.#parts.link !== undefined && this.#task !== undefined;
  }

  changed(task: ServerTask): void {
    this.#parts.onTask();
    const isAsking = task.status === 'input_required' && task.inputRequests !== undefined;
    const requests = isAsking ? this.#read(task) : {};
    this.#task = task;
    for (const [key, { withdrawal }] of this.#questions) if (!(key in requests)) withdrawal.abort();
    this.#show();
    for (const [key, request] of Object.entries(requests)) this.#put(key, request);
  }

  /** Asks by the state of the task; resolves with the answer of the client. */
  async ask(...[method, params, signal]: Parameters<SendAsk>): Promise<JsonObject> {
    this.#busy++;
    try {
      return await this.#request('ask', { method, params, signal });
    } finally {
      this.#done();
    }
  }

  /** Throws where the questions are of a kind or form that nobody may see. */
  #read({ inputRequests }: ServerTask): JsonObject {
    const { server, tool } = this.#parts;
    const requests = exactValue(inputRequests) as JsonObject;
    markDialogs(server, tool, { inputRequests: requests });
    return requests;
  }

  /** A server names its open questions in every state; each is put once. */
  #put(key: string, request: unknown): void {
    const { method, params } = isObject(request) ? request : {};
    const text = exactJson(request);
    if (!isAskMethod(method) || this.#questions.get(key)?.text === text) return;
    this.#questions.get(key)?.withdrawal.abort();
    const withdrawal = new AbortController();
    this.#questions.set(key, { text, withdrawal });
    const { asks, byRequest, over, refused } = this.#parts;
    const ask = {
      method,
      params: isObject(params) ? params : {},
      signal: AbortSignal.any([withdrawal.signal, over.signal]),
    };
    const send: SendAsk = (...[as, what, signal]) => this.#request(key, { method: as, params: what, signal });
    this.#busy++;
    asks()
      .answer(ask, byRequest ? undefined : send)
      .then(
        (answer) => !withdrawal.signal.aborted && this.#ready.set(key, answer),
        (cause: unknown) => !ask.signal.aborted && this.#cancel?.(refused(cause)),
      )
      .finally(() => this.#done());
  }

  #request(
    key: string,
    { method, params, signal }: { method: string; params: JsonObject; signal: AbortSignal },
  ) {
    const name = this.#unusedName(key);
    return new Promise<JsonObject>((resolve, reject) => {
      const end = (act: () => void): void => {
        signal.removeEventListener('abort', withdraw);
        if (!this.#open.delete(name)) return;
        this.#busy++;
        act();
      };
      const withdraw = (): void =>
        end(() => {
          reject(new RpcFault(-32000, 'The request was withdrawn'));
          this.#show();
        });
      if (signal.aborted) return reject(new RpcFault(-32000, 'The request was withdrawn'));
      signal.addEventListener('abort', withdraw, { once: true });
      this.#open.set(name, { method, params, resolve: (answer) => end(() => resolve(answer)) });
      this.#done();
    });
  }

  /** A client answers each name once. */
  #unusedName(key: string): string {
    let name = key;
    for (let n = 2; this.#names.has(name); n++) name = `${key}-${n}`;
    this.#names.add(name);
    return name;
  }

  /** Resolves when the server has the answers. */
  #answered(responses: JsonObject): Promise<void> {
    const given = exactValue(responses) as JsonObject;
    const answers = [...this.#open].flatMap(([name, ask]) => {
      const answer = Object.hasOwn(given, name) ? given[name] : undefined;
      return isObject(answer) ? [() => ask.resolve(answer)] : [];
    });
    if (answers.length === 0) return Promise.resolve();
    const passed = new Promise<void>((done) => this.#waiters.push(done));
    for (const resolve of answers) resolve();
    this.#show();
    return passed;
  }

  #done(): void {
    if (--this.#busy > 0) return;
    this.#show();
    void this.#passOn();
  }

  async #passOn(): Promise<void> {
    const waiters = this.#waiters;
    this.#waiters = [];
    const answers = [...this.#ready];
    this.#ready.clear();
    try {
      if (answers.length > 0) await this.#pass?.(Object.fromEntries(answers));
    } catch {
      // The server did not get them: if it still asks, the client is asked again.
      for (const [key] of answers) this.#questions.delete(key);
    }
    for (const done of waiters) done();
  }

  /** The state as the client sees it, with the questions that it may answer. */
  #show(): void {
    const { link, over } = this.#parts;
    if (!link || !this.#task || over.isOver) return;
    const { inputRequests: _, ...task } = this.#task;
    const { message } = task;
    if (message !== undefined) task.message = markedText(this.#parts.server, message);
    const open = [...this.#open].map(([name, { method, params }]) => [name, { method, params }]);
    if (open.length === 0) return link.changed(task);
    link.changed({ ...task, status: 'input_required', inputRequests: Object.fromEntries(open) });
  }
}
