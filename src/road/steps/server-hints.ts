import { operationOf, variantFor, type ToolVariant } from '../../contract/operation.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { Constraint } from '../../catalog/index.ts';
import type { Check } from '../step.ts';

export const serverHints: Check = {
  name: 'server hints',
  does: 'the variant against the verdict on the tool; a mismatch is refused, or a warning where the operator says so',
  refusals: ['SERVER_MISMATCH'],
  run(call, { config }) {
    const { strict_server_validation: strict } = config().intent_declaration;
    const warning = checkServer(call.tool.name, call.variant, call.tool.constraint, strict);
    // The first check that can warn: what an earlier run of the checks said does not count any more.
    if (call.notes.warnings) delete call.notes.warnings;
    if (warning !== undefined) call.warn(warning);
  },
};

/** How a complaint names the one who set the constraint. The first wording is part of the interface. */
const SET_BY = {
  annotation: 'by server',
  operator: 'by the operator',
  inferred: 'by inference from its definition',
  default: 'by default, as its server says nothing',
} as const;

/**
 * The chosen variant against what the tool is held to. Gives a warning, nothing, or throws SERVER_MISMATCH.
 * In non-strict mode a mismatch only warns, except where the operator has set the operation: that is never relaxed.
 */
export function checkServer(
  name: string,
  variant: ToolVariant,
  constraint: Constraint,
  strict: boolean,
): string | undefined {
  const { operation, source } = constraint;
  const chosen = operationOf(variant);
  if (operation === null || chosen === 'destructive' || chosen === operation) return undefined;
  if (operation === 'read')
    return `Tool '${name}' is marked read-only ${SET_BY[source]}; ${variant} is more cautious than needed`;

  const use = variantFor(operation);
  const marked = operation === 'destructive' ? 'marked destructive' : 'marked as not read-only';
  const message = `Tool '${name}' is ${marked} ${SET_BY[source]}, use ${use}`;
  if (!strict && source !== 'operator') return message;
  throw new ProxyError('SERVER_MISMATCH', message, {
    tool: name,
    tool_variant: variant,
    call_with: use,
    operation,
    source,
  });
}
