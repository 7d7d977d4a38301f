import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { get, KEY, startHttp, type Running } from '../../../../test/fixtures/http-server.ts';
import type { RejectedRequest } from '../../../log/record/rejected-requests.ts';
import { newSecret } from '../../../token/secret.ts';
import { sendJson } from '../answer.ts';
import type { GuardParts } from '../guard/guard.ts';

const SECRETS = [newSecret(), newSecret()];
const [ONE, TWO] = SECRETS as [string, string];
const tokens: GuardParts['tokens'] = {
  find(secret) {
    const n = SECRETS.indexOf(secret);
    if (n < 0) return { state: 'unknown' };
    const token = { id: `${n}`, name: `t${n}`, scope: { operations: ['read' as const] } };
    return { state: 'active', identity: { principal: `token:t${n}`, userId: 'local', token } };
  },
};

let http: Running;
let sockets: Socket[] = [];
let seen: RejectedRequest[] = [];
let held = 0;
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await http.close();
  [sockets, seen, held] = [[], [], 0];
});

/** Sixteen connections: fourteen for agents, two for requests without a key. Requests at /mcp are never answered. */
async function start(): Promise<void> {
  http = await startHttp({
    tokens,
    connections: () => 16,
    mcp: () => void held++,
    web: (req, res, path) => {
      if (path === '/page') sendJson(res, 200, {});
      return path === '/page' || (path === '/web/session' && new Promise<void>(() => req.resume()));
    },
    rejectedRequests: { add: (request) => void seen.push(request), flush: () => undefined },
  });
}

function send(line: string, headers: string[] = []): Socket & { text?: string } {
  const socket: Socket & { text?: string } = connect(http.port, '127.0.0.1');
  socket.on('error', () => undefined).on('data', (chunk) => (socket.text = (socket.text ?? '') + chunk));
  socket.write([`${line} HTTP/1.1`, `Host: 127.0.0.1:${http.port}`, ...headers, '', ''].join('\r\n'));
  sockets.push(socket);
  return socket;
}
const slowLogIn = () => send('POST /web/session', ['Content-Length: 100']);
const agent = (secret: string) => send('GET /mcp', [`Authorization: Bearer ${secret}`]);
const operator = () => get(http.port, '/x', [`X-API-Key: ${KEY}`]);

test('of requests without a key the oldest makes room, and is told so', async () => {
  await start();
  const first = slowLogIn();
  await expect.poll(() => first.bytesWritten).toBeGreaterThan(0);
  const others = Array.from({ length: 20 }, slowLogIn);
  await expect.poll(() => seen.filter(({ of }) => of === 'keyless')).toHaveLength(19);
  expect((await operator()).status).toBe(200);
  const answered = [first, ...others].filter(({ text }) => text !== undefined);
  await expect.poll(() => answered.every(({ closed }) => closed)).toBe(true);
  expect(answered[0]!.text).toMatch(/^HTTP\/1.1 429 [^]*retry-after: 1[^]*"OVERLOADED"/);
});

test('one token leaves room for another, and the operator has what is left', async () => {
  await start();
  // One after the other: of those that come at once some are refused before they are read.
  for (let n = 1; n <= 30; n++) {
    agent(ONE);
    await expect.poll(() => held + seen.length).toBe(n);
  }
  expect(held).toBe(12);
  expect(new Set(seen.map(({ of, principal }) => `${of} ${principal}`))).toEqual(
    new Set(['client token:t0']),
  );
  agent(TWO);
  await expect.poll(() => held).toBe(13);
  expect((await operator()).status).toBe(200);
});

test('requests without a key make room for an agent where all else is in use', async () => {
  await start();
  Array.from({ length: 12 }, () => agent(ONE));
  await expect.poll(() => held).toBe(12);
  const strangers = [slowLogIn(), slowLogIn()];
  agent(TWO);
  agent(TWO);
  await expect.poll(() => held).toBe(14);
  await expect.poll(() => strangers.some(({ text }) => text?.includes('429') === true)).toBe(true);
});

test('connections that were served without a key need not rest before they make room', async () => {
  await start();
  for (let n = 0; n < 16; n++) {
    const socket = send('GET /page');
    await expect.poll(() => socket.text).toContain(' 200 ');
  }
  expect(await Promise.all(Array.from({ length: 8 }, async () => (await operator()).status))).toEqual(
    Array.from({ length: 8 }, () => 200),
  );
});

test('who shows a wrong key counts as one without', async () => {
  await start();
  Array.from({ length: 40 }, () =>
    send('POST /web/session', ['Authorization: Bearer nonsense', 'Content-Length: 9']),
  );
  await expect.poll(() => seen.filter(({ of }) => of === 'keyless')).toHaveLength(38);
  agent(ONE);
  await expect.poll(() => held).toBe(1);
});
