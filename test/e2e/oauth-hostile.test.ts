import { describe, expect, test } from 'vitest';
import { startCanary } from '../attacks/canary.ts';
import { HOSTILE_TEXT, type Fault } from '../fixtures/metadata-faults.ts';
import { redirectOf } from './headless-browser.ts';
import { openFixtureStage, pasteLogIn, type OauthStage, type RestAnswer, shareProxy } from './oauth-stage.ts';

shareProxy();

const FAULTS: Fault[] = [
  'huge',
  'endless',
  'HTML',
  'redirect',
  'other issuer',
  'wrong shapes',
  'silent',
  'error',
  'not JSON',
];

/** No log-in, a sentence that anybody may read, and a proxy that goes on. */
async function expectRefused(stage: OauthStage, { status, body }: RestAnswer): Promise<void> {
  expect([status, body.error?.code], JSON.stringify(body)).toEqual([422, 'LOGIN_FAILED']);
  expect(body.error.message.length).toBeLessThan(1000);
  expect(body.error.message).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e]/);
  const view = await stage.view();
  expect(view.state).toBe('needs_login');
  expect(JSON.stringify(view)).not.toContain(HOSTILE_TEXT);
}

describe('hostile metadata', () => {
  test.each(FAULTS)('of the server: %s', async (fault) => {
    const canary = await startCanary();
    const { stage, issuer } = await openFixtureStage({}, { protect: { fault, elsewhere: canary.url } });
    await stage.until('needs_login');
    await expectRefused(stage, await stage.rest('POST', '/notes/login', {}));
    expect(canary.hits).toEqual([]);
    expect(issuer.requests('/register')).toEqual([]);
    await canary.stop();
  });

  test.each([...FAULTS, 'script'] as const)('of the authorization server: %s', async (fault) => {
    const canary = await startCanary();
    const { stage, issuer } = await openFixtureStage({ faults: { metadata: fault }, elsewhere: canary.url });
    await stage.until('needs_login');
    await expectRefused(stage, await stage.rest('POST', '/notes/login', {}));
    expect(canary.hits).toEqual([]);
    expect(issuer.requests('/register')).toEqual([]);
    await canary.stop();
  });

  test.each(['https://attacker.example/mcp', 'http://127.0.0.1:9/mcp', 'not an address'])(
    'that are for another resource: %s',
    async (resource) => {
      const { stage, issuer } = await openFixtureStage({}, { protect: { resource } });
      await stage.until('needs_login');
      await expectRefused(stage, await stage.rest('POST', '/notes/login', {}));
      expect(issuer.seen).toEqual([]);
    },
  );

  test.each([
    'Bearer resource_metadata="javascript:alert(1)"',
    'Bearer resource_metadata="file:///etc/passwd"',
    'Bearer resource_metadata="http://169.254.169.254/latest/meta-data/"',
    'Bearer resource_metadata="http://10.0.0.1/metadata"',
    `Bearer resource_metadata="http://127.0.0.1:9/${'x'.repeat(6000)}"`,
    'Bearer resource_metadata=',
  ])('that the challenge names: %s', async (header) => {
    const { stage, issuer } = await openFixtureStage({}, { protect: { header, metadata: 'none' } });
    const view = await stage.until('needs_login');
    expect(JSON.stringify(view)).not.toContain('alert(1)');
    const { status, body } = await stage.rest('POST', '/notes/login', {});
    expect([status, body.error?.code], JSON.stringify(body)).toEqual([422, 'LOGIN_FAILED']);
    expect(issuer.seen).toEqual([]);
  });

  test.each([[undefined], [['plain']], [[]]])('without PKCE S256: %s', async (challengeMethods) => {
    const { stage, issuer } = await openFixtureStage();
    if (challengeMethods) issuer.behaviour.challengeMethods = challengeMethods;
    else delete issuer.behaviour.challengeMethods;
    await stage.until('needs_login');
    const answer = await stage.rest('POST', '/notes/login', {});
    await expectRefused(stage, answer);
    expect(answer.body.error.message).toContain('PKCE');
  });
});

