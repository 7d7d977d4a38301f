import { join } from 'node:path';
import type { Edit } from '../edit/edits.ts';
import { CHANGE_TOOLS, ENTRY, READ_TOOLS, type Places, type Recipe } from './recipe.ts';
import { part } from './editor.ts';

const claudeDesktop: Recipe = {
  id: 'claude-desktop',
  signs: ({ appData }) => [join(appData, 'Claude')],
  token: 'file',
  stdio: true,
  notes: [
    'Claude Desktop asks for every tool; answer "always allow" only for the three that read. Restart it',
  ],
  user: ({ stdio }, { appData }) => [
    part(join(appData, 'Claude', 'claude_desktop_config.json'), [
      { at: ['mcpServers', ENTRY], value: stdio },
    ]),
  ],
};

const windsurf: Recipe = {
  id: 'windsurf',
  program: 'windsurf',
  signs: ({ home }) => [join(home, '.codeium', 'windsurf')],
  token: 'entry',
  user: ({ url, authorization }, { home }) => [
    part(join(home, '.codeium', 'windsurf', 'mcp_config.json'), [
      { at: ['mcpServers', ENTRY], value: { serverUrl: url, headers: { Authorization: authorization } } },
    ]),
  ],
};

const zedFile = ({ appData, config, isWindows }: Places) =>
  isWindows ? join(appData, 'Zed', 'settings.json') : join(config, 'zed', 'settings.json');

const zedRule = (tool: string, action: string): Edit => ({
  at: ['agent', 'tool_permissions', 'tools', `mcp:${ENTRY}:${tool}`],
  value: { default: action },
});

const zed: Recipe = {
  id: 'zed',
  program: 'zed',
  signs: (places) => [join(zedFile(places), '..')],
  token: 'file',
  stdio: true,
  rules: 'agent.tool_permissions in settings.json',
  user: ({ stdio }, places) => [
    part(zedFile(places), [
      { at: ['context_servers', ENTRY], value: stdio },
      ...READ_TOOLS.map((tool) => zedRule(tool, 'allow')),
      ...CHANGE_TOOLS.map((tool) => zedRule(tool, 'confirm')),
    ]),
  ],
};

const gooseFolder = ({ appData, config, isWindows }: Places) =>
  isWindows ? join(appData, 'Block', 'goose', 'config') : join(config, 'goose');

const goose: Recipe = {
  id: 'goose',
  program: 'goose',
  signs: (places) => [gooseFolder(places)],
  token: 'entry',
  rules: 'permission.yaml',
  notes: ['goose asks only in the modes "approve" and "smart approve"; in "auto" it never asks'],
  user: ({ url, authorization }, places) => [
    part(
      join(gooseFolder(places), 'config.yaml'),
      [
        {
          at: ['extensions', ENTRY],
          value: {
            enabled: true,
            type: 'streamable_http',
            name: ENTRY,
            description: 'All MCP servers behind mcpproxy',
            uri: url,
            headers: { Authorization: authorization },
            timeout: 300,
          },
        },
      ],
      'yaml',
    ),
    part(
      join(gooseFolder(places), 'permission.yaml'),
      [
        { list: ['user', 'always_allow'], values: READ_TOOLS.map((tool) => `${ENTRY}__${tool}`) },
        { list: ['user', 'ask_before'], values: CHANGE_TOOLS.map((tool) => `${ENTRY}__${tool}`) },
      ],
      'yaml',
    ),
  ],
};

const jetbrains: Recipe = {
  id: 'jetbrains',
  signs: ({ home }) => [join(home, '.junie')],
  token: 'file',
  stdio: true,
  notes: [
    'This is the file of Junie. In AI Assistant, add the server in its settings: see "connect jetbrains --print"',
  ],
  user: ({ stdio }, { home }) => [
    part(join(home, '.junie', 'mcp', 'mcp.json'), [{ at: ['mcpServers', ENTRY], value: stdio }]),
  ],
};

export const DESKTOP_RECIPES: readonly Recipe[] = [claudeDesktop, windsurf, zed, goose, jetbrains];
