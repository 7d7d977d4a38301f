import pino from 'pino';
import { expect, test } from 'vitest';
import type { CallRequest, CallTool } from '../road/request.ts';
import { ProxyError, type ErrorCode } from '../contract/errors.ts';
import { createCallLog } from './calls.ts';

function open(level: string) {
  const lines: Array<Record<string, unknown>> = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, logged: createCallLog(pino({ level }, { write })) };
}

const request = {
  operation: 'write',
  input: { name: 'a:b\u001b[2J', args: { password: 'hush' } },
  caller: { requestId: 'r-1' },
} as unknown as CallRequest;
const failing =
  (code: ErrorCode): CallTool =>
  () =>
    Promise.reject(new ProxyError(code, 'hush'));

test('a failed call is told with the id of its request, and nothing of what was sent', async () => {
  const { lines, logged } = open('info');
  await expect(logged(failing('OUTCOME_UNKNOWN'))(request)).rejects.toThrow('hush');
  await expect(logged(failing('INTENT_MISMATCH'))(request)).rejects.toThrow('hush');
  await logged(() => Promise.resolve({ content: [] }))(request);
  const about = { request_id: 'r-1', tool: 'a:b\\u{1b}[2J', status: 'unknown', code: 'OUTCOME_UNKNOWN' };
  expect(lines).toMatchObject([{ msg: 'call failed', ...about }]);
  expect(JSON.stringify(lines)).not.toContain('hush');
});

test('with debug every call is told', async () => {
  const { lines, logged } = open('debug');
  await logged(() => Promise.resolve({ content: [] }))(request);
  await expect(logged(failing('INTENT_MISMATCH'))(request)).rejects.toThrow('hush');
  expect(lines.map(({ msg, status }) => [msg, status])).toEqual([
    ['call', 'success'],
    ['call refused', 'refused'],
  ]);
});

test('of a flood only some are told, and the others counted', async () => {
  const { lines, logged } = open('info');
  const call = logged(failing('SERVER_BUSY'));
  for (let i = 0; i < 1000; i++) await call(request).catch(() => undefined);
  expect(lines.length).toBeLessThan(100);
});

test('a secret in the place of a name is masked, and what is no name is not told', async () => {
  const { lines, logged } = open('debug');
  const secret = `ghp_${'aB3dE6gH9'.repeat(4)}`;
  for (const name of [secret, `up:${secret}`, `${'x'.repeat(490)}${secret}`])
    await logged(() => Promise.resolve({ content: [] }))({ ...request, input: { name } });
  expect(JSON.stringify(lines)).not.toContain('aB3dE6gH9');
  expect(lines.at(-1)).toMatchObject({ tool: '[530 characters]' });
});
