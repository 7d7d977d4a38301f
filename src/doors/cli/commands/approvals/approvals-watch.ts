import type { Command } from 'commander';
import type { ApprovalDetail } from '../../../../contract/approval.ts';
import type { Client } from '../../../../contract/routes/client.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { approvalDetail, approvalTable } from './approval-text.ts';
import { hint, withProxy, type Context, type Reached } from '../../context.ts';
import { reportError } from '../../fail.ts';
import { define, type Bind } from '../../define.ts';
import { followEvents } from '../../events.ts';
import { safeJson, safeYaml } from '../../output/safe-json.ts';

export function approvalsWatch(bind: Bind): Command {
  return define('watch', {
    summary: 'Show each new approval request and decide it with y or n',
    description:
      'Show each new approval request and decide it with y or n. Press Ctrl-C to stop. To approve, press y twice for the call on the screen. A request from a conversation is only shown: the next message there decides it. Without a terminal the requests are only listed, one per line and with secrets masked; with -o json they are printed as they will run.',
    examples: ['mcpproxy approvals watch', 'mcpproxy approvals watch -o json'],
  }).action(
    bind((context) =>
      withProxy(context, 'daemon', (reached) => {
        const { io, output } = context;
        const decides = output === 'table' && io.terminal.in && io.terminal.err;
        hint(
          context,
          decides
            ? 'Waiting for approval requests. Press Ctrl-C to stop.'
            : 'Watching approval requests. Press Ctrl-C to stop.',
        );
        return createWatch(context, reached, decides).run();
      }),
    ),
  );
}

const ANSWER_MS = 60_000;
const QUIT = 'q';

function createWatch(context: Context, { client: first, signal }: Reached, decides: boolean) {
  const queue: string[] = [];
  const seen = new Set<string>();
  let client: Client = first;
  let wake: (() => void) | undefined;
  /** The call on the screen, and how to cancel the question when it is decided elsewhere. */
  let shown: { id: string; decided: AbortController } | undefined;

  const limit = () => AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);

  function add(id: string): void {
    if (seen.has(id)) return;
    seen.add(id);
    queue.push(id);
    wake?.();
  }

  async function catchUp(from: Client): Promise<void> {
    client = from;
    const { approvals } = await client.request('listApprovals', { status: 'pending', limit: 200 }, limit());
    for (const { id } of approvals.reverse()) add(id);
  }

  function onEvent({ event, data }: { event: string; data: string }): void {
    if (event !== 'approval') return;
    const { id, status } = JSON.parse(data) as { id: string; status: string };
    if (status === 'pending') add(id);
    else if (shown?.id === id) shown.decided.abort();
  }

  async function next(): Promise<string> {
    while (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return queue.shift()!;
  }

  /** Shows a call and asks for a decision. Returns false when the person quits. */
  async function handle(id: string): Promise<boolean> {
    if (!decides && context.output === 'table') return printLine(id);
    const approval = await client.request('getApproval', { id }, limit());
    if (approval.status !== 'pending') return true;
    await context.io.out(await rendered(context, approval));
    if (!decides) return true;
    if (approval.scope === 'conversation') return explainConversation(approval);
    shown = { id, decided: new AbortController() };
    const left = Math.max(0, Date.parse(approval.expires_at) - Date.now());
    const gone = AbortSignal.any([shown.decided.signal, AbortSignal.timeout(left), signal]);
    const key = await choose(context, approval, gone).finally(() => (shown = undefined));
    return key !== QUIT;
  }

  /** The operator cannot approve it here, so there is no question. */
  function explainConversation({ id, conversation_id: conversation }: ApprovalDetail): true {
    const where = conversation ? `: mcpproxy chat --conversation ${visibleLine(conversation)}` : '';
    hint(context, `The next message in its conversation decides${where}`);
    hint(context, `To deny it now: mcpproxy approvals deny ${visibleLine(id)}`);
    return true;
  }

  /** Prints one line, as "approvals list" does: secrets stay masked. */
  async function printLine(id: string): Promise<boolean> {
    const { approvals } = await client.request('listApprovals', { status: 'pending', limit: 200 }, limit());
    const found = approvals.filter((each) => each.id === id);
    if (found.length > 0) await context.io.out(approvalTable(context.style, found, context.io.now()));
    return true;
  }

  async function choose({ io }: Context, approval: ApprovalDetail, gone: AbortSignal): Promise<string> {
    const name = visibleLine(`${approval.server}:${approval.tool}`);
    const isWhole = approval.arguments_complete;
    const key = await io.key(`${isWhole ? '[y] approve  ' : ''}[n] deny  [s] skip  [q] quit `, gone);
    if (gone.aborted) return reportDecision(approval.id);
    if (key === 'y' && isWhole) {
      const sure = await io.key(
        `Approve ${name} for ${visibleLine(approval.principal)}, once, exactly as shown? [y/N] `,
        gone,
      );
      if (gone.aborted) return reportDecision(approval.id);
      if (sure === 'y') await decide(approval.id, { decision: 'approve' });
      else hint(context, 'Not approved. The call is still pending.');
    }
    if (key === 'n') {
      const reason = (await io.ask('Reason for the agent (optional): ')).trim().slice(0, 1000);
      await decide(approval.id, { decision: 'deny', ...(reason && { reason }) });
    }
    return key;
  }

  async function reportDecision(id: string): Promise<string> {
    const { status, decided_by: by } = await client.request('getApproval', { id }, limit());
    hint(context, `The call is ${status}${by ? ` by ${visibleLine(by)}` : ''}.`);
    return '';
  }

  async function decide(id: string, body: { decision: 'approve' | 'deny'; reason?: string }): Promise<void> {
    try {
      const { status } = await client.request('decideApproval', { id, body }, limit());
      hint(context, status === 'denied' ? 'Denied.' : 'Approved.');
    } catch (error) {
      if (!(error instanceof ProxyError) || error.code !== 'CONFLICT') throw error;
      hint(context, visibleLine(error.message));
    }
  }

  /** An error with one call does not end the watch. The call is shown again after a reconnect. */
  async function handleSafely(id: string): Promise<boolean> {
    try {
      return await handle(id);
    } catch (error) {
      if (signal.aborted) throw error;
      seen.delete(id);
      reportError(context.io, error, { asJson: context.output === 'json', place: context.place });
      return true;
    }
  }

  async function handleAll(): Promise<void> {
    while (await handleSafely(await next()));
  }

  return {
    async run(): Promise<void> {
      const onOpen = (from: Client) => {
        catchUp(from).catch((error: unknown) =>
          hint(context, `Cannot list the pending requests: ${visibleLine(String(error))}`),
        );
      };
      const failed = followEvents(context, { client: first, signal }, { onEvent, onOpen });
      await Promise.race([failed, handleAll()]);
    },
  };
}

async function rendered({ output, style, io }: Context, approval: ApprovalDetail): Promise<string> {
  if (output === 'json') return `${safeJson(approval)}\n`;
  if (output === 'yaml') return `---\n${await safeYaml(approval)}`;
  return `\n${approvalDetail(style, approval, io.now())}\n`;
}
