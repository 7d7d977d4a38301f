import { mkdtempSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import type { ActivityRecord } from '../../contract/activity.ts';
import type { Config } from '../../contract/config.ts';
import { createLog } from '../../lib/log.ts';
import { createConfigRecords } from './config-records.ts';
import type { Outcome, RecordDraft } from '../record/record.ts';

type Recorded = RecordDraft & Outcome;

let dir: string;
let recorded: Recorded[];
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
    async close(outcome: Outcome) {
      if (isBroken) throw new Error('the disk is full');
      // Through JSON, as the log stores it.
      recorded.push(JSON.parse(JSON.stringify({ ...draft, ...outcome })) as Recorded);
    },
  }),
  list: async ({ status }: { status?: string }) => ({
    records: recorded
      .filter((each) => each.type === 'config' && each.status === status)
      .reverse() as unknown as ActivityRecord[],
    next_cursor: null,
    total: 0,
  }),
};
const CLOCK = { now: () => Date.parse('2026-01-02T03:04:05Z') };
const OPERATOR = { principal: 'operator', source: 'api' as const, requestId: 'r1', client: 'web/1' };
const read = (text: string) => parseConfig(text, 'f');
const text = (config: object) => JSON.stringify(config);

interface Given {
  overridden?: string[];
  isDaemon?: boolean;
  waiting?: Config;
  proxy?: string;
}

function start(config: string, { overridden = [], isDaemon = false, waiting, proxy = 'p' }: Given = {}) {
  const log = Object.assign(createLog('silent'), { warn: vi.fn() });
  const notify = vi.fn();
  const current = read(config);
  let held = waiting;
  const records = createConfigRecords({
    activity,
    config: {
      current: () => current,
      file: 'f',
      overridden,
      waiting: () => held,
      onWaiting: () => {},
      async accept(next, by) {
        held = undefined;
        records.changed(next, { from: 'accept', by });
      },
    },
    dataDir: dir,
    key: 'key',
    proxy,
    notify,
    clock: CLOCK,
    log,
  });
  records.started({ isDaemon });
  return { ...records, log, notify };
}

interface Arguments {
  digest: string;
  previous_digest?: string;
  source: string;
  weakening: number;
  changes: Array<{ path: string; effect: string }>;
}
const asked = (record: Recorded | undefined) => record?.arguments as Arguments;
const paths = () => recorded.map((record) => asked(record).changes.map(({ path }) => path));
const file = () => join(dir, 'config_recorded.json');

test('the configuration at start is a record with a digest, and so is a start without a change', async () => {
  await start(text({ quarantine: 'new' }), { isDaemon: true }).close();
  await start(text({ quarantine: 'new' }), { isDaemon: true }).close();
  expect(recorded).toMatchObject([
    {
      type: 'config',
      source: 'system',
      status: 'success',
      metadata: { action: 'start', principal: 'config file' },
      arguments: { file: 'f', source: 'start', weakening: 0, changes: [] },
    },
    { metadata: { action: 'start' } },
  ]);
  const { settings } = recorded[0]!.response as { settings: unknown[] };
  expect(settings).toContainEqual({ setting: 'quarantine', shown: 'new' });
  expect(asked(recorded[0]).digest).toMatch(/^[0-9a-f]{64}$/);
  expect(asked(recorded[0])).not.toHaveProperty('previous_digest');
  expect(asked(recorded[1]).digest).toBe(asked(recorded[0]).digest);
  expect(asked(recorded[1]).previous_digest).toBe(asked(recorded[0]).digest);
});

