import type { Command } from 'commander';
import { z } from 'zod';
import { ApprovalStatus, type ApprovalDetail, type DecisionBody } from '../../../../contract/approval.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { durationWithin } from '../../../../contract/config.ts';
import { GrantTerms } from '../../../../contract/approval-policy.ts';
import { approvalDetail, approvalTable } from './approval-text.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import { checked, choice, define, type Bind } from '../../define.ts';
import { styleFor } from '../../output/style.ts';
import { approvalsExplain } from './approvals-policy.ts';
import { approvalsGrants } from './approvals-grants.ts';
import { approvalsReplay } from './approvals-policy.ts';
import { approvalsWatch } from './approvals-watch.ts';

export function approvals(bind: Bind): Command {
  return define('approvals', {
    summary: 'Calls that wait for a person: see them, decide, and try policies',
    description:
      'Calls that wait for a person: see them, decide, and try policies. Deciding takes the key of the operator; the token of an agent never suffices.',
    examples: [
      'mcpproxy approvals watch',
      'mcpproxy approvals approve 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy approvals explain github:delete_repo',
    ],
    subcommands: [
      approvalsList(bind),
      approvalsShow(bind),
      approvalsDecide('approve', bind),
      approvalsDecide('deny', bind),
      approvalsWatch(bind),
      approvalsExplain(bind),
      approvalsReplay(bind),
      approvalsGrants(bind),
    ],
  });
}

interface ListFlags {
  status?: ApprovalStatus;
  all?: boolean;
  limit?: number;
}

function approvalsList(bind: Bind): Command {
  return define('list', {
    summary: 'Calls that wait for a person; with --all also those that are settled',
    examples: [
      'mcpproxy approvals list',
      'mcpproxy approvals list --all',
      'mcpproxy approvals list --status denied -o json',
    ],
  })
    .addOption(
      choice('--status <status>', 'only those with this status (default: pending)', ApprovalStatus.options),
    )
    .option('--all', 'whatever their status')
    .addOption(
      checked('--limit <n>', 'at most so many (default: 50)', z.coerce.number().int().min(1).max(200)),
    )
    .action(
      bind<ListFlags>(async (context, { status = 'pending', all, limit }) => {
        const answer = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('listApprovals', { ...(!all && { status }), ...(limit && { limit }) }),
        );
        await print(context, answer, () => approvalTable(context.style, answer.approvals, context.io.now()));
        if (answer.approvals.length === 0)
          hint(context, all ? 'no call has waited yet' : `none is ${status}`);
        if (answer.next_cursor !== null) hint(context, 'there are more; use --limit');
      }),
    );
}

function approvalsShow(bind: Bind): Command {
  return define('show', {
    summary: 'One call in full: arguments, hints, who asks, and how it differs from the last one',
    examples: [
      'mcpproxy approvals show 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy approvals show 2Y6B1C -o json',
    ],
  })
    .argument('<id>', 'the id, or its first or last characters')
    .action(
      bind(async (context, _, given) => {
        const approval = await withProxy(context, 'daemon-or-offline', async (reached) =>
          reached.request('getApproval', { id: await resolveApproval(reached, given) }),
        );
        await print(context, approval, () => approvalDetail(context.style, approval, context.io.now()));
      }),
    );
}

interface DecideFlags {
  reason?: string;
  for?: string;
  maxCalls?: number;
  yes?: boolean;
}

const DECIDE = {
  approve: {
    summary: 'Let a call run, once and as it was asked',
    description:
      'Let a call run, once and as it was asked; the order of keys in an object does not count. The call is printed as it will run, with what is masked elsewhere, and you are asked then. With --yes it does not ask; scripts need that: without a terminal and without --yes nothing is approved.',
    examples: [
      'mcpproxy approvals approve 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy approvals approve 2Y6B1C --for 1h --max-calls 20 --reason "cleaning up the sandbox"',
      'mcpproxy approvals approve 2Y6B1C --yes -o json',
    ],
  },
  deny: {
    summary: 'Refuse a call; the reason reaches the agent',
    examples: [
      'mcpproxy approvals deny 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy approvals deny 2Y6B1C --reason "archive it instead of deleting it"',
    ],
  },
};

