import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { createLog } from '../../lib/log.ts';
import { createConfigChanges } from './config-changes.ts';
import type { RecordDraft } from './record.ts';

let dir: string;
let recorded: RecordDraft[];
let isBroken: boolean;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-changes-'));
  recorded = [];
  isBroken = false;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const activity = {
  open: (draft: RecordDraft) => ({
    id: '1',
    durable: async () => {},
    async close() {
      if (isBroken) throw new Error('the disk is full');
      recorded.push(draft);
    },
  }),
};
const read = (text: string) => parseConfig(text, 'f');
function start(text: string, overridden: string[] = []) {
  const config = { current: () => read(text), file: 'f', overridden };
  const changes = createConfigChanges({ activity, config, dataDir: dir, log: createLog('silent') });
  changes.started();
  return changes;
}
const settings = () =>
  recorded.map((draft) =>
    (draft.arguments as { changes: Array<{ setting: string }> }).changes.map(({ setting }) => setting),
  );

test('the first start has nothing to compare with; what is kept is private and holds no secret', async () => {
  await start('{"mcpServers": {"a": {"command": "x", "env": {"T": "CANARY"}}}}').close();
  expect(recorded).toEqual([]);
  const file = join(dir, 'config_recorded.json');
  expect(readFileSync(file, 'utf8')).not.toContain('CANARY');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('what differs at the next start is recorded once, a changed secret too', async () => {
  await start('{"mcpServers": {"a": {"command": "x", "env": {"T": "one"}}}}').close();
  await start('{"mcpServers": {"a": {"command": "x", "env": {"T": "two"}}}}').close();
  await start('{"mcpServers": {"a": {"command": "x", "env": {"T": "two"}}}}').close();
  expect(settings()).toEqual([['mcpServers.a.env.T']]);
  expect(recorded[0]).toMatchObject({ server_name: 'a', metadata: { action: 'config_at_start' } });
});

test('what a flag gives for one start is no change of the file', async () => {
  await start('{"listen": "127.0.0.1:1"}', ['listen', 'api_key']).close();
  await start('{"listen": "127.0.0.1:2", "api_key": "0123456789abcdef"}').close();
  await start('{"listen": "127.0.0.1:3"}', ['listen']).close();
  expect(settings()).toEqual([['api_key']]);
});

test('an edit through the proxy is not recorded again, now or by the next start', async () => {
  const changes = start('{}');
  changes.changed(read('{"call_timeout": "5s"}'), 'edit');
  changes.changed(read('{"call_timeout": "5s", "quarantine": "new"}'), 'file');
  await changes.close();
  await start('{"call_timeout": "5s", "quarantine": "new"}').close();
  expect(settings()).toEqual([['quarantine']]);
});

test('what could not be recorded is recorded by the next start', async () => {
  const changes = start('{}');
  isBroken = true;
  changes.changed(read('{"quarantine": "new"}'), 'file');
  changes.changed(read('{"quarantine": "new", "call_timeout": "5s"}'), 'edit');
  await changes.close();
  isBroken = false;
  await start('{"quarantine": "new", "call_timeout": "5s"}').close();
  expect(settings()).toEqual([['call_timeout', 'quarantine']]);
});
