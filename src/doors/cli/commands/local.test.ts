import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ProxyError } from '../../../contract/errors.ts';
import type { Status } from '../../../contract/status.ts';
import { LOG_LEVELS } from '../../../lib/log.ts';
import { cli } from '../../../../test/fixtures/fake-cli.ts';
import type { Runtime } from '../runtime.ts';
import { LEVELS } from './serve.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-doctor-'));
afterAll(() => rmSync(dir, { recursive: true }));

const status: Status = {
  version: '1.2.3',
  uptime_s: 7500,
  pid: 42,
  listen: '127.0.0.1:8080',
  config_file: '/c.json',
  data_dir: '/d',
  database: '/d/mcpproxy.db',
  config_error: null,
  protocol_revisions: ['2025-11-25'],
  servers: { total: 2, ready: 1, failed: 1, disabled: 0 },
  tools: {
    total: 5,
    annotated: 5,
    unannotated_destructive: 0,
    decided: 0,
    new: 0,
    changed: 0,
    withheld: 0,
    rejected: 0,
    suspicious: 0,
    coverage: '5 of 5 tools are annotated; no unannotated tool looks destructive',
  },
  tokens: { active: 1, expired: 0, operator_mcp_call_at: null },
  require_mcp_auth: true,
  approvals_required: false,
  quarantine: 'warn',
  activity: { records: 10, last_24h: 4, refused_24h: 1, log: 'ok', waiting: 0, lost: 0 },
  approvals: { rules: 0, pending: 0, idle_rules: [], in_client: false },
  calls: {
    running: 0,
    waiting: 0,
    shed: 0,
    limits: {
      calls: 500,
      calls_per_client: 1000,
      queue: 1000,
      connections: 1024,
      requests_per_second: 2000,
      log_mb_per_hour: 1024,
    },
  },
  stalls: { count: 0 },
  traces: { exporting: false, exported: 0, dropped: 0, failed: 0 },
  intent_declaration: { strict_server_validation: true, operation_type: 'required', unannotated: 'trust' },
};

describe('serve, stdio and tasks hand over and end with the code they are given', () => {
  test('serve with every flag', async () => {
    const given: unknown[] = [];
    const argv = [
      'serve',
      '--listen',
      '127.0.0.1:9',
      '--config',
      '/c',
      '--data-dir',
      '/d',
      '--log-level',
      'debug',
      '--no-mcp-auth',
    ];
    const { code } = await cli(argv, { runtime: { serve: async (options) => (given.push(options), 5) } });
    expect(given).toEqual([
      { config: '/c', dataDir: '/d', listen: '127.0.0.1:9', logLevel: 'debug', mcpAuth: false },
    ]);
    expect(code).toBe(5);
  });

  test('serve without flags leaves everything to environment and file', async () => {
    const given: unknown[] = [];
    await cli(['serve'], { runtime: { serve: async (options) => (given.push(options), 0) } });
    expect(given).toEqual([{}]);
  });

  test.each(['stdio', 'tasks'] as const)('%s', async (name) => {
    const given: unknown[] = [];
    const outcome = await cli([name, '--data-dir', '/d'], {
      runtime: { [name]: async (place: unknown) => (given.push(place), 6) },
    });
    expect([outcome.code, given, outcome.stdout]).toEqual([6, [{ dataDir: '/d' }], '']);
  });

  test('a wrong address is refused before anything starts', async () => {
    expect((await cli(['serve', '--listen', 'nowhere'])).stderr).toContain('must be HOST:PORT');
  });

  test('a port in use ends with the exit code of its error', async () => {
    const serve = () => Promise.reject(new ProxyError('PORT_IN_USE', '127.0.0.1:8080 is in use'));
    expect(await cli(['serve'], { runtime: { serve } })).toMatchObject({ code: 5 });
  });

  test('the levels are those of the log', () => expect(LEVELS).toEqual(LOG_LEVELS));
});

test('status asks the daemon alone and shows its counts', async () => {
  const { stdout, connects } = await cli(['status'], { answers: { status } });
  expect(connects).toEqual([[{}, 'daemon']]);
  expect(stdout).toMatch(/^Uptime +2h 5m$/m);
  expect(stdout).toMatch(/^Servers +2 \(1 ready, 1 failed\)$/m);
  expect(stdout).toMatch(/^Approvals +none required, none pending$/m);
  expect(stdout).not.toContain('Config error');
  const approvals = { ...status.approvals, rules: 2, pending: 1 };
  expect((await cli(['status'], { answers: { status: { ...status, approvals } } })).stdout).toMatch(
    /^Approvals +2 rules, 1 pending. Run: mcpproxy approvals list$/m,
  );
});

