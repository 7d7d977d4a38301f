import type { ActivityMetadata, ActivityStatus, ActivityType } from '../contract/activity.ts';
import type { CallResult } from '../contract/api.ts';
import type { Caller } from '../contract/caller.ts';
import type { Config } from '../contract/config.ts';
import { ProxyError, toProxyError } from '../contract/errors.ts';
import { operationOf, type ToolVariant } from '../contract/operation.ts';
import type { Continuation, Dispatch, Progress } from '../upstream/dispatch.ts';
import type { CatalogTool } from '../catalog/catalog.ts';
import type { OpenRecord, RecordDraft } from '../activity/recorder.ts';
import { checkIntent, declaredIntent } from './check-intent.ts';
import { checkServer } from './check-server.ts';
import type { Log } from '../lib/log.ts';
import { fillUser } from './fill-user.ts';
import { isObject, parseCall } from './parse-call.ts';

export interface CallRequest {
  variant: ToolVariant;
  /** What came through the door, unparsed: name, args or args_json, intent. */
  input: unknown;
  caller: Caller;
  signal: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** The caller's own limit; the server's limit still holds. */
  timeoutMs?: number;
  continuation?: Continuation;
}

export interface CallParts {
  config: () => Pick<Config, 'intent_declaration' | 'activity'>;
  catalog: {
    get(name: string): CatalogTool | undefined;
    nearest(name: string): string[];
  };
  activity: { open(draft: RecordDraft): OpenRecord; state(): { log: 'ok' | 'unavailable'; reason?: string } };
  dispatch: Dispatch;
  log: Log;
}

export type CallTool = (request: CallRequest) => Promise<CallResult>;

/**
 * THE ROAD. Every call to an upstream tool, from whichever door, passes here and nowhere else. The order below is the policy:
 * record, look up, check intent, dispatch, record closed. A refusal is a thrown ProxyError; the record is closed either way.
 */
export function createCallTool({ config, catalog, activity, dispatch, log }: CallParts): CallTool {
  return async function callTool({ variant, input, caller, ...io }) {
    const record = activity.open(draftOf(variant, input, caller));
    const notes: ActivityMetadata = {};
    try {
      const call = parseCall(variant, input);
      const tool = catalog.get(call.name) ?? notFound(call.name, catalog.nearest(call.name));
      if (!tool.enabled) throw new ProxyError('TOOL_DISABLED', `Tool '${tool.name}' is switched off by the operator`, { tool: tool.name });
      notes.operation = tool.operation;

      const { operation_type: mode, strict_server_validation: strict } = config().intent_declaration;
      notes.intent = checkIntent(variant, call.input, mode);
      const warning = checkServer(tool.name, variant, tool.constraint, strict);
      const { args, note } = fillUser(tool, call.args, caller.userId);
      const warnings = [warning, note].filter((text) => text !== undefined);
      if (warnings.length > 0) {
        notes.warnings = warnings;
        log.warn({ record: record.id, tool: tool.name, variant, warnings }, 'call allowed with a warning');
      }

      // A read may share the next commit; a change is on disk before it is made.
      const isRead = operationOf(variant) === 'read';
      const unrecorded = isRead && config().activity.when_unavailable === 'allow_reads';
      if (!isRead) await record.durable();
      else if (!unrecorded) refuseWithoutLog(activity.state());
      const result = await dispatch({ server: tool.server, tool: tool.tool, args, ...io });
      const written = record.close({ ...resultOutcome(result), metadata: notes });
      // A read that is let through is recorded once the log can be written again.
      await written.catch(unrecorded ? () => {} : ranUnrecorded);
      return result;
    } catch (cause) {
      const error = toProxyError(cause);
      if (error.code === 'INTERNAL') log.error({ record: record.id, err: cause }, 'the call broke inside the proxy');
      // A no stays a no also where it cannot be written down.
      await record.close({ status: error.outcome, error_code: error.code, error_message: error.message, metadata: notes }).catch(() => {});
      throw error;
    }
  };
}

function refuseWithoutLog({ log, reason }: { log: 'ok' | 'unavailable'; reason?: string }): void {
  if (log === 'ok') return;
  throw new ProxyError('AUDIT_UNAVAILABLE', `The activity log cannot be written (${reason ?? 'unknown'}), so the call was not made`, { executed: false });
}

function ranUnrecorded(cause: unknown): never {
  throw new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The tool has run, but its outcome could not be recorded, so its answer is held back: ${toProxyError(cause).message}. Look before you repeat the call`,
    { executed: true },
    { cause },
  );
}

/** What can be said of the call before anything is checked, so that a refused one is recorded as fully as an allowed one. */
function draftOf(variant: ToolVariant, input: unknown, caller: Caller): RecordDraft {
  const fields = isObject(input) ? input : {};
  const intent = declaredIntent(input);
  const name = typeof fields.name === 'string' ? fields.name.slice(0, 512) : '';
  const colon = name.indexOf(':');
  return {
    type: 'tool_call' satisfies ActivityType,
    source: caller.source,
    ...(name && (colon > 0 ? { server_name: name.slice(0, colon), tool_name: name.slice(colon + 1) } : { tool_name: name })),
    arguments: fields.args ?? fields.args_json ?? {},
    request_id: caller.requestId,
    ...(caller.sessionId && { session_id: caller.sessionId }),
    ...(caller.client && { client: caller.client }),
    operation_type: intent?.operation_type ?? operationOf(variant),
    metadata: { tool_variant: variant, principal: caller.principal, ...(intent && { intent }) },
  };
}

/** A tool that ran and reports an error is passed on as it is, but the record says so. */
function resultOutcome(result: CallResult): { status: ActivityStatus; response: CallResult; error_message?: string } {
  if (result.isError !== true) return { status: 'success', response: result };
  const text = result.content?.find((block) => block.type === 'text')?.text;
  return { status: 'error', response: result, error_message: typeof text === 'string' ? text.slice(0, 1000) : 'the tool reported an error' };
}

function notFound(name: string, nearest: string[]): never {
  const hint = nearest.length > 0 ? `Did you mean ${nearest.map((near) => `'${near}'`).join(', ')}?` : 'Use retrieve_tools to find tools.';
  throw new ProxyError('TOOL_NOT_FOUND', `Tool '${name}' not found. ${hint}`, { tool: name, nearest });
}
