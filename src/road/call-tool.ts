import { randomBytes } from 'node:crypto';
import type { ActivityMetadata, ActivityStatus, ActivityType } from '../contract/activity.ts';
import type { CallResult } from '../contract/call.ts';
import type { Caller, Cancellation, ChatTrace } from '../contract/caller.ts';
import type { Config } from '../contract/config.ts';
import { toProxyError } from '../contract/errors.ts';
import { operationOf, type ToolVariant } from '../contract/operation.ts';
import type { Continuation, Dispatch, Progress } from '../upstream/dispatch/dispatch.ts';
import type { Audience } from '../catalog/audience.ts';
import type { CatalogTool } from '../catalog/catalog.ts';
import type { OpenRecord, RecordDraft } from '../log/record/recorder.ts';
import { createArgumentChecker, type ArgumentChecker } from '../catalog/arguments/argument-checker.ts';
import { clientOf, type Admission } from '../load/admission.ts';
import { createAdmitted, limitOf } from './steps/admitted.ts';
import { carryState } from './steps/carry-state.ts';
import { checkCall, type Allowed, type Checks } from './steps/check-call.ts';
import { createFlowCheck } from './steps/check-flows.ts';
import { createTurnCheck } from './steps/check-turn.ts';
import { declaredIntent } from './steps/check-intent.ts';
import { createStateSeal, SEAL_KEY_BYTES, type StateSeal } from '../lib/state-seal.ts';
import { during } from '../lib/during.ts';
import { ofRequest, type Log } from '../lib/log.ts';
import type { Hold, Pass } from '../approval/pass.ts';
import { createApprovalGate, runApproved, type GateParts } from './steps/approval-gate.ts';
import { traceError, traceOpened, traceResult, traceTool } from './steps/trace-call.ts';
import { traceMetadata } from './steps/trace-metadata.ts';
import { ranUnrecorded, requireLog, type LogState } from './steps/require-log.ts';
import { readCall } from './steps/parse-call.ts';
import type { Answered } from './steps/scan-results.ts';
import { isObject, type JsonObject } from '../json/object.ts';

export interface CallRequest {
  variant: ToolVariant;
  /** What came through the door, unparsed: name, args or args_json, intent. */
  input: unknown;
  caller: Caller;
  signal: Cancellation;
  onProgress?: (progress: Progress) => void;
  /** The caller's own limit; the server's limit still holds. */
  timeoutMs?: number;
  continuation?: Continuation;
  /** There where the task assistant makes the call. */
  trace?: ChatTrace;
  hold?: Hold | undefined;
  /** An approval that was given for exactly this call beforehand. */
  approvalId?: string;
}

export interface CallParts {
  config: () => Pick<
    Config,
    'intent_declaration' | 'validate_arguments' | 'activity' | 'mcpServers' | 'flows' | 'call_timeout'
  >;
  catalog: {
    get(name: string): CatalogTool | undefined;
    nearest(name: string, audience?: Audience): string[];
  };
  servers?: Checks['servers'];
  activity: { open(draft: RecordDraft): OpenRecord; state(): LogState };
  approvals?: GateParts['approvals'];
  argumentChecker?: ArgumentChecker;
  dispatch: Dispatch;
  /** Absent: every call is let in. */
  admission?: Admission;
  /** Seals the states that servers hand out; by default with a key of this process alone. */
  stateSeal?: StateSeal;
  /** Is shown what tools have answered, after it was passed on. */
  scanResult?: (answered: Answered) => void;
  log: Log;
}

export type CallTool = (request: CallRequest) => Promise<CallResult>;

/**
 * THE ROAD. Every call to an upstream tool, from whichever door, passes here and nowhere else. The order below is the policy:
 * record, scope, look up, check intent, check arguments, record on disk, ask a person, admission, dispatch, record closed. A refusal is a
 * thrown ProxyError; the record is closed either way.
 */
