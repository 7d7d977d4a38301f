import { z } from 'zod';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { API_PREFIX, routes, type Route } from '../src/contract/routes/api.ts';
import { ERRORS } from '../src/contract/errors.ts';
import { buildProgram } from '../src/doors/cli/program.ts';
import { referencePage } from './cli-reference.ts';
import { ROAD } from '../src/road/road.ts';
import { configJsonSchema } from '../src/config/parse.ts';
import { isSharedSetting } from '../src/contract/config.ts';

/** The reference pages that are made from the contract; a test compares them with docs/. */
export const PAGES: Record<string, () => string | Promise<string>> = {
  'errors.md': errorsPage,
  'road.md': roadPage,
  'config.md': configPage,
  'api.md': apiPage,
  'cli.md': async () => referencePage(await buildProgram(() => () => Promise.resolve(), '')),
};

interface JsonSchema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  minimum?: number;
  maximum?: number;
}

const GENERATED = '<!-- Made by `npm run docs`; a test fails when it is out of date. -->';

function roadPage(): string {
  return page('The road of a call', [
    'Every tool call, from MCP, REST, the command line or the task assistant, runs these steps in this order. No other code can call a server.',
    'The first refusal ends the call. Its record is closed either way.',
    '',
    ...roadTable(),
    '',
    'Metrics, the log line of a call and the use of a token are measured around the whole list. The codes are explained on the [page of errors](errors.md).',
  ]);
}

function roadTable(): string[] {
  return [
    '| | step | what it does | refusals |',
    '|---|---|---|---|',
    ...ROAD.map(
      ({ name, does, refusals }, i) =>
        `| ${i + 1} | ${name} | ${does} | ${refusals.map((code) => `\`${code}\``).join(' ')} |`,
    ),
  ];
}

const WALK_MARKS = /(<!-- walk: made by `npm run docs` -->\n)[\s\S]*?(<!-- end of walk -->)/;

/** ARCHITECTURE.md with the files and lines that one call passes now. */
export function withWalk(text: string): string {
  if (!WALK_MARKS.test(text)) throw new Error('ARCHITECTURE.md has no place for the walk');
  const lines = walkOfOneCall().map((line, i) => `${i + 1}. ${line}`);
  return text.replace(
    WALK_MARKS,
    (_, begin: string, end: string) => `${begin}\n${lines.join('\n')}\n\n${end}`,
  );
}

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** The functions that a call passes before and after the list of steps, and each step of the list. */
function walkOfOneCall(): string[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => ({ path, lines: readFileSync(SRC + path, 'utf8').split('\n') }));
  const placeOf = (pattern: RegExp, below = '') => {
    for (const { path, lines } of files) {
      const line = path.startsWith(below) ? lines.findIndex((text) => pattern.test(text)) : -1;
      if (line >= 0) return `\`${path}:${line + 1}\``;
    }
    throw new Error(`src/${below} has no line that matches ${pattern}`);
  };
  const functionAt = (name: string) => placeOf(new RegExp(`\\bfunction ${name}\\b`));
  return [
    `${functionAt('createRequestHandler')} receives the HTTP request; ${functionAt('createGuard')} checks Host, Origin and credential.`,
    `${functionAt('createPostDoor')} reads the body; ${functionAt('createToolHandler')} recognises \`call_tool_write\` and asks the road.`,
    `${functionAt('runSteps')} runs the list:`,
    ...ROAD.map(({ name, does, at }) => {
      const place = placeOf(new RegExp(`name: '${name}'`), 'road/steps/');
      return `${place} **${name}**${at === 'door' ? ' (run earlier, by the HTTP door)' : ''}: ${does}.`;
    }),
    `${functionAt('createDispatch')} is what step *dispatch* calls, the only code that sends a tool call. ${functionAt('errorResult')} renders a refusal for an MCP client.`,
  ];
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, exit, outcome, says }]) =>
      `| \`${code}\` | ${status} | ${exit} | ${outcome} | ${says} |`,
  );
  return page('Errors', [
    'Every refusal and failure carries a code. MCP: a result with `isError: true`, the sentence as text and `structuredContent: {error: {code, message, details}}`.',
    'REST: the HTTP status and `{error: {code, message, details, request_id}}`. Command line: the sentence on stderr and the exit code.',
    '',
    'The column *recorded as* is the status of the record in the activity log: `refused` never reached a server, `error` was tried and failed, `unknown` may have run.',
    '',
    '| code | HTTP | exit | recorded as | what it means |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    'Exit codes: 0 ok · 1 general · 2 usage · 3 refused by policy · 4 configuration · 5 port in use · 6 data directory in use · 7 no daemon · 8 the log cannot be verified (`activity verify`, `activity audit`).',
  ]);
}

