import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { resolveSecrets, showServer } from '../config/index.ts';
import { ServerConfig } from '../contract/config.ts';
import { resolveServer } from '../upstream/index.ts';
import { CLIENTS } from './client-programs.ts';
import type { Syntax } from './parse-document.ts';
import { planImport, type PlannedServer } from './plan-import.ts';
import { readCandidates } from './read-candidates.ts';
import { writeSecretFiles } from './secret-files.ts';

// Thirty files as people have them, of fifteen clients. Every entry is ready to use, or listed with its reason.

const FOLDER = fileURLToPath(new URL('../../test/fixtures/clients/files/', import.meta.url));
const SYNTAX: Record<string, Syntax> = { '.toml': 'toml', '.yaml': 'yaml' };

/** The entries of each file in their order. All are ready, except for those with a reason. */
const EXPECTED: Record<string, Record<string, RegExp | 'ready'>> = {
  'claude-code-project.mcp.json': {
    'shared-server': 'ready',
    postgres: 'ready',
    internal: 'ready',
    'oauth-server': 'ready',
  },
  'claude-code-user.json': {
    github: 'ready',
    sentry: 'ready',
    airtable: 'ready',
    asana: 'ready',
    'api-server': 'ready',
    db: 'ready',
    'local notes': 'ready',
  },
  'claude-desktop-mac.json': {
    filesystem: 'ready',
    'Brave Search': 'ready',
    'google-maps': 'ready',
    sqlite: 'ready',
    everything: 'ready',
  },
  'claude-desktop-windows.json': { weather: 'ready', blender: 'ready', obsidian: 'ready', notion: 'ready' },
  'cline.json': {
    'github.com/modelcontextprotocol/servers/tree/main/src/brave-search': 'ready',
    'local-server': 'ready',
    'remote-server': 'ready',
    '天气 (weather)': 'ready',
    misspelt: /^line 32: .*did you mean "command"/,
    empty: /^line 33: needs either "command" or "url"$/,
  },
  'codex-project.toml': { serena: 'ready', stripe: 'ready', supabase: 'ready', redis: 'ready' },
  'codex-user.toml': {
    context7: 'ready',
    figma: 'ready',
    chrome_devtools: 'ready',
    'docs server': 'ready',
    inline: 'ready',
    half: /^line 36: needs either "command" or "url"$/,
  },
  'continue-block.yaml': {
    'Browser search': 'ready',
    shared: 'ready',
    'shared-2': /the same server as 'shared'/,
  },
  'continue-config.json': { sqlite: 'ready', 'entry 2': /^line 13: needs a "name"$/ },
  'continue-config.yaml': {
    'My MCP Server': 'ready',
    'Remote docs': 'ready',
    'Browser search': 'ready',
    'entry 4': /^line 31: needs a "name"$/,
  },
  'copilot-cli.json': {
    playwright: 'ready',
    context7: 'ready',
    sentry: 'ready',
    azure: 'ready',
    cloudflare: 'ready',
  },
  'cursor-project.json': {
    'local-server': 'ready',
    'with env file': 'ready',
    oauth: 'ready',
    '${workspaceFolderBasename}-tools': 'ready',
  },
  'cursor-user.json': {
    'Ant Design Components': 'ready',
    '@magicuidesign/mcp': 'ready',
    Figma: 'ready',
    Linear: 'ready',
    context7: 'ready',
    zapier: 'ready',
    'one line': /^line 12: command: must name one program; put its arguments into "args"$/,
  },
  'gemini-project.json': {
    discovered: 'ready',
    socket: /^line 9: needs either "command" or "url"$/,
    unset: /\$NEVER_SET_ANYWHERE is not set/,
  },
  'gemini-user.json': {
    pythonTools: 'ready',
    httpServerWithAuth: 'ready',
    sse: 'ready',
    filtered: 'ready',
    googleCloudServer: 'ready',
    dockerized: 'ready',
  },
  'goose-config.yaml': {
    github: 'ready',
    tavily: 'ready',
    asana: 'ready',
    'fetch-sse': 'ready',
  },
  'goose-old.yaml': { 'my-custom-tool': 'ready' },
  'jetbrains-copilot.json': { 'my-mcp-server': 'ready', github: 'ready' },
  'qwen-user.json': { docs: 'ready', files: 'ready' },
  'jetbrains-junie.json': { YouTrack: 'ready', jetbrains: 'ready', fetch: 'ready' },
  'opencode-project.json': {
    playwright: 'ready',
    broken: /^line 4: needs either "command" or "url"$/,
    grep: 'ready',
  },
  'opencode-user.jsonc': {
    mcp_everything: 'ready',
    context7: 'ready',
    sentry: 'ready',
    jira: 'ready',
    'from file': /\$\{file:.*\} cannot be read/,
  },
  'roo-project.json': {
    'project docs': 'ready',
    gh: 'ready',
    websocket: /^line 12: type: must be one of/,
  },
  'roo-user.json': { streamable: 'ready', legacy: 'ready', python: 'ready', mise: 'ready' },
  'vscode-settings.json': { github: /asks for a value: token \(Token\)/, time: 'ready' },
  'vscode-user-mcp.jsonc': {
    Github: 'ready',
    perplexity: /asks for a value: perplexity-key \(Perplexity API Key\)/,
    aws: 'ready',
    fetch: 'ready',
    'microsoft/playwright-mcp': 'ready',
  },
  'vscode-workspace.json': {
    memory: 'ready',
    gistpad: 'ready',
    socket: /^line 14: url: must start with http/,
    picked: /\$\{command:extension\.pickServer\} works only in another client/,
    home: 'ready',
  },
  'windsurf-2.json': { 'mcp-server-firecrawl': 'ready', supabase: 'ready', 'sequential-thinking': 'ready' },
  'windsurf.json': { github: 'ready', 'remote-http-mcp': 'ready', figma: 'ready', puppeteer: 'ready' },
  'zed-old.json': {
    'my-context-server': 'ready',
    'postgres-context-server': /^line 11: needs either "command" or "url"$/,
    'hexdocs-mcp': 'ready',
  },
  'zed-settings.jsonc': {
    'local-mcp-server': 'ready',
    'remote-mcp-server': /^line 11: url: must start with http/,
    mixedbread: 'ready',
    'mcp-server-github': /part of another client/,
    'you-com': 'ready',
  },
};

