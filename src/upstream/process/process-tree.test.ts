import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import type { ServerConfig } from '../../contract/config.ts';
import { compiled } from '../../../test/fixtures/compiled.ts';
import { fixture, fixturePath } from '../../../test/fixtures/start.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams, until } from '../../../test/fixtures/upstreams.ts';

afterEach(stopUpstreams);

const misbehaving = fixturePath('misbehaving.mjs');
const quoted = (words: string[]) => words.map((word) => `'${word}'`).join(' ');

/** How servers are really started: through shells and wrappers, leaving processes in all sorts of places. */
const TREES: Array<[string, number, (pids: string) => ServerConfig]> = [
  ['a plain server', 1, (pids) => fixture('misbehaving.mjs', '--pids', pids)],
  [
    'one that ignores SIGTERM and the end of its input',
    1,
    (pids) => fixture('misbehaving.mjs', '--stubborn', '--pids', pids),
  ],
  [
    'one in the background of a shell',
    1,
    (pids) => shell(`${quoted([process.execPath, misbehaving, '--stubborn', '--pids', pids])} <&3 & wait`),
  ],
  [
    'a shell that ignores SIGTERM as well',
    1,
    (pids) =>
      shell(
        `trap '' TERM; ${quoted([process.execPath, misbehaving, '--stubborn', '--pids', pids])} <&3 & wait; sleep 600`,
      ),
  ],
  ['a server with a stubborn child', 2, (pids) => fixture('misbehaving.mjs', '--child', '--pids', pids)],
  [
    'a server whose grandchild left group, session and parent',
    3,
    (pids) => fixture('misbehaving.mjs', '--double-fork', '--pids', pids),
  ],
  [
    'the same behind setsid',
    1,
    (pids) =>
      shell(`setsid ${quoted([process.execPath, misbehaving, '--stubborn', '--pids', pids])} <&3 & wait`),
  ],
];

function shell(script: string): ServerConfig {
  // A shell gives its background jobs no input of their own, so it is kept in descriptor 3.
  return { command: 'sh', args: ['-c', `exec 3<&0; ${script}`] };
}

describe.each(TREES)('%s', (_what, count, server) => {
  test('is gone after a stop, with everything it started', async () => {
    const file = join(tempDir(), 'pids');
    const { upstreams } = await startUpstreams({ a: server(file) });
    await until('all processes', () => pidsIn(file).length === count);
    expect(upstreams.view('a')?.state).toBe('ready');
    await upstreams.apply({});
    expect(pidsIn(file).filter(alive)).toEqual([]);
    expect(upstreams.views()).toEqual([]);
    await until('no zombies', () => !pidsIn(file).some(exists));
  });
});

test('the children of a server that crashes are ended before it is started again', async () => {
  const file = join(tempDir(), 'pids');
  const { call, upstreams } = await startUpstreams({
    a: fixture('misbehaving.mjs', '--child', '--double-fork', '--pids', file),
  });
  await until('all processes', () => pidsIn(file).length === 4);
  const first = pidsIn(file);
  await expect(call('a', 'crash')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await until(
    'it to come back',
    () => upstreams.view('a')?.restarts === 1 && upstreams.view('a')?.state === 'ready',
  );
  expect(first.filter(alive)).toEqual([]);
});

test('a process that ends without closing its servers takes their groups with it', async () => {
  const file = join(tempDir(), 'pids');
  const program = await compiled(`
    import { existsSync, readFileSync } from 'node:fs';
    import { startUpstreams } from './test/fixtures/upstreams.ts';
    import { fixture } from './test/fixtures/start.ts';
    await startUpstreams({ a: fixture('misbehaving.mjs', '--stubborn', '--child', '--pids', ${JSON.stringify(file)}) });
    const started = () => existsSync(${JSON.stringify(file)}) && readFileSync(${JSON.stringify(file)}, 'utf8').split('\\n').length > 2;
    for (let left = 10_000; left > 0 && !started(); left--) await new Promise((done) => setTimeout(done, 20));
    process.exit(0);`);
  const child = spawn(process.execPath, [program], { stdio: 'inherit' });
  const code = await new Promise((done) => child.once('exit', done));
  expect(code).toBe(0);
  expect(pidsIn(file)).toHaveLength(2);
  await until('no survivors', () => pidsIn(file).every((pid) => !exists(pid)));
});

test('thirty starts and stops leave nothing behind', async () => {
  const file = join(tempDir(), 'pids');
  const { upstreams } = await startUpstreams({});
  for (let round = 0; round < 30; round++) {
    await upstreams.apply({ a: fixture('misbehaving.mjs', '--pids', file) });
    await upstreams.settled();
    expect(upstreams.view('a')?.state).toBe('ready');
    await upstreams.apply({});
  }
  expect(new Set(pidsIn(file)).size).toBe(30);
  expect(pidsIn(file).filter(exists)).toEqual([]);
});

function pidsIn(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').map(Number);
  } catch {
    return [];
  }
}

/** Running; one that has ended but was not yet collected by its parent is not. */
function alive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

/** True for zombies too: in the end they must be gone as well. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
