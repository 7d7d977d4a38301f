import { join } from 'node:path';
import { isObject } from '../../../json/index.ts';
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

const json = (file: string, edits: readonly Edit[] | ((document: unknown) => readonly Edit[])): FilePart => ({
  file,
  syntax: 'json',
  edits,
});

/** Claude Code and Qwen Code name tools alike. */
const claudeRules = (): Edit[] => [
  { list: ['permissions', 'allow'], values: READ_TOOLS.map((tool) => `mcp__${ENTRY}__${tool}`) },
  { list: ['permissions', 'ask'], values: CHANGE_TOOLS.map((tool) => `mcp__${ENTRY}__${tool}`) },
];

const claudeHome = ({ home, env }: Places) => env.CLAUDE_CONFIG_DIR || join(home, '.claude');

const claudeCode: Recipe = {
  id: 'claude-code',
  verified: '2.1.327',
  program: 'claude',
  signs: (places) => [claudeFile(places), claudeHome(places)],
  token: 'helper',
  rules: 'permissions in settings.json',
  user: ({ url, headerCommand }, places) => [
    json(claudeFile(places), [
      {
        at: ['mcpServers', ENTRY],
        value: { type: 'http', url, headersHelper: headerCommand, alwaysLoad: true },
      },
    ]),
    json(join(claudeHome(places), 'settings.json'), claudeRules()),
  ],
  project: {
    variable: 'CLAUDE_MCPPROXY_TOKEN',
    reference: '${CLAUDE_MCPPROXY_TOKEN}',
    parts: ({ url, authorization }, { cwd }) => [
      json(join(cwd, '.mcp.json'), [
        {
          at: ['mcpServers', ENTRY],
          value: { type: 'http', url, headers: { Authorization: authorization }, alwaysLoad: true },
        },
      ]),
      json(join(cwd, '.claude', 'settings.json'), claudeRules()),
      // Whether a server of the project may start is a decision of each user.
      json(join(cwd, '.claude', 'settings.local.json'), [
        { list: ['enabledMcpjsonServers'], values: [ENTRY] },
      ]),
    ],
  },
};

function claudeFile({ home, env }: Places): string {
  return join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
}

const codexHome = ({ home, env }: Places) => env.CODEX_HOME || join(home, '.codex');

function codexPart(file: string, connection: Record<string, unknown>): FilePart {
  const tools = Object.fromEntries(READ_TOOLS.map((tool) => [tool, { approval_mode: 'approve' }]));
  const value = { ...connection, default_tools_approval_mode: 'prompt', tools };
  return { file, syntax: 'toml', edits: [{ at: ['mcp_servers', ENTRY], value }] };
}

const codex: Recipe = {
  id: 'codex',
  verified: '0.169.0',
  program: 'codex',
  signs: (places) => [codexHome(places)],
  token: 'entry',
  rules: 'approval_mode per tool in config.toml',
  user: ({ url, authorization }, places) => [
    codexPart(join(codexHome(places), 'config.toml'), {
      url,
      http_headers: { Authorization: authorization },
    }),
  ],
  project: {
    variable: 'CODEX_MCPPROXY_TOKEN',
    reference: '',
    parts: ({ url }, { cwd }) => [
      codexPart(join(cwd, '.codex', 'config.toml'), { url, bearer_token_env_var: 'CODEX_MCPPROXY_TOKEN' }),
    ],
  },
};

const DESTRUCTIVE_ENTRY = `${ENTRY}-destructive`;
const GEMINI_POLICY = [
  policyRule(ENTRY, READ_TOOLS, 'allow', 300),
  policyRule(ENTRY, ['call_tool_write'], 'ask_user', 400),
  policyRule(DESTRUCTIVE_ENTRY, ['call_tool_destructive'], 'ask_user', 400),
].join('\n');

function policyRule(
  mcpName: string,
  tools: readonly string[],
  ...[decision, priority]: [string, number]
): string {
  const names = tools.map((tool) => JSON.stringify(tool)).join(', ');
  return `[[rule]]\nmcpName = "${mcpName}"\ntoolName = [${names}]\ndecision = "${decision}"\npriority = ${priority}\n`;
}

/** One answer "allow all tools of this server" must not include the destructive variant: it has an entry of its own. */
function geminiParts(file: string, { url, authorization }: EntryFacts, { home }: Places): FilePart[] {
  const entry = { httpUrl: url, headers: { Authorization: authorization }, trust: false };
  return [
    json(file, [
      { at: ['mcpServers', ENTRY], value: { ...entry, excludeTools: ['call_tool_destructive'] } },
      { at: ['mcpServers', DESTRUCTIVE_ENTRY], value: { ...entry, includeTools: ['call_tool_destructive'] } },
    ]),
    { file: join(home, '.gemini', 'policies', 'mcpproxy.toml'), text: GEMINI_POLICY },
  ];
}

