import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { planService } from '../../src/doors/cli/commands/service/service-plan.ts';
import type { ServiceTarget } from '../../src/doors/cli/commands/service/service-target.ts';
import { serviceRuntime } from '../../src/start/service.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-service-'));
afterAll(() => rmSync(dir, { recursive: true }));

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const facts = await serviceRuntime.facts({ dataDir: join(dir, 'data with 100% "quotes"') });

/** A copy of the real unit, read by the real parser of systemd. */
async function verify(change: Partial<ServiceTarget>, edit = (text: string) => text): Promise<string> {
  const plan = planService({
    ...facts,
    node: '/bin/sh',
    main: '/opt/mcpproxy/main.js',
    scope: 'user',
    ...change,
  });
  const file = join(dir, 'mcpproxy.service');
  await serviceRuntime.write(file, edit(plan.text));
  const flags = plan.scope === 'user' ? ['--user'] : [];
  const { status, stderr } = spawnSync('systemd-analyze', [...flags, '--man=no', 'verify', file], {
    encoding: 'utf8',
    env: { ...process.env, XDG_RUNTIME_DIR: dir },
  });
  return `${status} ${stderr
    .split('\n')
    .filter((line) => line.includes('mcpproxy.service'))
    .join('\n')}`;
}

describe.runIf(hasSystemd && process.platform === 'linux')('systemd-analyze verify', () => {
  test.each<[string, Partial<ServiceTarget>]>([
    ['user', {}],
    ['system', { scope: 'system' }],
    ['system, as a user', { scope: 'system', runAs: 'daemon' }],
  ])('accepts every line of the unit: %s', async (_, change) => {
    expect(await verify(change)).toBe('0 ');
  });

  test('finds a line that it does not know', async () => {
    expect(await verify({}, (text) => text.replace('UMask=', 'UMasks='))).toContain('UMasks');
  });
});

describe('the machine', () => {
  test('writes, reads and removes files; a task is UTF-16 for the Task Scheduler', async () => {
    const unit = join(dir, 'new', 'a.service');
    await serviceRuntime.write(unit, 'text\n');
    expect(await serviceRuntime.read(unit)).toBe('text\n');
    await serviceRuntime.remove(unit);
    expect(await serviceRuntime.read(unit)).toBeUndefined();
    const task = join(dir, 'a.xml');
    await serviceRuntime.write(task, '<Task/>');
    expect([...readFileSync(task).subarray(0, 4)]).toEqual([0xff, 0xfe, 0x3c, 0]);
    expect(await serviceRuntime.read(task)).toBe('<Task/>');
  });

  test('runs programs without a shell, and reports one that does not exist', async () => {
    expect(
      await serviceRuntime.run([process.execPath, '-e', 'console.log("$HOME"); process.exit(3)']),
    ).toEqual({
      code: 3,
      text: '$HOME\n',
    });
    expect((await serviceRuntime.run(['mcpproxy-no-such-program'])).code).toBe(127);
  });
});
