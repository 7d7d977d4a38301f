import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { runCli } from '../e2e/run-cli.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import type { Attack } from './attack.ts';

/** What somebody does who may write to the data directory; `old` is a copy of it from before the newest calls. */
interface Cut {
  what: string;
  act: (dir: string, old: string) => void;
  /** Where every file of the data directory is put back, nothing in it is left to compare with. */
  onlyWitness?: true;
}

const databaseFiles = (dir: string) => readdirSync(dir).filter((name) => name.startsWith('mcpproxy.db'));

function putBack(dir: string, old: string, names: readonly string[]): void {
  for (const name of databaseFiles(dir)) rmSync(join(dir, name));
  for (const name of [...databaseFiles(old), ...names]) cpSync(join(old, name), join(dir, name));
}

const CUTS: readonly Cut[] = [
  {
    what: 'an older database and the older lines of checkpoints.log',
    act: (dir, old) => putBack(dir, old, ['checkpoints.log']),
  },
  {
    what: 'an older database, checkpoints.log and activity-head.log',
    act: (dir, old) => putBack(dir, old, ['checkpoints.log', 'activity-head.log']),
    onlyWitness: true,
  },
  { what: 'an older database', act: (dir, old) => putBack(dir, old, []) },
  { what: 'checkpoints.log is deleted', act: (dir) => rmSync(join(dir, 'checkpoints.log')) },
  {
    what: 'the database is deleted',
    act: (dir) => databaseFiles(dir).forEach((name) => rmSync(join(dir, name))),
  },
  {
    what: 'the database is emptied',
    act: (dir) => {
      const db = new DatabaseSync(join(dir, 'mcpproxy.db'));
      db.exec('DELETE FROM activity; DELETE FROM activity_journal; DELETE FROM activity_log');
      db.close();
    },
  },
];

/** An end that is cut off leaves no gap: only what remembers it elsewhere shows it. */
export const cutTails: Attack = {
  threat: 'T16',
  title: 'an end of the log that is cut off, with and without the witness',
  async run(tally, scale) {
    const outside = mkdtempSync(join(tmpdir(), 'mcpproxy-witness-'));
    const witness = join(outside, 'checkpoints');
    let proxy = await startProxy({ config: { activity: { witness: [{ file: witness }] } } });
    const { home } = proxy;
    try {
      await calls(proxy);
      await proxy.stop();
      const old = join(home, 'old');
      cpSync(proxy.dataDir, old, { recursive: true });
      proxy = await startProxy({ home });
      await calls(proxy);
      await proxy.stop();
      const verify = async (dir: string, ...more: string[]) => {
        const place = ['--config', proxy.configFile, '--data-dir', dir];
        return runCli(['activity', 'verify', ...place, ...more], { home });
      };
      tally.held((await verify(proxy.dataDir, '--witness', witness)).code === 0, 'not intact to begin with');
      const cuts = scale === 'full' ? CUTS : CUTS.slice(0, 2);
      for (const [i, { what, act, onlyWitness }] of cuts.entries()) {
        const dir = join(home, `cut-${i}`);
        cpSync(proxy.dataDir, dir, { recursive: true });
        act(dir, old);
        const alone = await verify(dir);
        if (onlyWitness) tally.figure(`${what}: without the witness exit code ${alone.code}, as documented`);
        else tally.held(alone.code !== 0, `${what}: verified as intact`);
        if (what === 'checkpoints.log is deleted') continue;
        const compared = await verify(dir, '--witness', witness);
        tally.held(compared.code !== 0, `${what}: verified as intact with the witness`);
        if (what.startsWith('an older'))
          tally.held(/entries \d+ to \d+ are missing/.test(compared.stdout), `${what}: not named`);
      }
      tally.figure(`${cuts.length} ways to cut`);
    } finally {
      await proxy.dispose();
      rmSync(outside, { recursive: true, force: true });
    }
  },
};

async function calls({ rest }: RunningProxy): Promise<void> {
  for (let i = 0; i < 3; i++)
    await rest.request('callTool', {
      body: { tool_variant: 'call_tool_read', name: 'tasks:list_tasks', intent: { operation_type: 'read' } },
    });
}