/** Variables that the people who wrote the files had. */
const SET = [
  'API_KEY',
  'AUTH_TOKEN',
  'CONTEXT7_API_KEY',
  'COPILOT_MCP_SENTRY_ACCESS_TOKEN',
  'DB_CONNECTION_STRING',
  'DB_URL',
  'DOCS_TOKEN',
  'EXTERNAL_API_KEY',
  'EXTERNAL_SERVICE_TOKEN',
  'FIGMA_OAUTH_TOKEN',
  'GITHUB_PERSONAL_ACCESS_TOKEN',
  'MCP_CLIENT_ID',
  'ROO_API_KEY',
  'SHARED_KEY',
  'STRIPE_AUTH',
];

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-client-files-'));
beforeAll(() => SET.forEach((name) => vi.stubEnv(name, `value of ${name}`)));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

async function plan(file: string): Promise<PlannedServer[]> {
  const client = CLIENTS.find(({ id }) => file.startsWith(id));
  const isProject = /project|workspace/.test(file);
  const read = await readCandidates(readFileSync(join(FOLDER, file), 'utf8'), {
    ...client!.origin,
    client: client!.id,
    syntax: SYNTAX[extname(file)] ?? 'json',
    ...(isProject && { folder: '/work/project' }),
  });
  if ('problem' in read) throw new Error(read.problem);
  return planImport(read.candidates, {
    existing: {},
    reserved: ['tasks'],
    own: { listen: ['127.0.0.1:8080'] },
    secretsFolder: join(dir, file),
    env: {},
    inputs: {},
  });
}

test('there are thirty files of at least ten clients, with at least 120 entries', () => {
  const files = readdirSync(FOLDER).sort();
  expect(files).toEqual(Object.keys(EXPECTED).sort());
  expect(files.length).toBeGreaterThanOrEqual(30);
  const used = CLIENTS.filter(({ id }) => files.some((file) => file.startsWith(id)));
  expect(used.length).toBeGreaterThanOrEqual(10);
  const entries = Object.values(EXPECTED).flatMap((file) => Object.keys(file));
  expect(entries.length).toBeGreaterThanOrEqual(120);
});

describe.each(Object.entries(EXPECTED))('%s', (file, expected) => {
  test('every entry is ready to use or listed with its reason', async () => {
    const planned = await plan(file);
    expect(planned.map(({ candidate }) => candidate.name)).toEqual(Object.keys(expected));
    for (const each of planned) {
      const { name } = each.candidate;
      const wanted = expected[name];
      const reason = each.reason ?? each.warnings.find((text) => /not set|cannot be read/.test(text));
      if (wanted === 'ready') expect([name, launchable(each)]).toEqual([name, true]);
      else expect([name, reason]).toEqual([name, expect.stringMatching(wanted!)]);
      expect(each.alias).toMatch(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);
    }
  });

  test('no secret is shown or written to the configuration', async () => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    for (const each of await plan(file)) {
      const { candidate: _candidate, files, ...shown } = each;
      expect(JSON.stringify([shown, showServer(each.config)])).not.toContain('CANARY');
      // Moved, and not dropped: each is in a file of its own.
      for (const { value } of files) expect(text).toContain(value.slice(0, 8));
    }
  });
});

/** With its secrets in files, the server has a program or a URL, and no reference is left in what would be sent. */
function launchable({ state, config, files, reason }: PlannedServer): boolean | string | undefined {
  if (state !== 'added') return reason;
  ServerConfig.parse(config);
  const undo = writeSecretFiles(files);
  try {
    const { env_file: _file, ...rest } = config;
    const { command, args, env, url, headers } = resolveServer(rest, resolveSecrets);
    const isRelay = args.some((arg) => arg.includes('mcp-remote'));
    const texts = [command, url, ...(isRelay ? [] : args), ...Object.values({ ...env, ...headers })];
    const left = texts.find((text) => /\$\{|\{(?:env|file):|^\$[A-Za-z_]/.test(text));
    return left ?? (command !== '' || URL.canParse(url));
  } finally {
    undo();
  }
}
