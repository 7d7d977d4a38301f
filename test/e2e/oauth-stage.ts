import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { CallResult } from '../../src/contract/call.ts';
import { startAuthorizationServer, type Behaviour } from '../fixtures/authorization-server.ts';
import { startProtectedServer, type ProtectedServer, type Protection } from '../fixtures/protected-server.ts';
import { browse, redirectOf } from './headless-browser.ts';
import { connectClient } from './mcp-clients.ts';
import { CHALLENGE, type Ground } from './oauth-grounds.ts';
import { runHere } from './cli-here.ts';
import { runCli, type CliResult } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { poll, startProxy, type RunningProxy, type StartOptions } from './start-proxy.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- what comes over the wire is looked at field by field
export type Wire = any;

export interface RestAnswer {
  status: number;
  body: Wire;
}

/** A running proxy with the protected server `notes`, and an operator who logs in. */
export interface OauthStage {
  proxy: RunningProxy;
  server: ProtectedServer;
  rest(method: string, path: string, body?: unknown): Promise<RestAnswer>;
  view(): Promise<Wire>;
  until(state: string): Promise<Wire>;
  /** Begins a log-in; an answer that is no success is an error. */
  begin(body?: Record<string, unknown>): Promise<Wire>;
  complete(redirect: string): Promise<RestAnswer>;
  /** The whole log-in in a browser, until the server is ready. */
  logIn(body?: Record<string, unknown>): Promise<Wire>;
  /** A call of an agent. */
  call(tool: 'read_note' | 'write_note'): Promise<CallResult>;
  cli(args: string[], input?: string): Promise<CliResult>;
  restart(): Promise<void>;
}

export interface StageOptions {
  oauth?: object | false;
  protect?: Partial<Protection>;
  /** Of the whole configuration, beside the server. */
  config?: Record<string, unknown>;
  start?: Partial<StartOptions>;
}

/** The proxy that the stages of a test file share; a stage with settings or a start of its own has one of its own. */
let shared: RunningProxy | undefined;

/** One proxy for all tests of a file: each adds the server `notes` to it, and removes it with its log-in. */
export function shareProxy(): void {
  beforeAll(async () => {
    // "notes" moves from one address to the next: its tools stay callable.
    shared = await startHere({ config: { quarantine: 'warn', mcpServers: {} } });
  });
  afterAll(async () => {
    await shared?.dispose();
    shared = undefined;
  });
}

export async function openOauthStage(
  ground: Pick<Ground, 'issuer' | 'verify' | 'serves' | 'stop'>,
  { oauth, protect = {}, config, start }: StageOptions = {},
): Promise<OauthStage> {
  onTestFinished(() => ground.stop());
  const server = await startProtectedServer(ground.verify, {
    issuers: [ground.issuer],
    ...CHALLENGE,
    ...protect,
  });
  onTestFinished(() => server.stop());
  ground.serves(server.url);
  const notes = { url: server.url, ...(oauth !== undefined && { oauth }) };
  if (shared && !config && !start) return addTo(shared, server, notes);
  const options = { ...start, config: { mcpServers: { notes }, ...config }, waitReady: false };
  const stage = stageOf(server, await startBy(options), start);
  onTestFinished(() => stage.proxy.dispose());
  return stage;
}

/** Only what is given to a process needs one. */
const startBy = (options: StartOptions) =>
  options.args || options.env ? startProxy(options) : startHere(options);

async function addTo(proxy: RunningProxy, server: ProtectedServer, notes: object): Promise<OauthStage> {
  const stage = stageOf(server, proxy);
  const { status, body } = await stage.rest('POST', '', { name: 'notes', config: notes });
  if (status !== 200) throw new Error(`no server: ${status} ${JSON.stringify(body)}`);
  onTestFinished(async () => {
    shared = stage.proxy;
    const removed = await stage.rest('DELETE', '/notes');
    if (removed.status !== 200 && removed.status !== 204) throw new Error(`not removed: ${removed.status}`);
  });
  return stage;
}

function stageOf(
  server: ProtectedServer,
  proxy: RunningProxy,
  start: Partial<StartOptions> = {},
): OauthStage {
  const stage: OauthStage = {
    proxy,
    server,
    async rest(method, path, body) {
      const response = await fetch(`${stage.proxy.url}/api/v1/servers${path}`, {
        method,
        headers: { 'x-api-key': stage.proxy.key, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    view: async () => (await stage.rest('GET', '/notes')).body,
    until: (state) =>
      poll(`the server to be ${state}`, stage.proxy.stderr, async () => {
        const view = await stage.view();
        return view.state === state ? view : undefined;
      }),
    async begin(body = {}) {
      const { status, body: begun } = await stage.rest('POST', '/notes/login', body);
      if (status !== 200) throw new Error(`no log-in: ${status} ${JSON.stringify(begun)}`);
      return begun;
    },
    complete: (redirect) => stage.rest('POST', '/notes/login/complete', { redirect }),
    async logIn(body) {
      const begun = await stage.begin(body);
      const { response } = await browse(begun.authorization_url);
      if (response?.status !== 200) {
        const { body: progress } = await stage.rest('GET', '/notes/login');
        throw new Error(`the log-in ended with ${response?.status}: ${JSON.stringify(progress)}`);
      }
      await stage.until('ready');
      return begun;
    },
    async call(tool) {
      const { token } = await stage.proxy.rest.request('createToken', { body: { name: `a${++tokens}` } });
      const client = await connectClient('2026-07-28', { url: stage.proxy.url, key: token });
      try {
        const operation = tool === 'read_note' ? 'read' : 'write';
        const args = { name: `notes:${tool}`, args: {}, intent_operation_type: operation };
        return await client.call(`call_tool_${operation}`, args);
      } finally {
        await client.close();
      }
    },
    cli: (args, input) =>
      input === undefined
        ? runHere([...args, ...stage.proxy.place])
        : runCli([...args, ...stage.proxy.place], { home: stage.proxy.home, input }),
    async restart() {
      await stage.proxy.stop();
      stage.proxy = await startBy({ ...start, home: stage.proxy.home, waitReady: false });
    },
  };
  return stage;
}

let tokens = 0;

/** The fixture as the ground, for what only it can do wrong. */
export async function openFixtureStage(
  behave: Partial<Behaviour> = {},
  options: StageOptions & { path?: string } = {},
) {
  const issuer = await startAuthorizationServer(behave, options.path);
  const serves = (resource: string) => void issuer.behaviour.resources.push(resource);
  const stage = await openOauthStage({ ...issuer, serves }, options);
  return { issuer, stage };
}

/** Logs in without a browser: the address of the redirect is copied and handed over. */
export async function pasteLogIn(stage: OauthStage, body?: Record<string, unknown>): Promise<RestAnswer> {
  const { authorization_url: page } = await stage.begin(body);
  return stage.complete(await redirectOf(page));
}

export function saidBy(result: CallResult): string {
  return String(result.content?.[0]?.text);
}
