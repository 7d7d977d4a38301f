import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_PREFIX, routes } from '../../src/contract/routes/api.ts';
import type { Route } from '../../src/contract/routes/api.ts';
import type { MadeToken, TokenView } from '../../src/contract/token.ts';
import { filesBelow } from '../fixtures/files-below.ts';
import { processLines } from '../fixtures/process-lines.ts';
import { openTokenStage, type TokenStage } from './token-stage.ts';

let stage: TokenStage;
let canary: MadeToken;

beforeAll(async () => {
  stage = await openTokenStage();
  canary = await stage.token({ name: 'canary' });
});
afterAll(() => stage.dispose());

const answer = (
  method: string,
  path: string,
  { headers, body }: { headers: Record<string, string>; body?: string | undefined },
) =>
  fetch(stage.proxy.url + path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  });

test('every REST route refuses a token, and writes it down', async () => {
  const all = Object.values(routes) as Route[];
  for (const { method, path, body } of all) {
    const target = API_PREFIX + path.replace(/\{\w+\}/g, 'x');
    const credential = { authorization: `Bearer ${canary.token}` };
    const response = await answer(method, target, { headers: credential, body: body ? '{}' : undefined });
    expect([response.status, await response.text()], `${method} ${path}`).toEqual([
      403,
      expect.stringContaining('TOKEN_NOT_ALLOWED'),
    ]);
  }
  const recorded = await records('TOKEN_NOT_ALLOWED');
  expect(new Set(recorded.map(({ arguments: said }) => (said as { excerpt: string }).excerpt))).toEqual(
    new Set(all.map(({ method, path }) => `${method} ${API_PREFIX}${path.replace(/\{\w+\}/g, 'x')}`)),
  );
  expect(recorded.every(({ metadata }) => metadata.principal === 'token:canary')).toBe(true);
});

async function records(code: string) {
  const found = await stage.records({ type: 'bad_request', status: 'refused' });
  return found.filter(({ error_code }) => error_code === code);
}

describe('the command line', () => {
  test('makes, lists and revokes tokens, with a daemon and without', async () => {
    const made = await stage.cli([
      'tokens',
      'create',
      '--name',
      'by-cli',
      '--operations',
      'read',
      '--expires',
      '1d',
    ]);
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^mcpp_[0-9A-Za-z]{49}\n$/)]);
    expect(made.stderr).toContain("It won't be shown again");
    const client = await stage.client('2026-07-28', made.stdout.trim());
    expect((await client.list()).length).toBe(5);
    const list = async () =>
      (JSON.parse((await stage.cli(['tokens', 'list', '-o', 'json'])).stdout) as { tokens: TokenView[] })
        .tokens;
    const listed = (await list()).find(({ name }) => name === 'by-cli')!;
    expect(listed).toMatchObject({ operations: ['read'], status: 'active', created_by: 'operator' });
    expect(listed.last_used_at).not.toBeNull();
    expect(await stage.cli(['tokens', 'create', '--name', 'by-cli'])).toMatchObject({ code: 2, stdout: '' });
    expect((await stage.cli(['tokens', 'revoke', listed.id])).code).toBe(0);
    expect((await list()).map(({ name }) => name)).not.toContain('by-cli');
    expect((await stage.cli(['tokens', 'revoke', 'nobody'])).code).toBe(2);
  });

  test.each([
    ['MCPPROXY_TOKEN', (token: string) => ({ MCPPROXY_TOKEN: token })],
    ['MCPPROXY_API_KEY', (token: string) => ({ MCPPROXY_API_KEY: token })],
  ])('with a token in %s it is an agent, and is refused', async (_, env) => {
    for (const args of [['status'], ['tokens', 'create', '--name', 'more'], ['upstream', 'list']]) {
      const { code, stdout, stderr } = await stage.cli(args, env(canary.token));
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('TOKEN_NOT_ALLOWED');
      expect(stderr).not.toContain(canary.token);
    }
  });

  test('a token that was cut off is said to be so', async () => {
    const { code, stderr } = await stage.cli(['stdio'], { MCPPROXY_TOKEN: canary.token.slice(0, -3) });
    expect([code, stderr]).toEqual([2, expect.stringContaining('mistyped or cut off')]);
    expect(stderr).not.toContain(canary.token.slice(5, 25));
  });
});

