import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectAsked, textOf } from '../test/e2e/asked-clients.ts';
import { poll, startProxy, type RunningProxy } from '../test/e2e/start-proxy.ts';
import { freePort, startPostgres } from '../test/fixtures/postgres-server.ts';
import { newRowKeyText } from '../test/fixtures/row-seal.ts';
import { fixture } from '../test/fixtures/start.ts';

// The examples of packaging/balancers, each started before two proxies on one PostgreSQL, with clients of both eras through it.
// A program that is not installed is named and makes the exit code 3; 0: all held, 1: one did not.

const EXAMPLES = fileURLToPath(new URL('../packaging/balancers/', import.meta.url));
const KEY = 'balancers-0123456789abcdef';

interface Example {
  program: string;
  file: string;
  /** The configuration as this program wants it alone. */
  whole?: (text: string, dir: string) => string;
  args: (file: string) => string[];
}

const nginxAlone = (text: string, dir: string) =>
  `daemon off; pid ${dir}/pid; error_log stderr; events {} http { access_log off; ` +
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((of) => `${of}_temp_path ${dir}/${of};`)
    .join(' ') +
  `\n${text}\n}`;

const RUN: Example[] = [
  { program: 'nginx', file: 'nginx.conf', whole: nginxAlone, args: (file) => ['-c', file] },
  {
    program: 'caddy',
    file: 'Caddyfile',
    whole: (text) => `{\n\tadmin off\n\tauto_https off\n}\n${text}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  { program: 'haproxy', file: 'haproxy.cfg', args: (file) => ['-db', '-f', file] },
];

async function through(example: Example, proxies: RunningProxy[]): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-balancer-'));
  const port = await freePort();
  const [one, two] = proxies.map(({ url }) => new URL(url).port);
  const text = readFileSync(join(EXAMPLES, example.file), 'utf8')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${one}`)
    .replaceAll('127.0.0.1:8082', `127.0.0.1:${two}`);
  const file = join(dir, example.file);
  writeFileSync(file, example.whole?.(text, dir) ?? text);
  const child = spawn(example.program, example.args(file), {
    env: { PATH: process.env.PATH, HOME: dir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += String(data)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  try {
    await poll(
      example.program,
      () => said,
      async () => {
        if (child.exitCode !== null) throw new Error(`${example.program} ended:\n${said}`);
        return (await fetch(`${url}/readyz`).catch(() => null))?.ok || undefined;
      },
    );
    for (const kind of ['2026-07-28', '2025 (legacy)', 'SDK 1.x'] as const) await callBy(kind, url);
    await seeEvent(url);
    await bothServe(proxies, example.program);
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Calls, and a question of the server: it is on the stream of the call while the call runs, and its answer comes at another proxy. */
async function callBy(kind: '2026-07-28' | '2025 (legacy)' | 'SDK 1.x', url: string): Promise<void> {
  const client = await connectAsked(kind, { url, key: KEY });
  for (let i = 0; i < 4; i++) {
    const text = textOf(await client.call('asking:twice'));
    if (!text.includes('"accept"')) throw new Error(`${kind}: ${text}`);
  }
  await client.close();
}

/** The answer to a GET of events must arrive while the stream is open. */
async function seeEvent(url: string): Promise<void> {
  const stop = new AbortController();
  const answer = await fetch(`${url}/api/v1/events`, { headers: { 'x-api-key': KEY }, signal: stop.signal });
  if (answer.status !== 200) throw new Error(`GET /api/v1/events: ${answer.status}`);
  const client = await connectAsked('2026-07-28', { url, key: KEY });
  await client.call('asking:twice');
  const { done } = await answer.body!.getReader().read();
  if (done) throw new Error('the stream of events ended');
  await client.close();
  stop.abort();
}

let before = [0, 0];
/** Each proxy has served calls since the last look: nobody stays with one. */
async function bothServe(proxies: RunningProxy[], program: string): Promise<void> {
  const counts = await Promise.all(
    proxies.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`, { headers: { 'x-api-key': KEY } })).text();
      return [...text.matchAll(/^mcpproxy_calls_total\{.*\} (\d+)$/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    }),
  );
  const served = counts.map((count, index) => count - before[index]!);
  before = counts;
  if (served.some((count) => count === 0))
    throw new Error(`${program}: one proxy served nothing (${served.join(', ')})`);
  console.log(`${program}: held; calls at the two proxies: ${served.join(' and ')}`);
}

const installed = (program: string) => spawnSync(program, ['-v']).error === undefined;

const database = await startPostgres();
const proxies: RunningProxy[] = [];
let code = 0;
try {
  const config = {
    database_url: await database.createDatabase(),
    api_key: KEY,
    mcpServers: { asking: fixture('asking-sdk.mjs') },
  };
  const rowKey = newRowKeyText();
  for (let i = 0; i < 2; i++) proxies.push(await startProxy({ config, rowKey }));
  for (const example of RUN) {
    if (!installed(example.program)) {
      console.log(`${example.program}: NOT CHECKED, it is not installed`);
      code ||= 3;
      continue;
    }
    await through(example, proxies).catch((error: unknown) => {
      console.log(`${example.program}: NOT HELD: ${String(error)}`);
      code = 1;
    });
  }
  console.log('traefik: NOT CHECKED, Debian has no package of it');
} finally {
  for (const proxy of proxies) await proxy.dispose();
  await database.remove();
}
process.exit(code);
