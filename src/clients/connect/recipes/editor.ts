import { join } from 'node:path';
import { VSCODE_FOLDERS } from '../../client-programs.ts';
import type { Syntax } from '../../parse-document.ts';
import type { Edit } from '../edit/edits.ts';
import {
  CHANGE_TOOLS,
  ENTRY,
  READ_TOOLS,
  type EntryFacts,
  type FilePart,
  type Places,
  type Recipe,
} from './recipe.ts';

export const part = (file: string, edits: readonly Edit[], syntax: Syntax = 'json'): FilePart => ({
  file,
  syntax,
  edits,
});

/** The first of them that exists, or the first. */
const pick = (files: readonly string[], { exists }: Places): string =>
  files.find((file) => exists(file)) ?? files[0]!;

/** Tools of direct mode, by the two underscores in their names. Without a rule, Continue runs them unasked where it has no terminal. */
const DIRECT_TOOLS = '*__*';

const continueCli: Recipe = {
  id: 'continue',
  verified: '1.5.47',
  program: 'cn',
  signs: ({ home }) => [join(home, '.continue')],
  token: 'entry',
  rules: '~/.continue/permissions.yaml',
  notes: ['In a run without a terminal, Continue hides the tools that it would ask for'],
  user: ({ url, authorization }, { home }) => [
    part(
      join(home, '.continue', 'config.yaml'),
      [
        {
          at: ['mcpServers', { item: ENTRY }],
          value: {
            name: ENTRY,
            type: 'streamable-http',
            url,
            requestOptions: { headers: { Authorization: authorization } },
          },
        },
      ],
      'yaml',
    ),
    part(
      join(home, '.continue', 'permissions.yaml'),
      [
        { list: ['allow'], values: READ_TOOLS },
        { list: ['ask'], values: [...CHANGE_TOOLS, DIRECT_TOOLS] },
      ],
      'yaml',
    ),
  ],
};

function cursorParts(folder: string, { url, authorization }: EntryFacts): FilePart[] {
  return [
    part(join(folder, 'mcp.json'), [
      { at: ['mcpServers', ENTRY], value: { url, headers: { Authorization: authorization } } },
    ]),
    part(join(folder, 'permissions.json'), [
      { list: ['mcpAllowlist'], values: READ_TOOLS.map((tool) => `${ENTRY}:${tool}`) },
    ]),
  ];
}

const cursor: Recipe = {
  id: 'cursor',
  program: 'cursor',
  signs: ({ home }) => [join(home, '.cursor')],
  token: 'entry',
  rules: 'mcpAllowlist in permissions.json',
  notes: ['Use the run mode "Allowlist": then Cursor asks for every tool that is not on the list'],
  user: (facts, { home }) => cursorParts(join(home, '.cursor'), facts),
  project: {
    variable: 'CURSOR_MCPPROXY_TOKEN',
    reference: '${env:CURSOR_MCPPROXY_TOKEN}',
    parts: (facts, { cwd }) => cursorParts(join(cwd, '.cursor'), facts),
  },
};

const vscodeUser = (places: Places): string[] =>
  VSCODE_FOLDERS.map((name) => join(places.appData, name, 'User'));

const VSCODE_RULES = CHANGE_TOOLS.map((tool): Edit => ({
  at: ['chat.tools.eligibleForAutoApproval', tool],
  value: false,
}));

const vscodeEntry = ({ url, authorization }: EntryFacts): Edit => ({
  at: ['servers', ENTRY],
  value: { type: 'http', url, headers: { Authorization: authorization } },
});

const vscode: Recipe = {
  id: 'vscode',
  program: 'code',
  signs: vscodeUser,
  token: 'entry',
  rules: 'chat.tools.eligibleForAutoApproval in settings.json',
  user: (facts, places) => {
    const folder = pick(vscodeUser(places), places);
    return [
      part(join(folder, 'mcp.json'), [vscodeEntry(facts)]),
      part(join(folder, 'settings.json'), VSCODE_RULES),
    ];
  },
  project: {
    variable: 'mcpproxy-token',
    reference: '${input:mcpproxy-token}',
    how: 'VS Code asks for it once and keeps it in its secret storage',
    parts: (facts, { cwd }) => [
      part(join(cwd, '.vscode', 'mcp.json'), [
        vscodeEntry(facts),
        {
          at: ['inputs', { item: 'mcpproxy-token', by: 'id' }],
          value: {
            type: 'promptString',
            id: 'mcpproxy-token',
            description: 'mcpproxy token (mcpp_…)',
            password: true,
          },
        },
      ]),
      part(join(cwd, '.vscode', 'settings.json'), VSCODE_RULES),
    ],
  },
};

const clineFiles = (places: Places): string[] => [
  ...vscodeUser(places).map((folder) =>
    join(folder, 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'),
  ),
  join(places.home, '.cline', 'data', 'settings', 'cline_mcp_settings.json'),
];

const cline: Recipe = {
  id: 'cline',
  signs: (places) => clineFiles(places).map((file) => join(file, '..', '..')),
  token: 'entry',
  rules: 'autoApprove in the entry',
  user: ({ url, authorization }, places) => [
    part(pick(clineFiles(places), places), [
      {
        at: ['mcpServers', ENTRY],
        value: {
          type: 'streamableHttp',
          url,
          headers: { Authorization: authorization },
          disabled: false,
          autoApprove: [...READ_TOOLS],
        },
      },
    ]),
  ],
};

export const EDITOR_RECIPES: readonly Recipe[] = [continueCli, cursor, vscode, cline];
