import { afterEach, describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixtures/start.ts';
import { startUpstreams, stopUpstreams } from '../../../test/fixtures/upstreams.ts';
import { nextStep } from './next-step.ts';

afterEach(stopUpstreams);
const signal = new AbortController().signal;

describe('a server that is tried', () => {
  test('is listed with what it offers, and leaves nothing behind', async () => {
    const { upstreams, tools } = await startUpstreams({});
    const result = await upstreams.test({ name: undefined, config: fixture('slow-start.mjs'), signal });
    expect(result).toMatchObject({
      ok: true,
      transport: 'stdio',
      protocol: '2026-07-28',
      offers: ['tools'],
      tools: [{ name: 'echo', hint: 'read' }],
    });
    expect([upstreams.views(), tools.size]).toEqual([[], 0]);
  });

  test('says why it failed and what to do; a secret of its settings is masked', async () => {
    const { upstreams } = await startUpstreams({});
    const script = 'console.error("Error: Cannot find module " + process.env.A_TOKEN); process.exit(3)';
    const config = { command: process.execPath, args: ['-e', script], env: { A_TOKEN: 'hunter2hunter2' } };
    const result = await upstreams.test({ name: 'mine', config, signal });
    expect(result).toMatchObject({
      ok: false,
      error: 'the process exited with code 3; its output: Error: Cannot find module ***',
      next_step: expect.stringMatching(/^A module is missing\./) as string,
    });
  });

  test('a reference that cannot be resolved is an answer, not an error', async () => {
    const resolve = () => {
      throw new Error('the environment variable X is not set');
    };
    const { upstreams } = await startUpstreams({}, { resolve });
    expect(await upstreams.test({ name: 'mine', config: { command: 'x' }, signal })).toMatchObject({
      ok: false,
      error: 'the environment variable X is not set',
      next_step: expect.stringContaining('mcpproxy upstream edit mine --env NAME=-') as string,
    });
  });
});

describe('what to do about a server', () => {
  const failed = (lastError: string) => nextStep({ name: 's', state: 'failed', lastError });

  test.each([
    [
      'command "uvx" was not found; install it or give its full path',
      /full path: mcpproxy upstream edit s --set command=/,
    ],
    ['the process exited with code 1; its output: npm error code E404', /does not exist under this name/],
    ['the process exited with code 1; its output: ssl: CERTIFICATE_VERIFY_FAILED', /NODE_EXTRA_CA_CERTS/],
    ['the process exited with code 1; its output: Cannot connect to the Docker daemon', /^Start Docker/],
    ['the process exited with code 1; its output: PermissionError: Permission denied', /may run the program/],
    [
      "the process exited with code 1; its output: AttributeError: 'Server' object has no attribute 'list_resources'",
      /arguments such as --with "mcp<2" before the name of the program/,
    ],
    ['no answer to the handshake within 120 s of its start', /startup_timeout=5m/],
    ['the server rejects the credentials (HTTP 401); check its "headers"', /--header Authorization=-/],
    ['the host name is unknown (ENOTFOUND)', /HTTPS_PROXY/],
    [
      'the process exited with code 1; its output: Error: DB_URL is required',
      /: mcpproxy upstream edit s --env DB_URL=- \(/,
    ],
    [
      'the process exited with code 1; its output: missing required environment variable: "API_KEY"',
      /--env API_KEY=- /,
    ],
    [
      "the process exited with code 1; its output: Error: Cannot find module '/srv/my.mjs'",
      /^The file does not exist\. Give its full path\. .*: mcpproxy upstream edit s --set cwd=\/full\/path\. Try/,
    ],
    [
      "the process exited with code 1; its output: Cannot find module '/srv/node_modules/a/b.js' imported from /srv/c.js",
      /^A module is missing/,
    ],
    [
      'its configuration cannot be used: file, line 3',
      /upstream edit s\. Then check the file with: mcpproxy config validate$/,
    ],
    [
      'something else',
      /^See its output with: mcpproxy upstream logs s\. Try it with: mcpproxy upstream test s$/,
    ],
  ])('that failed with %j', (error, advice) => {
    expect(failed(error)).toMatch(advice);
  });

  test('never repeats words of the server, except the name of a variable', () => {
    expect(failed('its output: Cannot find module "; rm -rf /"')).not.toContain('rm -rf');
    expect(failed('its output: A;reboot is required')).toContain('--env NAME=-');
  });

  test('that is tried without being configured: the test with the setting', () => {
    const tried = (lastError: string, trial: 'URL' | 'COMMAND') =>
      nextStep({ name: undefined, state: 'failed', lastError, trial });
    expect(tried('the server rejects the credentials (HTTP 401)', 'URL')).toBe(
      'Give it a credential: mcpproxy upstream test URL --header Authorization=- (the value is read from stdin)',
    );
    expect(tried('its output: DB_URL is not set', 'COMMAND')).toContain(
      ': mcpproxy upstream test --env DB_URL=- -- COMMAND (',
    );
    expect(tried('no answer to the handshake within 1 s', 'COMMAND')).toMatch(
      /: mcpproxy upstream test --startup-timeout 5m -- COMMAND$/,
    );
    expect(nextStep({ name: undefined, state: 'needs_login', lastError: '', trial: 'URL' })).toMatch(
      /: mcpproxy upstream add NAME --url URL\. .*: mcpproxy upstream login NAME$/,
    );
  });

  test('that is ready or starting: nothing', () => {
    expect(nextStep({ name: 's', state: 'ready', lastError: undefined })).toBeUndefined();
    expect(nextStep({ name: 's', state: 'connecting', lastError: 'before' })).toBeUndefined();
  });
});