describe('hostile answers', () => {
  test.each(['huge', 'HTML', 'redirect', 'wrong shapes', 'error', 'not JSON', 'endless', 'silent'] as const)(
    'of the registration: %s',
    async (fault) => {
      const canary = await startCanary();
      const { stage } = await openFixtureStage({ faults: { register: fault }, elsewhere: canary.url });
      await stage.until('needs_login');
      await expectRefused(stage, await stage.rest('POST', '/notes/login', {}));
      expect(canary.hits).toEqual([]);
      await canary.stop();
    },
  );

  test.each(['huge', 'HTML', 'redirect', 'wrong shapes', 'error', 'not JSON', 'endless', 'silent'] as const)(
    'of the token endpoint: %s',
    async (fault) => {
      const canary = await startCanary();
      const { stage } = await openFixtureStage({ faults: { token: fault }, elsewhere: canary.url });
      await stage.until('needs_login');
      await expectRefused(stage, await pasteLogIn(stage));
      // A redirect would have taken the code and the verifier along.
      expect(canary.hits).toEqual([]);
      await canary.stop();
    },
  );

  test.each([
    ['no token', {}],
    ['a token with a line break', { access_token: 'a\r\nX-Injected: yes', token_type: 'Bearer' }],
    ['a token of letters that no header has', { access_token: 'tökén', token_type: 'Bearer' }],
    ['an empty token', { access_token: '', token_type: 'Bearer' }],
    ['a token that is an object', { access_token: { a: 1 }, token_type: 'Bearer' }],
    ['a token of another type', { access_token: 'abc', token_type: 'DPoP' }],
    ['a huge token', { access_token: 'a'.repeat(200_000), token_type: 'Bearer' }],
  ])('as tokens: %s', async (_, answer) => {
    const { stage } = await openFixtureStage({ tokenAnswer: () => answer });
    await stage.until('needs_login');
    await expectRefused(stage, await pasteLogIn(stage));
    expect(stage.server.seen.filter(({ headers }) => headers.authorization)).toEqual([]);
  });

  test.each([
    ['negative', -1],
    ['endless', 1e300],
    ['a text', '3600'],
  ])('an expiry that is %s does no harm', async (_, expiry) => {
    const { stage } = await openFixtureStage({
      tokenAnswer: (honest) => ({ ...honest, expires_in: expiry }),
    });
    await stage.until('needs_login');
    expect((await pasteLogIn(stage)).status).toBe(200);
    await stage.until('ready');
  });
});

describe('a forged redirect', () => {
  test.each(['wrong', 'missing'] as const)('with an issuer that is %s gets no token request', async (iss) => {
    const { stage, issuer } = await openFixtureStage({ iss });
    await stage.until('needs_login');
    await expectRefused(stage, await pasteLogIn(stage));
    expect(issuer.requests('/token')).toEqual([]);
  });

  test('with a state that is foreign, missing or used ends nothing but itself', async () => {
    const { stage, issuer } = await openFixtureStage();
    await stage.until('needs_login');
    const { authorization_url: page } = await stage.begin();
    const redirect = new URL(await redirectOf(page));
    for (const state of ['', 'forged', redirect.searchParams.get('state')!.slice(1)]) {
      const forged = new URL(redirect);
      forged.searchParams.set('state', state);
      await expectRefused(stage, await stage.complete(forged.href));
      const { status } = await fetch(forged);
      expect(status).toBeGreaterThanOrEqual(400);
    }
    for (const text of ['nonsense', 'https://attacker.example/', '?code=only'])
      await expectRefused(stage, await stage.complete(text));
    expect(issuer.requests('/token')).toEqual([]);
    expect((await stage.complete(redirect.href)).status).toBe(200);
    await stage.until('ready');
    expect((await stage.complete(redirect.href)).status).toBe(422);
    expect(issuer.requests('/token', 'authorization_code')).toHaveLength(1);
  });

  test('shows nothing of what it says, and permits nothing', async () => {
    const { stage } = await openFixtureStage();
    await stage.until('needs_login');
    const { authorization_url: page } = await stage.begin();
    const state = new URL(page).searchParams.get('state')!;
    const evil = '<script>alert(1)</script>';
    const queries: Array<Record<string, string>> = [
      { error: evil, error_description: evil, state },
      { error: 'access_denied', error_uri: 'https://attacker.example', state: evil },
      { code: evil, state: evil, iss: evil },
      {},
    ];
    for (const query of queries) {
      const response = await fetch(
        `${stage.proxy.url}/oauth/callback?${new URLSearchParams(query).toString()}`,
        {
          redirect: 'manual',
        },
      );
      const text = await response.text();
      expect(text).not.toContain('<script');
      expect(text).not.toContain('attacker.example');
      expect(response.headers.get('location')).toBeNull();
      expect(response.headers.get('cache-control')).toContain('no-store');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  test('is no way in for an agent: its token may not log in, see or end a log-in', async () => {
    const { stage } = await openFixtureStage();
    await stage.until('needs_login');
    const { token } = await stage.proxy.rest.request('createToken', { body: { name: 'agent' } });
    for (const [method, path] of [
      ['POST', 'login'],
      ['POST', 'login/complete'],
      ['GET', 'login'],
      ['DELETE', 'login'],
    ]) {
      const response = await fetch(`${stage.proxy.url}/api/v1/servers/notes/${path}`, {
        method: method!,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{"redirect":"x"}' }),
      });
      expect([401, 403], `${method} ${path}`).toContain(response.status);
    }
  });
});
