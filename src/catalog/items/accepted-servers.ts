import type { Catalog } from '../catalog.ts';

export interface AcceptedServers {
  /** Servers of which agents may use a tool. */
  usable: ReadonlySet<string>;
  /** Servers that list tools. */
  listed: ReadonlySet<string>;
}

/** Which servers were accepted, by one of their tools. Made once per change of the catalog. */
export function createAcceptedServers(tools: Pick<Catalog, 'get' | 'names' | 'revision'>) {
  let made: { revision: number; servers: AcceptedServers } | undefined;
  return (): AcceptedServers => {
    const revision = tools.revision();
    if (made?.revision === revision) return made.servers;
    const all = tools.names().map((name) => tools.get(name)!);
    const servers = {
      usable: new Set(all.filter(({ withheld }) => !withheld).map(({ server }) => server)),
      listed: new Set(all.map(({ server }) => server)),
    };
    made = { revision, servers };
    return servers;
  };
}
