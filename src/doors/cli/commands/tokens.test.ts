import { describe, expect, test } from 'vitest';
import { cli } from '../../../../test/fixtures/fake-cli.ts';
import { tokenView } from '../../../../test/fixtures/rest-parts.ts';

const SECRET = 'mcpp_thesecret';
const made = {
  ...tokenView('cursor'),
  operations: ['read', 'write'],
  expires_at: '2025-02-14T12:00:00Z',
  token: SECRET,
  callable: { now: 3, total: 9 },
};

describe('tokens create', () => {
  test('the token alone on stdout, what to know on stderr', async () => {
    const { code, stdout, stderr, requests, connects } = await cli(
      ['tokens', 'create', '--name', 'cursor', '--operations', 'read, write', '--expires', '30d'],
      { answers: { createToken: made } },
    );
    expect([code, stdout]).toEqual([0, `${SECRET}\n`]);
    expect(stderr).toContain("Token 'cursor': read, write; expires 2025-02-14");
    expect(stderr).toContain('It can call 3 of 9 tools');
    expect(stderr).toContain("It won't be shown again");
    expect(stderr).not.toContain(SECRET);
    expect(requests).toEqual([
      ['createToken', { body: { name: 'cursor', operations: ['read', 'write'], expires: '30d' } }],
    ]);
    expect(connects[0]![1]).toBe('daemon-or-offline');
  });

  test('every flag', async () => {
    const { requests } = await cli(
      'tokens create --name x --servers a,b* --tools a:*,b:get_x --expires never --user ann -o json'.split(
        ' ',
      ),
      { answers: { createToken: made } },
    );
    expect(requests[0]![1]).toEqual({
      body: { name: 'x', servers: ['a', 'b*'], tools: ['a:*', 'b:get_x'], expires: 'never', user: 'ann' },
    });
  });

  test('a server that does not exist is a warning with the nearest name', async () => {
    const servers = [{ name: 'github' }, { name: 'files' }];
    const { code, stdout, stderr } = await cli(
      ['tokens', 'create', '--name', 'x', '--servers', 'githb,files,later,g*'],
      { answers: { createToken: made, listServers: { servers } } },
    );
    expect([code, stdout]).toEqual([0, `${SECRET}\n`]);
    expect(stderr).toContain("There is no server 'githb' yet. Did you mean 'github'?");
    expect(stderr).toContain("There is no server 'later' yet. To correct it");
    expect(stderr).not.toMatch(/no server '(files|g\*)'/);
  });

  test('--replace says what has ended', async () => {
    const { code, stdout, stderr, requests } = await cli(
      ['tokens', 'create', '--name', 'cursor', '--replace'],
      {
        answers: { createToken: { ...made, replaced: '01OLD' } },
      },
    );
    expect([code, stdout]).toEqual([0, `${SECRET}\n`]);
    expect(stderr).toContain('The previous token of this name (01OLD) is revoked');
    expect(requests).toEqual([['createToken', { body: { name: 'cursor', replace: true } }]]);
  });

  test.each([
    [['tokens', 'create'], /--name/],
    [['tokens', 'create', '--name', 'a b'], /--name/],
    [['tokens', 'create', '--name', 'a', '--operations', 'read,delete'], /--operations/],
    [['tokens', 'create', '--name', 'a', '--tools', 'nocolon'], /server:tool/],
    [['tokens', 'create', '--name', 'a', '--servers', ''], /--servers/],
    [['tokens', 'create', '--name', 'a', '--expires', 'soon'], /--expires/],
  ])('%j is refused before anything is asked', async (argv, says) => {
    const { code, stderr, requests } = await cli(argv);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toMatch(says);
  });
});

describe('tokens list', () => {
  test('scope, expiry and last use, and no secret', async () => {
    const tokens = [
      { ...tokenView('cursor'), servers: ['github'], last_used_at: '2025-01-15T10:00:00Z' },
      { ...tokenView('old'), status: 'expired', expires_at: '2025-01-01T00:00:00Z', user: 'ann' },
    ];
    const { code, stdout } = await cli(['tokens', 'list'], {
      answers: { listTokens: { tokens } },
      terminal: { columns: 200 },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/cursor +active +read +github +all +never +2025-01-15/);
    expect(stdout).toMatch(/old +expired +read +all +all +2025-01-01.*ann/);
  });

  test('none, and how to make one; --all asks for the revoked too', async () => {
    const { stderr, requests } = await cli(['tokens', 'list', '--all'], {
      answers: { listTokens: { tokens: [] } },
    });
    expect(stderr).toContain('mcpproxy tokens create');
    expect(requests).toEqual([['listTokens', { all: 'true' }]]);
  });
});

test('tokens revoke, by name or id', async () => {
  const { code, stdout, requests } = await cli(['tokens', 'revoke', 'cursor'], {
    answers: { revokeToken: { ...tokenView('cursor'), status: 'revoked' } },
  });
  expect([code, stdout]).toEqual([0, 'Revoked cursor\n']);
  expect(requests).toEqual([['revokeToken', { id: 'cursor' }]]);
});
