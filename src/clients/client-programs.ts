import { join } from 'node:path';
import type { EntryOrigin } from '../contract/entry/server-entry.ts';

/** The machine and folder whose files are searched. Tests give their own. */
export interface Surroundings {
  home: string;
  /** The project folder. */
  cwd: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
}

export type ClientScope = 'user' | 'project' | 'local';

/** A program that has MCP servers in its configuration, and the places of its files. */
export interface ClientProgram {
  id: string;
  title: string;
  /** Files of the user, for all projects. A path that ends with * is each file of that folder. */
  user(places: KnownFolders): string[];
  /** Files in a project folder, relative to it. */
  project: string[];
  /** How the client means its keys. */
  origin?: EntryOrigin;
}

/** Folders in which programs keep their configuration. */
export interface KnownFolders {
  home: string;
  /** Application Support on macOS, %APPDATA% on Windows, ~/.config elsewhere. */
  appData: string;
  /** ~/.config on macOS too. */
  config: string;
  isWindows: boolean;
  env: Surroundings['env'];
}

export const VSCODE_FOLDERS = ['Code', 'Code - Insiders', 'VSCodium'];

const inVscode = ({ appData }: KnownFolders, ...rest: string[]): string[] =>
  VSCODE_FOLDERS.map((name) => join(appData, name, 'User', ...rest));

export const CLIENTS: readonly ClientProgram[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    user: ({ home, env }) => [join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')],
    project: ['.mcp.json'],
    origin: { timeoutUnit: 'ms' },
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    user: ({ appData }) => [join(appData, 'Claude', 'claude_desktop_config.json')],
    project: [],
  },
  {
    id: 'cursor',
    title: 'Cursor',
    user: ({ home }) => [join(home, '.cursor', 'mcp.json')],
    project: ['.cursor/mcp.json'],
  },
  {
    id: 'vscode',
    title: 'VS Code',
    user: (folders) => [...inVscode(folders, 'mcp.json'), ...inVscode(folders, 'settings.json')],
    project: ['.vscode/mcp.json', '.vscode/settings.json'],
  },
  {
    id: 'codex',
    title: 'Codex',
    user: ({ home, env }) => [join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')],
    project: ['.codex/config.toml'],
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    user: ({ home }) => [join(home, '.gemini', 'settings.json')],
    project: ['.gemini/settings.json'],
    origin: { timeoutUnit: 'ms' },
  },
  {
    id: 'qwen',
    title: 'Qwen Code',
    user: ({ home }) => [join(home, '.qwen', 'settings.json')],
    project: ['.qwen/settings.json'],
    origin: { timeoutUnit: 'ms' },
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    user: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
    project: [],
  },
  {
    id: 'zed',
    title: 'Zed',
    user: ({ appData, config, isWindows }) => [
      isWindows ? join(appData, 'Zed', 'settings.json') : join(config, 'zed', 'settings.json'),
    ],
    project: ['.zed/settings.json'],
  },
  {
    id: 'cline',
    title: 'Cline',
    user: (folders) => [
      ...inVscode(folders, 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'),
      join(folders.home, '.cline', 'data', 'settings', 'cline_mcp_settings.json'),
    ],
    project: [],
    origin: { timeoutUnit: 's' },
  },
  {
    id: 'roo',
    title: 'Roo Code',
    user: (folders) =>
      inVscode(folders, 'globalStorage', 'rooveterinaryinc.roo-cline', 'settings', 'mcp_settings.json'),
    project: ['.roo/mcp.json'],
    origin: { timeoutUnit: 's' },
  },
  {
    id: 'continue',
    title: 'Continue',
    user: ({ home }) => [
      join(home, '.continue', 'config.yaml'),
      join(home, '.continue', 'config.json'),
      join(home, '.continue', 'mcpServers', '*'),
    ],
    project: ['.continue/mcpServers/*'],
  },
  {
    id: 'opencode',
    title: 'opencode',
    user: ({ config }) => [
      join(config, 'opencode', 'opencode.json'),
      join(config, 'opencode', 'opencode.jsonc'),
    ],
    project: ['opencode.json', 'opencode.jsonc'],
    origin: { timeoutUnit: 'ms', timeoutIsStart: true },
  },
  {
    id: 'copilot-cli',
    title: 'Copilot CLI',
    user: ({ home }) => [join(home, '.copilot', 'mcp-config.json')],
    project: ['.copilot/mcp-config.json'],
    origin: { timeoutUnit: 'ms' },
  },
  {
    id: 'goose',
    title: 'goose',
    user: ({ appData, config, isWindows }) => [
      isWindows
        ? join(appData, 'Block', 'goose', 'config', 'config.yaml')
        : join(config, 'goose', 'config.yaml'),
    ],
    project: [],
    origin: { timeoutUnit: 's' },
  },
  {
    id: 'jetbrains',
    title: 'JetBrains',
    user: ({ home, config }) => [
      join(home, '.junie', 'mcp', 'mcp.json'),
      join(config, 'github-copilot', 'intellij', 'mcp.json'),
    ],
    project: ['.junie/mcp/mcp.json', '.idea/mcp.json'],
  },
];

/** Names under which people know a client. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  'vs-code': 'vscode',
  code: 'vscode',
  'gemini-cli': 'gemini',
  copilot: 'copilot-cli',
  'roo-code': 'roo',
  junie: 'jetbrains',
  'qwen-code': 'qwen',
  intellij: 'jetbrains',
};

export function clientNamed(name: string): ClientProgram | undefined {
  const id = name.toLowerCase().replaceAll(/[\s_]+/g, '-');
  return CLIENTS.find((client) => client.id === (OTHER_NAMES[id] ?? id));
}

export function knownFolders({ home, platform, env }: Surroundings): KnownFolders {
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const isWindows = platform === 'win32';
  const roaming = env.APPDATA || join(home, 'AppData', 'Roaming');
  const support = join(home, 'Library', 'Application Support');
  const appData = isWindows ? roaming : platform === 'darwin' ? support : config;
  return { home, appData, config: isWindows ? join(home, '.config') : config, isWindows, env };
}
