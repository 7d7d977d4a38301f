import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { ServerView } from '../../src/contract/status.ts';
import { fixturePath } from '../fixtures/start.ts';
import { runCli } from './run-cli.ts';
import { startProxy } from './start-proxy.ts';

// Files as other clients have them, given to the proxy as they are.

const env = { MCP_FIXTURES: fileURLToPath(new URL('../fixtures', import.meta.url)) };

interface Expected {
  /** State by title; and why, where it is not ready. */
  states: Record<string, [ServerView['state'], RegExp?]>;
  /** Written by `config validate`. */
  says: RegExp[];
}

const EXPECTED: Record<string, Expected> = {
  'claude-desktop': {
    states: { filesystem: ['ready'], 'Brave Search': ['ready'] },
    says: [/:2:3: globalShortcut: ignored, not a setting of mcpproxy/],
  },
  cursor: {
    states: {
      'Ant Design Components': ['ready'],
      '@magicuidesign/mcp': ['ready'],
      Linear: ['failed', /\$\{env:LINEAR_TOKEN_THAT_IS_NOT_SET\} is not set/],
    },
    says: [/LINEAR_TOKEN_THAT_IS_NOT_SET/],
  },
  vscode: {
    states: {
      github: ['failed', /\$\{input:github-token\} asks for a value in another client/],
      Playwright: ['ready'],
    },
    says: [
      /inputs: ignored, not a setting of mcpproxy/,
      /servers\.github: ignored keys: "gallery", "version"/,
      /"dev"/,
    ],
  },
  cline: {
    states: {
      'github.com/modelcontextprotocol/servers/tree/main/src/memory': ['ready'],
      天气: ['disabled'],
      'half written': ['failed', /line 18: needs either "command" or "url"/],
    },
    says: [
      /"autoApprove" has no effect: configure under "approvals"/,
      /timeout 60 is read as "60s"/,
      /:18:5: mcpServers\.half written: needs either "command" or "url"; this server is not available/,
    ],
  },
  'gemini-cli': {
    states: { workspace: ['ready'], remote: ['failed', /\$GEMINI_KEY is not set/] },
    says: [
      /theme: ignored, not a setting of mcpproxy/,
      /"trust" has no effect/,
      /timeout 30000 is read as "30s"/,
    ],
  },
  windsurf: { states: { figma: ['failed'], memory: ['ready'] }, says: [/: valid\n$/] },
};

const home = mkdtempSync(join(tmpdir(), 'mcpproxy-clients-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.each(Object.entries(EXPECTED))('the file of %s', (name, { states, says }) => {
  const file = fixturePath(`clients/${name}.json`);

  test('is valid, with what is worth knowing said', async () => {
    const { code, stdout } = await runCli(['config', 'validate', file], { home, env });
    expect(code).toBe(0);
    for (const said of says) expect(stdout).toMatch(said);
    expect(stdout).not.toContain('CANARY');
  });

  test('starts the proxy, and every server in it that can serve serves', async () => {
    const own = mkdtempSync(join(tmpdir(), 'mcpproxy-client-'));
    copyFileSync(file, join(own, 'mcp_config.json'));
    const proxy = await startProxy({ home: own, env });
    try {
      const { servers } = await proxy.rest.request('listServers', {});
      const found = new Map(servers.map((server) => [server.title, server]));
      for (const [title, [state, reason]] of Object.entries(states)) {
        const server = found.get(title);
        expect([title, server?.state, server?.last_error]).toEqual([
          title,
          state,
          reason ? expect.stringMatching(reason) : server?.last_error,
        ]);
        expect(server?.name).toMatch(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);
      }
      for (const { name: alias } of servers.filter(({ state }) => state === 'ready')) {
        if (alias === 'tasks') continue;
        const called = await proxy.rest.request('callTool', {
          body: {
            tool_variant: 'call_tool_read',
            name: `${alias}:read_only`,
            args: { text: 'x' },
            intent: { operation_type: 'read' },
          },
        });
        expect(called.isError).not.toBe(true);
      }
      if (name === 'gemini-cli') await expectLeftOut(proxy);
      expect(proxy.stderr()).not.toContain('CANARY');
    } finally {
      await proxy.dispose();
    }
  });
});

/** A tool that the file of the client leaves out is not offered. */
async function expectLeftOut({ rest }: Awaited<ReturnType<typeof startProxy>>): Promise<void> {
  const call = rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_destructive',
      name: 'workspace:destructive',
      args: { text: 'x' },
      intent: { operation_type: 'destructive' },
    },
  });
  await expect(call).rejects.toMatchObject({ code: 'TOOL_DISABLED' });
}