function approvalsDecide(decision: DecisionBody['decision'], bind: Bind): Command {
  const command = define(decision, DECIDE[decision])
    .argument('<id>', 'the id, or its first or last characters')
    .addOption(checked('--reason <text>', 'why; recorded, and told to the agent', z.string().max(1000)));
  if (decision === 'approve') {
    command
      .addOption(
        checked(
          '--for <duration>',
          'also let further calls of this tool by this caller pass, for so long',
          durationWithin('1s', '30d'),
        ),
      )
      .addOption(
        checked(
          '--max-calls <n>',
          'at most so many of them',
          z.coerce.number().pipe(GrantTerms.shape.max_calls.unwrap()),
        ),
      )
      .option('-y, --yes', 'do not ask; needed where there is no terminal');
  }
  return command.action(
    bind<DecideFlags>((context, flags, given) => decide(context, { ...flags, decision, given })),
  );
}

interface Decision extends DecideFlags {
  decision: DecisionBody['decision'];
  given: string;
}

async function decide(
  context: Context,
  { decision, given, reason, for: time, maxCalls, yes }: Decision,
): Promise<void> {
  if (decision === 'approve') requireAnswer(context, given, yes === true);
  const grant = time ? { grant: { for: time, ...(maxCalls && { max_calls: maxCalls }) } } : {};
  const body = { decision, ...(reason !== undefined && { reason }), ...grant };
  const approval = await withProxy(context, 'daemon-or-offline', async (reached) => {
    const id = await resolveApproval(reached, given);
    if (
      decision === 'approve' &&
      !(await isApproved(context, await reached.request('getApproval', { id }), yes === true))
    )
      return undefined;
    return reached.request('decideApproval', { id, body });
  });
  if (!approval) return hint(context, 'not approved; it waits on');
  await print(context, approval, () => approvalTable(context.style, [approval], context.io.now()));
  if (decision === 'approve' && approval.status === 'approved')
    hint(context, 'approved; it runs when the agent that waits, or repeats the call, takes it up');
  if (approval.grant_id)
    hint(
      context,
      `grant ${approval.grant_id}; end it with: mcpproxy approvals grants revoke ${approval.grant_id}`,
    );
}

/** A script cannot answer, and a call must not run without an answer. */
function requireAnswer({ io }: Context, id: string, yes: boolean): void {
  if (yes || (io.terminal.in && io.terminal.err)) return;
  const shown = visibleLine(id);
  throw new ProxyError(
    'USAGE',
    `this lets a call run and needs an answer from a terminal. Look at "mcpproxy approvals show ${shown}", then run: mcpproxy approvals approve ${shown} --yes`,
  );
}

/** Shows the whole call first, and asks unless the person is sure. */
async function isApproved(context: Context, approval: ApprovalDetail, isSure: boolean): Promise<boolean> {
  const { io, output } = context;
  // What is settled already is not asked about: the answer says how it ended.
  if (approval.status !== 'pending') return true;
  const onStdout = output === 'table';
  const text = approvalDetail(onStdout ? context.style : styleFor(io, 'err'), approval, io.now());
  if (onStdout) await io.out(`${text}\n`);
  else io.err(`${text}\n`);
  if (isSure || !approval.arguments_complete) return true;
  const name = visibleLine(`${approval.server}:${approval.tool}`);
  const answer = await io.ask(
    `Approve ${name} for ${visibleLine(approval.principal)}, once, exactly as shown? [y/N] `,
  );
  return /^y(es)?$/i.test(answer.trim());
}

const ID_LENGTH = 26;
const SHORTEST = 4;
const LOOKED_AT = 200;

/** A full id, or the end or the beginning of one among the newest: people copy what a screen shows them. */
async function resolveApproval({ request }: Pick<Reached, 'request'>, given: string): Promise<string> {
  const part = given.toUpperCase();
  if (part.length >= ID_LENGTH) return part;
  if (part.length < SHORTEST)
    throw new ProxyError('USAGE', `'${given}' is too short for an id: give at least ${SHORTEST} characters`);
  const { approvals } = await request('listApprovals', { limit: LOOKED_AT });
  const found = approvals.map(({ id }) => id).filter((id) => id.startsWith(part) || id.endsWith(part));
  const [id, ...others] = found;
  if (id === undefined)
    throw new ProxyError('NOT_FOUND', `No approval has an id with '${given}' at its beginning or end`);
  if (others.length > 0)
    throw new ProxyError(
      'USAGE',
      `'${given}' fits ${found.length} approvals: ${found.slice(0, 5).join(', ')}`,
    );
  return id;
}
