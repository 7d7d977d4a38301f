import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startLoginServer, type LoginServer } from '../../../test/fixtures/login-server.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams } from '../../../test/fixtures/upstreams.ts';
import type { OAuthConfig } from '../../contract/oauth.ts';
import { openDatabase } from '../../db/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { createLoginCipher } from './login-key.ts';
import { createLoginStore, type LoginStore } from './login-store.ts';

let server: LoginServer;
let store: LoginStore;
let closeStore: () => Promise<void>;
beforeEach(async () => {
  server = await startLoginServer();
  const dir = tempDir();
  const db = await openDatabase({ file: `${dir}/test.db`, log: createLog('silent') });
  store = createLoginStore({ db, cipher: createLoginCipher(dir), clock: systemClock });
  closeStore = () => db.close();
});
afterEach(async () => {
  await stopUpstreams();
  await closeStore();
  await server.stop();
});

const LIMIT_MS = 120_000;

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`still waiting for: ${condition.toString()}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

async function start(oauth?: OAuthConfig | false) {
  const notes = { url: server.url, ...(oauth !== undefined && { oauth }) };
  const started = await startUpstreams({ notes }, { logins: store });
  const { logIns } = started.upstreams;
  const view = () => started.upstreams.view('notes')!;
  const answer = async (page: string | undefined) => new URL(await server.agree(page!)).searchParams;
  return {
    ...started,
    logIns,
    view,
    answer,
    until: (state: string) => eventually(() => view().state === state),
    call: (tool = 'echo') => started.call('notes', tool, {}),
    logIn: async () => {
      const begun = await logIns.start('notes', {});
      await logIns.complete(await answer(begun.authorization_url));
      await eventually(() => view().state === 'ready');
    },
  };
}

const lastForm = () => Object.fromEntries(server.forms.at(-1)!);
const calls = () => server.requests.filter((each) => each === 'POST /mcp').length;

describe('a server that wants a log-in', () => {
  test('needs one, and nobody but the server is asked until the operator begins', async () => {
    const { view } = await start();
    expect(view()).toMatchObject({
      state: 'needs_login',
      last_error: 'the server asks for a log-in',
      next_step: 'Run: mcpproxy upstream login notes',
      login: { needed: true, scopes: ['tools'], url_host: new URL(server.url).host },
    });
    expect(new Set(server.requests)).toEqual(new Set(['POST /mcp']));
  });

  test('fails as before where it says nothing of a log-in and has no metadata', async () => {
    server.knobs.challenge = '';
    server.knobs.instead = (req, res) => {
      if (!req.url?.startsWith('/.well-known')) return false;
      res.writeHead(404).end();
      return true;
    };
    const { view } = await start();
    expect(view()).toMatchObject({
      state: 'failed',
      last_error: expect.stringContaining('rejects the credentials'),
    });
  });

  test('needs a log-in where only its metadata says so', async () => {
    server.knobs.challenge = '';
    expect((await start()).view().state).toBe('needs_login');
  });

  test('fails with "oauth": false', async () => {
    const { view, logIns } = await start(false);
    expect(view()).toMatchObject({ state: 'failed' });
    await expect(logIns.start('notes', {})).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('a log-in', () => {
  test('sends PKCE, state, the resource and the scopes, and binds the token to the server', async () => {
    const { logIns, answer, until, call } = await start();
    const begun = await logIns.start('notes', {});
    const query = Object.fromEntries(new URL(begun.authorization_url!).searchParams);
    expect(query).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: server.url,
      scope: 'tools',
    });
    expect(query.state).toMatch(/^[\w-]{43}$/);
    expect(logIns.progress('notes')).toEqual({ status: 'waiting' });
    await logIns.complete(await answer(begun.authorization_url));
    expect(lastForm()).toMatchObject({ grant_type: 'authorization_code', resource: server.url });
    expect(logIns.progress('notes')).toEqual({ status: 'done' });
    await until('ready');
    await call();
    expect(server.credentials.at(-1)).toMatch(/^Bearer access-/);
  });

  test('works once: neither its state nor that of a replaced log-in is accepted', async () => {
    const { logIns, answer } = await start();
    const first = await answer((await logIns.start('notes', {})).authorization_url);
    const second = await answer((await logIns.start('notes', {})).authorization_url);
    await expect(logIns.complete(first)).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
    await expect(logIns.complete(second, 'another')).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
    await logIns.complete(second);
    await expect(logIns.complete(second)).rejects.toThrow(/No log-in waits for this answer/);
  });

  test('waits until the token is stored, and a log-out meanwhile counts', async () => {
    const { logIns, answer } = await start();
    const given = await answer((await logIns.start('notes', {})).authorization_url);
    const completed = logIns.complete(given);
    expect(logIns.progress('notes')).toEqual({ status: 'waiting' });
    await logIns.logOut('notes');
    await expect(completed).rejects.toThrow(/ended before the authorization server answered/);
    expect(await store.read('notes')).toBeUndefined();
    expect(logIns.progress('notes')).toEqual({ status: 'none' });
  });

  test.each([
    ['of another issuer', (answer: URLSearchParams) => answer.set('iss', 'https://evil.example'), /issuer/i],
    [
      'without the issuer that the metadata promises',
      (answer: URLSearchParams) => answer.delete('iss'),
      /issuer/i,
    ],
    ['with two codes', (answer: URLSearchParams) => answer.append('code', 'x'), /several values of "code"/],
    [
      'that refuses',
      (answer: URLSearchParams) => (answer.delete('code'), answer.set('error', 'access_denied')),
      /answered access_denied/,
    ],
  ])('fails for an answer %s, and no code is sent', async (_, change, says) => {
    const { logIns, answer } = await start();
    const given = await answer((await logIns.start('notes', {})).authorization_url);
    change(given);
    await expect(logIns.complete(given)).rejects.toThrow(says);
    expect(server.forms).toEqual([]);
    expect(logIns.progress('notes')).toMatchObject({ status: 'failed', reason: expect.stringMatching(says) });
  });

  test.each<[string, () => void, RegExp]>([
    [
      'without PKCE',
      () => (server.knobs.issuer = { code_challenge_methods_supported: ['plain'] }),
      /PKCE with S256/,
    ],
    [
      'with no word of PKCE',
      () => (server.knobs.issuer = { code_challenge_methods_supported: undefined }),
      /PKCE with S256/,
    ],
    [
      'of another issuer',
      () => (server.knobs.issuer = { issuer: 'https://evil.example' }),
      /another authorization server/,
    ],
    [
      'with a token endpoint without https',
      () => (server.knobs.issuer = { token_endpoint: 'http://evil.example/token' }),
      /does not use https/,
    ],
    [
      'with a page of an address that no server may name',
      () => (server.knobs.issuer = { authorization_endpoint: 'https://169.254.169.254/latest' }),
      /may not name/,
    ],
    [
      'with a page that looks like one of another host',
      () => (server.knobs.issuer = { authorization_endpoint: 'https://github.com@evil.example/a' }),
      /user name in its address/,
    ],
    [
      'about another server',
      () => (server.knobs.resource = { resource: 'https://other.example/' }),
      /another address/,
    ],
    [
      'that has no registration',
      () => (server.knobs.issuer = { registration_endpoint: undefined }),
      /Register a client there by hand with the redirect URI http:\/\/127\.0\.0\.1:8080\/oauth\/callback/,
    ],
  ])('is refused by metadata %s', async (_, change, says) => {
    change();
    const { logIns } = await start();
    await expect(logIns.start('notes', {})).rejects.toMatchObject({
      code: 'LOGIN_FAILED',
      message: expect.stringMatching(says),
    });
  });

  test.each([
    { what: 'is an HTML page', type: 'text/html', body: '<html>', says: /text\/html instead of JSON/ },
    {
      what: 'is huge',
      type: 'application/json',
      body: ' '.repeat(300_000),
      says: /larger than 262144 bytes/,
    },
    { what: 'is no object', type: 'application/json', body: '[]', says: /wrong shape/ },
  ])('is refused by metadata that $what', async ({ type, body, says }) => {
    const { logIns } = await start();
    server.knobs.instead = (req, res) => {
      if (!req.url?.startsWith('/.well-known')) return false;
      res.writeHead(200, { 'content-type': type }).end(body);
      return true;
    };
    await expect(logIns.start('notes', {})).rejects.toThrow(says);
  });

  test.each([
    [{ token_type: 'mac' }, /no bearer token/],
    [{ access_token: 'two words' }, /wrong shape/],
    [{ access_token: 7 }, /wrong shape/],
    [{ access_token: undefined }, /wrong shape/],
  ])('is refused by a token like %j', async (token, says) => {
    server.knobs.token = token;
    const { logIns, answer } = await start();
    const begun = await logIns.start('notes', {});
    await expect(logIns.complete(await answer(begun.authorization_url))).rejects.toThrow(says);
    expect(await store.read('notes')).toBeUndefined();
  });

  test('asks before it trusts another issuer', async () => {
    const { logIns, logIn, until } = await start();
    await logIn();
    const other = await startLoginServer();
    try {
      server.knobs.resource = { authorization_servers: [other.origin] };
      await expect(logIns.start('notes', {})).rejects.toThrow(
        /now names the authorization server .*--accept-issuer/,
      );
      const begun = await logIns.start('notes', { acceptIssuer: true });
      expect(begun.issuer).toBe(other.origin);
      expect(other.registered).toHaveLength(1);
      await until('ready');
    } finally {
      await other.stop();
    }
  });

  test('uses the configured client, its secret and its scopes', async () => {
    const { logIns, answer } = await start({
      client_id: 'mine',
      client_secret: 'hidden-1',
      scopes: ['a', 'b'],
    });
    const begun = await logIns.start('notes', {});
    expect(new URL(begun.authorization_url!).searchParams.get('client_id')).toBe('mine');
    expect(begun.scopes).toEqual(['a', 'b', 'tools']);
    await logIns.complete(await answer(begun.authorization_url));
    expect(server.registered).toEqual([]);
    expect(JSON.stringify(await store.read('notes'))).not.toContain('hidden-1');
  });

  test('uses a client ID metadata document where the server knows them', async () => {
    const client_metadata_url = 'https://example.com/client.json';
    server.knobs.issuer = { client_id_metadata_document_supported: true };
    const { logIns } = await start({ client_metadata_url });
    const begun = await logIns.start('notes', {});
    expect(new URL(begun.authorization_url!).searchParams.get('client_id')).toBe(client_metadata_url);
    expect(server.registered).toEqual([]);
  });

  test('uses its registration again', async () => {
    const { logIns, logIn } = await start();
    await logIn();
    await logIns.start('notes', {});
    expect(server.registered).toHaveLength(1);
  });
});

describe('a token', () => {
  test('that the server no longer accepts is refreshed once for many calls, and each call runs once', async () => {
    const { logIn, call } = await start();
    await logIn();
    server.access.clear();
    const before = calls();
    await Promise.all(Array.from({ length: 20 }, () => call()));
    expect(server.forms.filter((form) => form.get('grant_type') === 'refresh_token')).toHaveLength(1);
    expect(lastForm()).toMatchObject({ resource: server.url });
    expect(calls() - before).toBeLessThanOrEqual(40);
  });

  test('that expires soon is refreshed before the next call', async () => {
    server.knobs.expiresIn = 1;
    const { logIn, call } = await start();
    await logIn();
    server.knobs.expiresIn = 3600;
    await eventually(async () => {
      await call();
      return server.forms.some((form) => form.get('grant_type') === 'refresh_token');
    });
    expect(server.credentials.every((each) => each === undefined || server.access.has(each.slice(7)))).toBe(
      true,
    );
  });

  test('whose refresh token has expired needs a log-in, with the issuer still known', async () => {
    const { logIn, call, view } = await start();
    await logIn();
    server.access.clear();
    server.refresh.clear();
    await expect(call()).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      details: { state: 'needs_login', sent: false },
    });
    expect(view()).toMatchObject({
      state: 'needs_login',
      last_error: expect.stringContaining('has expired (invalid_grant'),
      login: { needed: true, issuer: server.origin },
    });
    expect((await store.read('notes'))?.login?.tokens).toBeUndefined();
  });

  test('stays in use while the authorization server is down', async () => {
    server.knobs.expiresIn = 1;
    const { logIn, call, view } = await start();
    await logIn();
    server.knobs.tokenStatus = 503;
    await eventually(async () => {
      await call();
      return server.forms.some((form) => form.get('grant_type') === 'refresh_token');
    });
    expect(view().state).toBe('ready');
  });

  test('that another proxy has refreshed is read instead of refreshed again', async () => {
    const { logIn, call } = await start();
    await logIn();
    const { login } = (await store.read('notes'))!;
    server.access.clear();
    server.access.set('from-elsewhere', 'tools');
    await store.write('notes', { ...login!, tokens: { ...login!.tokens!, access_token: 'from-elsewhere' } });
    await call();
    expect(server.credentials.at(-1)).toBe('Bearer from-elsewhere');
    expect(server.forms.some((form) => form.get('grant_type') === 'refresh_token')).toBe(false);
  });

  test('is refreshed by one of several proxies that need it at the same time', async () => {
    const one = await start();
    await one.logIn();
    const two = await start();
    await two.until('ready');
    server.access.clear();
    await Promise.all([one.call(), two.call(), one.call(), two.call()]);
    expect(server.forms.filter((form) => form.get('grant_type') === 'refresh_token')).toHaveLength(1);
    expect([one.view().state, two.view().state]).toEqual(['ready', 'ready']);
  });

  test('that is bound to a key is shown with a new proof each time, and with the nonce of either server', async () => {
    server.knobs.nonce = 'first';
    const { logIn, call, view } = await start();
    await logIn();
    expect(server.proofFaults).toEqual(['use_dpop_nonce', 'use_dpop_nonce']);
    await call();
    expect(server.credentials.at(-1)).toMatch(/^DPoP access-/);
    server.knobs.nonce = 'second';
    await call();
    await call();
    expect(server.proofFaults).toHaveLength(3);
    // The nonce and the token are both too old.
    server.knobs.nonce = 'third';
    server.access.clear();
    await call();
    expect(view().state).toBe('ready');
    expect(new Set(server.proofFaults)).toEqual(new Set(['use_dpop_nonce']));
    expect((await store.read('notes'))!.login).toMatchObject({ tokens: { type: 'DPoP' } });
  });

  test('is not bound to a key where the server of the tools does not ask for that', async () => {
    server.knobs.issuer = { dpop_signing_alg_values_supported: ['ES256'] };
    const { logIn, call } = await start();
    await logIn();
    await call();
    expect(server.credentials.at(-1)).toMatch(/^Bearer /);
    expect((await store.read('notes'))!.login).not.toHaveProperty('proof_key');
  });

  test('that is bound to a key can be refreshed by another proxy, which has the same key', async () => {
    server.knobs.nonce = 'n';
    const { logIn } = await start();
    await logIn();
    const { proof_key: key } = (await store.read('notes'))!.login!;
    const other = await start();
    await other.until('ready');
    server.access.clear();
    await other.call();
    expect((await store.read('notes'))!.login!.proof_key).toEqual(key);
  });

  test('that the server repeats in an error is masked', async () => {
    const { logIn, call, view } = await start();
    await logIn();
    server.knobs.instead = (req, res) => {
      if (req.url !== '/mcp') return false;
      res.writeHead(500, { 'content-type': 'text/plain' }).end(`bad ${req.headers.authorization}`);
      return true;
    };
    const error = await call().catch((cause: unknown) => cause);
    expect(error).toMatchObject({ message: expect.stringContaining('bad Bearer ***') });
    expect(JSON.stringify([error, view()])).not.toContain('access-');
  });

  test('without the scope of a tool leaves the other tools usable, and the next log-in asks for all scopes', async () => {
    server.knobs.scopeOfTool = 'admin';
    const { logIn, call, view, logIns } = await start();
    await logIn();
    await expect(call('admin')).rejects.toMatchObject({ details: { state: 'needs_login' } });
    expect(view()).toMatchObject({
      state: 'needs_login',
      login: { needed: true, scopes: ['tools', 'admin'] },
    });
    await call('echo');
    expect((await logIns.start('notes', {})).scopes).toEqual(['tools', 'admin']);
    await logIn();
    await call('admin');
  });

  test('serves a trial of the configured server too', async () => {
    const { logIn, upstreams } = await start();
    const trial = () =>
      upstreams.test({ name: 'notes', config: { url: server.url }, signal: new AbortController().signal });
    expect(await trial()).toMatchObject({ ok: false, next_step: 'Run: mcpproxy upstream login notes' });
    await logIn();
    expect(await trial()).toMatchObject({ ok: true });
  });

  test('is for this address only', async () => {
    const { logIn, upstreams, view } = await start();
    await logIn();
    const other = await startLoginServer();
    try {
      await upstreams.apply({ notes: { url: other.url } });
      await eventually(() => view().state === 'needs_login');
      expect(new Set(other.credentials)).toEqual(new Set([undefined]));
    } finally {
      await other.stop();
    }
  });

  test('is revoked and erased by a log-out', async () => {
    const { logIn, logIns, until } = await start();
    await logIn();
    expect(await logIns.logOut('notes')).toEqual({ revoked: true });
    expect(server.revoked).toEqual([expect.stringMatching(/^refresh-/), expect.stringMatching(/^access-/)]);
    expect(await store.read('notes')).toBeUndefined();
    await until('needs_login');
  });
});

describe('a machine', () => {
  test('logs in by itself with its secret', async () => {
    const { call, view } = await start({
      grant: 'client_credentials',
      client_id: 'robot',
      client_secret: 'hidden-2',
    });
    await call();
    expect(view()).toMatchObject({ state: 'ready', login: { needed: false, refreshes: true } });
    expect(lastForm()).toMatchObject({
      grant_type: 'client_credentials',
      scope: 'tools',
      resource: server.url,
    });
  });

  test('signs with its private key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { call } = await start({ grant: 'client_credentials', client_id: 'robot', private_key });
    await call();
    const [, payload = ''] = String(lastForm().client_assertion).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      iss: 'robot',
      sub: 'robot',
      aud: server.origin,
    });
  });

  test('gets a token with further scopes when a tool asks for them, and a new one when it expires', async () => {
    server.knobs.scopeOfTool = 'admin';
    const { call, view } = await start({
      grant: 'client_credentials',
      client_id: 'robot',
      client_secret: 'hidden-3',
    });
    await call('admin');
    expect(view().login).toMatchObject({ scopes: ['tools', 'admin'] });
    server.access.clear();
    await call('admin');
  });
});