test('a changed secret changes the digest without revealing it', async () => {
  const config = (secret: string) => text({ mcpServers: { a: { command: 'x', env: { T: secret } } } });
  await start(config('CANARY-1'), { isDaemon: true }).close();
  await start(config('CANARY-2'), { isDaemon: true }).close();
  await start(config('CANARY-1'), { isDaemon: true }).close();
  const digests = recorded.map((record) => asked(record).digest);
  expect(digests[0]).not.toBe(digests[1]);
  expect(digests[2]).toBe(digests[0]);
  expect(paths()).toEqual([[], ['/mcpServers/a/env/T'], ['/mcpServers/a/env/T']]);
  expect(JSON.stringify(recorded)).not.toContain('CANARY');
  expect(readFileSync(file(), 'utf8')).not.toContain('CANARY');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('a command records only a configuration that differs', async () => {
  await start('{}').close();
  await start('{}').close();
  await start(text({ quarantine: 'new' })).close();
  expect(paths()).toEqual([['/quarantine']]);
});

test('what a flag gives for one start is no change of the file', async () => {
  await start('{"listen": "127.0.0.1:1"}', { overridden: ['listen', 'api_key'] }).close();
  await start('{"listen": "127.0.0.1:2", "api_key": "0123456789abcdef"}').close();
  await start('{"listen": "127.0.0.1:3"}', { overridden: ['listen'] }).close();
  expect(paths()).toEqual([['/api_key']]);
  await start('{"listen": "127.0.0.1:4"}', { overridden: ['listen'], isDaemon: true }).close();
  expect(recorded.at(-1)!.arguments).toMatchObject({ overridden: { listen: '127.0.0.1:4' } });
});

test('a change through the proxy is recorded with its diff, its source and who made it', async () => {
  const records = start('{}');
  records.changed(read(text({ call_timeout: '5s' })), { from: 'edit', by: OPERATOR });
  records.changed(read(text({ call_timeout: '5s', quarantine: 'new' })), { from: 'file' });
  await records.close();
  expect(recorded).toMatchObject([
    {
      source: 'api',
      request_id: 'r1',
      client: 'web/1',
      metadata: { action: 'edit', principal: 'operator' },
      arguments: {
        source: 'web',
        weakening: 0,
        changes: [
          { path: '/call_timeout', change: 'changed', before: '60s', after: '5s', effect: 'tightening' },
        ],
      },
    },
    {
      source: 'system',
      metadata: { action: 'file', principal: 'config file' },
      arguments: { source: 'file' },
    },
  ]);
  await start(text({ call_timeout: '5s', quarantine: 'new' })).close();
  expect(recorded).toHaveLength(2);
});

test('a weakening by the operator is counted in its record and not announced', async () => {
  const records = start('{}');
  records.changed(read(text({ scanner: 'off' })), { from: 'edit', by: OPERATOR });
  await records.close();
  expect(asked(recorded[0]).weakening).toBe(1);
  expect([records.state().weakened, records.log.warn.mock.calls]).toEqual([[], []]);
});

test('what could not be recorded is recorded by the next start', async () => {
  const records = start('{}');
  isBroken = true;
  records.changed(read(text({ quarantine: 'new' })), { from: 'file' });
  records.changed(read(text({ quarantine: 'new', call_timeout: '5s' })), { from: 'edit', by: OPERATOR });
  await records.close();
  isBroken = false;
  await start(text({ quarantine: 'new', call_timeout: '5s' })).close();
  expect(paths()).toEqual([['/call_timeout', '/quarantine']]);
});

describe('an edit made while the proxy was stopped', () => {
  const before = text({ quarantine: 'new', mcpServers: { a: { command: 'x', env: { T: 'one' } } } });
  const after = text({ mcpServers: { a: { command: 'x', env: { T: 'one' } } } });

  test('is in the record of the start, also if the copy in the data directory is changed or deleted', async () => {
    const hidings = [() => {}, () => unlinkSync(file()), () => writeFileSync(file(), '{"settings": {}}')];
    for (const hide of hidings) {
      await start(before, { isDaemon: true }).close();
      hide();
      await start(after, { isDaemon: true }).close();
      expect(asked(recorded.at(-1))).toMatchObject({
        source: 'start',
        weakening: 1,
        changes: [{ path: '/quarantine', before: 'new', after: 'risky', effect: 'weakening' }],
        previous_digest: asked(recorded.at(-2)).digest,
      });
    }
  });

  test('is compared with the record of this proxy, not with that of another on the same database', async () => {
    await start(before, { isDaemon: true }).close();
    rmSync(file());
    await start(after, { isDaemon: true, proxy: 'other' }).close();
    expect(asked(recorded.at(-1)).changes).toEqual([]);
  });

  test('is found after an upgrade, from the copy that an earlier version left', async () => {
    const { flattenConfig } = await import('../../config/diff-config.ts');
    const { confirm_weakening: _, ...settings } = flattenConfig(read(before), 'old salt');
    writeFileSync(file(), JSON.stringify({ salt: 'old salt', settings, left: [] }));
    await start(after, { isDaemon: true }).close();
    expect(paths()).toEqual([['/quarantine']]);
  });
});

describe('a weakening edit of the file is announced', () => {
  const weaker = { scanner: 'off', limits: { calls: 600 } };

  test('in the log, in the state and to the program that notifies, until it is accepted', async () => {
    const records = start('{}');
    records.changed(read(text(weaker)), { from: 'file' });
    await records.close();
    expect(records.state()).toMatchObject({
      waiting: null,
      more: 0,
      weakened: [
        { path: '/limits/calls', before: 500, after: 600, source: 'file', at: '2026-01-02T03:04:05.000Z' },
        { path: '/scanner', before: 'warn', after: 'off' },
      ],
    });
    expect(records.log.warn.mock.calls[0]![1]).toMatch(
      /weakens 2 settings: \/limits\/calls, \/scanner; review .* "mcpproxy config accept"/,
    );
    expect(records.notify.mock.calls[0]![0]).toMatchObject({
      event: 'config_weakened',
      changes: [{ path: '/limits/calls' }, { path: '/scanner' }],
    });

    const next = start(text(weaker));
    await next.close();
    expect(next.state().weakened).toHaveLength(2);
    await expect(next.accept('0'.repeat(64), OPERATOR)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(next.state().weakened).toHaveLength(2);
    expect(await next.hasChanges()).toBe(true);
    expect((await next.accept(next.state().digest, OPERATOR)).weakened).toEqual([]);
    expect(await next.hasChanges()).toBe(false);
    const last = start(text(weaker));
    await last.close();
    expect(last.state().weakened).toEqual([]);
  });

  test('and no longer when it is undone', async () => {
    const records = start('{}');
    records.changed(read(text(weaker)), { from: 'file' });
    records.changed(read(text({ limits: { calls: 600 } })), { from: 'file' });
    await records.close();
    expect(records.state().weakened.map(({ path }) => path)).toEqual(['/limits/calls']);
  });

  describe('unless it goes back to the accepted settings', () => {
    const server = (entry: object) => text({ mcpServers: { time: entry } });
    const good = server({ command: 'uvx', args: ['time'] });
    const typo = server({ comand: 'uvx', args: ['time'] });

    test('while the proxy runs', async () => {
      const records = start(good);
      records.changed(read(typo), { from: 'file' });
      await records.close();
      expect(records.state().weakened).toMatchObject([{ path: '/mcpServers/time/command' }]);
      records.changed(read(good), { from: 'file' });
      await records.close();
      expect(records.state().weakened).toEqual([]);
      expect([records.log.warn.mock.calls.length, records.notify.mock.calls.length]).toEqual([1, 1]);
    });

    test('after a restart, if the log confirms which settings were accepted', async () => {
      await start(good, { isDaemon: true }).close();
      await start(typo, { isDaemon: true }).close();
      const again = start(good, { isDaemon: true });
      await again.close();
      expect([again.state().weakened, again.log.warn.mock.calls]).toEqual([[], []]);
      const forged = JSON.parse(readFileSync(file(), 'utf8')) as { accepted: object };
      forged.accepted = { ...forged.accepted, scanner: { shown: 'off' } };
      writeFileSync(file(), JSON.stringify(forged));
      const weak = start(text({ ...(JSON.parse(good) as object), scanner: 'off' }), { isDaemon: true });
      await weak.close();
      expect(weak.state().weakened).toMatchObject([{ path: '/scanner' }]);
    });

    test('a setting that the file has tightened since is accepted as tightened', async () => {
      const records = start(text({ limits: { calls: 500 } }));
      for (const calls of [600, 400, 450])
        records.changed(read(text({ limits: { calls } })), { from: 'file' });
      await records.close();
      expect(records.state().weakened).toMatchObject([{ path: '/limits/calls', before: 400, after: 450 }]);
    });

    test('what the operator changes or confirms is accepted, and nothing else', async () => {
      const records = start('{}');
      records.changed(read(text(weaker)), { from: 'file' });
      records.changed(read(text({ ...weaker, scanner: 'warn' })), { from: 'edit', by: OPERATOR });
      await records.close();
      expect(records.state().weakened).toMatchObject([{ path: '/limits/calls' }]);
      await records.accept(records.state().digest, OPERATOR);
      records.changed(read(text({ limits: { calls: 500 } })), { from: 'file' });
      records.changed(read(text({ limits: { calls: 600 } })), { from: 'file' });
      await records.close();
      expect(records.state().weakened).toMatchObject([{ path: '/limits/calls', before: 500, after: 600 }]);
    });
  });

  test('and the list has a bound', async () => {
    const records = start('{}');
    const servers = Array.from({ length: 150 }, (_, i) => [`s${i}`, { command: 'x' }]);
    records.changed(read(text({ mcpServers: Object.fromEntries(servers) })), { from: 'file' });
    await records.close();
    expect([records.state().weakened.length, records.state().more]).toEqual([100, 50]);
  });
});

test('an edit that waits is recorded as refused, and applied by the digest that was shown', async () => {
  const records = start(text({ quarantine: 'new' }), { waiting: read('{}'), isDaemon: true });
  await records.close();
  expect(recorded).toMatchObject([
    { status: 'success', metadata: { action: 'start' } },
    {
      status: 'refused',
      metadata: { action: 'waiting' },
      arguments: { weakening: 1, changes: [{ path: '/quarantine', before: 'new', after: 'risky' }] },
    },
  ]);
  const { waiting, digest } = records.state();
  expect(waiting).toMatchObject({ since: '2026-01-02T03:04:05.000Z', changes: [{ path: '/quarantine' }] });
  await expect(records.accept(digest, OPERATOR)).rejects.toMatchObject({ code: 'CONFLICT' });
  await records.accept(waiting!.digest, OPERATOR);
  expect(recorded.at(-1)).toMatchObject({
    status: 'success',
    metadata: { action: 'accept', principal: 'operator' },
    arguments: { source: 'web', digest: waiting!.digest, weakening: 1 },
  });
});
