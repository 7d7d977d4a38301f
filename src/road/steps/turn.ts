import { definitionHash, isJudgedDifferently, serverIdentity } from '../../catalog/index.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import { runChecks } from '../checks.ts';
import type { CallContext } from '../context.ts';
import type { RoadParts } from '../step.ts';
import type { Step } from '../step.ts';

/**
 * A call that was allowed may wait for its turn at the server. If its tool is switched off, withheld or changed meanwhile, the call is not
 * sent. The dispatcher runs the check immediately before it sends.
 */
export const turnCheck: Step = {
  name: 'turn check',
  does: 'right before the call is sent, checks that the tool is still the one that was allowed',
  refusals: ['TOOL_DISABLED', 'TOOL_WITHHELD', 'TOOL_NOT_FOUND', 'CONFLICT'],
  run(call, parts) {
    const { tool } = call;
    const before = parts.config();
    call.onTurn = () => {
      if (parts.catalog.get(tool.name) === tool) return;
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
    `Tool '${tool}' has changed while the call waited for its turn, so it was not sent. Look at the tool again, then repeat the call`,
    { tool, sent: false },
  );
}
