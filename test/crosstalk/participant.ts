import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../fixtures/mcp-harness.ts';
import { connectAsked, textOf, type AskedClient, type AskedClientKind } from '../e2e/asked-clients.ts';

/** Everything that may go wrong, in words; both lists are empty at the end. */
export interface Findings {
  /** A client has seen what belongs to another. */
  readonly crossings: string[];
  /** A step did not do what it should: without this list a run where everything is refused would pass. */
  readonly failures: string[];
}

export interface ParticipantOptions {
  /** In all that it sends and answers. */
  readonly name: string;
  readonly kind: AskedClientKind;
  readonly program: string;
  readonly key: string;
  readonly url: string;
  /** Log levels that no other client sets. */
  readonly levels: readonly string[];
  /** Another client has the same credential and program and no session, so that a 2025 server cannot tell them apart. */
  readonly isTwin: boolean;
}

interface Watch {
  readonly uri: string;
  stop(): Promise<unknown>;
}

const PREFIX = (server: string): string => `mcpproxy://${server}/`;
const ACTION_LIMIT_MS = 100_000;

/** A real MCP client that answers everything with its own name, and examines everything that reaches it. */
export class Participant {
  readonly options: ParticipantOptions;
  readonly #findings: Findings;
  #client!: AskedClient;
  #root: string;
  #level: string | undefined;
  #watches: Watch[] = [];
  readonly #everWatched = new Set<string>();
  readonly #updated = new Map<string, number>();
  readonly #logged = new Set<string>();
  #next = 0;
  #busy = new Set<Promise<unknown>>();
  #ready: Promise<void> = Promise.resolve();
  #alone: Promise<void> = Promise.resolve();

  constructor(options: ParticipantOptions, findings: Findings) {
    this.options = options;
    this.#findings = findings;
    this.#root = `file:///${options.name}/0`;
  }

  get name(): string {
    return this.options.name;
  }

  get isModern(): boolean {
    return this.options.kind === '2026-07-28';
  }

