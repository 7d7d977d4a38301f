import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type * as ofSource from '../../src/log/verify/verify.ts';
import { closeReader } from '../../src/log/export/sealed-reader.ts';
import type { ActivityVerification } from '../../src/contract/activity.ts';
import type { Attack } from '../attacks/attack.ts';
import { runCli, type CliResult } from '../e2e/run-cli.ts';
import { MAIN, startProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce } from './calls.ts';

interface Recorded {
  home: string;
  dataDir: string;
  /** The database, closed and whole. */
  file: string;
  dispose(): void;
}

/** The built program makes some calls and ends; then what it left is looked at, changed and put back. */
async function record(calls: number, home?: string): Promise<Recorded> {
  const config = { mcpServers: { up: fixture('annotated.mjs') } };
  const proxy = await startProxy(home === undefined ? { config } : { home });
  for (let n = 0; n < calls; n++)
    await callOnce(
      proxy,
      n % 3 === 0 ? 'up:writer_not_destructive' : n % 3 === 1 ? 'up:fails' : 'up:read_only',
      {
        operation: n % 3 === 0 ? 'write' : 'read',
        args: { text: `call ${n}` },
      },
    );
  await proxy.stop();
  const file = join(proxy.dataDir, 'mcpproxy.db');
  const remove = () => rmSync(proxy.home, { recursive: true, force: true });
  return { home: proxy.home, dataDir: proxy.dataDir, file, dispose: remove };
}

/** The program's own verification, loaded here: a process for each of some hundred flipped bytes would take minutes. */
async function loadVerify(): Promise<(file: string, dataDir: string) => Promise<ActivityVerification>> {
  const built = new URL('activity/verify.js', `file://${MAIN}`).href;
  const { orUnknownVerdict, verifyInOneSnapshot } = (await import(built)) as Pick<
    typeof ofSource,
    'orUnknownVerdict' | 'verifyInOneSnapshot'
  >;
  return (file, dataDir) => orUnknownVerdict(() => verifyInOneSnapshot({ file, dataDir }));
}

/** Everything that the log says. Indexes, counts and free pages are not part of it. */
function contentOf(file: string): string {
  const sqlite = new DatabaseSync(file, { readOnly: true });
  try {
    const records = `SELECT a.*, f.type, f.source, f.status, f.operation_type, f.server_name AS fs, f.tool_name AS ft
      FROM activity a NOT INDEXED LEFT JOIN activity_facet f ON f.id = a.facet_id ORDER BY seq`;
    return JSON.stringify([
      // Names of its own are read by nobody where they stand with the facet, as they do here.
      sqlite
        .prepare(records)
        .all()
        .map(({ server_name: _server, tool_name: _tool, ...rest }: Record<string, unknown>) => rest),
      sqlite.prepare('SELECT * FROM activity_journal ORDER BY pos').all(),
    ]);
  } finally {
    closeReader(sqlite);
  }
}

const ENTRY = 'pos % 1099511627776';
const copyOf = (to: number, from: number) =>
  `UPDATE activity_journal SET (entry, hash) = (SELECT entry, hash FROM activity_journal WHERE ${ENTRY} = ${from}) WHERE ${ENTRY} = ${to}`;
const EDITS: ReadonlyArray<[string, string, number | undefined]> = [
  ['an entry is deleted', `DELETE FROM activity_journal WHERE ${ENTRY} = 9`, 9],
  ['an entry stands in the place of another', copyOf(7, 8), 7],
  ['a record is deleted', `DELETE FROM activity WHERE seq = (SELECT max(seq) FROM activity)`, undefined],
  [
    'an answer is changed',
    `UPDATE activity SET response = '{}' WHERE seq = (SELECT min(seq) FROM activity)`,
    undefined,
  ],
  [
    'an entry is added at the end',
    'INSERT INTO activity_journal SELECT pos + 1, seq, entry, hash FROM activity_journal ORDER BY pos DESC LIMIT 1',
    undefined,
  ],
];

function edit(file: string, statement: string): void {
  const sqlite = new DatabaseSync(file);
  sqlite.exec('PRAGMA journal_mode = DELETE');
  sqlite.exec(statement);
  sqlite.close();
}