const gemini: Recipe = {
  id: 'gemini',
  verified: '0.61.0',
  program: 'gemini',
  signs: ({ home }) => [join(home, '.gemini')],
  token: 'entry',
  rules: 'two entries, and ~/.gemini/policies/mcpproxy.toml',
  notes: ['Gemini CLI uses servers only in folders that you trust'],
  user: (facts, places) => geminiParts(join(places.home, '.gemini', 'settings.json'), facts, places),
  project: {
    variable: 'GEMINI_MCPPROXY_TOKEN',
    reference: '$GEMINI_MCPPROXY_TOKEN',
    parts: (facts, places) => geminiParts(join(places.cwd, '.gemini', 'settings.json'), facts, places),
  },
};

const copilotCli: Recipe = {
  id: 'copilot-cli',
  verified: '1.0.102',
  program: 'copilot',
  signs: ({ home }) => [join(home, '.copilot')],
  token: 'entry',
  rules: 'by the annotations of the tools',
  user: ({ url, authorization }, { home }) => [
    json(join(home, '.copilot', 'mcp-config.json'), [
      {
        at: ['mcpServers', ENTRY],
        value: { type: 'http', url, headers: { Authorization: authorization }, tools: ['*'] },
      },
    ]),
  ],
};

const OPENCODE_RULES: Readonly<Record<string, string>> = {
  [`${ENTRY}_*`]: 'ask',
  ...Object.fromEntries(READ_TOOLS.map((tool) => [`${ENTRY}_${tool}`, 'allow'])),
};

/** Later rules win, so ours stand at the end. One word for all tools becomes the first rule. */
function opencodeEdits({ url }: EntryFacts, authorization: string) {
  return (document: unknown): Edit[] => {
    const value = {
      type: 'remote',
      url,
      enabled: true,
      oauth: false,
      headers: { Authorization: authorization },
    };
    const entry: Edit = { at: ['mcp', ENTRY], value };
    const present = isObject(document) ? document.permission : undefined;
    if (typeof present === 'string')
      return [entry, { at: ['permission'], value: { '*': present, ...OPENCODE_RULES } }];
    return [
      entry,
      ...Object.entries(OPENCODE_RULES).map(([rule, action]): Edit => ({
        at: ['permission', rule],
        value: action,
      })),
    ];
  };
}

function opencodeFile(folder: string, { exists }: Places): string {
  const [plain, withComments] = [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')];
  return !exists(plain) && exists(withComments) ? withComments : plain;
}

const opencode: Recipe = {
  id: 'opencode',
  verified: '1.18.33',
  program: 'opencode',
  signs: ({ config }) => [join(config, 'opencode')],
  token: 'file',
  rules: 'permission in opencode.json',
  user: (facts, places) => [
    json(
      opencodeFile(join(places.config, 'opencode'), places),
      opencodeEdits(facts, `Bearer {file:${facts.tokenFile}}`),
    ),
  ],
  project: {
    variable: 'OPENCODE_MCPPROXY_TOKEN',
    reference: '{env:OPENCODE_MCPPROXY_TOKEN}',
    parts: (facts, places) => [
      json(opencodeFile(places.cwd, places), opencodeEdits(facts, facts.authorization)),
    ],
  },
};

const qwenEdits = ({ url, authorization }: EntryFacts): Edit[] => [
  {
    at: ['mcpServers', ENTRY],
    // Otherwise the model must first search for our tools with a tool of Qwen Code.
    value: { httpUrl: url, headers: { Authorization: authorization }, trust: false, alwaysLoadTools: true },
  },
  ...claudeRules(),
];

const qwen: Recipe = {
  id: 'qwen',
  verified: '0.24.4',
  program: 'qwen',
  signs: ({ home }) => [join(home, '.qwen')],
  token: 'entry',
  rules: 'permissions in settings.json',
  user: (facts, { home }) => [json(join(home, '.qwen', 'settings.json'), qwenEdits(facts))],
  project: {
    variable: 'QWEN_MCPPROXY_TOKEN',
    reference: '$QWEN_MCPPROXY_TOKEN',
    parts: (facts, { cwd }) => [json(join(cwd, '.qwen', 'settings.json'), qwenEdits(facts))],
  },
};

export const TERMINAL_RECIPES: readonly Recipe[] = [claudeCode, codex, gemini, copilotCli, opencode, qwen];
