import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDaemon } from '../../src/config/index.ts';
import type { Attack, Tally } from '../attacks/attack.ts';
import { poll } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { isAlive } from './calls.ts';
import { startStdio, type StdioClient } from './stdio-client.ts';

const CLIENTS = 6;
/** What the relay says about a change that was on its way when the daemon was killed. */
const UNKNOWN = /may have been carried out/;

interface Seen {
  answers: number;
  acknowledged: string[];
  unknown: number;
}

export const stdioStorm: Attack = {
  threat: 'F31',
  title: 'the daemon of six stdio clients is killed and stopped again and again',
  async run(tally, scale) {
    const home = mkdtempSync(join(tmpdir(), 'mcpproxy-storm-'));
    const dataDir = join(home, 'data');
    const pids = join(home, 'pids');
    const config = join(home, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { up: fixture('misbehaving.mjs', '--pids', pids) } }),
      {
        mode: 0o600,
      },
    );
    const place = ['--data-dir', dataDir, '--config', config];
    const rounds = scale === 'full' ? 50 : 2;
    const daemons = new Set<number>();
    try {
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, (_, at) => startStdio(place, home, at % 2 === 1)),
      );
      const seen: Seen = { answers: 0, acknowledged: [], unknown: 0 };
      let isOver = false;
      const working = clients.map((client, at) =>
        work(tally, { client, seen, name: `client ${at}` }, () => isOver),
      );
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        for (let round = 0; round < rounds / 2; round++) {
          await progress(seen);
          const pid = await nextDaemon(dataDir, daemons);
          daemons.add(pid);
          process.kill(pid, signal);
        }
        await progress(seen);
        // A daemon that is asked to stop finishes what is in flight.
        if (signal === 'SIGTERM')
          tally.held(
            seen.unknown === 0,
            `${seen.unknown} changes are in doubt although no daemon was killed`,
          );
      }
      isOver = true;
      await Promise.all(working);
      await lookForLost(tally, clients[0]!, seen);
      daemons.add(await nextDaemon(dataDir, daemons));
      const codes = await Promise.all(clients.map((client) => client.close()));
      tally.held(
        codes.every((code) => code === 0),
        `exit codes of the clients: ${codes.join(' ')}`,
      );
      const processes = () => [...daemons, ...readFileSync(pids, 'utf8').trim().split('\n').map(Number)];
      await poll('all processes to end', String, () => !processes().some(isAlive) || undefined);
      tally.figure(
        `${rounds} ends of the daemon: ${seen.answers} answers, ${seen.acknowledged.length} acknowledged changes, none lost; ${seen.unknown} changes reported as possibly carried out; ${processes().length} processes, none left`,
      );
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};

/** The daemon that follows: the one that was ended may still be named, and a second signal would end it without its calls. */
const nextDaemon = (dataDir: string, before: ReadonlySet<number>) =>
  poll('the next daemon', String, () => {
    const pid = readDaemon(dataDir)?.pid;
    return pid === undefined || before.has(pid) ? undefined : pid;
  });

/** Every client gets some more answers. */
async function progress(seen: Seen): Promise<void> {
  const enough = seen.answers + 2 * CLIENTS;
  await poll('more answers', String, () => seen.answers >= enough || undefined);
}

interface Worker {
  client: StdioClient;
  seen: Seen;
  name: string;
}

/** A read and a change in turn. */
async function work(tally: Tally, { client, seen, name }: Worker, isOver: () => boolean): Promise<void> {
  for (let at = 0; !isOver(); at++) {
    const read = await client.call('call_tool_read', {
      name: 'tasks:list_tasks',
      args: {},
      intent_operation_type: 'read',
    });
    tally.held(
      read.error === undefined && read.result?.isError !== true,
      `${name} was shown an error of a read: ${JSON.stringify(read).slice(0, 300)}`,
    );
    const description = `${name} change ${at}`;
    const change = await client.call('call_tool_write', {
      name: 'tasks:add_task',
      args: { description },
      intent_operation_type: 'write',
    });
    if (change.error !== undefined) {
      const isHonest = UNKNOWN.test(String(change.error.message));
      tally.held(isHonest, `${name} was shown an error of a change: ${JSON.stringify(change.error)}`);
      seen.unknown++;
    } else if (change.result.isError !== true) seen.acknowledged.push(description);
    else tally.held(false, `${name}: a change failed: ${JSON.stringify(change.result).slice(0, 300)}`);
    seen.answers += 2;
  }
}

async function lookForLost(tally: Tally, client: StdioClient, { acknowledged }: Seen): Promise<void> {
  const listed = await client.call('call_tool_read', {
    name: 'tasks:list_tasks',
    args: {},
    intent_operation_type: 'read',
  });
  const tasks = new Set(
    (listed.result.structuredContent.tasks as Array<{ description: string }>).map((task) => task.description),
  );
  const lost = acknowledged.filter((description) => !tasks.has(description));
  tally.held(
    lost.length === 0,
    `${lost.length} acknowledged changes are lost: ${lost.slice(0, 5).join(', ')}`,
  );
}