describe('config', () => {
  const config: Runtime['config'] = {
    paths: async () => ({ config_file: '/d/mcp_config.json', data_dir: '/d' }),
    show: async () => ({ listen: '127.0.0.1:8080' }),
    validate: async (_, file) => ({
      file: file ?? '/d/mcp_config.json',
      problems: file === 'x.json' ? ['line 3: "listn" is unknown'] : [],
      warnings: file === 'w.json' ? ['line 4: x: ignored, not a setting of mcpproxy'] : [],
    }),
  };

  test('path: the bare path, or both as JSON', async () => {
    expect((await cli(['config', 'path'], { runtime: { config } })).stdout).toBe('/d/mcp_config.json\n');
    expect(JSON.parse((await cli(['config', 'path', '-o', 'json'], { runtime: { config } })).stdout)).toEqual(
      { config_file: '/d/mcp_config.json', data_dir: '/d' },
    );
  });

  test('show', async () => {
    expect((await cli(['config', 'show'], { runtime: { config }, embedded: true })).stdout).toBe(
      '{\n  "listen": "127.0.0.1:8080"\n}\n',
    );
    expect(
      (await cli(['config', 'show', '-o', 'yaml'], { runtime: { config }, embedded: true })).stdout,
    ).toBe('listen: 127.0.0.1:8080\n');
  });

  const waiting = {
    since: '2026-11-01T00:00:00.000Z',
    digest: 'b'.repeat(64),
    changes: [{ path: '/scanner', change: 'changed', before: true, after: false, effect: 'weakening' }],
  };
  const answers = {
    getConfig: { in_force: { listen: '127.0.0.1:9' } },
    status: {
      ...status,
      config_file: '/d/mcp_config.json',
      config_state: { digest: 'a'.repeat(64), waiting, weakened: [], more: 0 },
    },
  };

  test('show: with a daemon what is in force there, and that an edit of the file waits', async () => {
    const outcome = await cli(['config', 'show', '-o', 'json'], { runtime: { config }, answers });
    expect(JSON.parse(outcome.stdout)).toEqual({ listen: '127.0.0.1:9' });
    expect(outcome.stderr).toMatch(
      /edit of the file waits .* weakens \/scanner .*Run: mcpproxy config accept/,
    );
  });

  test('show: a daemon that does not answer this credential is named', async () => {
    const refusal = () => Promise.reject(new ProxyError('TOKEN_NOT_ALLOWED', 'not for a token'));
    const outcome = await cli(['config', 'show'], {
      runtime: { config, connect: refusal },
    });
    expect([outcome.code, outcome.stdout]).toEqual([0, '{\n  "listen": "127.0.0.1:8080"\n}\n']);
    expect(outcome.stderr).toContain('this is about the file alone: not for a token');
  });

  test('validate: an edit of this file that waits is named, of another file not', async () => {
    const own = await cli(['config', 'validate'], { runtime: { config }, answers });
    expect(own.stdout).toMatch(/^\/d\/mcp_config.json: valid; An edit of the file waits/);
    const other = await cli(['config', 'validate', 'o.json'], { runtime: { config }, answers });
    expect(other.stdout).toBe('o.json: valid\n');
  });

  test('validate: 0 or 4', async () => {
    expect(await cli(['config', 'validate'], { runtime: { config }, embedded: true })).toMatchObject({
      code: 0,
      stdout: '/d/mcp_config.json: valid\n',
    });
    expect(
      await cli(['config', 'validate', 'x.json'], { runtime: { config }, embedded: true }),
    ).toMatchObject({
      code: 4,
      stdout: 'line 3: "listn" is unknown\n',
    });
    expect(
      await cli(['config', 'validate', 'w.json'], { runtime: { config }, embedded: true }),
    ).toMatchObject({
      code: 0,
      stdout: 'warning: line 4: x: ignored, not a setting of mcpproxy\nw.json: valid, 1 warning\n',
    });
    const json = await cli(['config', 'validate', 'x.json', '-o', 'json'], {
      runtime: { config },
      embedded: true,
    });
    expect(JSON.parse(json.stdout)).toEqual({
      file: 'x.json',
      problems: ['line 3: "listn" is unknown'],
      warnings: [],
      valid: false,
    });
  });
});

