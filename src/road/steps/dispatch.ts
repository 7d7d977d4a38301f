import { definitionHash, isJudgedDifferently, serverIdentity } from '../../catalog/index.ts';
import type { CallResult } from '../../contract/call.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import { variantFor } from '../../contract/operation.ts';
import { isObject, keepSourceOfField, withFields } from '../../json/index.ts';
import { ofRequest } from '../../lib/log.ts';
import { clientOf } from '../../load/index.ts';
import { runChecks } from '../checks.ts';
import { converse, type SendRound } from '../asks/converse.ts';
import { markDialogs } from '../dialogs/mark-dialogs.ts';
import { withoutImitation } from '../dialogs/server-text.ts';
import type { CallContext } from '../context.ts';
import { checkSkill } from '../skill-file.ts';
import type { RoadParts, Step } from '../step.ts';
import { targetOf } from './look-up.ts';
import { releaseSlot } from './admission.ts';
import { ranUnrecorded } from './record.ts';
import { stateFor } from './request-state.ts';

/**
 * A call that was allowed may wait for its turn at the server. If its tool is switched off, withheld or changed meanwhile, the call is not
 * sent. The dispatcher runs the check immediately before it sends.
 */
export const turnCheck: Step = {
  name: 'turn check',
  does: 'right before the call is sent, checks that the tool is still the one that was allowed',
  refusals: [
    'TOOL_DISABLED',
    'TOOL_WITHHELD',
    'TOOL_NOT_FOUND',
    'PROMPT_NOT_FOUND',
    'RESOURCE_NOT_FOUND',
    'CONFLICT',
  ],
  run(call, parts) {
    const { tool } = call;
    // Nothing is called: the tool has run since before it changed.
    if (call.request.resumes !== undefined) return;
    const before = parts.config();
    call.onTurn = () => {
      if (targetOf(call, parts) === tool) return;
      const now = recheckedTool(call, parts);
      const isSameServer =
        serverIdentity(before, tool.server) === serverIdentity(parts.config(), tool.server);
      const isSameTool =
        !isJudgedDifferently(now, tool) && definitionHash(now.definition) === definitionHash(tool.definition);
      if (!isSameServer || !isSameTool) throw changed(tool.name);
    };
  },
};

/** A refusal says that nothing was sent: an approval of this call is not used up. */
function recheckedTool(call: CallContext, parts: RoadParts) {
  const again = call.forRecheck();
  try {
    runChecks(again, parts);
    return again.tool;
  } catch (cause) {
    const { code, message, details } = toProxyError(cause);
    throw new ProxyError(code, message, { ...details, sent: false }).withCause(cause);
  }
}

function changed(tool: string): ProxyError {
  return new ProxyError(
    'CONFLICT',
    `Tool '${tool}' changed while the call waited for a slot, so the call was not sent. Read the tool definition again, then repeat the call`,
    { tool, sent: false },
  );
}

export const dispatch: Step = {
  name: 'dispatch',
  does: 'sends the call to its server, once, and waits for the answer',
  refusals: [
    'SERVER_UNAVAILABLE',
    'SERVER_BUSY',
    'UPSTREAM_FAILED',
    'INVALID_ARGUMENTS',
    'UPSTREAM_TIMEOUT',
    'OUTCOME_UNKNOWN',
    'RESULT_TOO_LARGE',
    'ASK_REFUSED',
    'INVALID_STATE',
    'CANCELLED',
    'RAN_UNRECORDED',
  ],
  async run(call, parts) {
    logWarnings(call, parts);
    const shared = call.pass?.shared;
    call.result = await (shared ?? send(call, parts));
    if (shared) return;
    if (call.request.kind !== undefined) await checkSkill(call, parts);
    const { pass, result } = call;
    call.pass = undefined;
    // That it ran is known here alone.
    await pass?.settle({ result }).catch(ranUnrecorded);
  },
};

async function send(call: CallContext, parts: RoadParts) {
  const { tool, args, caller, onTurn, waitingSince: since } = call;
  const { timeoutMs } = call.request;
  let isAgain = false;
  const sendRound: SendRound = (round) => {
    // The time that a client takes for its answers is not that of the call.
    const began = isAgain ? undefined : since;
    isAgain = true;
    return parts.dispatch({
      server: tool.server,
      tool: tool.tool,
      kind: call.request.kind,
      watcher: call.request.watcher,
      args,
      client: clientOf(caller),
      trace: caller.trace,
      repeatable: call.operation === 'read',
      onTurn,
      timeoutMs,
      since: began,
      asTask: isTask(call),
      resumes: call.request.resumes,
      ...round,
      onProgress: round.onProgress && ((progress) => round.onProgress!(withoutImitation(progress))),
    });
  };
  call.isSent = true;
  try {
    return await converse(call, parts, sendRound);
  } finally {
    releaseSlot(call, parts);
  }
}

/** A tool that its server runs as a task only is one for every caller; the dispatcher waits where the caller cannot. */
function isTask({ tool, request }: CallContext): boolean {
  const { execution } = tool.definition;
  if (!isObject(execution)) return false;
  if (execution.taskSupport === 'required') return true;
  return execution.taskSupport === 'optional' && request.task?.ttlMs !== undefined;
}

function logWarnings(call: CallContext, { log }: RoadParts): void {
  const { flow, notes, record, caller, tool, operation } = call;
  if (flow) call.warn(flow);
  const { warnings } = notes;
  if (!warnings) return;
  const about = {
    record: record!.id,
    ...ofRequest(caller),
    tool: tool.name,
    variant: variantFor(operation),
    warnings,
  };
  log.warn(about, 'call allowed with a warning');
}

export const result: Step = {
  name: 'result',
  does: "returns the server's own answer; a warning about the intent is added to its `_meta`, a dialog in it is marked as the server's, a state in it is sealed for this caller",
  refusals: ['DIALOG_REFUSED'],
  run(call, { stateSeal }) {
    const { tool, isMarked } = call;
    const hasDialogs = !isMarked && 'inputRequests' in call.result;
    const marked = hasDialogs ? markDialogs(tool.server, tool.tool, call.result) : call.result;
    const sealed = stateFor(stateSeal, call.parsed, call.caller).sealed(marked);
    call.result = call.remark === undefined ? sealed : withWarning(sealed, call.remark);
  },
};

/** In `_meta`, where it changes nothing that the server said. */
function withWarning(answer: CallResult, warning: string): CallResult {
  const warnings = { 'mcpproxy/warnings': [warning] };
  const { _meta: meta } = answer;
  if (!isObject(meta)) return meta === undefined ? withFields(answer, { _meta: warnings }) : answer;
  keepSourceOfField(answer, '_meta');
  return withFields(answer, { _meta: withFields(meta, warnings) });
}
