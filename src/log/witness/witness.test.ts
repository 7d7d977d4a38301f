import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import type { Witness } from '../../contract/config.ts';
import { createLog } from '../../lib/log.ts';
import type { Checkpoint } from '../chain/hash-chain.ts';
import { createWitnesses, type Witnesses } from './witnesses.ts';

const checkpoint = (n: number): Checkpoint => ({
  log: 'L',
  n,
  head: 'h'.repeat(43),
  time: 1_767_225_600_000,
  signature: 's'.repeat(86),
});

const opened: Witnesses[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

function witnessesOf(
  settings: readonly Witness[],
  limits: object = {},
  dataDir = '/nowhere/data',
): Witnesses {
  const made = createWitnesses({
    settings: () => settings,
    dataDir,
    clock: Date,
    log: createLog('silent'),
    limits: { firstRetryMs: 10, retryMs: 50, ...limits },
  });
  opened.push(made);
  return made;
}

const lines = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
const line = (n: number) => JSON.stringify(checkpoint(n));

test('a file gets each checkpoint as a line of JSON; one that cannot be written is said, and gets the newest later', async () => {
  const dir = join(tempDir(), 'mount');
  const file = join(dir, 'checkpoints');
  const witnesses = witnessesOf([{ file }]);
  for (let n = 1; n <= 5; n++) witnesses.add(checkpoint(n));
  await expect
    .poll(() => witnesses.state()[0])
    .toMatchObject({
      kind: 'file',
      target: file,
      problem: expect.stringContaining('ENOENT') as string,
      dropped: 4,
      waiting: 1,
    });
  mkdirSync(dir);
  await expect.poll(() => lines(file)).toEqual([line(5)]);
  witnesses.add(checkpoint(6));
  await expect.poll(() => lines(file)).toEqual([line(5), line(6)]);
  // Counted after the line is written.
  await expect.poll(() => witnesses.state()[0]).toMatchObject({ delivered: 2, waiting: 0, last: { n: 6 } });
  expect(witnesses.state()[0]).not.toHaveProperty('problem');
});

test('a file inside the data directory is reported as no additional proof', () => {
  const [state] = witnessesOf([{ file: '/nowhere/data/copy.log' }]).state();
  expect(state!.problem).toContain('is in the data directory');
});

test('nothing is added to a file with other content, to a device, or through a link to the data directory', async () => {
  const dir = tempDir();
  const dataDir = join(dir, 'data');
  mkdirSync(dataDir);
  const files = ['other', 'link', 'new', 'own'].map((name) => join(dir, name));
  const [other, link, dangling, own] = files as [string, string, string, string];
  writeFileSync(other, 'secret\n');
  writeFileSync(join(dataDir, 'checkpoints.log'), `${line(1)}\n`);
  symlinkSync(join(dataDir, 'checkpoints.log'), link);
  symlinkSync(join(dataDir, 'made'), dangling);
  writeFileSync(own, `${line(1)}\n`);
  const paths = [other, link, dangling, own, '/dev/null'];
  const witnesses = witnessesOf(
    paths.map((file) => ({ file })),
    {},
    dataDir,
  );
  witnesses.add(checkpoint(2));
  const problems = () => witnesses.state().map(({ problem, delivered }) => problem ?? delivered);
  const inside = expect.stringContaining('in the data directory') as string;
  await expect
    .poll(problems)
    .toEqual([
      expect.stringContaining('does not begin with a checkpoint'),
      inside,
      inside,
      1,
      expect.stringContaining('neither a file nor a pipe'),
    ]);
  expect([readFileSync(other, 'utf8'), existsSync(join(dataDir, 'made'))]).toEqual(['secret\n', false]);
  expect([lines(link), lines(own)]).toEqual([[line(1)], [line(1), line(2)]]);
});

test('the queue is bounded, and a witness that never answers delays nothing', async () => {
  const server = createTcpServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const witnesses = witnessesOf([{ url: `http://127.0.0.1:${port}/` }], { sendMs: 60_000, closeMs: 50 });
  for (let n = 1; n <= 500; n++) witnesses.add(checkpoint(n));
  expect(witnesses.state()[0]).toMatchObject({ waiting: 100, dropped: 400 });
  await witnesses.close();
  server.close();
});

test('syslog gets RFC 5424 over TCP, UDP and a socket file', async () => {
  const heard: string[] = [];
  const tcp = createTcpServer((socket) => socket.on('data', (bytes) => heard.push(bytes.toString())));
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const path = join(tempDir(), 'log');
  const unix = createTcpServer((socket) => socket.on('data', (bytes) => heard.push(bytes.toString())));
  unix.listen(path);
  await once(unix, 'listening');
  const udp = createSocket('udp4').on('message', (bytes) => heard.push(bytes.toString()));
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  const witnesses = witnessesOf([
    { syslog: `tcp://127.0.0.1:${(tcp.address() as AddressInfo).port}` },
    { syslog: `udp://127.0.0.1:${udp.address().port}` },
    { syslog: `unix:${path}` },
  ]);
  witnesses.add(checkpoint(7));
  await expect.poll(() => heard.length).toBe(3);
  for (const text of heard)
    expect(text.trim()).toMatch(
      /^<109>1 2026-01-01T00:00:00\.000Z \S+ mcpproxy \d+ checkpoint - \{"log":"L","n":7,.*\}$/,
    );
  await witnesses.close();
  for (const server of [tcp, unix]) server.close();
  udp.close();
});

test('a command gets the checkpoint on stdin, without a shell and without variables of the proxy; one that fails is said', async () => {
  const out = join(tempDir(), 'out');
  process.env.MCPPROXY_API_KEY = 'the key';
  const script = `let t=''; process.stdin.on('data', (d) => t += d).on('end', () =>
    require('fs').writeFileSync(process.argv[1], JSON.stringify({ t, arg: process.argv[2], env: process.env })))`;
  const witnesses = witnessesOf([
    { command: [process.execPath, '-e', script, out, '$(id)'] },
    { command: [process.execPath, '-e', 'process.exit(3)'] },
  ]);
  witnesses.add(checkpoint(8));
  await expect.poll(() => witnesses.state()[0]).toMatchObject({ delivered: 1 });
  delete process.env.MCPPROXY_API_KEY;
  const got = JSON.parse(readFileSync(out, 'utf8')) as { t: string; arg: string; env: object };
  expect([got.t, got.arg]).toEqual([`${line(8)}\n`, '$(id)']);
  expect(JSON.stringify(got.env)).not.toContain('the key');
  await expect.poll(() => witnesses.state()[1]).toMatchObject({ problem: 'it ended with code 3' });
});

test('a command that does not end is ended', async () => {
  const witnesses = witnessesOf([{ command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'] }], {
    sendMs: 200,
    closeMs: 200,
  });
  witnesses.add(checkpoint(1));
  await expect.poll(() => witnesses.state()[0]).toMatchObject({ problem: 'it did not answer in time' });
});

test('what a command has started ends with it', async () => {
  const file = join(tempDir(), 'pid');
  const script = 'sleep 1000 & echo $! > "$1.new"; mv "$1.new" "$1"; wait';
  const witnesses = witnessesOf([{ command: ['sh', '-c', script, 'sh', file] }], {
    sendMs: 2_000,
    closeMs: 200,
  });
  witnesses.add(checkpoint(1));
  await expect.poll(() => existsSync(file)).toBe(true);
  const started = Number(readFileSync(file, 'utf8'));
  await expect.poll(() => isRunning(started)).toBe(false);
  expect(witnesses.state()[0]).toMatchObject({ problem: 'it did not answer in time' });
});

/** One that has ended and that nobody has waited for does not count. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a pipe that nobody reads is a problem that is said, and holds nothing up', async () => {
  const file = join(tempDir(), 'pipe');
  execFileSync('mkfifo', [file]);
  const witnesses = witnessesOf([{ file }], { sendMs: 60_000 });
  witnesses.add(checkpoint(1));
  await expect
    .poll(() => witnesses.state()[0])
    .toMatchObject({ problem: expect.stringContaining('ENXIO') as string });
});

test('a name that is looked up for longer than the limit breaks nothing when the answer comes', async () => {
  const name = 'witness.invalid';
  const witnesses = witnessesOf([{ syslog: `udp://${name}:514` }], { sendMs: 1, closeMs: 1 });
  witnesses.add(checkpoint(1));
  await expect.poll(() => witnesses.state()[0]!.problem).toBeDefined();
  await witnesses.close();
  // An error that nobody catches would fail the run.
  await lookup(name).catch(() => {});
  await new Promise(setImmediate);
});

test('an address gets the checkpoint by POST, a redirect is not followed, and neither path nor query is shown', async () => {
  const heard: Array<[string, string]> = [];
  const read = async (request: IncomingMessage) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    heard.push([`${request.method} ${request.url}`, Buffer.concat(parts).toString()]);
  };
  const server = createServer((request, response) => {
    void read(request).then(() =>
      request.url!.startsWith('/moved')
        ? response.writeHead(307, { location: '/hook' }).end()
        : response.end(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const witnesses = witnessesOf([{ url: `${at}/hook?token=t` }, { url: `${at}/moved` }]);
  witnesses.add(checkpoint(9));
  await expect
    .poll(() => witnesses.state())
    .toMatchObject([
      { target: at, delivered: 1 },
      { target: at, problem: 'it answered 307' },
    ]);
  expect(heard.filter(([what]) => what === 'POST /hook?token=t')).toEqual([['POST /hook?token=t', line(9)]]);
  expect(heard.some(([what]) => what === 'POST /hook')).toBe(false);
  await witnesses.close();
  server.closeAllConnections();
  server.close();
});

eachLog('verify with a witness', (open) => {
  let log: TestLog;
  let file: string;
  beforeEach(async () => {
    log = await open();
    file = join(tempDir(), 'witness.log');
    log.settings.witness = [{ file }];
  });
  afterEach(() => log.remove());

  async function add(records: number): Promise<void> {
    for (let i = 0; i < records; i++) await log.activity.open(draft()).close({ status: 'success' });
    await log.activity.checkpoint();
  }
  const witnessed = async (n: number) => {
    await expect.poll(() => lines(file).length).toBe(n);
    return readFileSync(file, 'utf8');
  };
  const key = () => (log.engine === 'sqlite' ? 'pos' : 'n');
  const end = async () =>
    (await log.sql<{ at: number }>(`SELECT max(${key()}) AS at FROM activity_journal`))[0]!.at;

  test('a tail that was cut with every local file is named exactly; with lines out of a syslog too', async () => {
    await add(3);
    const at = await end();
    const local = ['checkpoints.log', 'activity-head.log', 'acknowledged.log'].map(
      (name) => [join(log.dir, name), readFileSync(join(log.dir, name))] as const,
    );
    await add(4);
    const witness = await witnessed(2);
    expect(await log.activity.verify({ witness })).toMatchObject({
      verdict: 'intact',
      witness: { checkpoints: 2, ignored: 0, logs: [{ confirmed_to: 8 }], unwitnessed: [] },
    });
    await log.activity.close();
    await log.sql(`DELETE FROM activity_journal WHERE ${key()} > ?`, at);
    await log.sql(
      'DELETE FROM activity WHERE seq NOT IN (SELECT seq FROM activity_journal WHERE seq IS NOT NULL)',
    );
    for (const [name, bytes] of local) writeFileSync(name, bytes);
    // Without the witness nothing shows it.
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
    for (const text of [
      witness,
      witness.replaceAll(/^/gm, '<109>1 2026-01-01T00:00:00Z host mcpproxy 1 checkpoint - '),
    ])
      expect(await log.activity.verify({ witness: text })).toMatchObject({
        verdict: 'broken',
        problem: {
          reason: 'truncated',
          entry: 5,
          message: expect.stringMatching(/^entries 5 to 8 of log \w+ are missing$/) as string,
        },
        witness: { logs: [{ confirmed_to: 3, missing: { from: 5, to: 8 } }] },
      });
    await log.restart();
  });

  test('a line that no key of the log has signed counts for nothing, and is counted; half a line before one takes nothing from it', async () => {
    await add(2);
    const witness = await witnessed(1);
    const forged = witness.replace(/"n":\d+/, '"n":999');
    expect(await log.activity.verify({ witness: witness + forged })).toMatchObject({
      verdict: 'intact',
      witness: { checkpoints: 1, ignored: 1 },
    });
    const cut = witness.slice(0, 60) + witness;
    expect(await log.activity.verify({ witness: cut })).toMatchObject({
      verdict: 'intact',
      witness: { checkpoints: 1, ignored: 0 },
    });
    expect(await log.activity.verify({ witness: `${'x'.repeat(100_000)}{"log":\n${witness}` })).toMatchObject(
      {
        verdict: 'intact',
        witness: { checkpoints: 1, ignored: 1 },
      },
    );
    expect(await log.activity.verify({ witness: forged })).toMatchObject({
      verdict: 'unknown',
      why: 'the witness has no checkpoint that a key of this log has signed',
    });
  });

  test('a log that was rewritten with the key differs from the witness from a named entry on', async () => {
    await add(2);
    await add(2);
    const witness = await witnessed(2);
    const [first] = witness.split('\n');
    await log.sql(`UPDATE activity_journal SET hash = 'another' WHERE ${key()} = ${(await end()) - 1}`);
    const { witness: compared } = await log.activity.verify({ witness });
    const { n } = JSON.parse(first!) as Checkpoint;
    expect(compared!.logs[0]).toMatchObject({ confirmed_to: n, differs: { from: n + 1, to: n + 3 } });
  });

  test('a checkpoint holds numbers, hashes and a signature, and nothing of a record', async () => {
    await log.activity
      .open(draft({ arguments: { secret: 'hunter2' }, client: 'someone' }))
      .close({ status: 'success' });
    await log.activity.checkpoint();
    const sent = JSON.parse(await witnessed(1)) as object;
    expect(Object.keys(sent)).toEqual(['log', 'n', 'head', 'time', 'signature']);
  });
});
