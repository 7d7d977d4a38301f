import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type { Attack, Tally } from '../attacks/attack.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, isAlive, pause, tally as count, timeGood } from './calls.ts';

const good = fixture('annotated.mjs');
const bad = { ...fixture('misbehaving.mjs'), timeout: '20s' };
const config = { mcpServers: { up: good, bad } };

async function limit(proxy: RunningProxy, what: string): Promise<void> {
  const child = spawn('prlimit', ['--pid', String(proxy.pid), `--${what}`], { stdio: 'ignore' });
  await once(child, 'exit');
}

export const exhaustion: Attack = {
  threat: 'F26',
  title: 'too few descriptors, processes, addresses, and too small a heap',
  async run(tally, scale) {
    await fewDescriptors(tally);
    await fewProcesses(tally);
    const times = scale === 'full' ? 5 : 1;
    for (let n = 0; n < times; n++) {
      await littleMemory(tally, 'a heap of 96 MB', {
        env: { NODE_OPTIONS: '--max-old-space-size=96' },
      });
      await littleMemory(tally, 'an address space with 100 MB left', {
        squeeze: async (proxy) => limit(proxy, `as=${sizeOf(proxy.pid) + 100 * 1024 * 1024}:`),
      });
    }
  },
};

const sizeOf = (pid: number) =>
  Number(/VmSize:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;

/** Connections beyond the limit of descriptors wait to be accepted; the process does not fail. */
async function fewDescriptors(tally: Tally): Promise<void> {
  const proxy = await startProxy({ config: { mcpServers: { up: good } } });
  try {
    await callOnce(proxy, 'up:read_only');
    await limit(proxy, 'nofile=64:');
    const agent = new Agent({ maxSockets: Infinity });
    const options = { agent, args: { ms: 200 }, limitMs: 10_000 };
    const answers = await Promise.all(Array.from({ length: 200 }, () => callOnce(proxy, 'up:slow', options)));
    const served = answers.filter(({ code }) => code === 'ok').length;
    tally.held(isAlive(proxy.pid), 'the proxy ended for want of descriptors');
    tally.held(served > 0, `nobody was served with 64 descriptors: ${JSON.stringify(count(answers))}`);
    await limit(proxy, 'nofile=20000:');
    await pause(500);
    const times = await timeGood(proxy, 'up:read_only', 500);
    tally.held(times.every(Number.isFinite), 'calls fail although there are descriptors again');
    const { verdict } = await proxy.rest.request('verifyActivity', {});
    tally.held(verdict === 'intact', `the log: ${verdict}`);
    tally.figure(`64 descriptors: ${served} of 200 served at once, all afterwards`);
  } finally {
    await proxy.dispose();
  }
}

/** A server that cannot be started says why, the others go on, and it comes back by itself. */
async function fewProcesses(tally: Tally): Promise<void> {
  if (process.getuid?.() === 0) return tally.figure('processes: not tried, as no limit holds for root');
  const proxy = await startProxy({ config });
  try {
    await limit(proxy, 'nproc=1:');
    await proxy.rest.request('restartServer', { name: 'bad' }).catch(() => {});
    const { code, text } = await callOnce(proxy, 'bad:echo');
    tally.held(code === 'SERVER_UNAVAILABLE' && text.includes("'bad'"), `without processes: ${code}`);
    const times = await timeGood(proxy, 'up:read_only', 500);
    tally.held(times.every(Number.isFinite), 'the other server had failed calls');
    await limit(proxy, 'nproc=4096:');
    await poll(
      'the server to be back',
      proxy.stderr,
      async () => (await callOnce(proxy, 'bad:echo')).code === 'ok' || undefined,
    );
    tally.figure('1 process: the server is told to be unavailable, and is back afterwards');
  } finally {
    await proxy.dispose();
  }
}

interface Squeezed {
  env?: NodeJS.ProcessEnv;
  squeeze?: (proxy: RunningProxy) => Promise<void>;
}

/** Six large answers at once. It may end, as memory can run out anywhere; then what it had acknowledged is there, and the log is whole. */
async function littleMemory(
  tally: Tally,
  what: string,
  { env = {}, squeeze = async () => {} }: Squeezed,
): Promise<void> {
  let proxy = await startProxy({ config, env });
  try {
    const writes = [];
    for (let n = 0; n < 20; n++)
      writes.push(await callOnce(proxy, 'up:writer_not_destructive', { operation: 'write', args: { n } }));
    const acknowledged = writes.filter(({ code }) => code === 'ok').length;
    await squeeze(proxy);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => callOnce(proxy, 'bad:huge', { args: { bytes: 50_000_000 } })),
    );
    await pause(500);
    const ended = !isAlive(proxy.pid);
    if (!ended) {
      const times = await timeGood(proxy, 'up:read_only', 500);
      tally.held(times.every(Number.isFinite), `${what}: calls fail afterwards`);
    }
    await proxy.stop();
    proxy = await startProxy({ home: proxy.home });
    const [{ total }, { verdict }] = await Promise.all([
      proxy.rest.request('listActivity', {
        type: 'tool_call',
        intent_type: 'write',
        status: 'success',
        limit: 1,
      }),
      proxy.rest.request('verifyActivity', {}),
    ]);
    tally.held(acknowledged > 0, `${what}: no change was made: ${JSON.stringify(count(writes))}`);
    tally.held(total >= acknowledged, `${what}: ${acknowledged} changes acknowledged, ${total} in the log`);
    tally.held(verdict === 'intact', `${what}: the log is ${verdict}`);
    tally.figure(
      `${what}: six answers of 50 MB ${JSON.stringify(count(answers))}, the process ${ended ? 'ended' : 'went on'}; ${acknowledged} changes acknowledged, ${total} there, the log ${verdict}`,
    );
  } finally {
    await proxy.dispose();
  }
}