export function createCallTool(parts: CallParts): CallTool {
  const {
    config,
    catalog,
    activity,
    dispatch,
    admission,
    log,
    argumentChecker = createArgumentChecker(),
  } = parts;
  const { servers } = parts;
  const checks = { config, catalog, argumentChecker, ...(servers && { servers }) };
  const gate = createApprovalGate(parts);
  const flows = createFlowCheck(config);
  const admitted = admission ? createAdmitted(admission, dispatch, limitOf(config)) : dispatch;
  const stateSeal = parts.stateSeal ?? createStateSeal(randomBytes(SEAL_KEY_BYTES));
  return async function callTool({
    variant,
    input,
    caller,
    trace: chat,
    hold,
    approvalId,
    continuation: brought,
    ...io
  }) {
    const reading = readCall(variant, input);
    const parsed = reading instanceof Promise ? await reading : reading;
    const record = activity.open(draftOf(variant, input, caller, { chat, args: parsed.value?.args }));
    const { trace } = caller;
    if (trace) traceOpened(trace, record.id, variant);
    const notes: ActivityMetadata = {};
    let sent: Allowed | undefined;
    const answered = (answer: unknown) => {
      if (!sent) return;
      flows.after(sent, caller, record.id, answer);
      parts.scanResult?.({ ...nameOf(sent), caller, record: record.id, answer });
    };
    try {
      if (!parsed.value) throw parsed.error;
      const call = parsed.value;
      if (trace) traceTool(trace, catalog.get(call.name));
      const state = carryState(stateSeal, call, caller);
      const allow = () => checkCall(checks, call, caller, notes);
      let allowed = allow();
      const continuation = state.opened(brought);
      // A read may share the next commit; a change is on disk before it is made. Meanwhile the tool may have become another one.
      const isRead = operationOf(variant) === 'read';
      const mayBeUnrecorded = isRead && config().activity.when_unavailable === 'allow_reads';
      if (!isRead) {
        await during(trace, 'log opened', record.durable());
        if (catalog.get(call.name) !== allowed.tool) allowed = allow();
      } else if (!mayBeUnrecorded) requireLog(activity.state());
      let pass: Pass | undefined;
      const flow = flows.before(allowed, variant, caller, notes);
      const doubt = config().flows === 'ask' ? flow : undefined;
      if (gate.needed({ variant, caller, approvalId, doubt })) {
        // What is spread comes last: in front it would cost more than the step itself.
        const visit = { variant, caller, hold, approvalId, doubt, continuation, record, notes, allow, ...io };
        const asked = gate.enter(allowed, visit);
        if (asked) ({ allowed, pass } = await during(trace, 'approval', asked));
      }
      const { tool, args } = allowed;
      if (flow) notes.warnings = [...(notes.warnings ?? []), flow];
      const { warnings } = notes;
      if (warnings) {
        const about = { record: record.id, ...ofRequest(caller), tool: tool.name, variant, warnings };
        log.warn(about, 'call allowed with a warning');
      }
      const client = clientOf(caller);
      const target = { server: tool.server, tool: tool.tool, args, client, continuation, trace };
      const onTurn = createTurnCheck(parts, allowed, () => checkCall(checks, call, caller, {}));
      const ready = { ...target, repeatable: isRead, onTurn, ...io };
      const send = () => {
        sent = allowed;
        return admitted(ready);
      };
      const result = state.sealed(pass ? await runApproved(pass, send) : await send());
      // What could not be written is written once the log is back; only a read that is let through does not wait for it.
      const outcome = resultOutcome(result);
      if (trace) traceResult(trace, outcome.status);
      const written = during(trace, 'log closed', record.close({ metadata: notes, ...outcome }));
      await written.catch(mayBeUnrecorded ? () => {} : ranUnrecorded);
      answered(result);
      return result;
    } catch (cause) {
      const error = toProxyError(cause);
      if (trace) traceError(trace, error);
      if (error.code === 'INTERNAL')
        log.error({ record: record.id, ...ofRequest(caller), err: cause }, 'the call broke inside the proxy');
      // A no stays a no also where it cannot be written down.
      await record
        .close({
          status: error.outcome,
          error_code: error.code,
          error_message: error.message,
          metadata: notes,
        })
        .catch(() => {});
      answered({ message: error.message, details: error.details });
      throw error;
    }
  };
}

const nameOf = ({ tool: { server, tool } }: Allowed) => ({ server, tool });

/** What can be said of the call before anything is checked, so that a refused one is recorded as fully as an allowed one. */
function draftOf(
  variant: ToolVariant,
  input: unknown,
  caller: Caller,
  { chat, args }: { chat: ChatTrace | undefined; args: JsonObject | undefined },
): RecordDraft {
  const fields = isObject(input) ? input : {};
  const intent = declaredIntent(input);
  const name = typeof fields.name === 'string' ? fields.name.slice(0, 512) : '';
  const colon = name.indexOf(':');
  return {
    type: 'tool_call' satisfies ActivityType,
    source: caller.source,
    ...(name &&
      (colon > 0
        ? { server_name: name.slice(0, colon), tool_name: name.slice(colon + 1) }
        : { tool_name: name })),
    arguments: args ?? fields.args ?? fields.args_json ?? {},
    request_id: caller.requestId,
    ...(caller.sessionId && { session_id: caller.sessionId }),
    ...(caller.conversationId && { conversation_id: caller.conversationId }),
    ...(caller.client && { client: caller.client }),
    operation_type: intent?.operation_type ?? operationOf(variant),
    metadata: {
      tool_variant: variant,
      principal: caller.principal,
      ...(caller.token && { token_id: caller.token.id }),
      ...(intent && { intent }),
      ...(chat && traceMetadata(chat, caller)),
      ...(caller.trace && { trace_id: caller.trace.traceId }),
    },
  };
}

/** A tool that ran and reports an error is passed on as it is, but the record says so. */
function resultOutcome(result: CallResult): {
  status: ActivityStatus;
  response: CallResult;
  error_message?: string;
} {
  if (result.isError !== true) return { status: 'success', response: result };
  const text = result.content?.find((block) => block.type === 'text')?.text;
  return {
    status: 'error',
    response: result,
    error_message: typeof text === 'string' ? text.slice(0, 1000) : 'the tool reported an error',
  };
}
