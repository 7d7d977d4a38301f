import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixturePath } from '../fixtures/start.ts';
import { connectClient } from './mcp-clients.ts';
import { isAlive, runCli, type CliResult } from './run-cli.ts';

// A new user with two clients: one command puts their servers behind the proxy, and one takes everything back.

const SERVER = fixturePath('annotated.mjs');
const CLAUDE = `{
  "numStartups": 12,
  "mcpServers": {
    "memory": {
      "command": "node",
      "args": [${JSON.stringify(SERVER)}, "1"],
      "env": { "MEMORY_API_KEY": "sk-0123456789abcdef0123" }
    }
  }
}
`;
const CODEX = `# my settings
model = "gpt-5-codex"

[mcp_servers.files]
command = "node"
args = [${JSON.stringify(SERVER)}, "2"]
`;

const LATER = `
[mcp_servers.later]
command = "node"
args = [${JSON.stringify(SERVER)}, "3"]
`;

const home = mkdtempSync(join(tmpdir(), 'mcpproxy-setup-'));
const claudeFile = join(home, '.claude.json');
const codexFile = join(home, '.codex', 'config.toml');
const env = { MCPPROXY_LISTEN: '127.0.0.1:0' };
const type = (...args: string[]) => runCli(args, { home, env });

let listed: CliResult[];
let planned: CliResult;
let isUntouched: boolean;
let first: CliResult;
let pid: number | undefined;

beforeAll(async () => {
  mkdirSync(join(home, '.codex'));
  writeFileSync(claudeFile, CLAUDE, { mode: 0o600 });
  writeFileSync(codexFile, CODEX, { mode: 0o600 });
  listed = [await type('import'), await type('import', '--dry-run')];
  planned = await type('setup', '--dry-run');
  isUntouched = !existsSync(join(home, '.mcpproxy')) && readFileSync(claudeFile, 'utf8') === CLAUDE;
  first = await type('setup', '--yes');
  pid = (JSON.parse((await type('status', '-o', 'json')).stdout) as { pid: number }).pid;
});
afterAll(() => {
  if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGTERM');
  rmSync(home, { recursive: true, force: true });
});

/** Without what differs between two runs. */
const masked = (text: string) =>
  text
    .replaceAll(home, '~')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:8080')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*/g, '2027-02-16 09:30:00Z');

test('the transcript of the quick start is what the command prints', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/start.md', import.meta.url)), 'utf8');
  const [, transcript] = /```text\n\$ mcpproxy setup --yes\n([^]*?)```/.exec(page) ?? [];
  expect(first.code).toBe(0);
  expect(masked(first.stdout)).toBe(transcript);
});

test('import without a choice, and its dry run, list the servers and create nothing', () => {
  expect([listed.map(({ code }) => code), isUntouched]).toEqual([[2, 0], true]);
  for (const { stdout, stderr } of listed) {
    expect(stdout).toMatch(/memory +Claude Code +(?:new|would add)/);
    expect(stderr).not.toContain('warning');
  }
});

test('--dry-run creates nothing, and shows what --yes does', () => {
  expect([planned.code, isUntouched]).toEqual([0, true]);
  const linesOf = (sign: string) =>
    planned.stdout
      .split('\n')
      .filter((line) => line.startsWith(sign) && !/^(?:---|\+\+\+)|\*\*\*|127\.0\.0\.1/.test(line))
      .map((line) => line.slice(1));
  const settingsFile = join(home, '.claude', 'settings.json');
  const after = [claudeFile, settingsFile, codexFile]
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
    .split('\n');
  const before = [CLAUDE, CODEX].join('\n').split('\n');
  for (const line of linesOf('+')) expect(after).toContain(line);
  for (const line of linesOf('-')) expect([line, before.includes(line)]).toEqual([line, true]);
  // The servers leave the files in both.
  expect(linesOf('-')).toEqual(expect.arrayContaining(['    "memory": {', '[mcp_servers.files]']));
  for (const line of ['    "memory": {', '[mcp_servers.files]']) expect(after).not.toContain(line);
});

