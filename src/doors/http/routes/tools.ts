import { callFacts, type Policy } from '../../../approval/index.ts';
import type { CatalogTool } from '../../../catalog/index.ts';
import { Duration, durationMs } from '../../../contract/config.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { ApprovalEffect, JudgedTool, ToolDiff, VerdictStep } from '../../../contract/tool.ts';
import { operationOf, variantsAllowed, type OperationType } from '../../../contract/operation.ts';
import type { Handlers, RequestContext, RestParts } from '../parts.ts';
import { riskOf } from './tool-risk.ts';
import { recordChange, recordRefusal } from '../record-requests.ts';

type ToolHandlers = Pick<
  Handlers,
  | 'listTools'
  | 'toolRisk'
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

interface ToolChange {
  name: string;
  action: string;
  outcome?: (tool: JudgedTool) => unknown;
}

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

  /** Records and makes a change of the operator to a tool; returns the changed tool. */
  async function change(
    { caller }: RequestContext,
    { name, action, outcome }: ToolChange,
    act: () => unknown,
  ): Promise<JudgedTool> {
    const { server, tool } = find(name);
    const change = { action, server, tool, caller, ...(outcome && { outcome }) };
    return recordChange(activity, change, async () => {
      await act();
      return catalog.judged(find(name));
    });
  }
  function setOperation(name: string, operation: OperationType | null, context: RequestContext) {
    const action = operation === null ? 'clear_operation' : `set_operation ${operation}`;
    return change(context, { name, action }, () => catalog.setOperation(name, operation, context.caller));
  }

  return {
    listTools: ({ query }) => catalog.list(query),
    async toolRisk({ query: { period } }) {
      const { by_tool: calls } = await activity.summary(period, {
        names: MAX_NAMES,
        type: 'tool_call',
      });
      return { period, ...riskOf(catalog.held(), calls) };
    },
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
      const hooks = { waitMs, isListening: () => !signal.aborted };
      return callTool({
        operation: operationOf(tool_variant),
        input,
        caller,
        signal,
        hooks,
        ...(timeoutMs && { timeoutMs }),
      });
    },
    setOperation: ({ params, body }, context) => setOperation(params.name, body.operation, context),
    clearOperation: ({ params }, context) => setOperation(params.name, null, context),
    async approveTool({ params: { name }, query: { hash, keep_operation: keepOperation } }, context) {
      find(name);
      const { approval } = await catalog.diff(name);
      const action = keepOperation ? 'approve_tool keep_operation' : 'approve_tool';
      const outcome = (tool: JudgedTool) => ({
        ...acceptedDefinition(tool),
        ...verdictChange(approval, tool),
      });
      return change(context, { name, action, outcome }, () =>
        catalog.approve(name, context.caller, { hash, keepOperation }),
      );
    },
    async rejectTool({ params: { name }, query: { hash } }, context) {
      find(name);
      const { approval } = await catalog.diff(name);
      const verdict = { before: approval.before, asked: approval.after };
      const outcome = (tool: JudgedTool) => ({ ...acceptedDefinition(tool), verdict });
      return change(context, { name, action: 'reject_tool', outcome }, () =>
        catalog.reject(name, context.caller, hash),
      );
    },
    async diffTool({ params: { name } }) {
      const tool = find(name);
      const clients = (await tokens.list()).map((token) => `token:${token.name}`);
      const context = { tool, policy: approvals.policy(), clients: ['anonymous', 'operator', ...clients] };
      return withApprovals(await catalog.diff(name), context);
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

/** More tools than that are not told apart by their use. */
const MAX_NAMES = 10_000;

/** 0 for an invalid duration, or one of zero. */
function durationOf(text: string): number {
  const parsed = Duration.safeParse(text);
  return parsed.success ? durationMs(parsed.data) : 0;
}

function badDuration(parameter: string): ProxyError {
  return new ProxyError(
    'INVALID_REQUEST',
    `${parameter} must be a positive number with a unit: ms, s, m, h, d or w, as in "30s"`,
    { in: 'body', parameter },
  );
}

/** The verdict before, and the one that calls are checked against from now on. */
const verdictChange = ({ before, after }: ApprovalEffect, { book, operation }: JudgedTool) => ({
  verdict: {
    before,
    after: {
      operation: book.enforced,
      source: operation.source,
      variants: operation.source === 'operator' ? variantsAllowed(book.enforced, true) : after.variants,
    },
  },
});

const acceptedDefinition = ({ definition_hash, findings }: JudgedTool) => ({
  definition_hash,
  ...(findings.length > 0 && { findings: findings.map(({ rule, path }) => ({ rule, path })) }),
});

interface ApprovalContext {
  tool: CatalogTool;
  policy: Policy;
  /** The principals whose calls are judged. */
  clients: readonly string[];
}

/** Adds to a diff whether a person is asked before such calls, now and after the tool is accepted. */
function withApprovals(diff: ToolDiff, context: ApprovalContext): ToolDiff {
  const { before, after, consequence } = diff.approval;
  const actions = (step: VerdictStep) =>
    context.clients.map((client) => context.policy.judge(mildestCall(context.tool, step, client)).action);
  const now = actions(after);
  const ends = before && actions(before).some((action, index) => action === 'ask' && now[index] === 'allow');
  const asks = now.every((each) => each === 'allow')
    ? 'never'
    : now.includes('allow')
      ? 'sometimes'
      : 'always';
  const said = ends ? `${consequence} Its calls needed approval before and no longer do.` : consequence;
  return { ...diff, approval: { ...diff.approval, asks, consequence: said } };
}

/** The facts of a call by the least restricted variant that the tool may be called with. */
function mildestCall({ server, tool, operation }: CatalogTool, step: VerdictStep, client: string) {
  const view = { ...operation, verdict: step.operation ?? 'write', source: step.source };
  const mildest = operationOf(step.variants[0] ?? 'call_tool_destructive');
  return callFacts({ server, tool, operation: view }, mildest, client);
}
