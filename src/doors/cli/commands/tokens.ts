import type { Command } from 'commander';
import { type TokenStatus, type TokenView, TOKEN_EXPIRES, type MadeToken } from '../../../contract/token.ts';
import { counted, visibleLine } from '../../../lib/visible-text.ts';
import { nearestName } from '../../../lib/edit-distance.ts';
import { hint, print, withProxy, type Context, type Reached } from '../context.ts';
import { define, type Bind, checked } from '../define.ts';
import type { Style } from '../output/style.ts';
import { table, type Cell, type Column } from '../output/table.ts';
import { localTime } from '../output/time.ts';
import type { RouteInput } from '../../../contract/routes/api.ts';

export function tokens(bind: Bind): Command {
  return define('tokens', {
    summary: 'Manage agent tokens',
    description:
      'Manage agent tokens: credentials that limit what an agent can call. A token gives access to the MCP endpoint only, not to administration or approvals.',
    examples: [
      'mcpproxy tokens create --name cursor',
      'mcpproxy tokens list',
      'mcpproxy tokens revoke cursor',
    ],
    subcommands: [tokensCreate(bind), tokensList(bind), tokensRevoke(bind)],
  });
}

interface ListFlags {
  all?: boolean;
}

function tokensList(bind: Bind): Command {
  return define('list', {
    summary: 'List tokens with their scope, expiry and last use',
    examples: ['mcpproxy tokens list', 'mcpproxy tokens list --all -o json'],
  })
    .option('--all', 'also list revoked tokens')
    .action(
      bind<ListFlags>(async (context, { all }) => {
        const answer = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('listTokens', all ? { all: 'true' } : {}),
        );
        await print(context, answer, () => overview(context.style, answer.tokens));
        if (answer.tokens.length === 0)
          hint(context, 'No tokens. Create one with: mcpproxy tokens create --name NAME');
      }),
    );
}

function tokensRevoke(bind: Bind): Command {
  return define('revoke', {
    summary: 'Revoke a token and end its open sessions',
    examples: ['mcpproxy tokens revoke cursor', 'mcpproxy tokens revoke 01JG2Z7K4MQX3V8R5T9W2Y6B1C -o json'],
  })
    .argument('<token>', 'name or id of the token')
    .action(
      bind(async (context, _, id) => {
        const token = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('revokeToken', { id }),
        );
        await print(context, token, () => `Revoked ${visibleLine(token.name)}\n`);
      }),
    );
}

const COLUMNS: Column[] = [
  { title: 'NAME', whole: true },
  { title: 'STATUS', whole: true },
  { title: 'OPERATIONS', whole: true },
  { title: 'SERVERS' },
  { title: 'TOOLS' },
  { title: 'EXPIRES' },
  { title: 'LAST USED' },
  { title: 'USER' },
];

function overview(style: Style, list: TokenView[]): string {
  const foreign = list.some(({ user }) => user !== 'local');
  const columns = foreign ? COLUMNS : COLUMNS.slice(0, -1);
  return table(
    style,
    columns,
    list.map((token): Cell[] => [
      token.name,
      statusCell(style, token.status),
      token.metrics ? 'metrics' : token.operations.join(','),
      token.metrics ? 'none' : (token.servers?.join(',') ?? 'all'),
      token.metrics ? 'none' : (token.tools?.join(',') ?? 'all'),
      token.expires_at === null ? 'never' : localTime(token.expires_at),
      token.last_used_at === null ? 'never' : localTime(token.last_used_at),
      token.user,
    ]),
  );
}

function statusCell({ colors }: Style, status: TokenStatus): Cell {
  const paint = { active: colors.green, expired: colors.yellow, revoked: colors.dim, invalid: colors.red };
  return { text: status, paint: paint[status] };
}

type Flags = RouteInput<'createToken'>['body'];

