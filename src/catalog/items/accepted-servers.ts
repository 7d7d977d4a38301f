import type { Catalog } from '../catalog.ts';

/** Servers of which a person has accepted a tool. Made once per change of the catalog. */
export function createAcceptedServers(tools: Pick<Catalog, 'get' | 'names' | 'revision'>) {
  let made: { revision: number; servers: Set<string> } | undefined;
  return (): ReadonlySet<string> => {
    const revision = tools.revision();
    if (made?.revision === revision) return made.servers;
    const accepted = tools.names().map((name) => tools.get(name)!);
    const servers = new Set(accepted.filter(({ withheld }) => !withheld).map(({ server }) => server));
    made = { revision, servers };
    return servers;
  };
}
