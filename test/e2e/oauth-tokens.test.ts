import { describe, expect, test } from 'vitest';
import { startAuthorizationServer } from '../fixtures/authorization-server.ts';
import { redirectOf } from './headless-browser.ts';
import { GROUNDS } from './oauth-grounds.ts';
import {
  openFixtureStage,
  openOauthStage,
  pasteLogIn,
  saidBy,
  type OauthStage,
  shareProxy,
} from './oauth-stage.ts';

shareProxy();

async function loggedIn(stage: OauthStage): Promise<void> {
  await stage.until('needs_login');
  await stage.logIn();
}

const reads = async (stage: OauthStage) => saidBy(await stage.call('read_note'));

describe.each(GROUNDS)('tokens of %s', (_, start) => {
  test('an access token that has ended is refreshed once, however many calls find it so', async () => {
    const ground = await start();
    const stage = await openOauthStage(ground);
    await loggedIn(stage);
    for (let round = 1; round <= 3; round++) {
      await ground.expire();
      const said = await Promise.all(Array.from({ length: 8 }, () => reads(stage)));
      expect(new Set(said)).toEqual(new Set(['read_note ran']));
      expect(ground.granted('refresh_token')).toBe(round);
    }
    expect((await stage.view()).state).toBe('ready');
  });

  test('a tool that needs more asks for a log-in with the scopes of both, and runs afterwards', async () => {
    const stage = await openOauthStage(await start());
    await loggedIn(stage);
    const refused = await stage.call('write_note');
    expect(refused.isError).toBe(true);
    expect(saidBy(refused)).toContain('mcpproxy upstream login notes');
    const { login } = await stage.until('needs_login');
    expect(login.scopes.toSorted()).toEqual(expect.arrayContaining(['notes:read', 'notes:write']));
    const begun = await stage.logIn();
    const asked = new URL(begun.authorization_url).searchParams.get('scope')!.split(' ');
    expect(asked).toEqual(expect.arrayContaining(['notes:read', 'notes:write']));
    expect(saidBy(await stage.call('write_note'))).toBe('write_note ran');
    expect(await reads(stage)).toBe('read_note ran');
  });

  test('a log-out revokes the tokens and forgets them', async () => {
    const ground = await start();
    const stage = await openOauthStage(ground);
    await loggedIn(stage);
    const used = stage.server.seen.at(-1)!.headers.authorization!.slice('Bearer '.length);
    expect(await ground.verify(used)).toBeDefined();
    expect(await stage.rest('DELETE', '/notes/login')).toMatchObject({
      status: 200,
      body: { revoked: true },
    });
    expect(ground.revocations()).toBeGreaterThan(0);
    expect(await ground.verify(used)).toBeUndefined();
    const { login } = await stage.until('needs_login');
    expect(login.needed).toBe(true);
    await stage.restart();
    await stage.until('needs_login');
  });

  test('a log-in outlives a restart of the proxy, with its refresh', async () => {
    const ground = await start();
    const stage = await openOauthStage(ground);
    await loggedIn(stage);
    await stage.restart();
    await stage.until('ready');
    expect(await reads(stage)).toBe('read_note ran');
    await ground.expire();
    expect(await reads(stage)).toBe('read_note ran');
    expect(ground.granted('authorization_code')).toBe(1);
    expect(ground.granted('refresh_token')).toBe(1);
  });
});

