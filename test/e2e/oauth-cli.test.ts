import { describe, expect, test } from 'vitest';
import { browse, redirectOf } from './headless-browser.ts';
import { GROUNDS } from './oauth-grounds.ts';
import { openFixtureStage, openOauthStage, saidBy, type OauthStage } from './oauth-stage.ts';
import { finished, spawnCli, type CliResult } from './run-cli.ts';
import { poll } from './start-proxy.ts';

/** Runs a log-in, and does with the page what a person would, once it is printed. */
async function logInBy(
  stage: OauthStage,
  flags: string[],
  act: (page: string, type: (text: string) => void) => Promise<unknown>,
): Promise<CliResult> {
  const args = ['upstream', 'login', 'notes', ...flags, ...stage.proxy.place];
  const child = spawnCli(args, { home: stage.proxy.home });
  let seen = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (seen += text));
  const result = finished(child);
  const page = await poll(
    'the page of the log-in',
    () => seen,
    () => {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${seen}`);
      return /http:\/\/127\.0\.0\.1:\d+\/auth\S*(?=[\s"])/.exec(seen)?.[0];
    },
  );
  await act(page, (text) => child.stdin.write(text));
  child.stdin.end();
  return result;
}

describe.each(GROUNDS)('the command line, with %s', (_, start) => {
  test('prints the page, waits for the browser, and says that it is done', async () => {
    const stage = await openOauthStage(await start());
    await stage.until('needs_login');
    const { code, stdout } = await logInBy(stage, ['--no-browser'], (page) => browse(page));
    expect(code, stdout).toBe(0);
    await stage.until('ready');
    expect(saidBy(await stage.call('read_note'))).toBe('read_note ran');
    const out = await stage.cli(['upstream', 'logout', 'notes', '-o', 'json']);
    expect([out.code, JSON.parse(out.stdout)]).toMatchObject([0, { revoked: true }]);
    await stage.until('needs_login');
  });

  test('takes the address of the redirect where there is no browser', async () => {
    const stage = await openOauthStage(await start());
    await stage.until('needs_login');
    const { code, stdout, stderr } = await logInBy(stage, ['--paste'], async (page, type) =>
      type(`${await redirectOf(page)}\n`),
    );
    expect(code, stdout + stderr).toBe(0);
    await stage.until('ready');
    expect(saidBy(await stage.call('read_note'))).toBe('read_note ran');
  });
});

describe('the command line', () => {
  test('tells of a needed log-in wherever it tells of servers, and what to do', async () => {
    const { stage } = await openFixtureStage();
    await stage.until('needs_login');
    for (const command of [['upstream', 'list'], ['upstream', 'show', 'notes'], ['doctor']]) {
      const { stdout } = await stage.cli(command);
      expect(stdout, command.join(' ')).toMatch(/needs.log-?in/i);
    }
    for (const command of [['upstream', 'show', 'notes'], ['doctor']])
      expect((await stage.cli(command)).stdout).toContain('mcpproxy upstream login notes');
  });

  test('gives up a log-in that never returns', async () => {
    const { stage } = await openFixtureStage({ person: 'never answers' });
    await stage.until('needs_login');
    const { code, stderr } = await stage.cli([
      'upstream',
      'login',
      'notes',
      '--no-browser',
      '--timeout',
      '1s',
    ]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('Nobody logged in');
    expect((await stage.view()).state).toBe('needs_login');
  });

  test('fails for a wrong redirect, an unknown server and a server without a log-in, each with a sentence', async () => {
    const { stage } = await openFixtureStage();
    await stage.until('needs_login');
    const wrong = await logInBy(stage, ['--paste'], async (_, type) =>
      type('http://127.0.0.1:1/?code=a&state=b\n'),
    );
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toMatch(/state|log-in/);
    for (const name of ['unknown', 'tasks']) {
      const { code, stderr } = await stage.cli(['upstream', 'login', name, '--no-browser']);
      expect(code, name).not.toBe(0);
      expect(stderr, name).toContain(name);
    }
  });
});
