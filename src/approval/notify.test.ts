import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempDir } from '../../test/fixtures/temp-dir.ts';
import type { Approval } from '../contract/approval.ts';
import { createLog } from '../lib/log.ts';
import { createNotifier } from './notify.ts';

const approval = (n: number) =>
  ({ id: `A${n}`, arguments: { text: '$(touch owned) `id`' } }) as unknown as Approval;
const by = { requestId: 'R1' };
const log = () => {
  const silent = createLog('silent');
  return Object.assign(silent, { warn: vi.fn() });
};
const node = (script: string, ...args: string[]) => [process.execPath, '-e', script, ...args];

test('the program gets the call on stdin, its own arguments untouched, and nothing in its environment', async () => {
  const out = join(tempDir(), 'out');
  process.env.MCPPROXY_API_KEY = 'the key of the operator';
  const script = `let t=''; process.stdin.on('data', (d) => t += d).on('end', () =>
    require('fs').writeFileSync(process.argv[1], JSON.stringify({ t, argv: process.argv.slice(2), env: process.env })))`;
  createNotifier({ command: () => node(script, out, '$(id)', 'a b'), log: log() })(approval(1), by);
  await vi.waitFor(() => expect(existsSync(out) && readFileSync(out, 'utf8')).toBeTruthy(), 120_000);
  delete process.env.MCPPROXY_API_KEY;
  const { t, argv, env } = JSON.parse(readFileSync(out, 'utf8')) as {
    t: string;
    argv: string[];
    env: Record<string, string>;
  };
  expect(JSON.parse(t)).toEqual(approval(1));
  expect(argv).toEqual(['$(id)', 'a b']);
  expect(JSON.stringify(env)).not.toMatch(/operator|touch owned|MCPPROXY/);
});

test('one that does not end is ended, one that fails or is not there is only noted', async () => {
  const noted = log();
  // Only what never ends has little time: on a busy machine the others take theirs to start.
  const programs: Array<[command: string[], limitMs: number]> = [
    [node('setInterval(() => {}, 1000)'), 300],
    [node('process.exit(3)'), 20_000],
    [['/no/such/program'], 20_000],
  ];
  for (const [command, limitMs] of programs)
    createNotifier({ command: () => command, log: noted, limitMs })(approval(1), by);
  await vi.waitFor(() => expect(noted.warn).toHaveBeenCalledTimes(3), 120_000);
  const said = noted.warn.mock.calls.map(([fields]) => (fields as { err: Error }).err.message).join('\n');
  const about = { approval: expect.stringMatching(/^A/) as string, request_id: 'R1' };
  expect(noted.warn.mock.calls.map(([fields]) => fields as object)).toMatchObject([about, about, about]);
  expect(said).toMatch(/SIGKILL/);
  expect(said).toMatch(/code 3/);
  expect(said).toMatch(/ENOENT/);
});

test('few at once, and when too many wait some are left out', async () => {
  const noted = log();
  const notify = createNotifier({
    command: () => node('setTimeout(() => {}, 200)'),
    log: noted,
    limitMs: 5000,
  });
  for (let n = 0; n < 60; n++) notify(approval(n), by);
  expect(noted.warn).toHaveBeenCalledTimes(8);
  expect(noted.warn).toHaveBeenLastCalledWith({ approval: 'A59', request_id: 'R1' }, expect.any(String));
});

test('without a program nothing happens', () => {
  const noted = log();
  createNotifier({ command: () => undefined, log: noted })(approval(1), by);
  expect(noted.warn).not.toHaveBeenCalled();
});
