import { describe, expect, test } from 'vitest';
import { cli, type Given } from '../../../../../test/fixtures/fake-cli.ts';
import type { ServiceRuntime } from '../../runtime.ts';

const UNIT = '/home/ann/.config/systemd/user/mcpproxy.service';

interface Machine {
  files: Map<string, string>;
  ran: string[];
  daemon?: { pid: number; url: string };
  /** Commands whose words begin like this fail. */
  fails?: string;
  platform?: NodeJS.Platform;
}

/** A machine whose manager starts the daemon when it is told to. */
function machine(given: Partial<Machine> = {}): Machine {
  return { files: new Map(), ran: [], ...given };
}

function managerOf(on: Machine): ServiceRuntime {
  const starts = (line: string) => / restart | bootstrap /.test(line);
  return {
    facts: async ({ dataDir = '/home/ann/.mcpproxy' }) => ({
      platform: on.platform ?? 'linux',
      home: '/home/ann',
      userName: 'ann',
      uid: 1000,
      node: '/usr/bin/node',
      main: '/usr/lib/mcpproxy/main.js',
      path: '/usr/bin',
      configFile: `${dataDir}/mcp_config.json`,
      dataDir,
    }),
    makeDataDir: async () => undefined,
    async run(command) {
      const line = command.join(' ');
      on.ran.push(line);
      if (on.fails !== undefined && line.includes(on.fails))
        return { code: 1, text: 'Access denied\u001b[2J' };
      if (starts(line)) on.daemon = { pid: 42, url: 'http://127.0.0.1:8080' };
      if (/ disable | bootout /.test(line)) delete on.daemon;
      return { code: line.includes('is-active') && !on.daemon ? 3 : 0, text: '' };
    },
    read: async (file) => on.files.get(file),
    write: async (file, text) => void on.files.set(file, text),
    remove: async (file) => void on.files.delete(file),
    daemon: async () => on.daemon,
    untilListening: async () => on.daemon?.url,
  };
}

const service = (on: Machine, args: string[], given: Given = {}) =>
  cli(['service', ...args], { ...given, runtime: { service: async () => managerOf(on) } });

describe('service', () => {
  test('install, status, uninstall', async () => {
    const on = machine();
    expect((await service(on, ['status'])).code).toBe(7);
    const installed = await service(on, ['install']);
    expect([installed.code, on.files.has(UNIT)]).toEqual([0, true]);
    expect(installed.stdout).toMatch(/Service +running/);
    expect(installed.stderr).toContain('loginctl enable-linger');
    const status = await service(on, ['status', '-o', 'json']);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: 'running', up_to_date: true, pid: 42 });

    const removed = await service(on, ['uninstall']);
    expect([removed.code, on.files.size, on.daemon]).toEqual([0, 0, undefined]);
    expect(on.ran.slice(-2)).toEqual([
      'systemctl --user --no-pager disable --now mcpproxy.service',
      'systemctl --user --no-pager daemon-reload',
    ]);
    expect((await service(on, ['uninstall'])).stdout).toContain('not installed');
  });

  test('--dry-run prints the file alone to stdout, and changes nothing', async () => {
    const on = machine();
    const { code, stdout, stderr } = await service(on, ['install', '--dry-run']);
    expect([code, on.files.size, on.ran]).toEqual([0, 0, []]);
    expect(stdout).toMatch(/^# Written by .*\n\[Unit\]\n/);
    expect(stderr).toContain(`Would write this to ${UNIT}`);
    await service(on, ['uninstall', '--dry-run']);
    expect(on.ran).toEqual([]);
  });

  test('no key of the environment or of a flag reaches the file', async () => {
    const env = { MCPPROXY_API_KEY: 'secret-key', MCPPROXY_DATABASE_URL: 'postgres://u:secret@h/d' };
    const on = machine();
    await service(on, ['install'], { env });
    expect(on.files.get(UNIT)).not.toContain('secret');
    expect((await service(on, ['install', '--api-key', 'secret-key'])).code).toBe(2);
  });

  test('a second install updates the file and restarts; a changed file is reported', async () => {
    const on = machine();
    await service(on, ['install']);
    on.files.set(UNIT, on.files.get(UNIT)!.replace('/usr/bin/node', '/opt/old/node'));
    expect((await service(on, ['status'])).stdout).toContain('the file differs');
    expect((await service(on, ['install'])).code).toBe(0);
    expect(on.files.get(UNIT)).not.toContain('/opt/old/node');
    expect(on.ran.filter((line) => line.includes('restart'))).toHaveLength(2);
  });

  test('a file that somebody else wrote stays', async () => {
    const on = machine({ files: new Map([[UNIT, '[Unit]\n']]) });
    for (const command of ['install', 'uninstall']) {
      const { code, stderr } = await service(on, [command]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('was not written by this command')]);
    }
    expect([on.files.get(UNIT), on.ran]).toEqual(['[Unit]\n', []]);
  });

  test('a daemon that runs already is named instead of a service that cannot start', async () => {
    const on = machine({ daemon: { pid: 7, url: 'http://127.0.0.1:8080' } });
    const { code, stderr } = await service(on, ['install']);
    expect([code, on.files.size]).toEqual([6, 0]);
    expect(stderr).toContain('mcpproxy stop');
  });

  test('a command that fails is named with its output, made visible', async () => {
    const { code, stderr } = await service(machine({ fails: 'enable' }), ['install']);
    expect(code).toBe(1);
    expect(stderr).toContain('enable mcpproxy.service" failed with code 1: Access denied\\u{1b}[2J');
  });

  test('a service that does not listen is an error, with the place of its log', async () => {
    const on = machine({ fails: 'nothing' });
    const manager = { ...managerOf(on), untilListening: async () => undefined };
    const { code, stderr } = await cli(['service', 'install'], { runtime: { service: async () => manager } });
    expect([code, stderr]).toEqual([7, expect.stringContaining('journalctl --user-unit mcpproxy')]);
  });

  test('a system service needs the owner of another data directory, and an owner that directory', async () => {
    const system = ['install', '--dry-run', '--scope', 'system'];
    expect((await service(machine(), [...system, '--data-dir', '/d'])).stderr).toContain('--run-as USER');
    expect((await service(machine(), [...system, '--run-as', 'bob'])).stderr).toContain(
      '--run-as needs --data-dir',
    );
    const both = await service(machine(), [...system, '--run-as', 'bob', '--data-dir', '/d']);
    expect([both.code, both.stdout]).toEqual([0, expect.stringContaining('User=bob')]);
  });

  test('on macOS a loaded agent without a process does not run; uninstall unloads it once', async () => {
    const on = machine({ platform: 'darwin' });
    await service(on, ['install']);
    delete on.daemon;
    expect((await service(on, ['status'])).code).toBe(7);
    on.ran.length = 0;
    await service(on, ['uninstall']);
    expect([on.ran, on.files.size]).toEqual([['launchctl bootout gui/1000/mcpproxy'], 0]);
  });
});
