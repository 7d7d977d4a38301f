import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { restClient } from '../../../../test/fixtures/rest-client.ts';
import { fakeParts } from '../../../../test/fixtures/rest-parts.ts';
import { showConfig } from '../../../config/show.ts';
import type { ConfigStore } from '../../../config/config-store.ts';
import { createConfigStore } from '../../../config/store.ts';
import { createLog } from '../../../lib/log.ts';

let dir: string;
let file: string;
let config: ConfigStore;
let fake: ReturnType<typeof fakeParts>;
let door: ReturnType<typeof restClient>;

const TEXT = `{
  // how strict we are
  "intent_declaration": { "strict_server_validation": true },
  "tools": { "limit": 7 }
}
`;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'settings-'));
  file = join(dir, 'mcp_config.json');
  writeFileSync(file, TEXT, { mode: 0o600 });
  const settings = { configFile: file, defaultDataDir: dir, overrides: {} };
  config = createConfigStore({ settings, watch: false, log: createLog('silent') });
  fake = fakeParts();
  door = restClient({ ...fake.parts, config });
});
afterEach(async () => {
  await config.close();
  rmSync(dir, { recursive: true });
});

const change = (body: Record<string, unknown>) => door.client.request('updateConfig', { body });

describe('settings', () => {
  test('a change of the program that notifies is recorded without the secrets in its arguments', async () => {
    await change({ approvals: { notify: ['notify', '--token', 'sekrit-1', 'https://h/?sig=sekrit-2'] } });
    expect(config.current().approvals.notify).toContain('sekrit-1');
    expect(fake.recorded[0]!.draft.arguments).toEqual({
      approvals: { notify: ['notify', '--token', '***', 'https://h/***'] },
    });
  });

  test('a change of the witnesses is recorded without the secrets in an address or a command', async () => {
    const witness = [
      { url: 'https://hooks.example.com/services/sekrit-1/sekrit-2?key=sekrit-3' },
      { command: ['curl', '-H', 'Authorization: Bearer sekrit-4', 'https://h/'] },
      { file: '/mnt/audit/checkpoints' },
    ];
    await change({ activity: { witness } });
    expect(config.current().activity.witness).toEqual(witness);
    expect(fake.recorded[0]!.draft.arguments).toMatchObject({
      activity: { witness: [{ url: 'https://hooks.example.com/***' }, {}, witness[2]] },
    });
    expect(JSON.stringify([fake.recorded, showConfig(config.current())])).not.toContain('sekrit');
  });

  test('a confirmation with nothing to confirm is a conflict and no record', async () => {
    const configRecords = { ...fake.parts.configRecords, hasChanges: async () => false };
    const { client } = restClient({ ...fake.parts, config, configRecords });
    await expect(client.request('acceptConfig', { body: { digest: 'a'.repeat(64) } })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('nothing to confirm') as string,
    });
    expect(fake.recorded).toEqual([]);
  });

  test('are shown with their schema, and nothing secret among them', async () => {
    const view = await door.client.request('getConfig', {});
    expect(view.settings).toMatchObject({ tools: { limit: 7, detail: 'full' }, quarantine: 'risky' });
    expect(view.schema.quarantine).toMatchObject({ enum: ['warn', 'risky', 'changed', 'new'] });
    expect(Object.keys(view.settings)).not.toContain('api_key');
    expect(Object.keys(view.settings)).not.toContain('mcpServers');
    // The address at which the daemon listens, which is not that of the file.
    expect(view.in_force).toMatchObject({ listen: '127.0.0.1:8080', tools: { limit: 7 }, mcpServers: {} });
  });

  test('are changed one by one, in force at once, and the comments of the file stay', async () => {
    const view = await change({ quarantine: 'changed', tools: { detail: 'compact' } });
    expect(view.settings).toMatchObject({ quarantine: 'changed', tools: { limit: 7, detail: 'compact' } });
    expect(config.current().quarantine).toBe('changed');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('// how strict we are');
    expect(text).toContain('"limit": 7');
  });

  test('null removes one, so that the default holds again', async () => {
    expect((await change({ tools: { limit: null } })).settings).toMatchObject({ tools: { limit: 10 } });
  });

  test.each([
    [{ quarantine: 'maybe' }],
    [{ tools: { limit: 0 } }],
    [{ tools: { unknown_key: 1 } }],
    [{ call_timeout: 'soon' }],
  ])('%j is refused, and the file stays as it was', async (body) => {
    await expect(change(body)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
  });

  test.each([[{ api_key: 'x'.repeat(32) }], [{ listen: '0.0.0.0:80' }], [{ mcpServers: {} }], [{}]])(
    '%j cannot be changed here',
    async (body) => {
      await expect(change(body)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
      expect(readFileSync(file, 'utf8')).toBe(TEXT);
    },
  );
});
