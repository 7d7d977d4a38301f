import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack } from '../attacks/attack.ts';
import { cleanEnv, MAIN, poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, isAlive, pause, tally as count, timeGood } from './calls.ts';

const good = fixture('annotated.mjs');
const GONE_MS = 5_000;

/** Runs inside the proxy before it starts; a signal brings the fault about. */
const onSignal = (code: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2',()=>{${code}})`)}`,
});

async function survivors(pids: number[]): Promise<number[]> {
  const end = performance.now() + GONE_MS;
  while (pids.some(isAlive) && performance.now() < end) await pause(50);
  return pids.filter(isAlive);
}

export const orphans: Attack = {
  threat: 'F20',
  title: 'orphans and zombies after stop, restart and SIGKILL',
  async run(tally, scale) {
    const cycles = scale === 'full' ? 100 : 2;
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-orphans-'));
    const file = join(dir, 'pids');
    const bad = fixture('misbehaving.mjs', '--stubborn', '--child', '--double-fork', '--pids', file);
    const wrapped = {
      command: '/bin/sh',
      args: ['-c', `"${process.execPath}" "$0" --stubborn --pids "${file}" & wait`, bad.args![0]!],
    };
    // The wrapper's server reads no input in the background, so that it is stopped while it connects.
    const config = { mcpServers: { bad, wrapped } };
    const pidsIn = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []);
    let seen = 0;
    let slowest = 0;
    try {
      for (const way of ['restart', 'SIGTERM', 'SIGKILL'] as const) {
        for (let cycle = 0; cycle < cycles; cycle++) {
          rmSync(file, { force: true });
          const proxy = await startProxy({ config, waitReady: false });
          try {
            await poll('all processes', proxy.stderr, () => pidsIn().length >= 5 || undefined);
            await pause(300);
            const pids = pidsIn();
            const started = performance.now();
            if (way === 'restart') await proxy.rest.request('restartServer', { name: 'bad' }).catch(() => {});
            else await proxy.stop(way);
            const watched = way === 'restart' ? pids.filter((pid) => !isWrapped(pid)) : pids;
            const left = await survivors(watched);
            slowest = Math.max(slowest, performance.now() - started);
            seen += watched.length;
            tally.held(left.length === 0, `${left.length} survived ${way}`);
            for (const pid of left) process.kill(pid, 'SIGKILL');
            if (way === 'restart') tally.held(zombiesOf(proxy.pid) === 0, 'there are zombies');
          } finally {
            await proxy.dispose();
          }
        }
      }
      tally.figure(
        `${seen} processes in ${3 * cycles} cycles, the last gone after ${(slowest / 1000).toFixed(1)} s`,
      );
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

function isWrapped(pid: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return !line.includes('--child') && !line.includes('--stay') && !line.includes('--fork-and-leave');
  } catch {
    return false;
  }
}

function zombiesOf(parent: number): number {
  return readdirSync('/proc').filter((name) => {
    try {
      return new RegExp(`\\) Z ${parent} `).test(readFileSync(`/proc/${name}/stat`, 'latin1'));
    } catch {
      return false;
    }
  }).length;
}

export const drain: Attack = {
  threat: 'F21',
  title: 'SIGTERM with calls under way',
  async run(tally) {
    const proxy = await startProxy({ config: { mcpServers: { up: { ...good, concurrency: 250 } } } });
    const calls = Array.from({ length: 200 }, () => callOnce(proxy, 'up:slow', { args: { ms: 2_000 } }));
    await poll(
      'the calls',
      proxy.stderr,
      async () => (await proxy.rest.request('status', {})).calls.running >= 200 || undefined,
    );
    const started = performance.now();
    const stopping = proxy.stop('SIGTERM');
    await pause(100);
    const late = await callOnce(proxy, 'up:read_only', { agent: undefined });
    const answers = await Promise.all(calls);
    const exit = await stopping;
    const ms = Math.round(performance.now() - started);
    tally.held(
      answers.every(({ status }) => status !== 0),
      JSON.stringify(count(answers)),
    );
    tally.held(exit === 0, `exit code ${exit}`);
    tally.held(ms < 20_000, `stopped after ${ms} ms`);
    const again = await startProxy({ home: proxy.home });
    try {
      const { total } = await again.rest.request('listActivity', {
        type: 'tool_call',
        status: 'success',
        limit: 1,
      });
      const ok = answers.filter(({ code }) => code === 'ok').length + (late.code === 'ok' ? 1 : 0);
      tally.held(total === ok, `${total} successes recorded, ${ok} answered`);
    } finally {
      await again.dispose();
    }
    tally.figure(`${JSON.stringify(count(answers))}, a newcomer: ${late.code}, exit ${exit} after ${ms} ms`);
  },
};

export const reloads: Attack = {
  threat: 'F22',
  title: 'the configuration is rewritten again and again under load',
  async run(tally, scale) {
    const times = scale === 'full' ? 100 : 12;
    const proxy = await startProxy({ config: { mcpServers: { kept: good, other: good } } });
    const pidOf = async () =>
      (await proxy.rest.request('listServers', {})).servers.find(({ name }) => name === 'kept')?.pid;
    try {
      const pid = await pidOf();
      const done = { yes: false };
      const load = (async () => {
        const all: number[] = [];
        while (!done.yes) all.push(...(await timeGood(proxy, 'kept:read_only', 100)));
        return all;
      })();
      for (let n = 0; n < times; n++) {
        const valid = JSON.stringify({
          mcpServers: { kept: good, other: { ...good, env: { N: String(n) } } },
        });
        const text = [valid, valid.slice(0, 40), '{"mcpServers": 7}', ''][n % 4]!;
        writeFileSync(proxy.configFile, text);
        await pause(150);
      }
      writeFileSync(proxy.configFile, '{"listen": 1}');
      const error = await poll(
        'the error to show',
        proxy.stderr,
        async () => (await proxy.rest.request('status', {})).config_error ?? undefined,
      );
      done.yes = true;
      const calls = await load;
      tally.held((await pidOf()) === pid, 'the server that was not touched has another process');
      tally.held(
        calls.every(Number.isFinite),
        `${calls.filter((ms) => ms === Infinity).length} calls failed`,
      );
      tally.held(error.length > 0, 'the error is not shown');
      tally.figure(`${times} rewrites, ${calls.length} calls, none failed, same pid`);
    } finally {
      await proxy.dispose();
    }
  },
};

export const clockJump: Attack = {
  threat: 'F25',
  title: 'the clock jumps a day forward and two back',
  async run(tally) {
    const shift = 'const n=Date.now,d=globalThis.d=globalThis.d===864e5?-2*864e5:864e5;Date.now=()=>n()+d';
    const proxy = await startProxy({
      config: { mcpServers: { up: { ...good, timeout: '3s' } } },
      env: onSignal(shift),
    });
    try {
      for (let jump = 0; jump < 2; jump++) {
        const slow = callOnce(proxy, 'up:slow', { args: { ms: 800 } });
        await pause(200);
        process.kill(proxy.pid, 'SIGUSR2');
        const { code } = await slow;
        tally.held(code === 'ok', `a call during the jump: ${code}`);
        const times = await timeGood(proxy, 'up:read_only', 500);
        tally.held(times.every(Number.isFinite), 'calls failed after the jump');
      }
      const { verdict } = await proxy.rest.request('verifyActivity', {});
      tally.held(verdict === 'intact', `the log: ${verdict}`);
      tally.figure(`the log is ${verdict}; shifted inside the process, as there is no faketime here`);
    } finally {
      await proxy.dispose();
    }
  },
};

export const fewFiles: Attack = {
  threat: 'F26',
  title: 'too few file descriptors',
  async run(tally) {
    const proxy = await startProxy({ config: { mcpServers: { up: good } } });
    const { Agent } = await import('node:http');
    const limit = async (n: string) => {
      const child = spawn('prlimit', ['--pid', String(proxy.pid), `--nofile=${n}:`], { stdio: 'ignore' });
      await once(child, 'exit');
    };
    try {
      await callOnce(proxy, 'up:read_only');
      await limit('64');
      const agent = new Agent({ maxSockets: Infinity });
      const options = { agent, args: { ms: 200 }, limitMs: 10_000 };
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => callOnce(proxy, 'up:slow', options)),
      );
      tally.held(isAlive(proxy.pid), 'the proxy ended');
      tally.held(
        answers.some(({ code }) => code === 'ok'),
        'nobody was served',
      );
      await limit('20000');
      await pause(500);
      const times = await timeGood(proxy, 'up:read_only', 500);
      tally.held(times.every(Number.isFinite), 'calls fail although there are descriptors again');
      const { verdict } = await proxy.rest.request('verifyActivity', {});
      tally.held(verdict === 'intact', `the log: ${verdict}`);
      const served = answers.filter(({ code }) => code === 'ok').length;
      tally.figure(`${served} of 200 served with 64 descriptors, all afterwards`);
    } finally {
      await proxy.dispose();
    }
  },
};

