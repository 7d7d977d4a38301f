import type { CatalogTool } from '../../../catalog/index.ts';
import { Duration, durationMs } from '../../../contract/config.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { ApprovalEffect, JudgedTool } from '../../../contract/tool.ts';
import { variantsAllowed, type OperationType } from '../../../contract/operation.ts';
import { withApprovalEnd } from '../approval-ends.ts';
import type { Handlers, RequestContext, RestParts } from '../parts.ts';
import { recordChange } from '../record-change.ts';
import { recordRefusal } from '../record-refusal.ts';

type ToolHandlers = Pick<
  Handlers,
  | 'listTools'
  | 'searchTools'
  | 'getTool'
  | 'callTool'
  | 'setOperation'
  | 'clearOperation'
  | 'approveTool'
  | 'rejectTool'
  | 'diffTool'
  | 'exportVerdicts'
  | 'importVerdicts'
>;

export function toolRoutes({ activity, approvals, catalog, callTool, log, tokens }: RestParts): ToolHandlers {
  function find(name: string): CatalogTool {
    const tool = catalog.get(name);
    if (tool) return tool;
    const nearest = catalog.nearest(name);
    const hint =
      nearest.length > 0
        ? `Did you mean ${nearest.map((near) => `'${near}'`).join(', ')}?`
        : 'GET /api/v1/tools lists them all.';
    throw new ProxyError('TOOL_NOT_FOUND', `Tool '${name.slice(0, 200)}' not found. ${hint}`, {
      tool: name.slice(0, 200),
      nearest,
    });
  }

  /** The operator's word on a tool, recorded; answers with the tool as it is afterwards. */
  async function change(
    name: string,
    action: string,
    context: RequestContext,
    act: () => unknown,
    outcome?: (tool: JudgedTool) => unknown,
  ): Promise<JudgedTool> {
    const { server, tool } = find(name);
    const change = { action, server, tool, caller: context.caller, ...(outcome && { outcome }) };
    return recordChange(activity, change, async () => {
      await act();
      return catalog.judged(find(name));
    });
  }
  const setOperation = (name: string, operation: OperationType | null, context: RequestContext) =>
    change(name, operation === null ? 'clear_operation' : `set_operation ${operation}`, context, () =>
      catalog.setOperation(name, operation, context.caller),
    );

  return {
    listTools: ({ query }) => catalog.list(query),
    searchTools({ query: { q, limit, server, operation, explain } }) {
      const filters = {
        ...(server !== undefined && { server }),
        ...(operation && { operation }),
        ...(explain && { explain }),
      };
      return catalog.search({ query: q, limit, ...filters });
    },
    getTool: ({ params }) => catalog.judged(find(params.name)),
    async callTool({ body: { tool_variant, timeout, approval_wait, ...input } }, { caller, signal }) {
      const timeoutMs = timeout === undefined ? undefined : durationOf(timeout);
      const waitMs = approval_wait === undefined ? undefined : durationOf(approval_wait);
      if (timeoutMs === 0 || waitMs === 0) {
        const error = badDuration(timeoutMs === 0 ? 'timeout' : 'approval_wait');
        await recordRefusal({ activity, log }, caller, error);
        throw error;
      }
      const hold = { waitMs, listening: () => !signal.aborted };
      return callTool({
        variant: tool_variant,
        input,
        caller,
        signal,
        hold,
        ...(timeoutMs && { timeoutMs }),
      });
    },
    setOperation: ({ params, body }, context) => setOperation(params.name, body.operation, context),
    clearOperation: ({ params }, context) => setOperation(params.name, null, context),
    async approveTool({ params: { name }, query: { hash, keep_operation: keepOperation } }, context) {
      find(name);
      const { approval } = await catalog.diff(name);
      return change(
        name,
        keepOperation ? 'approve_tool keep_operation' : 'approve_tool',
        context,
        () => catalog.approve(name, context.caller, { hash, keepOperation }),
        (tool) => ({ ...whatWasAccepted(tool), ...verdictStep(approval, tool) }),
      );
    },
    async rejectTool({ params: { name }, query: { hash } }, context) {
      find(name);
      const { approval } = await catalog.diff(name);
      return change(
        name,
        'reject_tool',
        context,
        () => catalog.reject(name, context.caller, hash),
        (tool) => ({ ...whatWasAccepted(tool), verdict: { before: approval.before, asked: approval.after } }),
      );
    },
    async diffTool({ params: { name } }) {
      const tool = find(name);
      const clients = (await tokens.list()).map((token) => `token:${token.name}`);
      return withApprovalEnd(await catalog.diff(name), tool, approvals.policy(), [
        'anonymous',
        'operator',
        ...clients,
      ]);
    },
    exportVerdicts: () => catalog.exportVerdicts(),
    importVerdicts: async ({ body, query }, { caller }) => {
      const dryRun = query.dry_run === true;
      const act = async () => catalog.importVerdicts(body, caller, dryRun);
      if (dryRun) return act();
      const wanted = { verdicts: body.verdicts.length };
      return recordChange(activity, { action: 'import_verdicts', caller, wanted }, act);
    },
  };
}

/** 0 for what is no duration, or none at all. */
function durationOf(text: string): number {
  const parsed = Duration.safeParse(text);
  return parsed.success ? durationMs(parsed.data) : 0;
}

function badDuration(parameter: string): ProxyError {
  return new ProxyError(
    'INVALID_REQUEST',
    `${parameter} must be a positive number with a unit: ms, s, m, h or d, as in "30s"`,
    { in: 'body', parameter },
  );
}

/** What the tool was held to, and what calls of it are checked against from now on. */
const verdictStep = ({ before, after }: ApprovalEffect, { book, operation }: JudgedTool) => ({
  verdict: {
    before,
    after: {
      operation: book.enforced,
      source: operation.source,
      variants: operation.source === 'operator' ? variantsAllowed(book.enforced, true) : after.variants,
    },
  },
});

const whatWasAccepted = ({ definition_hash, findings }: JudgedTool) => ({
  definition_hash,
  ...(findings.length > 0 && { findings: findings.map(({ rule, path }) => ({ rule, path })) }),
});
