import { expect, test } from 'vitest';
import { clientWaitMs } from './client-waits.ts';

const waits = { wait: '25s', wait_by_client: { 'bot-*': '2s', 'bot-slow': '1m', mine: '10m' } };

test.each<[string | undefined, number]>([
  [undefined, 25_000],
  ['claude-code/2.1.325', 25_000],
  ['mcp/0.1.0', 4_000],
  ['mcp', 4_000],
  ['mcp-remote/0.15.1', 25_000],
  ['openai-agents/0.24.0', 4_000],
  ['constructor/1', 25_000],
  ['bot-a/1', 2_000],
  ['bot-slow/1', 2_000],
  ['mine', 600_000],
])('a request of %s stays open for %d ms', (client, ms) => {
  expect(clientWaitMs(waits, client)).toBe(ms);
});

test('a configured time counts for a program that is known too, and nobody waits longer than usual by name alone', () => {
  expect(clientWaitMs({ wait: '25s', wait_by_client: { mcp: '30s' } }, 'mcp/0.1.0')).toBe(30_000);
  expect(clientWaitMs({ wait: '1s', wait_by_client: {} }, 'mcp/0.1.0')).toBe(1_000);
});