/** The address and the token as the client reads them from its own file. */
function claudeSees(): { url: string; key: string } {
  const { mcpServers } = JSON.parse(readFileSync(claudeFile, 'utf8')) as {
    mcpServers: Record<string, { url: string; headersHelper: string }>;
  };
  expect(Object.keys(mcpServers)).toEqual(['mcpproxy']);
  const { url, headersHelper } = mcpServers.mcpproxy!;
  const { Authorization } = JSON.parse(
    execFileSync('sh', ['-c', headersHelper], { encoding: 'utf8' }),
  ) as Record<string, string>;
  return { url, key: Authorization!.replace('Bearer ', '') };
}

function codexSees(): { url: string; key: string } {
  const servers = parse(readFileSync(codexFile, 'utf8')).mcp_servers as unknown as Record<
    string,
    { url: string; http_headers: { Authorization: string } }
  >;
  expect(Object.keys(servers)).toEqual(['mcpproxy']);
  const { url, http_headers: headers } = servers.mcpproxy!;
  return { url, key: headers.Authorization.replace('Bearer ', '') };
}

describe('after one command', () => {
  test.each([
    ['Claude Code', claudeSees, 'memory'],
    ['Codex', codexSees, 'files'],
  ] as const)('%s has one entry, and reaches its server through the proxy', async (_, sees, server) => {
    const { url, key } = sees();
    const client = await connectClient('2025 (legacy)', { url: url.replace(/\/mcp$/, ''), key });
    const result = await client.call('call_tool_read', {
      name: `${server}:read_only`,
      args: { text: 'x' },
      intent_operation_type: 'read',
    });
    await client.close();
    expect(result.isError ?? false).toBe(false);
  });

  test('the settings of the person are still there, and no file of Claude Code has the token', () => {
    expect(readFileSync(codexFile, 'utf8')).toContain('# my settings\nmodel = "gpt-5-codex"\n');
    expect(readFileSync(claudeFile, 'utf8')).toContain('"numStartups": 12');
    const texts = [claudeFile, join(home, '.claude', 'settings.json')].map((file) =>
      readFileSync(file, 'utf8'),
    );
    expect(texts.join('\n')).not.toContain('mcpp_');
  });

  test('status and doctor see both clients; a second run changes nothing', async () => {
    const before = [claudeFile, codexFile].map((file) => readFileSync(file, 'utf8'));
    const { code, stdout } = await type('connect', '--status', '-o', 'json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        clients: [
          { client: 'claude-code', state: 'connected' },
          { client: 'codex', state: 'connected' },
        ],
      },
    ]);
    const again = await type('setup', '--yes', '-o', 'json');
    expect(again.code).toBe(0);
    expect([claudeFile, codexFile].map((file) => readFileSync(file, 'utf8'))).toEqual(before);
    expect((await type('doctor')).stdout).toMatch(/ok +client claude-code[^]*ok +client codex/);
  });
});

test('a server that a client gets later goes behind the proxy and out of its file at the next run', async () => {
  writeFileSync(codexFile, `${readFileSync(codexFile, 'utf8')}${LATER}`);
  const would = await type('setup', '--dry-run');
  expect(would.stdout).toMatch(
    /^server +later \(Codex\)\nclient +Codex\npolicy[^]*^-\[mcp_servers\.later\]/m,
  );
  const { code, stdout } = await type('setup', '--yes');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/1 server added[^]*taken +later: behind the proxy/),
  ]);
  expect(stdout).toContain('connected already  Claude Code');
  const { url, key } = codexSees();
  const client = await connectClient('2025 (legacy)', { url: url.replace(/\/mcp$/, ''), key });
  const call = { name: 'later:read_only', args: { text: 'x' }, intent_operation_type: 'read' };
  const result = await client.call('call_tool_read', call);
  await client.close();
  expect(result.isError ?? false).toBe(false);
});

test('one command takes everything back, byte for byte', async () => {
  expect((await type('setup', '--undo')).code).toBe(0);
  expect([readFileSync(claudeFile, 'utf8'), readFileSync(codexFile, 'utf8')]).toEqual([
    CLAUDE,
    `${CODEX}${LATER}`,
  ]);
  const { tokens } = JSON.parse((await type('tokens', 'list', '-o', 'json')).stdout) as { tokens: unknown[] };
  expect(tokens).toEqual([]);
  const { servers } = JSON.parse((await type('upstream', 'list', '-o', 'json')).stdout) as {
    servers: Array<{ name: string }>;
  };
  expect(servers.map(({ name }) => name)).toEqual(['tasks']);
});