export const frozen: Attack = {
  threat: 'F27',
  title: 'the proxy stands still and goes on',
  async run(tally, scale) {
    const ms = scale === 'full' ? 60_000 : 4_000;
    const proxy = await startProxy({ config: { mcpServers: { up: { ...good, timeout: '2s' } } } });
    try {
      const calls = Array.from({ length: 20 }, () => callOnce(proxy, 'up:slow', { args: { ms: 1_000 } }));
      await pause(400);
      process.kill(proxy.pid, 'SIGSTOP');
      await pause(ms);
      process.kill(proxy.pid, 'SIGCONT');
      const answers = await Promise.all(calls);
      tally.held(
        answers.every(({ code }) => code === 'ok'),
        JSON.stringify(count(answers)),
      );
      const { total } = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 1 });
      tally.held(total === 20, `${total} records of 20 calls`);
      tally.figure(`stopped for ${ms / 1000} s with a limit of 2 s: ${JSON.stringify(count(answers))}`);
    } finally {
      process.kill(proxy.pid, 'SIGCONT');
      await proxy.dispose();
    }
  },
};

async function second(proxy: RunningProxy): Promise<{ code: number | null; text: string }> {
  const args = [
    MAIN,
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--config',
    proxy.configFile,
    '--data-dir',
    proxy.dataDir,
  ];
  const child = spawn(process.execPath, args, {
    env: cleanEnv(proxy.home),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, text };
}

export const twoInstances: Attack = {
  threat: 'F29',
  title: 'a second proxy on the same data directory',
  async run(tally) {
    const proxy = await startProxy({ config: { mcpServers: {} } });
    const { code, text } = await second(proxy);
    tally.held(code === 6 && text.includes(String(proxy.pid)), `exit ${code}: ${text.slice(0, 200)}`);
    await proxy.stop('SIGKILL');
    const again = await startProxy({ home: proxy.home });
    tally.held(again.pid !== proxy.pid, 'no start after SIGKILL');
    await again.dispose();
    tally.figure(`exit ${code}, names process ${proxy.pid}; the lock of a killed proxy is taken over`);
  },
};

export const stall: Attack = {
  threat: 'F30',
  title: 'the event loop stands still for two seconds',
  async run(tally) {
    const block = 'const e=Date.now()+2000;while(Date.now()<e);';
    const proxy = await startProxy({ config: { mcpServers: {} }, env: onSignal(block) });
    try {
      await pause(1_000);
      process.kill(proxy.pid, 'SIGUSR2');
      const stalls = await poll('the stall to show', proxy.stderr, async () => {
        const { stalls: seen } = await proxy.rest.request('status', {});
        return seen.count > 0 ? seen : undefined;
      });
      tally.held((stalls.last?.ms ?? 0) >= 1_500, JSON.stringify(stalls));
      const headers = { authorization: `Bearer ${proxy.key}` };
      const text = await (await fetch(`${proxy.url}/metrics`, { headers })).text();
      tally.held(/mcpproxy_stalls [1-9]/.test(text), 'not in /metrics');
      tally.figure(`seen as ${Math.round(stalls.last?.ms ?? 0)} ms in status, counted in /metrics`);
    } finally {
      await proxy.dispose();
    }
  },
};
