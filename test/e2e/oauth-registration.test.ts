import { describe, expect, test } from 'vitest';
import { GROUNDS, REDIRECT } from './oauth-grounds.ts';
import {
  openFixtureStage,
  openOauthStage,
  pasteLogIn,
  saidBy,
  type OauthStage,
  shareProxy,
} from './oauth-stage.ts';

shareProxy();

const DOCUMENT = 'https://client.example/mcpproxy.json';

async function expectUsable(stage: OauthStage): Promise<void> {
  expect(saidBy(await stage.call('read_note'))).toBe('read_note ran');
}

describe.each(GROUNDS)('a log-in with %s', (_, start) => {
  test('with dynamic registration: the server waits for it, says so everywhere, and works afterwards', async () => {
    const ground = await start();
    const stage = await openOauthStage(ground);
    const waiting = await stage.until('needs_login');
    expect(waiting.login).toMatchObject({ needed: true, url_host: new URL(stage.server.url).host });
    expect(waiting.next_step).toContain('mcpproxy upstream login notes');
    const refused = await stage.call('read_note');
    expect(refused.isError).toBe(true);
    expect(saidBy(refused)).toContain('mcpproxy upstream login notes');
    // The page to open is of the operator's business, and nothing opens it by itself.
    expect(saidBy(refused)).not.toContain('http');
    expect(ground.granted('authorization_code')).toBe(0);

    const begun = await stage.begin();
    expect(new URL(begun.authorization_url).origin).toBe(ground.issuer);
    expect(begun).toMatchObject({ issuer: ground.issuer, redirect_uri: `${stage.proxy.url}/oauth/callback` });
    const query = new URL(begun.authorization_url).searchParams;
    expect(query.get('resource')).toBe(stage.server.url);
    expect(query.get('code_challenge_method')).toBe('S256');
    expect((await stage.rest('GET', '/notes/login')).body).toMatchObject({ status: 'waiting' });

    await stage.logIn();
    expect((await stage.rest('GET', '/notes/login')).body).toMatchObject({ status: 'done' });
    const view = await stage.view();
    expect(view.login).toMatchObject({ needed: false, issuer: ground.issuer, refreshes: true });
    expect(view.login.scopes).toContain('notes:read');
    await expectUsable(stage);
    expect(ground.registrations()).toBeGreaterThan(0);
  });

  test.each(['client_secret_basic', 'client_secret_post'] as const)(
    'with a client that was registered before (%s), whose secret stands in the environment',
    async (method) => {
      const secret = `secret of the test: ${method}/+&=`;
      const ground = await start({ clients: [{ id: 'known client', secret, method }] });
      const oauth = {
        client_id: 'known client',
        client_secret: '${env:NOTES_SECRET}',
        token_endpoint_auth_method: method,
      };
      const stage = await openOauthStage(ground, { oauth, start: { env: { NOTES_SECRET: secret } } });
      await stage.until('needs_login');
      await stage.logIn();
      await expectUsable(stage);
      expect(ground.registrations()).toBe(0);
    },
  );

  test.each(['server', 'whole configuration'] as const)(
    'with a client ID metadata document, named by the %s',
    async (where) => {
      const document = {
        client_id: DOCUMENT,
        client_name: 'mcpproxy',
        redirect_uris: [REDIRECT],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      };
      const ground = await start({ documents: { [DOCUMENT]: document } });
      const oauth = { client_metadata_url: DOCUMENT };
      const stage = await openOauthStage(ground, where === 'server' ? { oauth } : { config: { oauth } });
      await stage.until('needs_login');
      const begun = await stage.logIn();
      expect(new URL(begun.authorization_url).searchParams.get('client_id')).toBe(DOCUMENT);
      await expectUsable(stage);
      expect(ground.registrations()).toBe(0);
    },
  );

  test('where no registration is offered, the operator is told which address to register', async () => {
    const stage = await openOauthStage(await start({ registration: false }));
    await stage.until('needs_login');
    const { status, body } = await stage.rest('POST', '/notes/login', {});
    expect([status, body.error.code]).toEqual([422, 'LOGIN_FAILED']);
    expect(body.error.message).toContain(`${stage.proxy.url}/oauth/callback`);
    expect(body.error.message).toContain('client_id');
  });

  test('without a browser: the address of the redirect is handed over', async () => {
    const stage = await openOauthStage(await start());
    await stage.until('needs_login');
    expect((await pasteLogIn(stage)).status).toBe(200);
    await stage.until('ready');
    await expectUsable(stage);
  });
});

describe('metadata are found', () => {
  test.each(['named', 'path', 'root'] as const)('of the server: %s', async (metadata) => {
    const { stage } = await openFixtureStage({}, { protect: { metadata } });
    await stage.until('needs_login');
    await stage.logIn();
    await expectUsable(stage);
  });

  test.each([
    ['oauth', ''],
    ['openid', ''],
    ['oauth', '/tenant'],
    ['openid', '/tenant'],
    ['openid appended', '/tenant'],
  ] as const)('of the authorization server: %s, path "%s"', async (place, path) => {
    const { stage, issuer } = await openFixtureStage({ places: [place] }, { path });
    await stage.until('needs_login');
    await stage.logIn();
    await expectUsable(stage);
    expect((await stage.view()).login.issuer).toBe(issuer.issuer);
  });
});

describe('what is configured', () => {
  test('scopes are asked for instead of those that the server names', async () => {
    const { stage } = await openFixtureStage({}, { oauth: { scopes: 'notes:read notes:write' } });
    await stage.until('needs_login');
    const begun = await stage.logIn();
    expect(new URL(begun.authorization_url).searchParams.get('scope')).toBe('notes:read notes:write');
    expect(saidBy(await stage.call('write_note'))).toBe('write_note ran');
  });

  test('no other issuer than the configured one is accepted', async () => {
    const { stage, issuer } = await openFixtureStage({}, { oauth: { issuer: 'https://login.example' } });
    await stage.until('needs_login');
    const { status, body } = await stage.rest('POST', '/notes/login', {});
    expect([status, body.error.code]).toEqual([422, 'LOGIN_FAILED']);
    expect(issuer.requests('/register')).toEqual([]);
  });

  test('oauth: false, or an Authorization header of the operator, and no log-in begins by itself', async () => {
    const { stage, issuer } = await openFixtureStage({}, { oauth: false });
    await stage.until('failed');
    const header = {
      name: 'own',
      config: { url: stage.server.url, headers: { Authorization: 'Bearer own' } },
    };
    await stage.rest('POST', '', header);
    await expect.poll(async () => (await stage.rest('GET', '/own')).body.state).toBe('failed');
    expect(stage.server.asked).toEqual([]);
    expect(issuer.seen).toEqual([]);
  });
});
