import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf, JSON_TYPE, restClient } from '../../../../test/fixtures/rest-client.ts';
import { fakeParts, serverView } from '../../../../test/fixtures/rest-parts.ts';
import { ProxyError } from '../../../contract/errors.ts';

let fake: ReturnType<typeof fakeParts>;
let door: ReturnType<typeof restClient>;
beforeEach(() => {
  fake = fakeParts();
  door = restClient(fake.parts);
});

describe('servers', () => {
  test('adding writes the file, records the change without its secrets and answers when the server has settled', async () => {
    const config = {
      command: 'x',
      args: ['--header', 'Authorization: Bearer sekrit-3', '-psekrit-4', 'https://h/?sig=sekrit-5#sekrit-6'],
      env: { TOKEN: 'sekrit-1' },
      headers: { Authorization: 'sekrit-2' },
    };
    const response = await door.post('/servers', { name: 'files', config });
    expect([response.status, await response.json()]).toEqual([200, serverView('files', 'stdio')]);
    expect(fake.edits).toEqual([['files', config]]);
    expect(fake.recorded[0]).toMatchObject({
      draft: {
        type: 'config_change',
        server_name: 'files',
        metadata: { action: 'add_server', principal: 'operator' },
      },
      outcome: { status: 'success' },
    });
    expect(JSON.stringify(fake.recorded)).not.toContain('sekrit');
  });

  test.each([
    [{ name: 'github', config: { command: 'x' } }, 409, 'CONFLICT'],
    [{ name: 'tasks', config: { command: 'x' } }, 409, 'CONFLICT'],
    [{ name: '', config: { command: 'x' } }, 400, 'INVALID_REQUEST'],
    [{ name: 'git\u200bhub', config: { command: 'x' } }, 400, 'INVALID_REQUEST'],
    [{ name: 'x'.repeat(201), config: { command: 'x' } }, 400, 'INVALID_REQUEST'],
    [{ name: '__proto__', config: { command: 'x' } }, 400, 'INVALID_REQUEST'],
    [{ name: 'new', config: {} }, 400, 'INVALID_REQUEST'],
    [{ name: 'new', config: { command: 'x', url: 'http://y' } }, 400, 'INVALID_REQUEST'],
    [{ name: 'new', config: { command: 'x', comand: 'y' } }, 400, 'INVALID_REQUEST'],
    [{ name: 'new' }, 400, 'INVALID_REQUEST'],
  ])('adding %j is refused', async (body, status, code) => {
    expect(await errorOf(await door.post('/servers', body))).toEqual([status, code]);
    expect(fake.edits).toEqual([]);
  });

  test('shows the settings of a server with masks; a mask that comes back keeps the value behind it', async () => {
    const shown = await door.send('GET', '/api/v1/servers/github/settings');
    expect(await shown.json()).toEqual({
      name: 'github',
      title: 'github',
      settings: { command: 'gh-mcp', env: { TOKEN: '***' } },
      schema: expect.objectContaining({
        type: 'object',
        properties: expect.any(Object) as unknown,
      }) as unknown,
    });
    const patch = (body: unknown) => door.send('PATCH', '/api/v1/servers/github', JSON.stringify(body));
    await patch({ env: { TOKEN: '***', EXTRA: '1' } });
    expect(fake.edits).toEqual([['github', { command: 'gh-mcp', env: { TOKEN: 'sekrit', EXTRA: '1' } }]]);
    for (const bad of [{ env: { OTHER: '***' } }, { headers: { A: 'Bearer ***' } }, { args: ['***'] }])
      expect(await errorOf(await patch(bad))).toEqual([400, 'INVALID_REQUEST']);
    expect(await errorOf(await door.send('GET', '/api/v1/servers/tasks/settings'))).toEqual([
      409,
      'CONFLICT',
    ]);
  });

  test('a test of a server is recorded without its secrets', async () => {
    const config = { command: 'x', env: { TOKEN: 'sekrit-1' } };
    const response = await door.post('/servers/test', { config });
    expect([response.status, await response.json()]).toMatchObject([200, { ok: true }]);
    expect(fake.recorded[0]).toMatchObject({ draft: { metadata: { action: 'test_server' } } });
    expect(JSON.stringify(fake.recorded)).not.toContain('sekrit');
    for (const bad of [{}, { name: 'github', config }])
      expect(await errorOf(await door.post('/servers/test', bad))).toEqual([400, 'INVALID_REQUEST']);
    expect(await errorOf(await door.post('/servers/test', { name: 'nope' }))).toEqual([404, 'NOT_FOUND']);
    const changed = { name: 'github', changes: { env: { TOKEN: '***', EXTRA: '1' } } };
    expect((await door.post('/servers/test', changed)).status).toBe(200);
    const unknown = { name: 'github', changes: { env: { OTHER: '***' } } };
    expect(await errorOf(await door.post('/servers/test', unknown))).toEqual([400, 'INVALID_REQUEST']);
    expect(fake.edits).toEqual([]);
  });

  test('a patch merges, null removes, and the whole is checked', async () => {
    const patch = (body: unknown) => door.send('PATCH', '/api/v1/servers/github', JSON.stringify(body));
    await patch({ timeout: '5s', env: { EXTRA: '1' } });
    await patch({ timeout: null, env: { TOKEN: null } });
    expect(fake.edits).toEqual([
      ['github', { command: 'gh-mcp', env: { TOKEN: 'sekrit', EXTRA: '1' }, timeout: '5s' }],
      ['github', { command: 'gh-mcp', env: { EXTRA: '1' } }],
    ]);
    for (const bad of [{ command: null }, { url: 'http://x' }, { timeout: 5 }, { colour: 'red' }]) {
      expect(await errorOf(await patch(bad))).toEqual([400, 'INVALID_REQUEST']);
    }
    expect(fake.edits.length).toBe(2);
  });

  test('switching off and on edits the file', async () => {
    expect(await door.client.request('disableServer', { name: 'github' })).toMatchObject({
      state: 'disabled',
      enabled: false,
    });
    expect(await door.client.request('enableServer', { name: 'github' })).toMatchObject({
      state: 'ready',
      enabled: true,
    });
    expect(fake.recorded.map(({ draft }) => draft.metadata.action)).toEqual([
      'disable_server',
      'enable_server',
    ]);
  });

  test('the built-in server cannot be changed, switched off or removed', async () => {
    for (const [method, path] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/disable'],
      ['POST', '/enable'],
    ] as const) {
      expect(
        await errorOf(
          await door.sendWith(
            method,
            `/api/v1/servers/tasks${path}`,
            method === 'PATCH' ? { body: '{}', headers: JSON_TYPE } : { headers: {} },
          ),
        ),
      ).toEqual([409, 'CONFLICT']);
    }
    expect(fake.edits).toEqual([]);
  });

  test('an unknown server is answered with the nearest names', async () => {
    const response = await door.send('GET', '/api/v1/servers/githb');
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: { code: 'NOT_FOUND', details: { nearest: ['github'] } } },
    ]);
  });

  test('a file that cannot be written is an error with its reason, and recorded', async () => {
    fake.parts.config.editServer = () =>
      Promise.reject(new ProxyError('CONFIG_INVALID', 'the file is read-only'));
    expect(await errorOf(await door.sendWith('DELETE', '/api/v1/servers/github', { headers: {} }))).toEqual([
      400,
      'CONFIG_INVALID',
    ]);
    expect(fake.recorded[0]!.outcome).toMatchObject({ status: 'error', error_code: 'CONFIG_INVALID' });
  });

  test('servers that are configured but run elsewhere are listed and can be edited', async () => {
    fake.servers.clear();
    fake.parts.config.current().mcpServers.web = {
      url: 'https://user:sekrit@example.com/mcp?token=sekrit',
      type: 'http',
    };
    const { servers } = await door.client.request('listServers', {});
    expect(servers.map(({ name, transport, target, enabled }) => [name, transport, target, enabled])).toEqual(
      [
        ['github', 'stdio', 'gh-mcp', true],
        ['web', 'http', 'https://example.com/mcp', true],
      ],
    );
    expect(await door.client.request('removeServer', { name: 'github' })).toEqual({ ok: true });
    expect(fake.edits).toEqual([['github', null]]);
  });

  test('the answer waits until the server has settled', async () => {
    fake.parts.upstreams.restart = (name) => {
      fake.servers.set(name, { ...serverView(name, 'stdio'), state: 'connecting' });
      setTimeout(
        () =>
          fake.servers.set(name, {
            ...serverView(name, 'stdio'),
            state: 'failed',
            last_error: 'no such program',
          }),
        60,
      );
    };
    expect(await door.client.request('restartServer', { name: 'github' })).toMatchObject({
      state: 'failed',
      last_error: 'no such program',
    });
  });
});
