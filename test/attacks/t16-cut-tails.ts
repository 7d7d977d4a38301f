import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHere } from '../e2e/cli-here.ts';
import { runCli } from '../e2e/run-cli.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import type { Attack, NewDatabase, Tally } from './attack.ts';
import { databaseWriter } from './database-writer.ts';
import { startOf } from './scaled.ts';

/** What somebody does who may write to the data directory; `old` is a copy of it from before the newest calls. */
interface Cut {
  what: string;
  act: (dir: string, old: string) => Promise<void> | void;
  /** Where every file of the data directory is put back, nothing in it is left to compare with. */
  onlyWitness?: true;
  /** No entry is missing, and none can be told to be. */
  entriesStay?: true;
}

const databaseFiles = (dir: string) => readdirSync(dir).filter((name) => name.startsWith('mcpproxy.db'));
const copyFiles = (from: string, to: string, names: readonly string[]) =>
  names.forEach((name) => cpSync(join(from, name), join(to, name)));

function putBack(dir: string, old: string, names: readonly string[]): void {
  for (const name of databaseFiles(dir)) rmSync(join(dir, name));
  copyFiles(old, dir, [...databaseFiles(old), ...names]);
}

const LINES = 'an older database and the older lines of checkpoints.log';
const EVERYTHING = 'an older database, checkpoints.log and activity-head.log';
const EMPTY = ['activity', 'activity_journal', 'activity_log'].map((table) => `DELETE FROM ${table}`);

const CUTS: readonly Cut[] = [
  { what: LINES, act: (dir, old) => putBack(dir, old, ['checkpoints.log']) },
  {
    what: EVERYTHING,
    act: (dir, old) => putBack(dir, old, ['checkpoints.log', 'activity-head.log']),
    onlyWitness: true,
  },
  { what: 'an older database', act: (dir, old) => putBack(dir, old, []) },
  {
    what: 'checkpoints.log is deleted',
    act: (dir) => rmSync(join(dir, 'checkpoints.log')),
    entriesStay: true,
  },
  {
    what: 'the database is deleted',
    act: (dir) => databaseFiles(dir).forEach((name) => rmSync(join(dir, name))),
  },
  {
    what: 'the database is emptied',
    async act(dir) {
      const db = databaseWriter(join(dir, 'mcpproxy.db'));
      for (const sql of EMPTY) await db.run(sql);
    },
  },
];

