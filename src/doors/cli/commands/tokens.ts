import type { Command } from 'commander';
import { z } from 'zod';
import {
  type TokenStatus,
  type TokenView,
  NewToken,
  TOKEN_EXPIRES,
  type MadeToken,
} from '../../../contract/token.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../context.ts';
import { define, type Bind, checked } from '../define.ts';
import type { Style } from '../output/style.ts';
import { table, type Cell, type Column } from '../output/table.ts';
import { localTime } from '../output/time.ts';
import type { RouteInput } from '../../../contract/routes/api.ts';

export function tokens(bind: Bind): Command {
  return define('tokens', {
    summary: 'Credentials for agents, each with what it may call',
    description:
      'Credentials for agents, each with what it may call. A token opens the MCP endpoint and nothing else: no administration, no approvals.',
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
    summary: 'All tokens with their scope, expiry and last use',
    examples: ['mcpproxy tokens list', 'mcpproxy tokens list --all -o json'],
  })
    .option('--all', 'also those that were revoked')
    .action(
      bind<ListFlags>(async (context, { all }) => {
        const answer = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('listTokens', all ? { all: 'true' } : {}),
        );
        await print(context, answer, () => overview(context.style, answer.tokens));
        if (answer.tokens.length === 0)
          hint(context, 'no tokens; make one with: mcpproxy tokens create --name NAME');
      }),
    );
}

function tokensRevoke(bind: Bind): Command {
  return define('revoke', {
    summary: 'End a token; its open sessions end too',
    examples: ['mcpproxy tokens revoke cursor', 'mcpproxy tokens revoke 01JG2Z7K4MQX3V8R5T9W2Y6B1C -o json'],
  })
    .argument('<token>', 'its name or id')
    .action(
      bind(async (context, _, id) => {
        const token = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('revokeToken', { id }),
        );
        await print(context, token, () => `revoked ${visibleLine(token.name)}\n`);
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
  const paint = { active: colors.green, expired: colors.yellow, revoked: colors.dim };
  return { text: status, paint: paint[status] };
}

type Flags = RouteInput<'createToken'>['body'];

const wanted = NewToken.shape;
/** "a, b" as a list, for the schema of the route. */
const list = <S extends z.ZodType>(schema: S) =>
  z.preprocess(
    (text) =>
      String(text)
        .split(',')
        .map((item) => item.trim()),
    schema,
  );

function tokensCreate(bind: Bind): Command {
  return define('create', {
    summary: 'Make a token for an agent; it is shown once',
    description:
      'Make a token for an agent and print it, once: only its hash is kept. Without restrictions it may call every tool that agents may have; several restrictions must all hold. The operation that counts is the one that a tool is held to, not the variant that the agent chooses.',
    examples: [
      'mcpproxy tokens create --name cursor',
      'mcpproxy tokens create --name cursor --replace',
      "mcpproxy tokens create --name nightly --operations read --tools 'github:list_*,github:get_*' --expires 30d",
    ],
  })
    .addOption(
      checked('--name <name>', 'who will use it; on every record', wanted.name).makeOptionMandatory(),
    )
    .addOption(
      checked(
        '--operations <list>',
        'of read, write, destructive (default: all)',
        list(wanted.operations.unwrap()),
      ),
    )
    .addOption(
      checked('--servers <list>', 'servers it may use; * stands for any characters', list(wanted.servers)),
    )
    .addOption(
      checked('--tools <list>', 'tools it may call, as server:tool, as in github:list_*', list(wanted.tools)),
    )
    .addOption(
      checked(
        '--expires <duration>',
        `when it ends, from now, or "never" (default: ${TOKEN_EXPIRES})`,
        wanted.expires,
      ),
    )
    .addOption(
      checked(
        '--user <name>',
        'whose tasks of the built-in server its calls work on (default: local)',
        wanted.user,
      ),
    )
    .option(
      '--assistant',
      'it also opens the task assistant, whose questions its holder answers; for people, not for agents',
    )
    .option('--replace', 'end a token of the same name and make this one instead')
    .option('--metrics', 'it opens /metrics, for monitoring, and nothing else')
    .action(
      bind<Flags>(async (context, body) => {
        const made = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('createToken', { body }),
        );
        // The token alone, so that a script can take it as it is; what a person should know goes beside it.
        await print(context, made, () => `${visibleLine(made.token)}\n`);
        explain(context, made);
      }),
    );
}

function explain(context: Context, made: MadeToken): void {
  const { name, operations, servers, tools, metrics, expires_at, callable, replaced } = made;
  const parts = [
    metrics ? 'opens /metrics' : operations.join(', '),
    ...(servers ? [`servers ${servers.join(', ')}`] : []),
    ...(tools ? [`tools ${tools.join(', ')}`] : []),
    expires_at === null ? 'never expires' : `expires ${localTime(expires_at)}`,
  ];
  hint(context, `token '${name}': ${visibleLine(parts.join('; '))}`);
  if (replaced) hint(context, `the token that had this name (${replaced}) has ended`);
  if (callable.total > 0 && !metrics)
    hint(context, `it may call ${callable.now} of the ${callable.total} tools that are there now`);
  const how = metrics ? '' : ', or get it as MCPPROXY_TOKEN with "mcpproxy stdio"';
  hint(context, `keep it now: it is not shown again. Clients send it as "Authorization: Bearer TOKEN"${how}`);
}