function tokensCreate(bind: Bind): Command {
  return define('create', {
    summary: 'Create an agent token and print it once',
    description:
      'Create an agent token and print it once: mcpproxy stores only its hash. Without restrictions the token can call every tool that is available to agents; with several restrictions, all must match. --operations refers to the verdict on the tool, not to the variant that the agent chooses.',
    examples: [
      'mcpproxy tokens create --name cursor',
      'mcpproxy tokens create --name cursor --replace',
      "mcpproxy tokens create --name nightly --operations read --tools 'github:list_*,github:get_*' --expires 30d",
    ],
  })
    .addOption(
      checked(
        '--name <name>',
        'name of the agent, shown in every record',
        ({ NewToken }) => NewToken.shape.name,
      ).makeOptionMandatory(),
    )
    .addOption(
      checked(
        '--operations <list>',
        'comma-separated: read, write, destructive (default: all)',
        ({ listOf, NewToken }) => listOf(NewToken.shape.operations.unwrap()),
      ),
    )
    .addOption(
      checked(
        '--servers <list>',
        'servers it can use; * matches any characters (default: all)',
        ({ listOf, NewToken }) => listOf(NewToken.shape.servers),
      ),
    )
    .addOption(
      checked(
        '--tools <list>',
        'tools it can call, for example github:list_* (default: all)',
        ({ listOf, NewToken }) => listOf(NewToken.shape.tools),
      ),
    )
    .addOption(
      checked(
        '--expires <duration>',
        `lifetime, for example 30d, or "never" (default: ${TOKEN_EXPIRES})`,
        ({ NewToken }) => NewToken.shape.expires,
      ),
    )
    .addOption(
      checked(
        '--user <name>',
        'user whose tasks it can access in the built-in server (default: local)',
        ({ NewToken }) => NewToken.shape.user,
      ),
    )
    .addOption(
      checked(
        '--mode <mode>',
        'what tools/list shows: search, direct or both (default: the setting "mode")',
        ({ NewToken }) => NewToken.shape.mode,
      ),
    )
    .option(
      '--assistant',
      'also allow the task assistant; for people, not for agents, because the holder answers its questions',
    )
    .option('--replace', 'revoke the token of the same name first')
    .option('--metrics', 'allow only /metrics, for monitoring')
    .action(
      bind<Flags>(async (context, body) => {
        const { created, unknown } = await withProxy(context, 'daemon-or-offline', async ({ request }) => ({
          created: await request('createToken', { body }),
          unknown: await unknownServers(request, body.servers ?? []),
        }));
        // Only the token goes to stdout, so that a script can use it; the explanation goes to stderr.
        await print(context, created, () => `${visibleLine(created.token)}\n`);
        explainToken(context, created);
        for (const line of unknown) hint(context, `warning: ${line}`);
      }),
    );
}

/** A server may be added later, so an unknown name is no error. */
async function unknownServers(request: Reached['request'], given: readonly string[]): Promise<string[]> {
  const names = given.filter((name) => !name.includes('*'));
  if (names.length === 0) return [];
  const known = await request('listServers', {}).then(
    ({ servers }) => servers.map(({ name }) => name),
    () => undefined,
  );
  return names.filter((name) => known?.includes(name) === false).map((name) => unknownServer(name, known!));
}

function unknownServer(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  const hint = near === undefined ? '' : ` Did you mean '${visibleLine(near)}'?`;
  return `There is no server '${visibleLine(name)}' yet.${hint} To correct it, run the command again with --replace.`;
}

function explainToken(context: Context, created: MadeToken): void {
  const { name, operations, servers, tools, metrics, mode, expires_at, callable, replaced } = created;
  const parts = [
    metrics ? '/metrics only' : operations.join(', '),
    ...(servers ? [`servers ${servers.join(', ')}`] : []),
    ...(tools ? [`tools ${tools.join(', ')}`] : []),
    ...(mode ? [`mode ${mode}`] : []),
    expires_at === null ? 'never expires' : `expires ${localTime(expires_at)}`,
  ];
  hint(context, `Token '${name}': ${visibleLine(parts.join('; '))}`);
  if (replaced) hint(context, `The previous token of this name (${replaced}) is revoked.`);
  if (callable.total > 0 && !metrics)
    hint(context, `It can call ${callable.now} of ${counted(callable.total, 'tool')} available now.`);
  const how = metrics ? '' : ', or pass it as MCPPROXY_TOKEN to "mcpproxy stdio"';
  hint(
    context,
    `Save it now. It won't be shown again. Clients send it as "Authorization: Bearer TOKEN"${how}.`,
  );
}