function configPage(): string {
  const { proxy, server } = configSchemas();
  return page('Configuration', [
    'One JSON file with comments, by default `~/.mcpproxy/mcp_config.json`; `mcpproxy config path` prints its path. The proxy reads it again whenever it changes.',
    'Only broken JSON or a wrong setting of the proxy itself makes a file invalid. A running proxy then keeps its last valid configuration, and `mcpproxy status` names file, line and key; a start ends with exit code 4. Commands still work with a running daemon.',
    'An entry under `mcpServers` that cannot be used affects only that server: it is listed as failed with its reason, and the others serve.',
    '`mcpproxy config validate` checks a file without using it. Its exit code is 4 only when the proxy would not start; everything else is a warning.',
    'Each start and each change that takes effect is recorded in the activity log (type `config`) with a digest of the configuration and each setting before and after; for a secret only the fact that it changed. An edit that weakens the protection is announced, and with `confirm_weakening` it waits: see [changes of the configuration](../guides/configuration.md).',
    '',
    'Flags override the environment (`MCPPROXY_LISTEN`, `MCPPROXY_CONFIG`, `MCPPROXY_DATA_DIR`, `MCPPROXY_API_KEY`, `MCPPROXY_DATABASE_URL`, `MCPPROXY_OUTPUT`), which overrides the file.',
    '',
    '`${env:NAME}`, `${NAME}`, `${NAME:-default}`, `{env:NAME}`, `${{ secrets.NAME }}` and `${file:PATH}` work in `command`, `args`, `env`, `env_file`, `cwd`, `url` and `headers` of a server, in `api_key` and in `database_url`. They are resolved when used, and never written back or shown. A variable that is not set makes that server fail, and its last error names the variable; no text with an unresolved `${…}` is sent. `${userHome}` is the home directory; `${input:…}`, `${workspaceFolder}` and other references that only one client supports make the server fail too ([import](../guides/import.md) asks for their values). In a server, `$NAME` as a word of its own is a reference too, except in the script of a shell. Variables of `env` come first in `args`. Shell text such as `${x%.*}` is not changed; write `$${` for a literal `${` and `$$NAME` for a literal `$NAME`. The length of `api_key` is checked after it is resolved.',
    '',
    '## Settings',
    '',
    ...settingsTable(proxy, LEFT_OUT),
    '',
    '## Servers',
    '',
    '`mcpServers` is an object by name, as every client uses it, or an array of objects with `name`. `servers` (VS Code) and `mcp` (opencode) are read too. Each server has:',
    '',
    ...settingsTable(server, []),
    '',
    '### Names',
    '',
    'Any name is allowed. A name of 1–64 letters, digits, `_`, `.` and `-` is used unchanged. For any other name the proxy derives an alias from its plain characters and four digits of its hash: `Ant-Design-Components-bf26` for “Ant Design Components”. The alias depends on the name alone, so other entries never change it. The alias is used in `server:tool`, policies, token scopes and records; `upstream list` and the web UI also show the original name as title. `upstream` commands and `/servers/NAME` of REST accept both; everything else takes the alias.',
    '',
    '### Keys of other clients',
    '',
    '| key | meaning here |',
    '|---|---|',
    '| `disabled` | the opposite of `enabled`; the server is off if either of the two says so |',
    '| `httpUrl`, `serverUrl`, `uri`, `cmd` | `url`, `command` |',
    '| `transport`, `transportType` | `type`; `streamableHttp` is `http`, `local` is `stdio`, `remote` is detected from the URL |',
    '| `envFile`, `environment`, `envs` | `env_file`, `env` |',
    '| `env_keys`, `env_vars` | `env` with `${env:NAME}` for each; a variable of `env_vars` may be unset |',
    '| `http_headers`, `env_http_headers`, `bearer_token_env_var`, `requestOptions.headers` | `headers` |',
    '| `auth` (Cursor); `clientId`, `clientSecret`, `scope` in `oauth` | `oauth`; what it sets for the client alone, such as `callbackPort`, has no effect |',
    '| `command` as a list, as an object (Zed) or as a command line; `config` around an entry (goose) | `command` and `args` |',
    '| numbers and switches in `args`, `env` and `headers` | their text |',
    '| `tool_timeout_sec`; `startup_timeout_sec`, `connectionTimeout`, `initTimeout` | `timeout`; `connect_timeout` |',
    '| `timeout` as a number | seconds below 1000, milliseconds from 1000 on; a warning says which (Cline counts seconds, Gemini CLI milliseconds) |',
    '| `disabledTools`, `disabled_tools`, `excludeTools` | `tools` with `enabled: false` for each |',
    '| `includeTools`, `enabled_tools`, `available_tools`, `tools` as a list | `tools` with `enabled: false` for `"*"` and `true` for each; `["*"]` is all tools |',
    '| `autoApprove`, `alwaysAllow`, `trust` | no effect: only `approvals` decides which calls wait for a person |',
    '| anything else | no effect; one warning per server names the keys |',
    '',
    'A key that looks like a misspelt setting, such as `enabeld`, makes that server fail, because it may be the setting that disables it. Likewise, a top-level key that resembles a setting makes the file invalid; other keys, such as `inputs`, cause a warning.',
    '',
    'Example:',
    '',
    '```json',
    '{',
    '  "mcpServers": {',
    '    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/notes"] },',
    '    "remote": {',
    '      "url": "https://example.com/mcp",',
    '      "headers": { "Authorization": "Bearer ${env:REMOTE_TOKEN}" },',
    '      "timeout": "30s",',
    '      "tools": { "purge": { "operation": "destructive" }, "debug": { "enabled": false } }',
    '    }',
    '  }',
    '}',
    '```',
  ]);
}

