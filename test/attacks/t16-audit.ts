import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import { openRawMcp, type RawMcp } from '../e2e/raw-mcp.ts';
import { poll, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack, Scale, Tally } from './attack.ts';
import { cliOf, startOf } from './scaled.ts';

/** What cannot be done without a trace, cannot be taken back, and cannot be changed afterwards. */
export const auditEvasion: Attack = {
  threat: 'T16',
  title: 'calls without a record, and records that are changed',
  async run(tally, scale) {
    const up = { ...fixture('annotated.mjs'), timeout: '20s' };
    const limits = { calls: 2, queue: 0, calls_per_client: 2 };
    const proxy = await startOf(scale)({ config: { mcpServers: { up }, limits } });
    const copies: string[] = [];
    try {
      await everyEnd(proxy, tally);
      await everyDoor(proxy, tally, scale);
      await proxy.stop();
      await everyEdit(proxy, tally, { scale, copies });
    } finally {
      await proxy.dispose();
      for (const copy of copies) rmSync(copy, { recursive: true, force: true });
    }
  },
};

const total = async ({ rest }: RunningProxy) => (await rest.request('listActivity', { limit: 1 })).total;

const isClosed = ({ duration_ms: duration }: ActivityRecord) => duration !== undefined;

/** Calls that do not end well, and what is no call at all. */
async function everyEnd(proxy: RunningProxy, tally: Tally): Promise<void> {
  const { token } = await proxy.rest.request('createToken', {
    body: { name: 'reader', operations: ['read'] },
  });
  const raw = await openRawMcp(proxy);
  const reader = await openRawMcp({ url: proxy.url, key: token });
  const call = (by: RawMcp, variant: string, args: unknown) => by.call(variant, JSON.stringify(args));
  const read = (name: string, more: object = {}) => ({
    name,
    args: {},
    intent_operation_type: 'read',
    ...more,
  });
  const ends: Record<string, () => Promise<unknown>> = {
    'another intent': () =>
      call(raw, 'call_tool_read', read('up:read_only', { intent_operation_type: 'write' })),
    'no intent': () => call(raw, 'call_tool_write', { name: 'up:read_only' }),
    'no such tool': () => call(raw, 'call_tool_read', read('up:nothing')),
    'no such server': () => call(raw, 'call_tool_read', read('nobody:nothing')),
    'not by this variant': () => call(raw, 'call_tool_read', read('up:destructive')),
    'not by this token': () =>
      call(reader, 'call_tool_destructive', read('up:destructive', { intent_operation_type: 'destructive' })),
    'no name': () => call(raw, 'call_tool_read', {}),
    'a name that is none': () => call(raw, 'call_tool_read', read('\u0000')),
    'arguments that are none': () => call(raw, 'call_tool_read', { name: 'up:read_only', args: 7 }),
    'arguments that are no JSON': () =>
      call(raw, 'call_tool_read', { name: 'up:read_only', args_json: '{"a":' }),
    'a body that is no JSON': () => raw.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{'),
    'a tool of ours that is none': () => call(raw, 'call_tool_all', read('up:read_only')),
    'an error of the server': () => call(raw, 'call_tool_read', read('up:rpc_error')),
    'a wrong key': () => fetch(`${proxy.url}/api/v1/status`, { headers: { 'x-api-key': 'x'.repeat(43) } }),
    'a token at the wrong door': () =>
      fetch(`${proxy.url}/api/v1/activity`, { headers: { 'x-api-key': token } }),
    'a caller that leaves': () => left(proxy),
    'too many at once': () =>
      Promise.all(
        Array.from({ length: 5 }, () => call(raw, 'call_tool_read', read('up:slow', { args: { ms: 1000 } }))),
      ),
  };
  for (const [what, act] of Object.entries(ends)) {
    const before = await total(proxy);
    await act();
    const wanted = what === 'too many at once' ? 5 : 1;
    const fresh = await poll('the record', proxy.stderr, async () => {
      const grown = (await total(proxy)) - before;
      if (grown < wanted) return undefined;
      const { records } = await proxy.rest.request('listActivity', { limit: grown });
      return records.every(isClosed) ? records : undefined;
    }).catch(() => []);
    tally.held(fresh.length >= wanted, `${what}: ${fresh.length} records that tell how it ended`);
    const isHonest = what === 'too many at once' || fresh.every(({ status }) => status !== 'success');
    tally.held(isHonest, `${what}: recorded as a success`);
  }
  const { total: shed } = await proxy.rest.request('listActivity', {
    type: 'tool_call',
    q: 'OVERLOADED',
    limit: 1,
  });
  const { records } = await proxy.rest.request('listActivity', {
    tool: 'slow',
    status: 'refused',
    limit: 10,
  });
  tally.held(shed + records.length > 0, 'nothing was shed, so that was not tried');
  tally.figure(`${Object.keys(ends).length} ways to end`);
}

async function left(proxy: RunningProxy): Promise<void> {
  const gone = new AbortController();
  const body = {
    tool_variant: 'call_tool_read',
    name: 'up:slow_cancellable',
    args: { ms: 30_000 },
    intent: { operation_type: 'read' },
  };
  const headers = { 'x-api-key': proxy.key, 'content-type': 'application/json' };
  const call = fetch(`${proxy.url}/api/v1/tools/call`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: gone.signal,
  }).catch(() => undefined);
  await poll('the call to be under way', proxy.stderr, async () => {
    const { in_flight: now } = await proxy.rest.request('getServer', { name: 'up' });
    return now > 0 || undefined;
  });
  gone.abort();
  await call;
}

