import type { Command } from 'commander';
import type { Grant } from '../../../../contract/approval.ts';
import { hint, print, withProxy } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { table, type Column } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';

export function approvalsGrants(bind: Bind): Command {
  return define('grants', {
    summary: 'Time-boxed permissions to use a tool without asking each time',
    description:
      'Time-boxed permissions to use a tool without asking each time. They are given with "approvals approve --for", hold for one caller and one tool as it is defined now, and every call under one is recorded as such.',
    examples: [
      'mcpproxy approvals grants list',
      'mcpproxy approvals grants revoke 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
    ],
    subcommands: [grantsList(bind), grantsRevoke(bind)],
  });
}

function grantsList(bind: Bind): Command {
  return define('list', {
    summary: 'Grants that hold; with --all also those that have ended',
    examples: ['mcpproxy approvals grants list', 'mcpproxy approvals grants list --all -o json'],
  })
    .option('--all', 'also those that have ended')
    .action(
      bind<{ all?: boolean }>(async (context, { all }) => {
        const answer = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('listGrants', all ? {} : { active: 'true' }),
        );
        await print(context, answer, () => overview(context.style, answer.grants));
        if (answer.grants.length === 0)
          hint(context, 'no grant holds; give one with: mcpproxy approvals approve ID --for 1h');
      }),
    );
}

function grantsRevoke(bind: Bind): Command {
  return define('revoke', {
    summary: 'End a grant now',
    examples: [
      'mcpproxy approvals grants revoke 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy approvals grants revoke 01JG2Z7K4MQX3V8R5T9W2Y6B1C -o json',
    ],
  })
    .argument('<id>', 'the grant')
    .action(
      bind(async (context, _, id) => {
        const grant = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('revokeGrant', { id }),
        );
        await print(context, grant, () => overview(context.style, [grant]));
      }),
    );
}

const COLUMNS: Column[] = [
  { title: 'ID', whole: true },
  { title: 'STATUS', whole: true },
  { title: 'TOOL' },
  { title: 'FOR' },
  { title: 'USED', align: 'right', whole: true },
  { title: 'UNTIL', whole: true },
  { title: 'GIVEN BY' },
  { title: 'REASON' },
];

function overview(style: Style, grants: readonly Grant[]): string {
  const rows = grants.map((grant) => [
    grant.id,
    { text: grant.status, paint: grant.status === 'active' ? style.colors.green : style.colors.dim },
    `${grant.server}:${grant.tool}`,
    grant.client ? `${grant.principal} (${grant.client})` : grant.principal,
    grant.max_calls === null ? String(grant.used) : `${grant.used} of ${grant.max_calls}`,
    localTime(grant.expires_at),
    `${grant.created_by} (${grant.created_from})`,
    grant.reason,
  ]);
  return table(style, COLUMNS, rows);
}