/** An end that is cut off leaves no gap: only what remembers it elsewhere shows it. */
export const cutTails: Attack = {
  threat: 'T16',
  title: 'an end of the log that is cut off, with and without the witness',
  async run(tally, scale, newDatabase) {
    const outside = mkdtempSync(join(tmpdir(), 'mcpproxy-witness-'));
    try {
      const cuts = scale === 'full' ? CUTS : CUTS.slice(0, 2);
      const ground = { tally, witness: join(outside, 'sqlite'), env: {}, engine: 'SQLite' };
      await onSqlite({ ...ground, start: startOf(scale) }, cuts);
      // In smaller sizes the suite does that in restored-log.test.ts.
      if (scale === 'full') await onPostgres(tally, join(outside, 'postgres'), newDatabase);
      tally.figure(`${cuts.length} ways to cut`);
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  },
};

interface Ground {
  tally: Tally;
  /** The file of the witness. */
  witness: string;
  env: Record<string, string>;
  start: ReturnType<typeof startOf>;
  /** Before each message. */
  engine: string;
}

async function onSqlite(ground: Ground, cuts: readonly Cut[]): Promise<void> {
  const { tally, witness } = ground;
  const { proxy, old } = await grownLog(ground);
  try {
    tally.held(
      (await command(proxy, ground, 'activity', 'verify', '--witness', witness)).code === 0,
      'not intact to begin with',
    );
    for (const [i, cut] of cuts.entries()) {
      // Each in a home of its own, so that a proxy can be started there.
      const home = join(proxy.home, `cut-${i}`);
      const dataDir = join(home, '.mcpproxy');
      mkdirSync(home);
      cpSync(proxy.configFile, join(home, 'mcp_config.json'));
      cpSync(proxy.dataDir, dataDir, { recursive: true });
      await cut.act(dataDir, old);
      await verified({ ...proxy, dataDir }, ground, cut);
      if (!cut.onlyWitness) await started(home, ground, cut);
    }
  } finally {
    await proxy.dispose();
  }
}

/** The rows are deleted by somebody who can write the database; which files are put back differs. */
async function onPostgres(tally: Tally, witness: string, newDatabase: NewDatabase): Promise<void> {
  const { url, remove } = await newDatabase();
  try {
    const env = { MCPPROXY_DATABASE_URL: url };
    const ground: Ground = {
      tally,
      witness,
      env,
      start: (options) => startProxy({ ...options, env }),
      engine: 'PostgreSQL',
    };
    const db = databaseWriter(url);
    let ends: Array<Record<string, string | number | null>> = [];
    const { proxy, old } = await grownLog(ground, async () => {
      ends = await db.rows(
        'SELECT (SELECT max(n) FROM activity_journal) AS n, (SELECT max(seq) FROM activity) AS seq',
      );
    });
    try {
      await db.run(`DELETE FROM activity_journal WHERE n > ${ends[0]!.n}`);
      await db.run(`DELETE FROM activity WHERE seq > ${ends[0]!.seq}`);
      const now = join(proxy.home, 'now');
      cpSync(proxy.dataDir, now, { recursive: true });
      const files = { 'an older database': [], [LINES]: ['checkpoints.log'] };
      for (const [what, names] of Object.entries(files)) {
        copyFiles(old, proxy.dataDir, names);
        await verified(proxy, ground, { what });
      }
      copyFiles(old, proxy.dataDir, ['checkpoints.log', 'activity-head.log']);
      await verified(proxy, ground, { what: EVERYTHING, onlyWitness: true });
      copyFiles(now, proxy.dataDir, ['activity-head.log']);
      await started(proxy.home, ground, { what: LINES });
      copyFiles(now, proxy.dataDir, ['checkpoints.log', 'activity-head.log']);
      for (const sql of EMPTY) await db.run(sql);
      await verified(proxy, ground, { what: 'the database is emptied' });
      await started(proxy.home, ground, { what: 'the database is emptied' });
    } finally {
      await proxy.dispose();
    }
  } finally {
    await remove();
  }
}

/** The log of a stopped proxy, and a copy of its data directory from before the newest calls. */
async function grownLog({ witness, start }: Ground, halfway: () => Promise<void> = async () => {}) {
  const first = await start({ config: { activity: { witness: [{ file: witness }] } } });
  await calls(first);
  await first.stop();
  await halfway();
  const old = join(first.home, 'old');
  cpSync(first.dataDir, old, { recursive: true });
  const proxy = await start({ home: first.home });
  await calls(proxy);
  await proxy.stop();
  return { proxy, old };
}

type Place = Pick<RunningProxy, 'configFile' | 'dataDir' | 'home'>;

/** The address of a database comes from the environment, so such a command needs a process of its own. */
const command = ({ configFile, dataDir, home }: Place, { env }: Ground, ...words: string[]) => {
  const args = [...words, '--config', configFile, '--data-dir', dataDir];
  return Object.keys(env).length === 0 ? runHere(args) : runCli(args, { home, env });
};

async function verified(
  place: Place,
  ground: Ground,
  { what, onlyWitness, entriesStay }: Omit<Cut, 'act'>,
): Promise<void> {
  const { tally, engine, witness } = ground;
  const alone = await command(place, ground, 'activity', 'verify');
  if (onlyWitness)
    tally.figure(`${engine}, ${what}: without the witness exit code ${alone.code}, as documented`);
  else tally.held(alone.code !== 0, `${engine}: ${what}: verified as intact`);
  if (entriesStay) return;
  const compared = await command(place, ground, 'activity', 'verify', '--witness', witness);
  tally.held(compared.code !== 0, `${engine}: ${what}: verified as intact with the witness`);
  if (what.startsWith('an older'))
    tally.held(/entries \d+ to \d+ are missing/.test(compared.stdout), `${engine}: ${what}: not named`);
}

/** A proxy that starts on such a log says so at every door that tells its state. */
async function started(home: string, ground: Ground, { what, entriesStay }: Omit<Cut, 'act'>): Promise<void> {
  const { tally, engine, start } = ground;
  const proxy = await start({ home, waitReady: false });
  try {
    const says = (ok: boolean, door: string) =>
      tally.held(ok, `${engine}: ${what}: ${door} does not name the missing entries`);
    const ready = await fetch(`${proxy.url}/readyz`);
    const { log } = (await ready.json()) as { log?: string };
    says(ready.status === 503 && log === 'rolled_back', '/readyz');
    const { rollback } = (await proxy.rest.request('status', {})).activity;
    says(rollback !== undefined && (entriesStay === true || rollback.missing > 0), 'the status');
    const texts = await Promise.all(['status', 'doctor'].map((each) => command(proxy, ground, each)));
    says(texts[0]!.stdout.includes(rollback?.reason ?? 'a reason'), 'the status command');
    says(texts[1]!.code === 1 && texts[1]!.stdout.includes('accept-restore'), 'doctor');
  } finally {
    await proxy.stop();
  }
}

async function calls({ rest }: RunningProxy): Promise<void> {
  for (let i = 0; i < 3; i++)
    await rest.request('callTool', {
      body: { tool_variant: 'call_tool_read', name: 'tasks:list_tasks', intent: { operation_type: 'read' } },
    });
}