describe('tokens', () => {
  test('one that expires soon is refreshed before it does, by a chain of rotated refresh tokens', async () => {
    const { stage, issuer } = await openFixtureStage({
      tokenAnswer: (honest) => ({ ...honest, expires_in: 1 }),
    });
    await loggedIn(stage);
    await expect
      .poll(async () => (await reads(stage)) === 'read_note ran' && issuer.answered('refresh_token'))
      .toBeGreaterThanOrEqual(3);
    expect(issuer.grants.reused()).toBe(0);
    expect(
      stage.server.seen.filter(({ status, headers }) => status === 401 && headers.authorization),
    ).toEqual([]);
  });

  test('a refresh token that has ended asks for a log-in', async () => {
    const { stage, issuer } = await openFixtureStage();
    await loggedIn(stage);
    issuer.grants.expire(true);
    const refused = await stage.call('read_note');
    expect(refused.isError).toBe(true);
    expect(saidBy(refused)).toContain('mcpproxy upstream login notes');
    await stage.until('needs_login');
    expect(issuer.requests('/token', 'refresh_token')).toHaveLength(1);
    await stage.logIn();
    expect(await reads(stage)).toBe('read_note ran');
  });

  test('without a refresh token, an access token that has ended asks for a log-in', async () => {
    const { stage, issuer } = await openFixtureStage({ refreshes: false });
    await loggedIn(stage);
    expect((await stage.view()).login.refreshes).toBe(false);
    issuer.grants.expire();
    expect((await stage.call('read_note')).isError).toBe(true);
    await stage.until('needs_login');
  });

  test('an authorization server that fails once is no reason to log in again', async () => {
    const { stage, issuer } = await openFixtureStage();
    await loggedIn(stage);
    issuer.grants.expire();
    issuer.behaviour.faults.token = 'error';
    expect((await stage.call('read_note')).isError).toBe(true);
    issuer.behaviour.faults = {};
    await expect.poll(() => reads(stage)).toBe('read_note ran');
    expect(issuer.answered('authorization_code')).toBe(1);
  });

  test('a log-out without revocation erases the tokens and says that they are not revoked', async () => {
    const { stage, issuer } = await openFixtureStage({ revocation: false });
    await loggedIn(stage);
    const { status, body } = await stage.rest('DELETE', '/notes/login');
    expect([status, body.revoked]).toEqual([200, false]);
    expect(body.reason).toBeTruthy();
    await stage.until('needs_login');
    expect(issuer.requests('/revoke')).toEqual([]);
  });

  test('after a restart at another address, the new redirect is registered', async () => {
    const { stage } = await openFixtureStage();
    await loggedIn(stage);
    await stage.restart();
    await stage.rest('DELETE', '/notes/login');
    await stage.until('needs_login');
    await stage.logIn();
    expect(await reads(stage)).toBe('read_note ran');
  });
});

describe('a server that names another authorization server', () => {
  test('gets no token of the first one, and needs the consent of the operator', async () => {
    const { stage, issuer } = await openFixtureStage();
    await loggedIn(stage);
    const other = await startAuthorizationServer({ resources: [stage.server.url] });
    stage.server.protection.issuers = [other.issuer];
    issuer.grants.expire(true);
    expect((await stage.call('read_note')).isError).toBe(true);
    const { login } = await stage.until('needs_login');
    const refused = await stage.rest('POST', '/notes/login', {});
    expect([refused.status, refused.body.error.code]).toEqual([422, 'LOGIN_FAILED']);
    expect(`${login.reason} ${refused.body.error.message}`).toContain(other.issuer);
    expect(other.requests('/authorize')).toEqual([]);

    // The server checks tokens of the other one from now on.
    const { authorization_url: page } = await stage.begin({ accept_issuer: true });
    expect(new URL(page).origin).toBe(other.issuer);
    expect((await stage.complete(await redirectOf(page))).status).toBe(200);
    const sent = JSON.stringify(other.seen);
    for (const secret of issuer.grants.secrets) expect(sent).not.toContain(secret);
    for (const id of issuer.clients.keys()) expect(sent).not.toContain(id);
    other.stop();
  });
});

describe('a log-in', () => {
  test('that begins again ends the one before', async () => {
    const { stage } = await openFixtureStage();
    await stage.until('needs_login');
    const [first, second] = [await stage.begin(), await stage.begin()];
    const early = await stage.complete(await redirectOf(first.authorization_url));
    expect([early.status, early.body.error.code]).toEqual([422, 'LOGIN_FAILED']);
    expect((await stage.complete(await redirectOf(second.authorization_url))).status).toBe(200);
    await stage.until('ready');
  });

  test('of two at the same moment, exactly one can be completed', async () => {
    const { stage, issuer } = await openFixtureStage();
    await stage.until('needs_login');
    const begun = await Promise.all([stage.begin(), stage.begin()]);
    const redirects = await Promise.all(begun.map(({ authorization_url: page }) => redirectOf(page)));
    const ended = await Promise.all(redirects.map((redirect) => stage.complete(redirect)));
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set([200, 422]));
    expect(issuer.answered('authorization_code')).toBe(1);
    await stage.until('ready');
  });

  test('that never returns holds up nothing: not the next one, and not the end of the proxy', async () => {
    const { stage } = await openFixtureStage({ person: 'never answers' });
    await stage.until('needs_login');
    for (let i = 0; i < 40; i++) await stage.begin();
    expect((await stage.rest('GET', '/notes/login')).body).toMatchObject({ status: 'waiting' });
    expect((await stage.view()).state).toBe('needs_login');
    await stage.restart();
    await stage.until('needs_login');
    expect((await stage.rest('GET', '/notes/login')).body).toMatchObject({ status: 'none' });
  });

  test('that the person refuses says so', async () => {
    const { stage } = await openFixtureStage({ person: 'refuses' });
    await stage.until('needs_login');
    const { status, body } = await pasteLogIn(stage);
    expect([status, body.error.code]).toEqual([422, 'LOGIN_FAILED']);
    expect(body.error.message).toContain('access_denied');
    expect((await stage.rest('GET', '/notes/login')).body).toMatchObject({ status: 'failed' });
  });
});
