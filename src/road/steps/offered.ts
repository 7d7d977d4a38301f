import type { CatalogTool } from '../../catalog/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { Check } from '../step.ts';

export const offered: Check = {
  name: 'offered',
  does: 'whether the operator offers the tool: not switched off, not withheld',
  refusals: ['TOOL_DISABLED', 'TOOL_WITHHELD'],
  run({ tool, notes }) {
    checkOffered(tool);
    notes.operation = tool.operation;
  },
};

/** A tool that exists but that agents may not have. The answer says nothing of it beyond the name that was asked for. */
function checkOffered({ name, enabled, withheld }: CatalogTool): void {
  if (!enabled)
    throw new ProxyError('TOOL_DISABLED', `Tool '${name}' is switched off by the operator`, { tool: name });
  if (withheld) {
    throw new ProxyError('TOOL_WITHHELD', `Tool '${name}' is withheld until the operator approves it`, {
      tool: name,
    });
  }
}
