import type { Command } from 'commander';
import type { TokenStatus, TokenView } from '../../../../contract/token.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { table, type Cell, type Column } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';
import { tokensCreate } from './tokens-create.ts';

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
