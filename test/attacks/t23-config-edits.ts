import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import type { ConfigState } from '../../src/contract/status.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack, Scale, Tally } from './attack.ts';
import { startOf } from './scaled.ts';

type Settings = Record<string, unknown> & { mcpServers: Record<string, Record<string, unknown>> };

const up = { ...fixture('annotated.mjs'), tools: { write: { operation: 'destructive' } } };
const STRICT: Settings = {
  confirm_weakening: true,
  quarantine: 'new',
  approvals: { require: ['destructive'] },
  activity: { retention_days: 90 },
  mcpServers: { up },
};

/** What somebody who can write the file would like, and the setting that has to be named. */
const EDITS: Record<string, { path: string; edit: Partial<Settings> }> = {
  'no more confirmations': { path: '/confirm_weakening', edit: { confirm_weakening: false } },
  'no more approvals': { path: '/approvals/require', edit: { approvals: { require: [] } } },
  'another program': {
    path: '/mcpServers/up/args',
    edit: { mcpServers: { up: { ...up, args: ['-e', 'process.exit(0)'] } } },
  },
  'a weaker verdict': {
    path: '/mcpServers/up/tools/write/operation',
    edit: { mcpServers: { up: { ...up, tools: { write: { operation: 'read' } } } } },
  },
  'one more server': {
    path: '/mcpServers/evil/command',
    edit: { mcpServers: { up, evil: { command: 'true' } } },
  },
  'no quarantine': { path: '/quarantine', edit: { quarantine: 'warn' } },
  'no scanner': { path: '/scanner', edit: { scanner: 'off' } },
  'records deleted early': { path: '/activity/retention_days', edit: { activity: { retention_days: 1 } } },
  'a known key': { path: '/api_key', edit: { api_key: 'known-to-the-attacker' } },
  'an open endpoint': { path: '/require_mcp_auth', edit: { require_mcp_auth: false } },
  'another host': { path: '/allowed_hosts', edit: { allowed_hosts: ['evil.example'] } },
};

/** An edit of the file neither weakens the protection without the operator nor stays out of the log. */
export const configEdits: Attack = {
  threat: 'T23',
  title: 'file edits of the configuration',
  async run(tally, scale) {
    let proxy = await startOf(scale)({ config: STRICT });
    try {
      await whileRunning(proxy, tally, scale);
      proxy = await whileStopped(proxy, tally, scale);
      // In small sizes: config-records.test.ts and accepted.test.ts.
      if (scale === 'full') proxy = await withoutMemory(proxy, tally);
    } finally {
      await proxy.dispose();
    }
  },
};

const write = ({ configFile }: RunningProxy, settings: object) =>
  writeFileSync(configFile, JSON.stringify(settings, null, 2), { mode: 0o600 });
const shown = async ({ rest }: RunningProxy) => (await rest.request('getConfig', {})).settings;
const configRecords = async ({ rest }: RunningProxy) =>
  (await rest.request('listActivity', { type: 'config', limit: 50 })).records;
const names = (record: ActivityRecord, path: string) =>
  (record.arguments as { changes: Array<{ path: string; effect: string }> }).changes.some(
    (change) => change.path === path && change.effect === 'weakening',
  );

async function until(
  proxy: RunningProxy,
  what: string,
  wanted: (state: ConfigState) => boolean,
): Promise<ConfigState> {
  return poll(what, proxy.stderr, async () => {
    const { config_state: state } = await proxy.rest.request('status', {});
    return state && wanted(state) ? state : undefined;
  });
}

async function whileRunning(proxy: RunningProxy, tally: Tally, scale: Scale): Promise<void> {
  const before = JSON.stringify(await shown(proxy));
  const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
  const edits = Object.entries(EDITS);
  for (const [what, { path, edit }] of scale === 'full' ? edits : edits.slice(0, 2)) {
    write(proxy, { ...STRICT, ...edit });
    const state = await until(proxy, what, ({ waiting }) =>
      Boolean(waiting?.changes.some((change) => change.path === path && change.effect === 'weakening')),
    );
    tally.held(JSON.stringify(await shown(proxy)) === before, `${what}: it took effect`);
    const record = await poll('the record', proxy.stderr, async () =>
      (await configRecords(proxy)).find((each) => names(each, path)),
    );
    tally.held(record.status === 'refused', `${what}: recorded as ${record.status}`);
    const digest = state.waiting!.digest;
    const accept = (key: string, body: object) =>
      fetch(`${proxy.url}/api/v1/config/accept`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    tally.held((await accept(token, { digest })).status === 403, `${what}: an agent confirmed it`);
    tally.held(
      (await accept(proxy.key, { digest: state.digest })).status === 409,
      `${what}: confirmed by the digest of another configuration`,
    );
    const other = await fetch(`${proxy.url}/api/v1/config`, {
      method: 'PATCH',
      headers: { 'x-api-key': proxy.key, 'content-type': 'application/json' },
      body: '{"tools":{"limit":7}}',
    });
    tally.held(other.status === 409, `${what}: carried into force by another change: ${other.status}`);
    write(proxy, STRICT);
    await until(proxy, 'the edit to be undone', ({ waiting }) => waiting === null);
  }
  tally.held(JSON.stringify(await shown(proxy)) === before, 'something stayed');
  tally.figure(`${scale === 'full' ? edits.length : 2} edits`);
}

async function whileStopped(proxy: RunningProxy, tally: Tally, scale: Scale): Promise<RunningProxy> {
  const before = JSON.stringify(await shown(proxy));
  await proxy.stop();
  write(proxy, { ...STRICT, confirm_weakening: false, quarantine: 'warn' });
  const next = await startOf(scale)({ home: proxy.home });
  const state = await until(next, 'the edit to wait', ({ waiting }) => waiting !== null);
  tally.held(JSON.stringify(await shown(next)) === before, 'an edit made while stopped took effect');
  tally.held(
    state.waiting!.changes.map(({ path }) => path).join() === '/confirm_weakening,/quarantine',
    'an edit made while stopped is not named',
  );
  return next;
}

/** The copies in the data directory are deleted too. */
async function withoutMemory(proxy: RunningProxy, tally: Tally): Promise<RunningProxy> {
  await proxy.stop();
  write(proxy, { ...STRICT, confirm_weakening: false, quarantine: 'warn' });
  rmSync(join(proxy.dataDir, 'config_accepted.json'));
  const second = await startProxy({ home: proxy.home });
  await until(second, 'the file to wait', ({ waiting }) => waiting !== null);
  const { servers } = await second.rest.request('listServers', {});
  tally.held(!servers.some(({ name }) => name === 'up'), 'a server of an unconfirmed file was started');
  await second.stop();

  rmSync(join(proxy.dataDir, 'config_recorded.json'));
  write(second, { ...STRICT, confirm_weakening: false, quarantine: 'warn' });
  const third = await startProxy({ home: proxy.home });
  const state = await until(third, 'the edit to be announced', ({ weakened }) => weakened.length > 0);
  tally.held(
    state.weakened.some(({ path, source }) => path === '/confirm_weakening' && source === 'start'),
    'no trace of the confirmation that was switched off',
  );
  const [start] = await configRecords(third);
  tally.held(names(start!, '/confirm_weakening'), 'the record of the start does not name it');
  tally.held(readFileSync(third.configFile, 'utf8').includes('"warn"'), 'the file was not edited');
  return third;
}
