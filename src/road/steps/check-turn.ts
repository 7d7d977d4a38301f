import type { CatalogTool } from '../../catalog/catalog.ts';
import { definitionHash } from '../../catalog/known/definition-hash.ts';
import { serverIdentity } from '../../catalog/known/server-identity.ts';
import { differs } from '../../catalog/listing/tools-event.ts';
import type { Config } from '../../contract/config.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import type { Allowed } from './check-call.ts';

interface TurnParts {
  config: () => Pick<Config, 'mcpServers'>;
  catalog: { get(name: string): CatalogTool | undefined };
}

/**
 * A call that was allowed may wait for its turn. When that has come, what was allowed may be switched off, withheld or another tool: then
 * it is not sent. Gives the check to be made in that moment; it throws.
 */
export function createTurnCheck(
  { config, catalog }: TurnParts,
  { tool }: Allowed,
  allow: () => Allowed,
): () => void {
  const before = config();
  return () => {
    if (catalog.get(tool.name) === tool) return;
    const { tool: now } = unsent(allow);
    const isSameServer = serverIdentity(before, tool.server) === serverIdentity(config(), tool.server);
    if (
      isSameServer &&
      !differs(now, tool) &&
      definitionHash(now.definition) === definitionHash(tool.definition)
    )
      return;
    throw new ProxyError(
      'CONFLICT',
      `Tool '${tool.name}' has changed while the call waited for its turn, so it was not sent. Look at the tool again, then repeat the call`,
      { tool: tool.name, sent: false },
    );
  };
}

/** The refusal as ever, and that nothing has left: an approval of this call is not used up. */
function unsent<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const { code, message, details } = toProxyError(cause);
    throw new ProxyError(code, message, { ...details, sent: false }, { cause });
  }
}
