import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { parseConfig } from '../../config/parse.ts';
import { createLog } from '../../lib/log.ts';
import { createConfigRecords } from './config-records.ts';

const CONFIG = {
  quarantine: 'new',
  api_key: 'CANARY-0123456789abcdef',
  approvals: { require: ['destructive', { match: { server: 'a' }, action: 'refuse' }] },
  mcpServers: {
    a: { command: 'x', args: ['--token', 'CANARY'], env: { TOKEN: 'CANARY', KEY: '${env:KEY}' } },
    'My Server': {
      url: 'https://u:CANARY@h/mcp?token=CANARY',
      headers: { Authorization: 'Bearer ${env:REMOTE_TOKEN}' },
    },
  },
};

eachLog('records of the configuration', (open) => {
  let log: TestLog;
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  async function start(config: object): Promise<void> {
    const current = parseConfig(JSON.stringify(config), 'f');
    const records = createConfigRecords({
      activity: log.activity,
      config: {
        current: () => current,
        file: 'f',
        overridden: [],
        waiting: () => undefined,
        onWaiting: () => {},
        accept: async () => {},
      },
      dataDir: log.dir,
      key: 'key',
      proxy: 'p',
      clock: log.clock,
      log: createLog('silent'),
    });
    records.started({ isDaemon: true });
    await records.close();
  }

  test('the last record alone shows what was changed while the proxy was stopped, without secrets, and the chain verifies', async () => {
    await start(CONFIG);
    rmSync(join(log.dir, 'config_recorded.json'));
    const a = { ...CONFIG.mcpServers.a, env: { TOKEN: 'CANARY-2', KEY: '${env:KEY}' } };
    await start({ ...CONFIG, quarantine: 'warn', mcpServers: { ...CONFIG.mcpServers, a } });
    const { records } = await log.activity.list({ type: 'config' }, { limit: 10 });
    expect(records).toMatchObject([
      {
        arguments: {
          source: 'start',
          weakening: 2,
          previous_digest: (records[1]!.arguments as { digest: string }).digest,
          changes: [
            { path: '/mcpServers/a/env/TOKEN', change: 'changed', effect: 'weakening' },
            { path: '/quarantine', before: 'new', after: 'warn', effect: 'weakening' },
          ],
        },
      },
      { arguments: { changes: [], weakening: 0 } },
    ]);
    expect(JSON.stringify(records)).not.toContain('CANARY');
    expect((await log.activity.verify()).verdict).toBe('intact');
  });
});
