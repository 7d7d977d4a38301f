import type { Command } from 'commander';
import {
  settledText,
  type Approval,
  type ApprovalStatus,
  type ApprovalDetail,
  type DecisionBody,
} from '../../../../contract/approval.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { APPROVAL_STATUSES } from '../../../../contract/values.ts';
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
    summary: 'List and decide approval requests, and test policies',
    description:
      'List and decide approval requests, and test policies. To decide you need the API key of the operator; an agent token is not enough.',
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
    summary: 'List pending approval requests; with --all also decided and expired ones',
    examples: [
      'mcpproxy approvals list',
      'mcpproxy approvals list --all',
      'mcpproxy approvals list --status denied -o json',
    ],
  })
    .addOption(
      choice('--status <status>', 'only requests with this status (default: pending)', APPROVAL_STATUSES),
    )
    .option('--all', 'all requests, with any status')
    .addOption(
      checked(
        '--limit <n>',
        'maximum number of requests (1–200, default 50)',
        ({ approvalLimit }) => approvalLimit,
      ),
    )
    .action(
      bind<ListFlags>(async (context, { status = 'pending', all, limit }) => {
        const answer = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('listApprovals', { ...(!all && { status }), ...(limit && { limit }) }),
        );
        await print(context, answer, () => approvalTable(context.style, answer.approvals, context.io.now()));
        if (answer.approvals.length === 0)
          hint(context, all ? 'No approval requests yet.' : `No approval requests with status ${status}.`);
        if (answer.next_cursor !== null) hint(context, 'There are more requests. Use --limit to show them.');
      }),
    );
}

function approvalsShow(bind: Bind): Command {
  return define('show', {
    summary: 'Show a request in full: arguments, hints, caller and differences from the previous call',
    examples: [
      'mcpproxy approvals show 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy approvals show 2Y6B1C -o json',
    ],
  })
    .argument('<id>', 'id of the request, or its first or last characters')
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
    summary: 'Approve a call, once and exactly as requested',
    description:
      'Approve a call, once and exactly as requested; the order of keys in an object does not matter. The command prints the call as it will run, including parts that are masked elsewhere, and asks for confirmation. With --yes it does not ask. Scripts need --yes: without a terminal nothing is approved otherwise.',
    examples: [
      'mcpproxy approvals approve 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy approvals approve 2Y6B1C --for 1h --max-calls 20 --reason "cleaning up the sandbox"',
      'mcpproxy approvals approve 2Y6B1C --yes -o json',
    ],
  },
  deny: {
    summary: 'Deny a call; the agent gets the reason',
    examples: [
      'mcpproxy approvals deny 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy approvals deny 2Y6B1C --reason "archive it instead of deleting it"',
    ],
  },
};

function approvalsDecide(decision: DecisionBody['decision'], bind: Bind): Command {
  const command = define(decision, DECIDE[decision])
    .argument('<id>', 'id of the request, or its first or last characters')
    .addOption(
      checked(
        '--reason <text>',
        'reason, recorded and sent to the agent',
        ({ decisionReason }) => decisionReason,
      ),
    );
  if (decision === 'approve') {
    command
      .addOption(
        checked(
          '--for <duration>',
          'also allow further calls of this tool by this caller, for this time',
          ({ durationWithin }) => durationWithin('1s', '30d'),
        ),
      )
      .addOption(
        checked('--max-calls <n>', 'maximum number of further calls', ({ countOf, GrantTerms }) =>
          countOf(GrantTerms.shape.max_calls.unwrap()),
        ),
      )
      .option('-y, --yes', 'do not ask for confirmation; required without a terminal');
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
    const before = decision === 'approve' ? await reached.request('getApproval', { id }) : undefined;
    const isOpen = before?.status === 'pending';
    if (isOpen && !(await isApproved(context, before, yes === true))) return undefined;
    // A decided call is not asked about, but the attempt is recorded, and the response says how it was decided.
    const after = await reached.request('decideApproval', { id, body });
    if (before && !isOpen) throw decidedBefore(after);
    return after;
  });
  if (!approval) return hint(context, 'Not approved. The call is still pending.');
  await print(context, approval, () => approvalTable(context.style, [approval], context.io.now()));
  if (decision === 'approve' && approval.status === 'approved')
    hint(context, 'Approved. The call runs when the agent resumes or retries it.');
  if (approval.grant_id)
    hint(
      context,
      `Created grant ${approval.grant_id}. Revoke it with: mcpproxy approvals grants revoke ${approval.grant_id}`,
    );
}

/** The proxy accepts the same decision twice, but this command approved nothing. */
function decidedBefore(approval: Approval): ProxyError {
  const { id: approval_id, status } = approval;
  return new ProxyError('CONFLICT', `Approval ${approval_id} ${settledText(approval)}. Nothing was changed`, {
    approval_id,
    status,
  });
}

/** A script cannot answer, and a call must not run without confirmation. */
function requireAnswer({ io }: Context, id: string, yes: boolean): void {
  if (yes || (io.terminal.in && io.terminal.err)) return;
  const shown = visibleLine(id);
  throw new ProxyError(
    'USAGE',
    `This approves a call and needs confirmation on a terminal. Check "mcpproxy approvals show ${shown}", then run: mcpproxy approvals approve ${shown} --yes`,
  );
}

/** Prints the full call, then asks for confirmation unless `isSure`. */
async function isApproved(context: Context, approval: ApprovalDetail, isSure: boolean): Promise<boolean> {
  const { io, output } = context;
  // Where a person is asked, the call is shown on the same terminal.
  const onStdout = output === 'table' && (isSure || io.terminal.out);
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
const SEARCHED = 200;

/** Resolves a full id, or the start or end of the id of a recent request. */
async function resolveApproval({ request }: Pick<Reached, 'request'>, given: string): Promise<string> {
  const part = given.toUpperCase();
  if (part.length >= ID_LENGTH) return part;
  if (part.length < SHORTEST)
    throw new ProxyError('USAGE', `'${given}' is too short for an id. Use at least ${SHORTEST} characters`);
  const { approvals } = await request('listApprovals', { limit: SEARCHED });
  const found = approvals.map(({ id }) => id).filter((id) => id.startsWith(part) || id.endsWith(part));
  const [id, ...others] = found;
  if (id === undefined) throw new ProxyError('NOT_FOUND', `No approval id starts or ends with '${given}'`);
  if (others.length > 0)
    throw new ProxyError(
      'USAGE',
      `'${given}' matches ${found.length} approvals: ${found.slice(0, 5).join(', ')}`,
    );
  return id;
}
