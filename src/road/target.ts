import type { CatalogTool } from '../catalog/index.ts';
import type { CallContext } from './context.ts';
import type { CheckParts } from './step.ts';

/** What a request is for, as its server last listed it: a tool, or a prompt, resource or template in the same form. */
export function targetOf(
  { parsed: { name, server, tool, item } }: CallContext,
  { catalog, items, servers }: CheckParts,
): CatalogTool | undefined {
  if (item === undefined) return catalog.get(name);
  const listed = items?.[item].get(name);
  if (listed || item !== 'resource') return listed;
  // Templates and results name resources that are in no list; whether one exists is for its server to say.
  return servers?.view(server) && items?.unlisted(server, tool);
}