  async connect(): Promise<void> {
    const { kind, program, name } = this.options;
    this.#client = await connectAsked(kind, this.options, {
      name: program,
      root: this.#root,
      elicit: (params) => this.#answerForm(params),
      sample: (params) => {
        this.#mustBeOwn('sampling', JSON.stringify(params.messages));
        return { role: 'assistant', model: name, content: { type: 'text', text: 'pong' } };
      },
    });
    const { sdk } = this.#client;
    const onUpdate = ({ params }: Json) => this.#onUpdate(params.uri as string);
    if (kind === 'SDK 1.x') sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, onUpdate);
    else sdk.setNotificationHandler('notifications/resources/updated', onUpdate);
  }

  async close(): Promise<void> {
    this.#examineLogs();
    await this.#client.close();
  }

  /** Runs a step; steps of one client overlap, but not with `reconnect`. */
  async run(step: () => Promise<void>, server?: string): Promise<void> {
    await this.#ready;
    // A question that names no call is certain only while its client has a single call in flight.
    const running = server === 'apart' ? (this.#alone = this.#alone.then(step, step)) : step();
    this.#busy.add(running);
    await running.finally(() => this.#busy.delete(running));
  }

  /** A new session with the same name; what the old one had must not come back. */
  reconnect(): Promise<void> {
    this.#ready = this.#ready.then(async () => {
      await Promise.allSettled(this.#busy);
      await this.close();
      this.#watches = [];
      this.#level = undefined;
      await this.connect();
    });
    return this.#ready;
  }

  tag(): string {
    return `<${this.name}:${this.#next++}>`;
  }

  async checkRoots(server: string): Promise<void> {
    const roots = await this.#call<string[]>(server, 'roots', {});
    for (const root of roots ?? [])
      if (!root.startsWith(`file:///${this.name}/`)) this.#cross(`${server} knows the root ${root}`);
    if (roots?.length === 0) this.#fail(`${server} got no roots`);
  }

  async checkLevel(server: string): Promise<void> {
    const level = await this.#call<string>(server, 'level', {});
    const own = ['none', ...this.options.levels];
    if (level !== undefined && !own.includes(level)) this.#cross(`${server} has the log level ${level}`);
  }

  async changeRoots(): Promise<void> {
    this.#root = `file:///${this.name}/${this.#next++}`;
    // A client of the 2026 era is asked for its roots by each call and announces nothing.
    if (!this.isModern) await this.#client.rootsChanged(this.#root);
  }

  async setLevel(n: number): Promise<void> {
    const { levels } = this.options;
    const level = levels[n % levels.length]!;
    if (!this.isModern) await this.#client.setLevel(level);
    this.#level = level;
  }

  /** Whatever comes of it. */
  async makeAsk(server: string): Promise<void> {
    await this.#client.call(`${server}:roots`);
  }

  async elicit(server: string): Promise<void> {
    const name = await this.#call<string>(server, 'elicit', { tag: this.tag() });
    if (name !== undefined && name !== this.name) this.#cross(`the form was answered by ${name}`);
  }

  async sample(server: string): Promise<void> {
    const model = await this.#call<string>(server, 'sample', { tag: this.tag() });
    if (model !== undefined && model !== this.name) this.#cross(`the model of ${model} answered`);
  }

  async log(server: string): Promise<void> {
    const tag = this.tag();
    // A server of the 2026 era logs nothing for a client that has not said what it wants.
    const wants = this.#level !== undefined || (!this.isModern && server !== 'newer');
    await this.#call(server, 'log', { tag });
    // SDK 2 hands a message on after the result that came behind it.
    await this.#until(`log message ${tag} of ${server}`, () => {
      this.#examineLogs();
      return !wants || this.#logged.has(tag);
    });
  }

  async progress(server: string): Promise<void> {
    const tag = this.tag();
    const seen: string[] = [];
    await this.#call(server, 'progress', { tag, onprogress: ({ message }) => seen.push(String(message)) });
    for (const message of seen) if (message !== tag) this.#cross(`progress of ${message}`);
  }

  /** Watches a resource that no client has watched before; the oldest of several is given up. */
  async watch(server: string): Promise<void> {
    const uri = `${PREFIX(server)}note:///${this.name}/${this.#next++}`;
    this.#everWatched.add(uri);
    const { sdk } = this.#client;
    if (this.isModern) {
      const stream = await sdk.listen({ resourceSubscriptions: [uri] });
      this.#watches.push({ uri, stop: () => stream.close() });
    } else {
      await sdk.subscribeResource({ uri });
      this.#watches.push({ uri, stop: () => sdk.unsubscribeResource({ uri }) });
    }
    if (this.#watches.length > 3) await this.#watches.shift()!.stop();
  }

  /** Another client changes the resource that this one has watched last; this one is told. */
  async touchedBy(other: Participant): Promise<void> {
    const uri = this.#watches.at(-1)?.uri;
    if (uri === undefined) return;
    const before = this.#updated.get(uri) ?? 0;
    const [, server, own] = /^mcpproxy:\/\/(\w+)\/(.+)$/.exec(uri)!;
    await other.run(async () => void (await other.#call(server!, 'touch', { uri: own })), server);
    // Given up, or left, meanwhile.
    const isOver = (): boolean => !this.#watches.some((watch) => watch.uri === uri);
    await this.#until(`update of ${uri}`, () => isOver() || (this.#updated.get(uri) ?? 0) > before);
  }

  async #call<T>(
    server: string,
    tool: string,
    { onprogress, ...args }: { tag?: string; uri?: string; onprogress?: (progress: Json) => void },
  ): Promise<T | undefined> {
    const meta = this.isModern && this.#level !== undefined ? { [LOG_LEVEL_META_KEY]: this.#level } : {};
    const params = {
      name: 'call_tool_read',
      arguments: { name: `${server}:${tool}`, args, intent: { operation_type: 'read' } },
      _meta: meta,
    };
    const before = this.options.kind === 'SDK 1.x' ? [undefined] : [];
    const options = { timeout: ACTION_LIMIT_MS, ...(onprogress && { onprogress }) };
    const result = await this.#client.sdk.callTool(params, ...before, options);
    if (result.isError === true) {
      this.#fail(`${server}:${tool} failed: ${textOf(result).slice(0, 300)}`);
      return undefined;
    }
    return JSON.parse(textOf(result)) as T;
  }

  #answerForm(params: Json): Json {
    this.#mustBeOwn('elicitation', params.message as string);
    const fields = Object.entries<Json>(params.requestedSchema?.properties ?? {});
    const content = fields.map(([field, { type }]) => [field, type === 'boolean' ? true : this.name]);
    return { action: 'accept', content: Object.fromEntries(content) };
  }

  /** Every text that a server sends names the client whose call caused it. */
  #mustBeOwn(what: string, text: string): void {
    const [, owner] = /<([a-z]+):\d+>/.exec(text) ?? [];
    if (owner !== this.name) this.#cross(`${what} with the text ${text}`);
  }

  #examineLogs(): void {
    for (const { data } of this.#client.logs.splice(0)) {
      this.#mustBeOwn('a log message', String(data));
      this.#logged.add(String(data));
    }
  }

  #onUpdate(uri: string): void {
    if (!this.#everWatched.has(uri)) this.#cross(`an update of ${uri}`);
    this.#updated.set(uri, (this.#updated.get(uri) ?? 0) + 1);
  }

  async #until(what: string, isTrue: () => boolean): Promise<void> {
    const end = Date.now() + ACTION_LIMIT_MS;
    while (!isTrue()) {
      if (Date.now() > end) return this.#fail(`no ${what}`);
      await new Promise((done) => setTimeout(done, 5));
    }
  }

  #cross(what: string): void {
    this.#findings.crossings.push(`${this.name}: ${what}`);
  }

  #fail(what: string): void {
    this.#findings.failures.push(`${this.name}: ${what}`);
  }
}
