import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Attack } from '../attacks/attack.ts';
import { cleanEnv, MAIN, poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, pause, tally as count, timeGood } from './calls.ts';
import { onSignal } from './inside.ts';

const good = fixture('annotated.mjs');

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
