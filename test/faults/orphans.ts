import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack } from '../attacks/attack.ts';
import { poll, startProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { isAlive, pause } from './calls.ts';

const GONE_MS = 5_000;

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
