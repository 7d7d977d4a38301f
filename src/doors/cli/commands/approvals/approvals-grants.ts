import type { Command } from 'commander';
import type { Grant } from '../../../../contract/approval.ts';
import { hint, print, withProxy } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { table, type Column } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';

export function approvalsGrants(bind: Bind): Command {
  return define('grants', {
    summary: 'Manage grants: time-limited permissions to call a tool without approval',
    description:
      'Manage grants: time-limited permissions to call a tool without approval. Create a grant with "approvals approve --for". It is valid for one caller and for the current definition of one tool, and every call that uses it is recorded with its id.',
    examples: [
      'mcpproxy approvals grants list',
      'mcpproxy approvals grants revoke 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
    ],
    subcommands: [grantsList(bind), grantsRevoke(bind)],
  });
}

function grantsList(bind: Bind): Command {
  return define('list', {
    summary: 'List active grants; with --all also expired and revoked ones',
    examples: ['mcpproxy approvals grants list', 'mcpproxy approvals grants list --all -o json'],
  })
    .option('--all', 'also list expired and revoked grants')
    .action(
      bind<{ all?: boolean }>(async (context, { all }) => {
        const answer = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('listGrants', all ? {} : { active: 'true' }),
        );
        await print(context, answer, () => overview(context.style, answer.grants));
        if (answer.grants.length === 0)
          hint(context, 'No active grants. Create one with: mcpproxy approvals approve ID --for 1h');
      }),
    );
}

function grantsRevoke(bind: Bind): Command {
  return define('revoke', {
    summary: 'Revoke a grant',
    examples: [
      'mcpproxy approvals grants revoke 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy approvals grants revoke 01JG2Z7K4MQX3V8R5T9W2Y6B1C -o json',
    ],
  })
    .argument('<id>', 'id of the grant')
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
  { title: 'CALLER' },
  { title: 'USED', align: 'right', whole: true },
  { title: 'EXPIRES', whole: true },
  { title: 'CREATED BY' },
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
