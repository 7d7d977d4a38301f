import type { CatalogTool } from '../../catalog/index.ts';
import { type Token, compiledScope, outOfScope, scopedOperation } from '../scope.ts';
import { check } from '../step.ts';

export const scope = check({
  name: 'scope',
  does: "compares the tool's name with the servers and tools of the agent token",
  refusals: ['OUT_OF_SCOPE'],
  run({ caller, parsed }) {
    checkNameInScope(caller.token, parsed.name);
  },
});

/** By the name alone and before it is looked up, so that a token cannot tell a tool that it may not call from one that does not exist. */
export function checkNameInScope(token: Token, name: string): void {
  if (!token || compiledScope(token.scope).names(name)) return;
  throw outOfScope(token, { tool: name, why: 'it is not among the tools that the token is for' });
}

export const operationScope = check({
  name: 'operation scope',
  does: 'compares the verdict on the tool with the operations of the agent token, independent of the variant that was called',
  refusals: ['OUT_OF_SCOPE'],
  run({ caller, tool }) {
    checkOperationInScope(caller.token, tool);
  },
});

export function checkOperationInScope(token: Token, tool: Pick<CatalogTool, 'name' | 'operation'>): void {
  if (!token) return;
  const operation = scopedOperation(tool.operation);
  if (token.scope.operations.includes(operation)) return;
  throw outOfScope(token, { tool: tool.name, why: `it counts as ${operation}`, operation });
}
