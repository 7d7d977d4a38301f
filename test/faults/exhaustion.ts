import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Attack } from '../attacks/attack.ts';
import { startProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, isAlive, pause, timeGood } from './calls.ts';

const good = fixture('annotated.mjs');

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
