import type { Caller } from '../../contract/call.ts';
import type { ClientFeatures, ServerConfig } from '../../contract/config.ts';
import { featuresOf } from '../../upstream/dispatch/dispatch-call.ts';
import type { CallContext } from '../context.ts';
import type { RoadParts } from '../step.ts';
import { CallAsks } from './call-asks.ts';

/** For a caller that cannot be asked: what the server asks is refused and recorded. */
export function silentAsks(call: CallContext, parts: RoadParts): CallAsks {
  const { caller, tool, record } = call;
  return new CallAsks(
    { activity: parts.activity, budget: parts.asks.budget },
    {
      server: tool.server,
      tool: tool.tool,
      caller,
      recordId: record!.id,
      features: featuresFor(call, parts),
      client: { key: '', capabilities: {} },
      send: () => Promise.reject(new Error('nobody to ask')),
      onFlood: () => undefined,
    },
  );
}

/** Some servers open every directory that a client names, so the roots of an agent are passed on only where the operator says so. */
export function featuresFor({ tool, caller }: CallContext, { config }: RoadParts): ClientFeatures {
  const { mcpServers }: { mcpServers?: Record<string, ServerConfig> } = config();
  const features = featuresOf(mcpServers?.[tool.server] ?? {});
  const { token }: Caller = caller;
  return { ...features, roots: features.roots ?? (token ? 'deny' : 'allow') };
}
