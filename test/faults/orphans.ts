import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack, Tally } from '../attacks/attack.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { isAlive, pause } from './calls.ts';

/** Those that nobody ends stay for ever; a busy machine takes its time with the others. */
const GONE_MS = 120_000;

async function survivors(pids: number[]): Promise<number[]> {
  const end = performance.now() + GONE_MS;
  while (pids.some(isAlive) && performance.now() < end) await pause(50);
  return pids.filter(isAlive);
}

interface Stage {
  config: Record<string, unknown>;
  /** The processes that have started since it was last forgotten. */
  pids: () => number[];
  forget: () => void;
}

/** A server, its child, one that forked away, and one whose wrapper waits for it; none ends when it is asked to. */
const PROCESSES = 4;

interface Counted {
  watched: number;
  left: number;
  slowestMs: number;
}

export const orphans: Attack = {
  threat: 'F20',
  title: 'orphans and zombies after stop, restart and SIGKILL',
  async run(tally, scale) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-orphans-'));
    const file = join(dir, 'pids');
    const bad = fixture('misbehaving.mjs', '--stubborn', '--child', '--double-fork', '--pids', file);
    // The wrapper's server reads no input in the background, so that it is stopped while it connects.
    const wrapped = {
      command: '/bin/sh',
      args: ['-c', `"${process.execPath}" "$0" --stubborn --pids "${file}" & wait`, bad.args![0]!],
    };
    const stage: Stage = {
      config: { mcpServers: { bad, wrapped } },
      pids: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []),
      forget: () => rmSync(file, { force: true }),
    };
    const [restarts, ends] = scale === 'full' ? [100, 100] : [5, 2];
    try {
      const restarted = await restart(tally, stage, restarts);
      tally.figure(`${restarts} restarts: ${restarted}`);
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        const all: Counted[] = [];
        for (let cycle = 0; cycle < ends; cycle++) all.push(await end(tally, stage, signal));
        const watched = all.reduce((sum, one) => sum + one.watched, 0);
        const left = all.reduce((sum, one) => sum + one.left, 0);
        const slowest = Math.max(...all.map(({ slowestMs }) => slowestMs));
        tally.figure(
          `${ends} × ${signal}: ${left} of ${watched} left, looked at for ${(slowest / 1000).toFixed(1)} s`,
        );
      }
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function gone(tally: Tally, pids: number[], what: string): Promise<Counted> {
  const started = performance.now();
  const left = await survivors(pids);
  const slowestMs = performance.now() - started;
  tally.held(left.length === 0, `${left.length} survived ${what}`);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return { watched: pids.length, left: left.length, slowestMs };
}

const started = ({ pids }: Stage, proxy: RunningProxy, count: number) =>
  poll('all processes', proxy.stderr, () => pids().filter(stays).length >= count || undefined);

/** Again and again in one proxy, whose own descriptors and children must stay as many as they were. */
async function restart(tally: Tally, stage: Stage, cycles: number): Promise<string> {
  stage.forget();
  const proxy = await startProxy({ config: stage.config, waitReady: false });
  try {
    await started(stage, proxy, PROCESSES);
    const before = stage.pids().filter((pid) => stays(pid) && !isWrapped(pid));
    const counts = () => [readdirSync(`/proc/${proxy.pid}/fd`).length, childrenOf(proxy.pid).length] as const;
    const [fds, children] = counts();
    let old = before;
    let slowest = 0;
    for (let cycle = 0; cycle < cycles; cycle++) {
      await proxy.rest.request('restartServer', { name: 'bad' }).catch(() => {});
      slowest = Math.max(slowest, (await gone(tally, old, 'restart')).slowestMs);
      await poll(
        'the server to be back',
        proxy.stderr,
        () =>
          stage.pids().filter((pid) => stays(pid) && !isWrapped(pid)).length >= before.length || undefined,
      );
      old = stage.pids().filter((pid) => isAlive(pid) && !isWrapped(pid));
      const buried = await poll('no zombies', proxy.stderr, () => zombiesOf(proxy.pid) === 0 || undefined);
      tally.held(buried, 'there are zombies');
    }
    await pause(1_000);
    const [fdsAfter, childrenAfter] = counts();
    tally.held(fdsAfter <= fds + 3, `${fds} descriptors before, ${fdsAfter} after`);
    tally.held(childrenAfter <= children, `${children} children before, ${childrenAfter} after`);
    return `the last gone after ${(slowest / 1000).toFixed(1)} s, descriptors ${fds} → ${fdsAfter}, children ${children} → ${childrenAfter}`;
  } finally {
    await proxy.dispose();
  }
}

async function end(tally: Tally, stage: Stage, signal: 'SIGTERM' | 'SIGKILL'): Promise<Counted> {
  stage.forget();
  const proxy = await startProxy({ config: stage.config, waitReady: false });
  try {
    await started(stage, proxy, PROCESSES);
    await pause(300);
    const pids = stage.pids();
    await proxy.stop(signal);
    return await gone(tally, pids, signal);
  } finally {
    await proxy.dispose();
  }
}

/** Not the one that only starts another and ends a moment later. */
const stays = (pid: number): boolean => isAlive(pid) && !commandOf(pid).includes('--fork-and-leave');

function isWrapped(pid: number): boolean {
  const line = commandOf(pid);
  return line !== '' && !['--child', '--stay', '--fork-and-leave'].some((flag) => line.includes(flag));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function statusesOf(parent: number, state: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return new RegExp(`\\) ${state} ${parent} `).test(readFileSync(`/proc/${name}/stat`, 'latin1'));
    } catch {
      return false;
    }
  });
}

const zombiesOf = (parent: number): number => statusesOf(parent, 'Z').length;
const childrenOf = (parent: number): string[] => statusesOf(parent, '[A-Y]');
