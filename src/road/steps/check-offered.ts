import type { CatalogTool } from '../../catalog/catalog.ts';
import { ProxyError } from '../../contract/errors.ts';

/** A tool that exists but that agents may not have. The answer says nothing of it beyond the name that was asked for. */
export function checkOffered({ name, enabled, withheld }: CatalogTool): void {
  if (!enabled)
    throw new ProxyError('TOOL_DISABLED', `Tool '${name}' is switched off by the operator`, { tool: name });
  if (withheld) {
    throw new ProxyError('TOOL_WITHHELD', `Tool '${name}' is withheld until the operator approves it`, {
      tool: name,
    });
  }
}
