import { describe, expect, test } from 'vitest';
import type { CallRequest } from '../road/request.ts';
import { ProxyError } from '../contract/errors.ts';
import type { ServerView } from '../contract/status.ts';
import { createMetrics } from './calls.ts';

const view = {
  name: 'up',
  state: 'ready',
  tool_count: 3,
  in_flight: 1,
  queued: 2,
  restarts: 0,
  retries: 5,
  breaker: 'half_open',
} as ServerView;
const open = (pending: () => Promise<number> = async () => 5) =>
  createMetrics({
    servers: () => [view],
    isServer: (name) => name === 'up',
    approvals: pending,
    tokens: () => ({ active: 2, expired: 1 }),
    traces: () => ({ exported: 11, dropped: 12, failed: 13 }),
    log: () => ({ log: 'ok', waiting: 0, lost: 0 }),
    stalls: () => 4,
    calls: () => ({ running: 7, waiting: 8, shed: 9 }),
    version: '1.2.3',
  });
const request = (operation: CallRequest['operation'], name: unknown) =>
  ({ operation, input: { name } }) as CallRequest;

async function lines(metrics: ReturnType<typeof open>, start: string): Promise<string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith(start));
}

describe('calls', () => {
  test('are counted by operation, outcome and server, and timed', async () => {
    const metrics = open();
    const good = metrics.withMetrics(async () => ({ content: [] }));
    const failing = metrics.withMetrics(async () => ({ content: [], isError: true }));
    const refused = metrics.withMetrics(() => Promise.reject(new ProxyError('INTENT_MISMATCH', 'no')));
    await good(request('read', 'up:a'));
    await good(request('read', 'up:b'));
    await failing(request('write', 'up:a'));
    await expect(refused(request('destructive', 'up:a'))).rejects.toThrow('no');
    expect(await lines(metrics, 'mcpproxy_calls_total{')).toEqual([
      'mcpproxy_calls_total{operation="read",server="up",status="success"} 2',
      'mcpproxy_calls_total{operation="write",server="up",status="error"} 1',
      'mcpproxy_calls_total{operation="destructive",server="up",status="refused"} 1',
    ]);
    expect(await lines(metrics, 'mcpproxy_call_errors_total{')).toEqual([
      'mcpproxy_call_errors_total{code="INTENT_MISMATCH"} 1',
    ]);
    const counts = await lines(metrics, 'mcpproxy_call_duration_seconds_count');
    expect(counts).toContain('mcpproxy_call_duration_seconds_count{operation="read",server="up"} 2');
  });

  test('of servers that do not exist share one label, however many names a caller invents', async () => {
    const metrics = open();
    const call = metrics.withMetrics(() => Promise.reject(new ProxyError('TOOL_NOT_FOUND', 'no')));
    for (const name of ['nobody:a', 'x"}\n:a', 'plain', '', undefined, 7, { toString: 'x' }])
      await call(request('read', name)).catch(() => {});
    expect(await lines(metrics, 'mcpproxy_calls_total{')).toEqual([
      'mcpproxy_calls_total{operation="read",server="none",status="refused"} 7',
    ]);
  });
});

test('servers, approvals, tokens, spans, the log, stalls and the version are there', async () => {
  const text = await open().text();
  for (const line of [
    'mcpproxy_server_tools{server="up"} 3',
    'mcpproxy_server_calls_in_flight{server="up"} 1',
    'mcpproxy_server_retries{server="up"} 5',
    'mcpproxy_server_calls_queued{server="up"} 2',
    'mcpproxy_server_state{server="up",state="ready"} 1',
    'mcpproxy_server_state{server="up",state="failed"} 0',
    'mcpproxy_server_breaker_open{server="up"} 0',
    'mcpproxy_server_breaker_state{server="up",state="half_open"} 1',
    'mcpproxy_server_breaker_state{server="up",state="closed"} 0',
    'mcpproxy_approvals_pending 5',
    'mcpproxy_tokens_active 2',
    'mcpproxy_tokens_expired 1',
    'mcpproxy_spans_exported 11',
    'mcpproxy_spans_dropped 12',
    'mcpproxy_spans_failed 13',
    'mcpproxy_log_writable 1',
    'mcpproxy_stalls 4',
    'mcpproxy_calls_running 7',
    'mcpproxy_calls_waiting 8',
    'mcpproxy_calls_shed 9',
    'mcpproxy_build_info{version="1.2.3"} 1',
  ])
    expect(text.split('\n')).toContain(line);
  expect(text).toContain('mcpproxy_nodejs_eventloop_lag_p99_seconds');
});

test('how long the log takes to be written is there', async () => {
  const metrics = open();
  metrics.logWritten(0.4);
  metrics.logWritten(700);
  const found = await lines(metrics, 'mcpproxy_log_write_duration_seconds');
  expect(found).toContain('mcpproxy_log_write_duration_seconds_bucket{le="0.0005"} 1');
  expect(found).toContain('mcpproxy_log_write_duration_seconds_bucket{le="1"} 2');
  expect(found).toContain('mcpproxy_log_write_duration_seconds_count 2');
});

test('a database that cannot be asked takes nothing else away', async () => {
  const metrics = open(() => Promise.reject(new Error('away')));
  const text = await metrics.text();
  expect(text).toContain('mcpproxy_tokens_active 2');
});