function settingsTable(schema: JsonSchema, leave: string[]): string[] {
  return [
    '| key | type | default | example | meaning |',
    '|---|---|---|---|---|',
    ...settingsOf(schema, leave).map(
      ({ name, value }) =>
        `| \`${name}\`${placeText(schema, name)} | ${typeText(value)} | ${codeOf(value.default)} | ${codeOf(value.examples?.[0])} | ${value.description ?? ''} |`,
    ),
  ];
}

/** Local settings are marked; those of a server have no place of their own. */
function placeText(schema: JsonSchema, name: string): string {
  const isLocal = 'config_source' in (schema.properties ?? {}) && !isSharedSetting(name.split('.')[0]!);
  return isLocal ? ' (local)' : '';
}

interface Setting {
  name: string;
  value: JsonSchema;
}

/** Every setting of the configuration file, with those of a server. */
export function allSettings(): Setting[] {
  const { proxy, server } = configSchemas();
  return [...settingsOf(proxy, LEFT_OUT), ...settingsOf(server, [])];
}

/** Described elsewhere: the servers in a section of their own, `$schema` by editors. */
const LEFT_OUT = ['mcpServers', '$schema'];

function configSchemas(): { proxy: JsonSchema; server: JsonSchema } {
  const proxy = configJsonSchema() as JsonSchema;
  return { proxy, server: proxy.properties!.mcpServers!.anyOf![0]!.additionalProperties as JsonSchema };
}

/** The leaves of a schema by their path, in the order of the schema. */
function settingsOf(schema: JsonSchema, leave: string[] = [], prefix = ''): Setting[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    if (leave.includes(key)) return [];
    const name = prefix + key;
    if (value.properties) return settingsOf(value, [], `${name}.`);
    const inner = typeof value.additionalProperties === 'object' ? value.additionalProperties : undefined;
    return inner?.properties ? settingsOf(inner, [], `${name}.<name>.`) : [{ name, value }];
  });
}

function rowsOf(schema: JsonSchema): string[] {
  return settingsOf(schema).map(
    ({ name, value }) =>
      `| \`${name}\` | ${typeText(value)} | ${codeOf(value.default)} | ${value.description ?? ''} |`,
  );
}

function codeOf(value: unknown): string {
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``;
}

function typeText(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' or ');
  if (schema.type === 'array') return `array of ${typeText(schema.items ?? {})}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `object of ${typeText(schema.additionalProperties)}`;
  return String(schema.type ?? 'any');
}

function apiPage(): string {
  return page('REST API', [
    `All paths below \`${API_PREFIX}\`. The key goes in \`X-API-Key\` or \`Authorization: Bearer\`, never in the URL. Bodies are JSON. Errors are`,
    '`{error: {code, message, details, request_id}}` with the codes of [the error page](errors.md). The same table as OpenAPI 3.1 is at `/openapi.json`.',
    '',
    'Without a key: `GET /healthz` (200 as soon as the process listens) and `GET /readyz` (200 once every configured server was tried). They answer to any `Host` header, so that load balancers and the kubelet can ask by address.',
    ...Object.entries(routes as Record<string, Route>).flatMap(([name, route]) => routeText(name, route)),
  ]);
}

function routeText(name: string, route: Route): string[] {
  const lines = ['', `## ${route.method} ${route.path}`, '', `${route.summary}. Operation id \`${name}\`.`];
  if (route.query)
    lines.push(
      '',
      '| query | type | default | meaning |',
      '|---|---|---|---|',
      ...rowsOf(jsonSchema(route.query, 'input')),
    );
  if (route.body)
    lines.push(
      '',
      '| body | type | default | meaning |',
      '|---|---|---|---|',
      ...bodyRows(jsonSchema(route.body, 'input')),
    );
  if (route.stream) lines.push('', `Answers with a stream: ${route.stream}.`);
  else if (route.output) lines.push('', `Answers with \`${shape(jsonSchema(route.output, 'output'))}\`.`);
  return lines;
}

function bodyRows(schema: JsonSchema): string[] {
  return schema.properties ? rowsOf(schema) : ['| any key | any | | |'];
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
}

/** Names only: what a reader needs to find a field. The types are in the OpenAPI document. */
function shape(schema: JsonSchema): string {
  if (schema.type === 'array') return `[${shape(schema.items ?? {})}]`;
  if (!schema.properties) return '…';
  const fields = Object.entries(schema.properties).map(([key, value]) => {
    const nested = value.type === 'array' ? value.items : value;
    const name = (schema.required ?? []).includes(key) ? key : `${key}?`;
    return nested?.properties && key !== 'metadata' ? `${name}: ${shape(value)}` : name;
  });
  return `{${fields.join(', ')}}`;
}

function page(title: string, lines: string[]): string {
  return `${[`# ${title}`, '', GENERATED, '', ...lines].join('\n')}\n`;
}
