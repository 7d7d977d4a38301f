import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigState } from '../../src/contract/status.ts';
import { runCli, type CliResult } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

// Edits of the file that weaken the protection, on the built program: announced, and by setting waiting for a confirmation.

let proxy: RunningProxy;
beforeAll(async () => {
  proxy = await startHere({ config: { quarantine: 'new', scanner: 'quarantine' } });
});
afterAll(() => proxy.dispose());

const built = (...args: string[]): Promise<CliResult> =>
  runCli([...args, ...proxy.place], { home: proxy.home });
const write = (settings: object) => writeFileSync(proxy.configFile, JSON.stringify(settings));
const status = () => proxy.rest.request('status', {});
const until = (what: string, wanted: (state: ConfigState) => boolean) =>
  poll(what, proxy.stderr, async () => {
    const { config_state: state } = await status();
    return state && wanted(state) ? state : undefined;
  });
const records = async (type: 'config' | 'config_change') =>
  (await proxy.rest.request('listActivity', { type, limit: 20 })).records;

test('an edit of the file that weakens a policy is announced in log, status, doctor and by the notify program, until it is accepted', async () => {
  const out = join(proxy.home, 'notified');
  const script = `let t=''; process.stdin.on('data', (d) => t += d).on('end', () => require('fs').writeFileSync(${JSON.stringify(out)}, t))`;
  await proxy.rest.request('updateConfig', {
    body: { approvals: { notify: [process.execPath, '-e', script] } },
  });
  // The edit also tries to silence the notification.
  write({ quarantine: 'warn', scanner: 'quarantine' });
  const state = await until('the announcement', ({ weakened }) => weakened.length > 0);
  expect(state.weakened).toMatchObject([
    { path: '/approvals/notify', effect: 'weakening', source: 'file' },
    { path: '/quarantine', before: 'new', after: 'warn', effect: 'weakening', source: 'file' },
  ]);
  expect(proxy.stderr()).toMatch(/weakens 2 settings: \/approvals\/notify, \/quarantine;/);
  const shown = await built('status');
  expect(shown.stdout).toMatch(/Config review +Edits of the file weakened .*\/quarantine \("new" → "warn"\)/);
  expect((await built('doctor')).stdout).toMatch(/warning +config review +Edits of the file weakened/);
  const notified = await poll('the notification', proxy.stderr, () =>
    existsSync(out) ? readFileSync(out, 'utf8') || undefined : undefined,
  );
  expect(JSON.parse(notified)).toMatchObject({
    event: 'config_weakened',
    source: 'file',
    changes: [{ path: '/approvals/notify' }, { path: '/quarantine' }],
  });

  const accepted = await built('config', 'accept');
  expect([accepted.code, accepted.stdout]).toEqual([
    0,
    expect.stringMatching(/\/quarantine +weakening +"new" +"warn"/),
  ]);
  expect((await status()).config_state).toMatchObject({ weakened: [], waiting: null });
  expect((await records('config_change'))[0]).toMatchObject({
    source: 'cli',
    principal: 'operator',
    metadata: { action: 'accept_config' },
    arguments: { digest: state.digest },
  });
});

test('with confirm_weakening a weakening edit of the file is not applied until the operator confirms it, also across a restart', async () => {
  const strict = { quarantine: 'warn', scanner: 'quarantine', confirm_weakening: true };
  write(strict);
  await poll('the setting', proxy.stderr, async () => {
    const { settings } = await proxy.rest.request('getConfig', {});
    return settings.confirm_weakening === true || undefined;
  });
  // A tightening edit does not wait, a weakening one does as a whole, and so does the end of confirmations.
  write({ ...strict, quarantine: 'changed' });
  await poll('the tighter setting', proxy.stderr, async () =>
    (await status()).quarantine === 'changed' ? true : undefined,
  );
  write({ scanner: 'off', quarantine: 'new' });
  const { waiting, digest } = await until('the edit to wait', (state) => state.waiting !== null);
  const inForce = async () => {
    const { settings } = await proxy.rest.request('getConfig', {});
    return [settings.scanner, settings.quarantine, settings.confirm_weakening];
  };
  expect(waiting!.changes).toMatchObject([
    { path: '/confirm_weakening', effect: 'weakening' },
    { path: '/quarantine', effect: 'tightening' },
    { path: '/scanner', effect: 'weakening' },
  ]);
  expect(await inForce()).toEqual(['quarantine', 'changed', true]);
  await expect(proxy.rest.request('updateConfig', { body: { tools: { limit: 3 } } })).rejects.toMatchObject({
    code: 'CONFLICT',
  });

  const { home } = proxy;
  await proxy.stop();
  proxy = await startHere({ home });
  const again = await until('the edit to wait again', (state) => state.waiting !== null);
  expect(await inForce()).toEqual(['quarantine', 'changed', true]);
  expect(again.waiting!.changes).toEqual(waiting!.changes);
  expect((await built('status')).stdout).toMatch(/Config review +An edit of the file waits .*\/scanner/);
  expect(proxy.stderr()).toMatch(
    /waits for a confirmation, because it weakens \/confirm_weakening, \/scanner/,
  );

  expect((await built('config', 'accept', '--digest', digest)).code).not.toBe(0);
  expect(await inForce()).toEqual(['quarantine', 'changed', true]);
  const accepted = await built('config', 'accept', '--digest', again.waiting!.digest);
  expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringMatching(/\/scanner +weakening/)]);
  expect(await inForce()).toEqual(['off', 'new', false]);
  const [last, waited] = await records('config');
  expect([last, waited]).toMatchObject([
    {
      source: 'cli',
      status: 'success',
      metadata: { action: 'accept', principal: 'operator' },
      arguments: { source: 'cli', digest: again.waiting!.digest, weakening: 2 },
    },
    { status: 'refused', metadata: { action: 'waiting', principal: 'config file' } },
  ]);
});

test('without a running daemon the same command confirms, and a change by the operator needs no confirmation', async () => {
  await proxy.rest.request('updateConfig', { body: { confirm_weakening: true } });
  await proxy.rest.request('updateConfig', { body: { call_timeout: '10m' } });
  expect((await status()).config_state).toMatchObject({ waiting: null, weakened: [] });
  const { home } = proxy;
  await proxy.stop();
  write({ confirm_weakening: true, call_timeout: '20m', scanner: 'off', quarantine: 'new' });
  const accepted = await built('config', 'accept');
  expect([accepted.code, accepted.stdout]).toEqual([
    0,
    expect.stringMatching(/\/call_timeout +weakening +"10m" +"20m"/),
  ]);
  proxy = await startHere({ home });
  const { settings } = await proxy.rest.request('getConfig', {});
  expect(settings.call_timeout).toBe('20m');
});
