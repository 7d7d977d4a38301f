import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack } from '../attacks/attack.ts';
import { cleanEnv, MAIN, poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, pause, tally as count } from './calls.ts';
import { onSignal } from './inside.ts';

const good = fixture('annotated.mjs');

export const frozen: Attack = {
  threat: 'F27',
  title: 'the proxy stands still and goes on',
  async run(tally, scale) {
    const ms = scale === 'full' ? 60_000 : 8_000;
    const proxy = await startProxy({ config: { mcpServers: { up: { ...good, timeout: '6s' } } } });
    const until = join(proxy.home, 'answer-now');
    try {
      const args = { ms: 60_000, until };
      const calls = Array.from({ length: 20 }, () => callOnce(proxy, 'up:slow', { args }));
      await poll('20 calls under way', proxy.stderr, async () => {
        const { in_flight } = await proxy.rest.request('getServer', { name: 'up' });
        return in_flight === 20 || undefined;
      });
      process.kill(proxy.pid, 'SIGSTOP');
      // Answered while nobody listens.
      writeFileSync(until, '');
      await pause(ms);
      process.kill(proxy.pid, 'SIGCONT');
      const answers = await Promise.all(calls);
      tally.held(
        answers.every(({ code }) => code === 'ok'),
        JSON.stringify(count(answers)),
      );
      const { total } = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 1 });
      tally.held(total === 20, `${total} records of 20 calls`);
      tally.figure(`stopped for ${ms / 1000} s with a limit of 6 s: ${JSON.stringify(count(answers))}`);
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
  const [code] = (await once(child, 'close')) as [number | null];
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
        // A busy machine may have brought about a shorter one already.
        return (seen.last?.ms ?? 0) >= 1_500 ? seen : undefined;
      });
      tally.held(stalls.count > 0, JSON.stringify(stalls));
      const headers = { authorization: `Bearer ${proxy.key}` };
      const text = await (await fetch(`${proxy.url}/metrics`, { headers })).text();
      tally.held(/mcpproxy_stalls [1-9]/.test(text), 'not in /metrics');
      tally.figure(`seen as ${Math.round(stalls.last?.ms ?? 0)} ms in status, counted in /metrics`);
    } finally {
      await proxy.dispose();
    }
  },
};
