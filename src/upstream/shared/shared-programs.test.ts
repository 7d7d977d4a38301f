import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as dial, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import type { RpcMessage } from '../../lib/rpc.ts';
import { connect, type Connection } from '../connection/connect.ts';
import { LogRing } from '../connection/log-ring.ts';
import { routeOf } from './frames.ts';
import { hostPrograms, type ProgramHost } from './program-host.ts';
import { SharedTransport } from './shared-transport.ts';

/** Writes down what it gets; answers when it is told to, with the id that it was asked with. */
const SERVER = `
const fs = require('node:fs');
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  fs.appendFileSync(process.argv[1], line + '\\n');
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  else if (method === 'tools/call') {
    const token = params._meta?.progressToken;
    if (token !== undefined) say({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
    setTimeout(() => say({ id, result: { content: [{ type: 'text', text: params.arguments.text }] } }), params.arguments.ms ?? 0);
  } else if (id !== undefined && method) say({ id, error: { code: -32601, message: 'no' } });
});`;

let dir: string;
let host: ProgramHost;
const heard = (): RpcMessage[] =>
  readFileSync(join(dir, 'heard'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const socketPath = () => join(dir, 'programs.sock');

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'shared-'));
  host = await hostPrograms(socketPath(), { clock: systemClock, log: createLog('silent') });
});
afterAll(async () => {
  await host.close();
  rmSync(dir, { recursive: true, force: true });
});

async function worker({ isFresh = false, path = socketPath() } = {}): Promise<{
  connection: Connection;
  transport: SharedTransport;
}> {
  const transport = new SharedTransport(path, {
    command: process.execPath,
    args: ['-e', SERVER, join(dir, 'heard')],
    env: {},
    ring: new LogRing(systemClock),
    capabilities: {},
    isFresh,
  });
  const connection = await connect(transport, {
    memory: { era: 'legacy' },
    clientInfo: { name: 'proxy', version: '1' },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    clients: { isShared: true, isMixed: true },
    onToolsChanged: () => undefined,
  });
  return { connection, transport };
}

interface Answer {
  text: string;
  progress: number;
}

function call({ lane }: Connection, text: string, ms = 0): Promise<Answer> {
  let progress = 0;
  return new Promise((resolve, reject) => {
    lane.request(
      'tools/call',
      { name: 'echo', arguments: { text, ms } },
      {
        asker: text,
        answered: ({ result }) =>
          resolve({ text: (result as { content: [{ text: string }] }).content[0].text, progress }),
        lost: reject,
        progressed: () => progress++,
      },
    );
  });
}

test('workers share one program: one handshake, and each gets its own answers and progress', async () => {
  const [a, b] = [await worker(), await worker()];
  expect(a.transport.pid).toBe(b.transport.pid);
  const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
  const answers = await Promise.all(
    texts.flatMap((text) => [call(a.connection, `a ${text}`), call(b.connection, `b ${text}`)]),
  );
  expect(answers).toEqual(
    texts.flatMap((text) => [
      { text: `a ${text}`, progress: 1 },
      { text: `b ${text}`, progress: 1 },
    ]),
  );
  const methods = heard().map(({ method }) => method);
  expect(methods.filter((method) => method === 'initialize')).toHaveLength(1);
  expect(methods.filter((method) => method === 'notifications/initialized')).toHaveLength(1);
  const ids = heard().flatMap(({ id, method }) => (method === 'tools/call' ? [id] : []));
  expect(new Set(ids).size).toBe(40);
  await Promise.all([a.connection.close(), b.connection.close()]);
});

test('the answer to a worker that has died reaches nobody, and what it asked for is cancelled', async () => {
  const path = join(dir, 'cut.sock');
  const between = createServer((near) => {
    const far = dial(socketPath());
    near.pipe(far).pipe(near);
    between.once('cut', () => far.destroy() && near.destroy());
  });
  await new Promise<void>((resolve) => between.listen(path, resolve));
  const [a, b] = [await worker(), await worker({ path })];
  const lost = call(b.connection, 'of the dead', 300);
  lost.catch(() => undefined);
  await expect
    .poll(() => heard().some(({ params }) => JSON.stringify(params ?? {}).includes('of the dead')))
    .toBe(true);
  const { id } = heard().at(-1)!;
  // As the system does it for a process that is killed.
  between.emit('cut');
  await expect(lost).rejects.toThrow(/closed/);
  const next = await worker();
  expect(next.transport.pid).toBe(a.transport.pid);
  expect(await call(next.connection, 'of the next', 600)).toEqual({ text: 'of the next', progress: 1 });
  const cancelled = heard().filter(({ method }) => method === 'notifications/cancelled');
  expect(cancelled.at(-1)!.params).toEqual({ requestId: id });
  await Promise.all([a.connection.close(), next.connection.close()]);
  between.close();
});

test('a fresh start is one for all', async () => {
  const a = await worker();
  const before = a.transport.pid;
  const b = await worker({ isFresh: true });
  expect(await a.connection.closed).toContain('started again');
  expect(b.transport.pid).not.toBe(before);
  expect(await call(b.connection, 'fresh')).toEqual({ text: 'fresh', progress: 1 });
  await b.connection.close();
});

test.each([
  ['{"jsonrpc":"2.0","id":5,"result":{}}', { answer: 5 }],
  ['{"result":{"id":7,"x":"\\"id\\":9}"},"jsonrpc":"2.0","id":5}', { answer: 5 }],
  ['{"result":{},"id":5,"jsonrpc":"2.0"}', { answer: 5 }],
  ['{ "id": 5, "jsonrpc": "2.0", "error": {} }', { answer: 5 }],
  ['{"result":{"jsonrpc":"2.0","id":9},"jsonrpc":"2.0","id":5 }', { answer: 5 }],
  ['{"jsonrpc":"2.0","id":5,"method":"ping"}', { all: true, asks: 5 }],
  ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":8}}', { about: 8 }],
  ['{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}', { all: true }],
  ['a line of a log', { all: true }],
  ['null', { all: true }],
])('%s', (line, route) => expect(routeOf(line)).toEqual(route));