/** Nobody takes a record away or changes it, and an agent does not even look. */
async function everyDoor(proxy: RunningProxy, tally: Tally, scale: Scale): Promise<void> {
  const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
  const { records } = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 5 });
  const before = JSON.stringify(records);
  const kept = await total(proxy);
  const { id } = records[0]!;
  for (const [who, key] of [
    ['the operator', proxy.key],
    ['an agent', token],
  ] as const)
    for (const path of [
      '/activity',
      `/activity/${id}`,
      `/activity/${id}/chain`,
      '/activity/verify',
      '/activity/export',
      '/activity/sealed',
    ])
      for (const method of ['DELETE', 'PUT', 'PATCH', 'POST']) {
        if (method === 'POST' && path === '/activity/verify') continue;
        const headers = { 'x-api-key': key, 'content-type': 'application/json' };
        const { status } = await fetch(`${proxy.url}/api/v1${path}`, { method, headers, body: '{}' });
        tally.held(status >= 400 && status < 500, `${who}: ${method} ${path}: ${status}`);
      }
  const headers = { 'x-api-key': token, 'content-type': 'application/json' };
  for (const [method, path, body] of [
    ['POST', `/activity/${id}/redact`, '{}'],
    ['PATCH', '/config', '{"activity":{"retention_days":1,"max_records":100}}'],
    ['GET', `/activity/${id}`, undefined],
  ] as const) {
    const { status } = await fetch(`${proxy.url}/api/v1${path}`, { method, headers, ...(body && { body }) });
    tally.held(status === 403, `an agent: ${method} ${path}: ${status}`);
  }
  for (const command of scale === 'full' ? ['delete', 'clear', 'edit'] : ['delete'])
    tally.held(
      (await cliOf(scale)(['activity', command, id], { home: proxy.home })).code === 2,
      `there is a command "activity ${command}"`,
    );
  const after = await Promise.all(
    records.map((record) => proxy.rest.request('getActivity', { id: record.id })),
  );
  tally.held(JSON.stringify(after) === before && (await total(proxy)) >= kept, 'a record was changed');
  tally.held((await proxy.rest.request('verifyActivity', {})).verdict === 'intact', 'the log is not intact');
}

const SEQ = '(SELECT seq FROM activity ORDER BY seq LIMIT 1 OFFSET 3)';
const pos = (place: number) => `(SELECT pos FROM activity_journal ORDER BY pos LIMIT 1 OFFSET ${place})`;
const swap = (one: string, other: string) => `
  CREATE TEMP TABLE two AS SELECT ${one} AS a, ${other} AS b;
  UPDATE activity_journal SET pos = -1 WHERE pos = (SELECT a FROM two);
  UPDATE activity_journal SET pos = (SELECT a FROM two) WHERE pos = (SELECT b FROM two);
  UPDATE activity_journal SET pos = (SELECT b FROM two) WHERE pos = -1`;

/** What somebody might do who may write to the files, in SQL. */
const EDITS: Record<string, string> = {
  'a time is changed': `UPDATE activity SET duration_ms = 123456 WHERE seq = ${SEQ}`,
  'a record is another tool’s': `
    UPDATE activity SET facet_id = (SELECT f.id FROM activity_facet f WHERE f.id <> facet_id LIMIT 1) WHERE seq = ${SEQ}`,
  'a record is taken out': `DELETE FROM activity WHERE seq = ${SEQ}`,
  'a record is taken out with its entries': `
    DELETE FROM activity_journal WHERE seq = ${SEQ};
    DELETE FROM activity WHERE seq = ${SEQ}`,
  'the last ones are cut off': `
    DELETE FROM activity WHERE seq IN (SELECT seq FROM activity ORDER BY seq DESC LIMIT 3);
    DELETE FROM activity_journal WHERE pos >=
      (SELECT min(pos) FROM activity_journal WHERE seq NOT IN (SELECT seq FROM activity))`,
  'an entry is changed': `UPDATE activity_journal SET entry = replace(entry, '1', '2') WHERE pos = ${pos(4)}`,
  'two entries change places': swap(pos(3), pos(4)),
  'the key is exchanged': `UPDATE activity_log SET public_key = replace(public_key, 'A', 'B')`,
};

async function everyEdit(
  proxy: RunningProxy,
  tally: Tally,
  { scale, copies }: { scale: Scale; copies: string[] },
): Promise<void> {
  const verify = async (dataDir: string) =>
    (
      await cliOf(scale)(['activity', 'verify', '--config', proxy.configFile, '--data-dir', dataDir], {
        home: proxy.home,
      })
    ).code;
  tally.held((await verify(proxy.dataDir)) === 0, 'the log is not intact to begin with');
  const edits = Object.entries(EDITS);
  for (const [i, [what, edit]] of (scale === 'full' ? edits : edits.slice(3, 4)).entries()) {
    const copy = join(proxy.home, `copy-${i}`);
    copies.push(copy);
    cpSync(proxy.dataDir, copy, { recursive: true });
    const db = new DatabaseSync(join(copy, databaseIn(copy)));
    const before = db.prepare('SELECT total_changes() AS n').get() as { n: number };
    db.exec(edit);
    const after = db.prepare('SELECT total_changes() AS n').get() as { n: number };
    db.close();
    tally.held(after.n > before.n, `${what}: nothing was changed, so that was not tried`);
    const code = await verify(copy);
    tally.held(code !== 0, `${what}: verified as intact`);
  }
  tally.figure(`${scale === 'full' ? edits.length : 1} edits of the file found`);
}

const databaseIn = (dir: string) =>
  readdirSync(dir).find((name) => name.endsWith('.db') || name.endsWith('.sqlite'))!;