describe('the secret is nowhere but in the answer that made it', () => {
  test('after it was used, misused and revoked: not on disk, in a log, a record, a list, an error or the process list', async () => {
    const { url, dataDir, stderr, key, home } = stage.proxy;
    const secret = canary.token;
    const heard: string[] = [];
    const bridged = await stage.client('stdio bridge 2025', secret);
    for (const way of ['2026-07-28', '2025 (legacy)'] as const) {
      const client = await stage.client(way, secret);
      // An agent that hands its own token around: as an argument, as a name, as a reason, as a search.
      for (const input of [
        { name: 'up:read_only', args: { text: secret, token: secret } },
        { name: 'up:read_only', args: { text: 'x' }, intent_reason: `because ${secret}` },
        { name: `up:${secret}`, args: {} },
        { name: 'up:fails', args: { text: `Bearer ${secret}` } },
      ])
        heard.push(
          JSON.stringify(await client.call('call_tool_read', { ...input, intent_operation_type: 'read' })),
        );
      await client.call('retrieve_tools', { query: `find ${secret}` });
      await client.call(secret, {});
    }
    for (const path of [`/mcp?token=${secret}`, `/api/v1/tokens/${secret}`, `/${secret}`])
      heard.push(await (await answer('GET', path, { headers: { 'x-api-key': key } })).text());
    heard.push(await (await answer('GET', '/mcp', { headers: { 'x-api-key': `${secret}x` } })).text());
    heard.push(JSON.stringify(await stage.cli(['tokens', 'revoke', secret])));
    const lines = processLines();
    expect(lines.some((line) => line.includes(`stdio\0--url\0${url}`))).toBe(true);
    await bridged.close();
    await stage.cli(['tokens', 'revoke', 'canary']);
    heard.push(await (await answer('GET', '/mcp', { headers: { 'x-api-key': secret } })).text());

    const part = secret.slice(5, 30);
    const everything = {
      'answers of the proxy': heard.slice(8).join('\n'),
      'process list': lines.join('\n'),
      log: stderr(),
      list: JSON.stringify(await stage.proxy.rest.request('listTokens', { all: 'true' })),
      records: await (await stage.proxy.rest.open('exportActivity', {})).text(),
      'sealed export': await (await stage.proxy.rest.open('exportSealed', {})).text(),
      ...Object.fromEntries(filesBelow(home).map((file) => [file, readFileSync(file, 'latin1')])),
    };
    const holding = Object.entries(everything).filter(([, text]) => text.includes(part));
    expect(holding.map(([place]) => place)).toEqual([]);
    // The search for it works: its name is there, and so is its hash.
    expect(everything.records).toContain('token:canary');
    expect(everything.records).toContain('masked:mcpproxy-token');
    for (const file of filesBelow(dataDir)) expect(statSync(file).mode & 0o077, file).toBe(0);
  });
});

test('guessing: ten wrong ones in a minute, then 429 with the time to wait; recorded, and in the end counted', async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) {
    const response = await answer('POST', '/mcp', {
      headers: { authorization: `Bearer guess-number-${i}` },
      body: '{}',
    });
    statuses.push(response.status);
    if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  // One wrong guess was made above.
  expect(statuses.slice(-3)).toEqual([429, 429, 429]);
  const recorded = await stage.records({ type: 'bad_request' });
  expect(recorded.filter(({ error_code }) => error_code === 'TOO_MANY_REQUESTS').length).toBeGreaterThan(0);
  expect(JSON.stringify(recorded)).not.toContain('guess-number');
});
