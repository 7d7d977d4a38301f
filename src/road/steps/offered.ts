import type { CatalogTool } from '../../catalog/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import { check } from '../step.ts';

export const offered = check({
  name: 'offered',
  does: 'checks that the tool is neither switched off nor withheld',
  refusals: ['TOOL_DISABLED', 'TOOL_WITHHELD'],
  run({ tool, notes }) {
    checkOffered(tool);
    notes.operation = tool.operation;
  },
});

/** The errors reveal nothing about the tool beyond the name that the caller sent. */
function checkOffered({ name, enabled, withheld }: CatalogTool): void {
  if (!enabled)
    throw new ProxyError('TOOL_DISABLED', `Tool '${name}' is switched off by the operator`, { tool: name });
  if (withheld) {
    throw new ProxyError('TOOL_WITHHELD', `Tool '${name}' is withheld until the operator approves it`, {
      tool: name,
    });
  }
}
