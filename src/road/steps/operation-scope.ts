import type { CatalogTool } from '../../catalog/index.ts';
import { outOfScope, scopedOperation, type Token } from '../scope.ts';
import { check } from '../step.ts';

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
