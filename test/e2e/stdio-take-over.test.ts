import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readDaemon } from '../../src/config/index.ts';
import { startStdio } from '../faults/stdio-client.ts';
import { ownAddress } from '../fixtures/own-address.ts';
import { fixture } from '../fixtures/start.ts';
import { isAlive, spawnCli } from './run-cli.ts';
import { poll } from './start-proxy.ts';

const home = mkdtempSync(join(tmpdir(), 'mcpproxy-take-over-'));
const dataDir = join(home, 'data');
const configFile = join(home, 'config.json');
const place = ['--data-dir', dataDir, '--config', configFile];
const host = ownAddress();
const [configured, chosen] = [`${host}:18111`, `${host}:18112`];
afterAll(() => {
  const left = readDaemon(dataDir);
  if (left) process.kill(left.pid, 'SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

const reading = (name: string, args: Record<string, unknown>) => ({
  name: `up:${name}`,
  args,
  intent_operation_type: 'read',
});

/** The next daemon that listens, once the one before has withdrawn. */
const daemonAfter = (pid: number) =>
  poll('the next daemon', String, () => {
    const daemon = readDaemon(dataDir);
    return daemon?.url !== undefined && daemon.pid !== pid ? daemon : undefined;
  });

const refused = (url: string) =>
  poll('the daemon to stop', String, () =>
    fetch(`${url}/healthz`).then(
      () => undefined,
      () => true,
    ),
  );

test('serve takes over from the daemon of a stdio client, and the other way round, with calls running, and the client sees no error', async () => {
  writeFileSync(
    configFile,
    JSON.stringify({ listen: configured, mcpServers: { up: fixture('annotated.mjs') } }),
    {
      mode: 0o600,
    },
  );
  const client = await startStdio(place, home, false);
  const read = (name: string, args: Record<string, unknown>) =>
    client.call('call_tool_read', reading(name, args));
  await poll('the server', String, async () => !(await read('read_only', {})).result?.isError || undefined);
  const first = readDaemon(dataDir)!;
  expect(first).toMatchObject({ url: `http://${configured}`, background: true });

  /** Ends the daemon while a call runs, and sends another one that it no longer takes. */
  async function replace(url: string, end: () => void, name: string) {
    const until = join(home, name);
    const running = read('slow', { ms: 15_000, until });
    await read('read_only', {});
    end();
    await refused(url);
    const late = read('read_only', { text: name });
    writeFileSync(until, '');
    const answer = await late;
    expect(answer.error).toBeUndefined();
    expect(answer.result).not.toHaveProperty('isError', true);
    // On a busy machine the time for running calls may be over first, so only the late one has to succeed.
    await running;
  }

  let serve: ReturnType<typeof spawnCli> | undefined;
  await replace(
    first.url!,
    () => {
      serve = spawnCli(['serve', '--listen', chosen, ...place], { home });
      serve.stdout.resume();
      serve.stderr.resume();
    },
    'taken',
  );
  const second = readDaemon(dataDir)!;
  expect(second).toMatchObject({ pid: serve!.pid, url: `http://${chosen}` });
  expect(second.background).toBeUndefined();

  const ended = once(serve!, 'exit');
  await replace(second.url!, () => serve!.kill('SIGTERM'), 'ended');
  expect(await ended).toEqual([0, null]);
  const third = await daemonAfter(second.pid);
  // The address of the last serve, which is in the files of HTTP clients.
  expect(third).toMatchObject({ url: `http://${chosen}`, background: true });

  expect(await client.close()).toBe(0);
  process.kill(third.pid, 'SIGTERM');
  await poll('the daemon to end', String, () => !isAlive(third.pid) || undefined);
});
