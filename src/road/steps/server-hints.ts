import type { CatalogTool } from '../../catalog/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import { type OperationType, variantFor } from '../../contract/operation.ts';
import { check } from '../step.ts';

export const serverHints = check({
  name: 'server hints',
  does: 'compares the variant with the verdict on the tool; a mismatch is refused, or only a warning where the operator allows that',
  refusals: ['SERVER_MISMATCH'],
  run(call, { config }) {
    const { strict_server_validation: strict } = config().intent_declaration;
    const warning = checkHints(call.tool, call.operation, strict);
    if (warning !== undefined) call.warn(warning);
  },
});

/** Who set the constraint, for messages. The first text is part of the interface. */
const SET_BY = {
  annotation: 'by server',
  operator: 'by the operator',
  inferred: 'by inference from its definition',
  default: 'by default, as its server says nothing',
} as const;

/**
 * Compares the chosen operation with the verdict on the tool. Returns a warning or nothing, or throws SERVER_MISMATCH.
 * In non-strict mode a mismatch only warns, except where the operator has set the operation: that is never relaxed.
 */
export function checkHints(
  { name, constraint: { operation, source } }: Pick<CatalogTool, 'name' | 'constraint'>,
  chosen: OperationType,
  strict: boolean,
): string | undefined {
  if (operation === null || chosen === 'destructive' || chosen === operation) return undefined;
  if (operation === 'read')
    return `Tool '${name}' is marked read-only ${SET_BY[source]}; ${variantFor(chosen)} is more cautious than needed`;

  const use = variantFor(operation);
  const marked = operation === 'destructive' ? 'marked destructive' : 'marked as not read-only';
  const message = `Tool '${name}' is ${marked} ${SET_BY[source]}, use ${use}`;
  if (!strict && source !== 'operator') return message;
  throw new ProxyError('SERVER_MISMATCH', message, {
    tool: name,
    tool_variant: variantFor(chosen),
    call_with: use,
    operation,
    source,
  });
}
