import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '../../src/contract/routes/client.ts';
import { connectClient } from './mcp-clients.ts';
import { finished, type CliResult } from './run-cli.ts';
import { blocksOf } from './shell-pages.ts';
import { cleanEnv, poll } from './start-proxy.ts';

// Every example is started as its README says: the block that ends in `npm start` runs the proxy, later blocks are typed beside it.

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PORT = '3001';
/** Each command starts a process of its own; a busy machine takes seconds for one. */
const LIMIT_MS = 280_000;

let home: string;
let running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running) {
    const exited = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null && child.kill()) await exited;
  }
  running = [];
  rmSync(home, { recursive: true, force: true });
});

function shell(lines: string[]) {
  return spawn('sh', ['-ec', lines.join('\n')], {
    cwd: ROOT,
    env: { ...cleanEnv(home), MCPPROXY_LISTEN: '127.0.0.1:0' },
    stdio: 'pipe',
    timeout: LIMIT_MS,
  });
}

/** Starts the last line of a block in place of its shell, so that it can be stopped. */
function start(lines: string[]): () => string {
  const last = lines.at(-1)!.replace('npm start', 'node dist/main.js serve');
  const child = shell([...lines.slice(0, -1), last.replace(/^(PORT=\d+ )?/, '$1exec ')]);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  running.push(child);
  return () => said;
}

/** Runs the example and gives where its proxy is, and what its commands printed. */
async function runExample(name: string): Promise<CliResult & { url: string }> {
  home = mkdtempSync(join(tmpdir(), 'mcpproxy-example-'));
  const dataDir = join(home, '.mcpproxy-examples', name);
  const blocks = blocksOf(`examples/${name}/README.md`)
    .filter(({ language }) => language === 'sh')
    .map(({ lines }) => lines);
  const adapted = await withFreePort(name, blocks);
  const commands = adapted.pop()!;
  const said = adapted.map(start);
  const url = await poll(
    'the example to be ready',
    () => said.map((text) => text()).join('\n'),
    async () => {
      const daemon = daemonOf(dataDir);
      const ready = daemon === undefined ? undefined : await fetch(`${daemon}/readyz`).catch(() => undefined);
      return ready?.ok ? daemon : undefined;
    },
  );
  const typed = shell(commands);
  typed.stdin.end();
  return { ...(await finished(typed)), url };
}

const keyOf = (name: string) =>
  readFileSync(join(home, '.mcpproxy-examples', name, 'api_key'), 'utf8').trim();

function daemonOf(dataDir: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(dataDir, 'daemon.json'), 'utf8')) as { url?: string }).url;
  } catch {
    return undefined; // not there yet, or half written
  }
}

/** The fixed port of an example may be taken on this machine. */
async function withFreePort(name: string, blocks: string[][]): Promise<string[][]> {
  const config = `examples/${name}/mcp_config.json`;
  const own = join(home, 'mcp_config.json');
  const port = await freePort();
  writeFileSync(own, readFileSync(join(ROOT, config), 'utf8').replaceAll(PORT, port), { mode: 0o600 });
  return blocks.map((lines) => lines.map((line) => line.replaceAll(config, own).replaceAll(PORT, port)));
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

test('approvals: reads run, a destructive call waits for a person', async () => {
  const { code, stdout, stderr, url } = await runExample('approvals');
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('Hello.');
  const rest = createClient({ url, apiKey: keyOf('approvals'), client: 'e2e' });
  const body = {
    tool_variant: 'call_tool_destructive' as const,
    name: 'files:write_file',
    args: { path: 'hello.txt', content: 'Changed.' },
    intent: { operation_type: 'destructive' as const },
    approval_wait: '1ms',
  };
  await expect(rest.request('callTool', { body })).rejects.toMatchObject({ code: 'APPROVAL_PENDING' });
  expect(readFileSync(join(home, '.mcpproxy-examples/files/hello.txt'), 'utf8')).toBe('Hello.\n');
});

test('tokens: the agent reads, and nothing else', async () => {
  const { code, stdout, stderr, url } = await runExample('tokens');
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('as the operator');
  const key = readFileSync(join(home, '.mcpproxy-examples/reader.token'), 'utf8').trim();
  const client = await connectClient('2026-07-28', { url, key });
  const read = { name: 'demo:echo', args: { message: 'as the agent' }, intent_operation_type: 'read' };
  expect(JSON.stringify(await client.call('call_tool_read', read))).toContain('as the agent');
  const write = { name: 'tasks:add_task', args: { description: 'x' }, intent_operation_type: 'write' };
  expect(await client.call('call_tool_write', write)).toMatchObject({ isError: true });
  await client.close();
});

test('assistant: it adds a task, and explains a delete without doing it', async () => {
  const { code, stdout, stderr } = await runExample('assistant');
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/"description": ?"buy milk"|buy milk/i);
  expect(stdout).toContain('list_tasks');
});