describe('doctor', () => {
  const config = (problems: string[] = []): Runtime['config'] => ({
    paths: async () => ({ config_file: join(dir, 'c.json'), data_dir: dir }),
    show: () => Promise.reject(new Error('not needed')),
    validate: async () => ({ file: 'c.json', problems, warnings: [] }),
  });
  const servers = { servers: [{ name: 'files', state: 'ready', tool_count: 3 }] };
  const results = (stdout: string) =>
    Object.fromEntries(
      (JSON.parse(stdout) as { checks: Array<{ check: string; result: string }> }).checks.map(
        ({ check, result }) => [check, result],
      ),
    );

  test('all well', async () => {
    chmodSync(dir, 0o700);
    const outcome = await cli(['doctor', '-o', 'json'], {
      runtime: { config: config() },
      answers: { status, listServers: servers },
    });
    expect(outcome.code).toBe(0);
    expect(results(outcome.stdout)).toEqual({
      node: 'ok',
      config: 'ok',
      data: 'ok',
      daemon: 'ok',
      log: 'ok',
      'server files': 'ok',
      hints: 'ok',
      changes: 'ok',
      tokens: 'ok',
      traces: 'ok',
      approvals: 'ok',
    });
  });

  test('several errors of the configuration are apart without a line break in the text', async () => {
    const answers = { status: { ...status, config_error: 'c.json:2: bad\nc.json:3: worse' } };
    const { stdout } = await cli(['status'], { answers });
    expect(stdout).toMatch(/Config error +c\.json:2: bad · c\.json:3: worse\n/);
  });

  test('every trouble is named with what to do', async () => {
    chmodSync(dir, 0o755);
    writeFileSync(join(dir, 'c.json'), '');
    const outcome = await cli(['doctor'], {
      runtime: { config: config(['line 2: bad']) },
      answers: {
        status: {
          ...status,
          config_error: 'line 2: bad\nline 3: worse',
          activity: { ...status.activity, log: 'unavailable', since: 'noon', reason: 'disk full' },
          tools: {
            ...status.tools,
            unannotated_destructive: 2,
            coverage: '1 of 5 tools are annotated; 2 unannotated tools look destructive',
            new: 1,
            changed: 3,
            withheld: 4,
          },
        },
        listServers: { servers: [{ name: 'files', state: 'failed', tool_count: 0, last_error: 'ENOENT' }] },
      },
    });
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(/failed +config +line 2: bad\. Fix c\.json/);
    expect(outcome.stdout).toMatch(/warning +data .*chmod 700/);
    expect(outcome.stdout).toMatch(/failed +log .*is not writable since noon: disk full\. Fix the disk/);
    expect(outcome.stdout).toMatch(
      /failed +daemon +The configuration file is invalid.*: line 2: bad · line 3: worse/,
    );
    expect(outcome.stdout).toMatch(
      /failed +server files +failed: ENOENT\. Run: mcpproxy upstream show files/,
    );
    expect(outcome.stdout).toMatch(
      /warning +hints +1 of 5 tools are annotated; 2 unannotated tools look destructive/,
    );
    expect(outcome.stdout).toMatch(
      /warning +changes +3 changed tools and 1 new tool not accepted; 4 withheld/,
    );
  });

  test('on a terminal of 80 columns sentences are wrapped, and each command is whole on its own line', async () => {
    chmodSync(dir, 0o700);
    const command = `mcpproxy upstream edit files --set command=/full/${'path/'.repeat(12)}`;
    const next_step = `Install the program for the user who runs mcpproxy, or give its full path: ${command} (END of it). Try it with: mcpproxy upstream test files`;
    const failed = { name: 'files', state: 'failed', tool_count: 0, last_error: 'not found', next_step };
    const { stdout } = await cli(['doctor'], {
      terminal: { out: true, columns: 80 },
      runtime: { config: config() },
      answers: { status, listServers: { servers: [failed] } },
    });
    const lines = stdout.replaceAll(/\u001b\[\d+m/g, '').split('\n');
    expect(lines.filter((line) => line.length > 80).map((line) => line.trim())).toEqual([command]);
    expect(lines.map((line) => line.trim())).toContain('mcpproxy upstream test files');
    expect(lines.map((line) => line.trim()).join(' ')).toContain(`failed: not found. ${next_step}`);
  });

  test('no daemon is worth a word, but not a failure', async () => {
    chmodSync(dir, 0o700);
    const connect = () => Promise.reject(new ProxyError('NO_DAEMON', 'none'));
    // Nor is a configuration that the first start creates.
    rmSync(join(dir, 'c.json'), { force: true });
    const fresh = config(['cannot be read: there is no such file']);
    const outcome = await cli(['doctor', '-o', 'json'], { runtime: { config: fresh, connect } });
    expect([outcome.code, results(outcome.stdout)]).toMatchObject([0, { config: 'ok', daemon: 'warning' }]);
    const named = await cli(['doctor', '-o', 'json', '--url', 'http://127.0.0.1:9'], {
      runtime: { config: config(), connect },
    });
    expect([named.code, results(named.stdout).daemon]).toEqual([1, 'failed']);
  });
});
