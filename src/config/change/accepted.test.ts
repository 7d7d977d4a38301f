import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { createLog } from '../../lib/log.ts';
import { configDigestKey } from './accepted.ts';
import type { ConfigStore } from '../config-store.ts';
import { createConfigStore } from '../store.ts';

const OPERATOR = { principal: 'operator', source: 'api' as const, requestId: 'r' };
const STRICT = { confirm_weakening: true, quarantine: 'new', mcpServers: { a: { command: 'x' } } };

let dir: string;
let file: string;
let open: ConfigStore[];
beforeEach(() => {
  dir = tempDir();
  file = join(dir, 'mcp_config.json');
  open = [];
});
afterEach(() => Promise.all(open.map((store) => store.close())));

const write = (config: object) => writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
function start(): ConfigStore {
  const settings = { configFile: file, defaultDataDir: dir, overrides: {} };
  const store = createConfigStore({ settings, watch: false, log: createLog('silent') });
  open.push(store);
  store.keepIn(dir);
  // As the proxy does from its first start on.
  writeFileSync(join(dir, 'config_recorded.json'), '{}');
  return store;
}

test('without the setting every edit takes effect', async () => {
  write({ ...STRICT, confirm_weakening: false });
  const store = start();
  write({});
  await store.reload();
  expect([store.current().quarantine, store.waiting()]).toEqual(['risky', undefined]);
});

test('an edit that weakens a setting waits completely until it is confirmed or undone; one that tightens a setting takes effect', async () => {
  write(STRICT);
  const store = start();
  const seen: string[] = [];
  store.onWaiting((next) => void seen.push(next.quarantine));
  write({ ...STRICT, quarantine: 'warn', scanner: 'quarantine' });
  await store.reload();
  await store.reload();
  expect([store.current().quarantine, store.current().scanner, seen]).toEqual(['new', 'warn', ['warn']]);
  write(STRICT);
  await store.reload();
  expect(store.waiting()).toBeUndefined();
  write({ ...STRICT, scanner: 'quarantine' });
  await store.reload();
  expect([store.current().scanner, store.waiting()]).toEqual(['quarantine', undefined]);
});

test('the setting itself is switched off by a confirmation only, or by the operator', async () => {
  write(STRICT);
  const store = start();
  write({ ...STRICT, confirm_weakening: false });
  await store.reload();
  expect(store.current().confirm_weakening).toBe(true);
  write(STRICT);
  await store.editSettings({ confirm_weakening: false }, OPERATOR);
  expect(store.current().confirm_weakening).toBe(false);
});

test('an edit through the proxy is refused while an edit of the file waits, even before the watcher has seen that edit', async () => {
  write(STRICT);
  const store = start();
  write({ ...STRICT, quarantine: 'warn' });
  await expect(store.editSettings({ tools: { limit: 3 } }, OPERATOR)).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect([store.current().quarantine, store.waiting()?.quarantine]).toEqual(['new', 'warn']);
});

test('only the configuration that was shown is accepted', async () => {
  write(STRICT);
  const store = start();
  write({ ...STRICT, quarantine: 'changed' });
  await store.reload();
  const shown = store.waiting()!;
  write({ ...STRICT, quarantine: 'warn' });
  await store.reload();
  await expect(store.accept(shown, OPERATOR)).rejects.toMatchObject({ code: 'CONFLICT' });
  await store.accept(store.waiting()!, OPERATOR);
  expect([store.current().quarantine, store.waiting()]).toEqual(['warn', undefined]);
});

test('an edit made while the proxy was stopped waits at the next start, until it is confirmed', async () => {
  write(STRICT);
  start();
  write({ ...STRICT, confirm_weakening: false, quarantine: 'warn' });
  for (let i = 0; i < 2; i++) {
    const again = start();
    expect([again.current().quarantine, again.waiting()?.quarantine]).toEqual(['new', 'warn']);
  }
  const store = start();
  await store.accept(store.waiting()!, OPERATOR);
  expect([start().current().quarantine, start().waiting()]).toEqual(['warn', undefined]);
});

test('without the last configuration nothing of the file is in force but the places of the data', () => {
  write(STRICT);
  start();
  const kept = join(dir, 'config_accepted.json');
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  const spoilings = [
    () => rmSync(kept),
    () => writeFileSync(kept, JSON.stringify({ sealed: 'mcpproxy.AAAA' })),
    () => rmSync(join(dir, 'config_key')),
  ];
  for (const spoil of spoilings) {
    spoil();
    const store = start();
    expect(store.current()).toMatchObject({
      mcpServers: {},
      confirm_weakening: true,
      quarantine: 'new',
      approvals: { require: ['read'] },
    });
    expect(Object.keys(store.waiting()!.mcpServers)).toEqual(['a']);
    // It is not taken for accepted by starting once more.
    expect(start().waiting()).toBeDefined();
  }
});

test('without the last configuration, the file does not switch off the confirmation that the last record shows', () => {
  write(STRICT);
  start();
  const recorded = JSON.stringify({ settings: { confirm_weakening: { shown: true } } });
  for (const left of [recorded, 'damaged']) {
    rmSync(join(dir, 'config_accepted.json'), { force: true });
    writeFileSync(join(dir, 'config_recorded.json'), left);
    write({ ...STRICT, confirm_weakening: false, quarantine: 'warn' });
    const store = start();
    expect([store.current().quarantine, store.waiting()?.quarantine]).toEqual(['new', 'warn']);
  }
});

test('the key of the digests of secrets is of the data directory, and stays the same', () => {
  const [key, other] = [configDigestKey(dir), configDigestKey(tempDir())];
  expect([configDigestKey(dir), key === other, key.length]).toEqual([key, false, 64]);
});

test('the first start accepts the file as it is, and the copy shows nothing of it', () => {
  write({ ...STRICT, mcpServers: { a: { command: 'x', env: { T: 'CANARY' } } } });
  expect(start().waiting()).toBeUndefined();
  expect(readFileSync(join(dir, 'config_accepted.json'), 'utf8')).not.toMatch(/CANARY|quarantine/);
});
