import type { Events } from '../../lib/event-bus.ts';
import type { CatalogTool } from '../catalog-tool.ts';

/** What is announced when the tools of a server change: how many there are, and how many wait for the operator. */
export function toolsEvent(server: string, tools: readonly CatalogTool[]): Events['tools'] {
  const changed = tools.filter(({ standing }) => standing !== 'accepted').length;
  const withheld = tools.filter((tool) => tool.withheld).length;
  return { server, total: tools.length, ...(changed > 0 && { changed }), ...(withheld > 0 && { withheld }) };
}

/** Whether a new judgement is worth an announcement. */
export function differs(a: CatalogTool, b: CatalogTool): boolean {
  const [now, before] = [a.operation, b.operation];
  return (
    a.offered !== b.offered ||
    a.standing !== b.standing ||
    now.verdict !== before.verdict ||
    now.source !== before.source ||
    now.inferred !== before.inferred ||
    now.reason !== before.reason
  );
}
