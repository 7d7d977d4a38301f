import { z } from 'zod';
import type { CallTool } from '../../road/index.ts';
import type { TaskToolName, ToolCall, UserIntent } from '../../contract/chat.ts';
import type { CallResult, Caller, ChatTrace } from '../../contract/call.ts';
import { toProxyError, type ProxyError } from '../../contract/errors.ts';
import type { OperationType } from '../../contract/operation.ts';
import type { KnownTask } from '../context.ts';
import { inShownOrder, shorten } from '../reply/wording.ts';

const OPERATION: Record<TaskToolName, OperationType> = {
  list_tasks: 'read',
  add_task: 'write',
  update_task: 'write',
  complete_task: 'write',
  delete_task: 'destructive',
};

/** How a call ended, as the person is told. */
export type StepOutcome =
  | { state: 'done'; value: unknown }
  /** Not done. `code`: the proxy refused or failed; absent: the tool returned an error. */
  | { state: 'failed'; code?: ProxyError['code'] }
  /** It is not known whether the call was executed. */
  | { state: 'unknown' }
  /** Not tried, because an earlier call failed. */
  | { state: 'skipped' };

const CALL_MS = 20_000;

export interface TaskCallParts {
  callTool: CallTool;
  caller: Caller;
  signal: AbortSignal;
  message: string;
  trace: Omit<ChatTrace, 'sequence'>;
  /** The approvals of the deletes among the calls, by task. */
  approvals?: ReadonlyMap<unknown, string>;
  /** The list, if it was read for this message: showing it first needs no second call. */
  read?: StepOutcome;
}

/** Calls one task tool through the policy checkpoint. The caller's credential determines whose tasks it works on. */
export async function callTaskTool(call: ToolCall, parts: TaskCallParts): Promise<StepOutcome> {
  const { callTool, caller, signal, message, trace, approvals } = parts;
  const operation = OPERATION[call.tool_name];
  const approvalId = operation === 'destructive' ? approvals?.get(call.parameters['task_id']) : undefined;
  // A message may lead to several calls; each has its own record.
  const span = caller.trace?.begin?.(`call tasks:${call.tool_name}`);
  try {
    const result = await callTool({
      operation,
      input: {
        name: `tasks:${call.tool_name}`,
        args: call.parameters,
        intent: { operation_type: operation, reason: `Asked for in chat: ${shorten(message, 200)}` },
      },
      caller: span ? { ...caller, trace: span } : caller,
      signal,
      timeoutMs: CALL_MS,
      // Do not wait for an approval while the person waits for the reply.
      hooks: { waitMs: 0 },
      trace: { ...trace, sequence: call.sequence },
      ...(approvalId !== undefined && { approvalId }),
    });
    return outcomeOf(result);
  } catch (cause) {
    const error = toProxyError(cause);
    const mayHaveRun = error.outcome === 'unknown' || error.details.executed === true;
    return mayHaveRun ? { state: 'unknown' } : { state: 'failed', code: error.code };
  } finally {
    span?.end();
  }
}

function outcomeOf(result: CallResult): StepOutcome {
  return result.isError === true ? { state: 'failed' } : { state: 'done', value: result.structuredContent };
}

/** Makes the calls one after the other and stops at the first failure. */
export async function callTaskTools(
  calls: ReadonlyArray<ToolCall & { intent?: UserIntent | undefined }>,
  parts: TaskCallParts,
): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  for (const { intent, ...call } of calls) {
    const known = outcomes.length === 0 && call.tool_name === 'list_tasks' ? parts.read : undefined;
    const stopped = outcomes.some(({ state }) => state !== 'done');
    const trace = { ...parts.trace, ...(intent && { userIntent: intent }) };
    outcomes.push(known ?? (stopped ? { state: 'skipped' } : await callTaskTool(call, { ...parts, trace })));
  }
  return outcomes;
}

const Listed = z.object({
  tasks: z.array(
    z.object({ task_id: z.string(), description: z.string(), status: z.enum(['pending', 'completed']) }),
  ),
  total: z.number(),
});

/** The list that a call returned, in display order; undefined if the call returned none. */
export function listFrom(
  outcome: StepOutcome | undefined,
): { tasks: KnownTask[]; total: number } | undefined {
  const parsed = outcome?.state === 'done' ? Listed.safeParse(outcome.value) : undefined;
  if (!parsed?.success) return undefined;
  return { tasks: inShownOrder(parsed.data.tasks), total: parsed.data.total };
}
