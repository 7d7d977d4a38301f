import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectAsked, textOf, type AskedClientKind } from '../../test/e2e/asked-clients.ts';
import { runInspector } from '../../test/e2e/run-inspector.ts';
import type { Json } from '../../test/fixtures/mcp-harness.ts';
import { startModel } from '../clients/model/server.ts';
import { promptFor } from '../clients/model/decide.ts';
import { claudeCode } from '../clients/programs/claude-code.ts';
import { runHeadless } from '../clients/run-headless.ts';

/** A client that is connected through the balancer; each call gives the text of its result. */
export interface BalancedClient {
  call(operation: Operation, text: string): Promise<string>;
  close(): Promise<void>;
}

export const OPERATIONS = { read: 'read_only', write: 'writer_not_destructive', destructive: 'destructive' };
export type Operation = keyof typeof OPERATIONS;

export interface Endpoint {
  url: string;
  token: string;
  /** For the files of the client. */
  home: string;
}

const PYTHON_CLIENT = fileURLToPath(new URL('client.py', import.meta.url));
const CALL_MS = 120_000;

export const callOf = (operation: Operation, text: string) => ({
  name: `call_tool_${operation}`,
  arguments: { name: `up:${OPERATIONS[operation]}`, args: { text }, intent_operation_type: operation },
});

export async function connectSdk(kind: AskedClientKind, { url, token }: Endpoint): Promise<BalancedClient> {
  const client = await connectAsked(kind, { url, key: token }, { capabilities: {} });
  return {
    async call(operation, text) {
      const more = kind === 'SDK 1.x' ? [undefined] : [];
      return textOf(await client.sdk.callTool(callOf(operation, text), ...more, { timeout: CALL_MS }));
    },
    close: () => client.close(),
  };
}

/** `mode`: "1" is the older line of the SDK; of the newer one "legacy" or "auto". */
export async function connectPython(
  python: string,
  mode: string,
  { url, token }: Endpoint,
): Promise<BalancedClient> {
  const child = spawn(python, [PYTHON_CLIENT, `${url}/mcp`, token, mode], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  async function next(): Promise<string> {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the Python client ended: ${said.slice(-600)}`);
    const { text, error } = JSON.parse(value) as { text?: string; error?: string };
    if (text === undefined) throw new Error(error);
    return text;
  }
  await next();
  return {
    call(operation, text) {
      const { name, arguments: args } = callOf(operation, text);
      child.stdin.write(`${JSON.stringify({ tool: name, args })}\n`);
      return next();
    },
    async close() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** Its command line is a client of its own for each call. */
export async function connectInspector(era: string, { url, token, home }: Endpoint): Promise<BalancedClient> {
  const place = { url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  return {
    async call(operation, text) {
      const { name, arguments: args } = callOf(operation, text);
      const { output, stderr } = await runInspector(home, place, [
        '--protocol-era',
        era,
        '--method=tools/call',
        `--tool-name=${name}`,
        `--tool-args-json=${JSON.stringify(args)}`,
      ]);
      if (output?.result === undefined) throw new Error(`the Inspector: ${stderr.slice(-600)}`);
      return textOf(output.result);
    },
    close: async () => undefined,
  };
}

const STEPS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

/** One session of Claude Code. Its scripted model makes these calls, and each only when it is asked for. */
export async function connectClaudeCode(
  path: string,
  { url, token, home }: Endpoint,
  calls: ReadonlyArray<{ operation: Operation; text: string }>,
): Promise<BalancedClient> {
  const script: Record<string, { tool: string; args: Json }> = {};
  for (const [index, { operation, text }] of calls.entries()) {
    const { name: tool, arguments: args } = callOf(operation, text);
    script[STEPS[index]!] = { tool, args };
  }
  let asked = 0;
  let wake = () => {};
  const model = await startModel({
    script,
    async beforeAnswer({ step }) {
      while (STEPS.indexOf(step!) >= asked) await new Promise<void>((resolve) => (wake = resolve));
    },
  });
  const place = { home, work: join(home, 'work'), modelUrl: model.url };
  mkdirSync(place.work, { recursive: true });
  for (const [file, text] of Object.entries(claudeCode.files(place))) writeFileSync(join(home, file), text);
  const servers = join(home, 'servers.json');
  const server = { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  writeFileSync(servers, JSON.stringify({ mcpServers: { mcpproxy: server } }));
  const args = [
    ...claudeCode.headless(promptFor(STEPS.slice(0, calls.length))),
    '--mcp-config',
    servers,
    '--strict-mcp-config',
    '--allowedTools',
    'mcp__mcpproxy',
  ];
  const env = { PATH: process.env.PATH!, HOME: home, LANG: 'C.UTF-8', ...claudeCode.env(place) };
  let ended: string | undefined;
  const running = runHeadless({ path, args, env, cwd: place.work }, CALL_MS * calls.length).then(
    ({ output }) => (ended = output),
  );
  return {
    async call() {
      const step = STEPS[asked++]!;
      wake();
      for (const until = performance.now() + CALL_MS; !model.results.has(step); await sleep(50))
        if (ended !== undefined || performance.now() > until)
          throw new Error(`Claude Code: ${ended ?? `no result of step ${step}`}`);
      return model.results.get(step)!;
    },
    async close() {
      asked = STEPS.length;
      wake();
      await running;
      await model.close();
    },
  };
}