async function verifyByCommand({ home, dataDir }: Recorded, ...args: string[]): Promise<CliResult> {
  return runCli(['activity', 'verify', '--data-dir', dataDir, '-o', 'json', ...args], { home });
}

export const tampering: Attack = {
  threat: 'F06',
  title: 'the log is changed: bytes, entries, records',
  async run(tally, scale) {
    const log = await record(40);
    const flips = scale === 'full' ? 12_800 : 500;
    const copy = join(log.home, 'copy.db');
    try {
      const verify = await loadVerify();
      const before = contentOf(log.file);
      const bytes = readFileSync(log.file);
      tally.held((await verify(log.file, log.dataDir)).verdict === 'intact', 'the log was not intact');
      let [found, without] = [0, 0];
      for (let n = 0; n < flips; n++) {
        const changed = Buffer.from(bytes);
        const at = Math.floor(Math.random() * bytes.length);
        changed[at]! ^= 1 + Math.floor(Math.random() * 255);
        writeFileSync(copy, changed);
        // Connections that were closed are let go of between two turns.
        await new Promise(setImmediate);
        const { verdict } = await verify(copy, log.dataDir);
        if (verdict !== 'intact') found++;
        else without++;
        tally.held(
          verdict !== 'intact' || contentOf(copy) === before,
          `byte ${at} was changed and not found`,
        );
      }
      for (const [index, [what, statement, entry]] of EDITS.entries()) {
        const edited = join(log.home, `edited-${index}.db`);
        copyFileSync(log.file, edited);
        edit(edited, statement);
        const { verdict, problem } = await verify(edited, log.dataDir);
        const named = entry === undefined ? problem !== undefined : problem?.entry === entry;
        tally.held(verdict === 'broken' && named, `${what}: ${verdict} ${JSON.stringify(problem)}`);
      }
      copyFileSync(join(log.home, 'edited-0.db'), log.file);
      const { code, stdout } = await verifyByCommand(log);
      tally.held(code === 1 && stdout.includes('"entry": 9'), `the command: exit ${code} ${stdout}`);
      tally.figure(
        `${flips} bytes flipped: ${found} found, ${without} in places that say nothing, 0 missed; ${EDITS.length} of ${EDITS.length} edits found and placed`,
      );
    } finally {
      log.dispose();
    }
  },
};

export const rollback: Attack = {
  threat: 'F07',
  title: 'yesterday’s files are put back',
  async run(tally) {
    let log = await record(6);
    const aside = mkdtempSync(join(tmpdir(), 'mcpproxy-yesterday-'));
    const kept = ['mcpproxy.db', 'checkpoints.log'];
    try {
      for (const name of kept) copyFileSync(join(log.dataDir, name), join(aside, name));
      log = await record(6, log.home);
      const elsewhere = join(aside, 'elsewhere.log');
      copyFileSync(join(log.dataDir, 'checkpoints.log'), elsewhere);
      const now = await verifyByCommand(log, '--checkpoint', elsewhere);
      tally.held(now.code === 0, `before anything was put back: exit ${now.code} ${now.stdout}`);

      copyFileSync(join(aside, 'mcpproxy.db'), log.file);
      const alone = await verifyByCommand(log);
      tally.held(alone.code === 1, `only the database is put back: exit ${alone.code}`);

      copyFileSync(join(aside, 'checkpoints.log'), join(log.dataDir, 'checkpoints.log'));
      const both = await verifyByCommand(log, '--checkpoint', elsewhere);
      const { problem } = JSON.parse(both.stdout) as ActivityVerification;
      tally.held(
        both.code === 1 && problem?.reason === 'truncated',
        `everything is put back: exit ${both.code} ${both.stdout}`,
      );
      tally.held(/\d+.*\d+/.test(problem?.message ?? ''), `no sizes in: ${problem?.message}`);
      tally.figure(problem?.message ?? '');
    } finally {
      log.dispose();
      rmSync(aside, { recursive: true, force: true });
    }
  },
};
