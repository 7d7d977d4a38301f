import { expect, onTestFinished, test } from 'vitest';
import { silent } from '../../test/fixtures/http-server.ts';
import { startAssistantProxy } from '../../test/fixtures/assistant-proxy.ts';
import type { OpenRecord, RecordDraft } from '../log/index.ts';
import type { ServerState } from '../contract/status.ts';
import { createEventBus } from '../lib/event-bus.ts';
import { createServerChanges } from './server-changes.ts';

test('a server that fails, is lost, and is back is recorded, once a minute with a count', () => {
  const time = { now: 0 };
  const events = createEventBus();
  const told: unknown[] = [];
  let current: { state: ServerState; last_error?: string } | undefined;
  const open = ({ type, server_name, metadata }: RecordDraft) =>
    ({
      close: async ({ status, error_message }: { status: string; error_message?: string }) =>
        void told.push([type, server_name, metadata, status, error_message]),
    }) as unknown as OpenRecord;
  const clock = { now: () => time.now };
  const changes = createServerChanges({
    activity: { open },
    events,
    view: () => current,
    clock,
    log: silent,
  });
  const becomes = (state: ServerState, last_error?: string) => {
    current = { state, ...(last_error !== undefined && { last_error }) };
    events.emit('server', { name: 'a', state });
  };
  const record = (action: string, why?: string, left_out?: number) => [
    'server_change',
    'a',
    { action, ...(left_out !== undefined && { left_out }) },
    why === undefined ? 'success' : 'error',
    why,
  ];
  becomes('connecting');
  becomes('ready');
  becomes('connecting');
  becomes('ready');
  expect(told).toEqual([]);
  becomes('connecting', 'killed');
  expect(told.splice(0)).toEqual([record('lost', 'killed')]);
  becomes('ready');
  becomes('connecting', 'killed again');
  becomes('failed', 'no such file');
  becomes('failed', 'another reason');
  expect(told).toEqual([]);
  time.now += 60_000;
  becomes('ready');
  expect(told.splice(0)).toEqual([record('ready', undefined, 3)]);
  becomes('failed', 'gone');
  changes.close();
  expect(told).toEqual([record('failed', 'gone')]);
});

test('a proxy records a server that cannot be started, without its secrets', async () => {
  const broken = { command: '/nonexistent/server', env: { API_TOKEN: 'sekrit-value' } };
  const proxy = await startAssistantProxy({ mcpServers: { broken } });
  onTestFinished(() => proxy.stop());
  await expect
    .poll(async () => (await proxy.rest.request('listActivity', { type: 'server_change' })).records)
    .toMatchObject([{ server_name: 'broken', status: 'error', metadata: { action: 'failed' } }]);
  const { records } = await proxy.rest.request('listActivity', { server: 'broken' });
  expect(records[0]?.error_message).toMatch(/nonexistent/);
  expect(JSON.stringify(records)).not.toContain('sekrit-value');
});
