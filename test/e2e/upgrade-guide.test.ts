import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, expect, test } from 'vitest';
import { runHere } from './cli-here.ts';
import { startHere } from './start-here.ts';
import type { RunningProxy } from './start-proxy.ts';

// The commands of the upgrade guide, as they stand there.

const GUIDE = readFileSync(fileURLToPath(new URL('../../docs/guides/upgrade.md', import.meta.url)), 'utf8');
const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-upgrade-'));
let proxy: RunningProxy | undefined;
afterEach(async () => {
  await proxy?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

/** The arguments of the command of the guide that begins so. */
function commandOf(beginning: string): string[] {
  const command = GUIDE.slice(GUIDE.indexOf(beginning)).split(/[`#\n]/, 1)[0]!;
  return command.replace('~', dir).trim().split(/\s+/).slice(1);
}

const add = (description: string) =>
  proxy!.rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_write',
      name: 'tasks:add_task',
      args: { description },
      intent: { operation_type: 'write' },
    },
  });

test('there and back: the older database is in force again, and its log is accepted', async () => {
  proxy = await startHere({});
  const { home, place, dataDir } = proxy;
  const type = async (beginning: string) => {
    const { code, stderr } = await runHere([...commandOf(beginning), ...place]);
    return [code, stderr];
  };
  await add('before the upgrade');
  expect(await type('mcpproxy db backup')).toEqual([0, expect.any(String)]);
  await add('after the upgrade');
  await proxy.stop();
  // What a newer version leaves.
  const sqlite = new DatabaseSync(join(dataDir, 'mcpproxy.db'));
  sqlite.exec(`INSERT INTO kysely_migration VALUES ('9999-future', '2099-01-01')`);
  sqlite.close();
  await expect(startHere({ home })).rejects.toThrow(/written by a newer mcpproxy/);

  expect(await type('mcpproxy db restore')).toEqual([0, expect.any(String)]);
  proxy = await startHere({ home });
  expect(await proxy.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'broken' });
  expect(await type('mcpproxy activity accept-restore')).toEqual([0, expect.any(String)]);
  expect(await proxy.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
  const tasks = await runHere(['call', 'tool-read', 'tasks:list_tasks', '--args', '{}', ...place]);
  expect(tasks.stdout).toContain('before the upgrade');
  expect(tasks.stdout).not.toContain('after the upgrade');
});
