import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperationType } from '../../src/contract/operation.ts';
import { fixture } from '../fixtures/start.ts';
import { connectClient } from './mcp-clients.ts';
import { blocksOf, claudeEntry, commandsOf, newcomerPath, runCommands } from './shell-pages.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

// What the pages tell people to type, typed: a token that can do what the permissions beside it ask for, and a set-up that can be repeated.

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLIENT_PAGES = readdirSync(join(ROOT, 'docs/guides/clients')).map(
  (name) => `docs/guides/clients/${name}`,
);
const PAGES = [
  'README.md',
  'docs/guides/clients.md',
  'docs/guides/tokens.md',
  ...CLIENT_PAGES,
  'web/src/pages/overview/first-steps.tsx',
  'src/doors/cli/commands/doctor-checks.ts',
  'src/doors/cli/commands/tokens.ts',
];
const commandsIn = (page: string) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/mcpproxy tokens create --name [^`)"'<\n]+/g)].map(
    ([command]) => command.trim(),
  );
/** Each command that creates a token for a client, once. The help's example of a restricted token is not meant for a client. */
const COMMANDS = [...new Set(PAGES.flatMap(commandsIn))].filter(
  (command) => !command.includes('--name nightly '),
);

let proxy: RunningProxy;
let path: string;
beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), 'mcpproxy-e2e-'));
  path = newcomerPath(home);
  const dataDir = join(home, '.mcpproxy');
  mkdirSync(dataDir, { mode: 0o700 });
  const up = fixture('annotated.mjs');
  writeFileSync(join(dataDir, 'mcp_config.json'), JSON.stringify({ mcpServers: { up } }), { mode: 0o600 });
  proxy = await startProxy(place(home));
});
afterAll(() => proxy?.dispose());

/** Everything is where it is without any flag; only the port is a free one. */
const place = (home: string) => ({ home, args: ['--config', join(home, '.mcpproxy', 'mcp_config.json')] });

async function type(command: string) {
  const here = command.replaceAll('127.0.0.1:8080', proxy.url.replace('http://', ''));
  return (await runCommands([here], proxy.home, path))[0]!;
}

const TOOLS = { read: 'up:read_only', write: 'up:writer_not_destructive', destructive: 'up:destructive' };

/** What a client with this token is answered to one call of each kind: none of them may be refused. */
async function refusalsFor(token: string): Promise<string[]> {
  const client = await connectClient('2026-07-28', { url: proxy.url, key: token });
  const refusals: string[] = [];
  for (const operation of OperationType.options) {
    const input = { name: TOOLS[operation], args: { text: 'x' }, intent_operation_type: operation };
    const result = await client.call(`call_tool_${operation}`, input);
    if (result.isError === true) refusals.push(JSON.stringify(result.structuredContent));
  }
  await client.close();
  return refusals;
}

describe('the documented token can make every call that the documented permissions let through or ask for', () => {
  test('every page of a client says how to make one', () => {
    for (const page of CLIENT_PAGES) expect(commandsIn(page), page).not.toEqual([]);
    expect(COMMANDS.length).toBeGreaterThan(6);
  });

  test.each(COMMANDS)('%s', async (command) => {
    const { stdout, stderr, code } = await type(command);
    expect([code, stderr]).toEqual([0, expect.stringContaining('read, write, destructive')]);
    expect(await refusalsFor(stdout.trim())).toEqual([]);
    const name = /--name (\S+)/.exec(command)![1]!;
    await proxy.rest.request('revokeToken', { id: name });
  });
});

describe.each([['docs/guides/clients/claude-code.md', 'Connect']])(
  'the set-up of Claude Code in %s',
  (page, section) => {
    const setUps = commandsOf(blocksOf(page, section)).filter((command) =>
      command.includes('claude mcp add'),
    );
    const stored = () => /(?:Bearer |MCPPROXY_TOKEN=)(.*)/.exec(claudeEntry(proxy.home)!.join('\n'))![1]!;

    test('is there', () => expect(setUps.length).toBeGreaterThan(0));

    test.each(setUps)(
      'run twice, it leaves a token that works, and not the one before: %s',
      async (setUp) => {
        expect(await type(setUp)).toMatchObject({ code: 0 });
        const first = stored();
        expect(await refusalsFor(first)).toEqual([]);
        expect(await type(setUp)).toMatchObject({ code: 0 });
        const second = stored();
        expect(second).toMatch(/^mcpp_\w{40,}$/);
        expect(await refusalsFor(second)).toEqual([]);
        const answer = await fetch(`${proxy.url}/mcp`, { headers: { authorization: `Bearer ${first}` } });
        expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('revoked')]);
        const { records } = await proxy.rest.request('listActivity', { type: 'config_change', limit: 1 });
        const { tokens } = await proxy.rest.request('listTokens', { all: 'true' });
        const [made, replaced] = tokens.filter(({ name }) => name === 'claude-code');
        expect(records[0]).toMatchObject({
          status: 'success',
          arguments: { name: 'claude-code', replace: true },
          response: { token_name: 'claude-code', token_id: made!.id, replaced: replaced!.id },
          metadata: { action: 'create_token', principal: 'operator' },
        });
      },
    );

    test.each(setUps)('stores nothing where no token can be made: %s', async (setUp) => {
      const troubles = ['MCPPROXY_API_KEY=wrong', 'MCPPROXY_DATA_DIR=/dev/null/none'];
      await type('claude mcp remove');
      for (const trouble of troubles) {
        const { code, stderr } = await type(`export ${trouble}\n${setUp}`);
        expect([code === 0, stderr], trouble).toEqual([false, expect.stringMatching(/\S/)]);
        expect(claudeEntry(proxy.home), trouble).toBeUndefined();
      }
      await type(setUp);
      const before = claudeEntry(proxy.home);
      await type(`export ${troubles[0]}\n${setUp}`);
      expect(claudeEntry(proxy.home)).toEqual(before);
      expect(await refusalsFor(stored())).toEqual([]);
    });

    test.each(setUps)('stores a whole token where no proxy runs: %s', async (setUp) => {
      const { home, url } = proxy;
      await proxy.stop();
      const { code } = (await runCommands([setUp.replaceAll('http://127.0.0.1:8080', url)], home, path))[0]!;
      proxy = await startProxy(place(home));
      expect(code).toBe(0);
      expect(await refusalsFor(stored())).toEqual([]);
    });
  },
);
