import type { Catalog } from '../catalog.ts';
import { isObject } from '../../json/index.ts';
import { normalUri, uriKey } from './normal-uri.ts';
import { filesOf } from './skill-files.ts';

type Names = Pick<Catalog, 'get' | 'names' | 'revision'>;

interface UriIndex {
  of: string;
  /** By URI. */
  servers: Map<string, Set<string>>;
  /** By server and key: the URI as it is listed. Made when it is first needed. */
  spellings?: Map<string, string>;
}

interface Naming {
  resources: Names;
  skills: Names;
  tools: Names;
}

/** The resources that servers have named: in their lists, as files of skills, or as the apps of tools. Made once per change of the catalogs. */
export function createUriIndex(naming: Naming) {
  let made: UriIndex | undefined;

  function current(): UriIndex {
    const of = `${naming.resources.revision()} ${naming.skills.revision()} ${naming.tools.revision()}`;
    if (made?.of !== of) made = { of, servers: indexUris(naming) };
    return made;
  }

  return {
    serversOf: (uri: string): readonly string[] => [...(current().servers.get(uri) ?? [])],
    /**
     * The only spelling by which a resource is reached: as its server has listed it, otherwise the normal form. So a rule that holds for
     * it cannot be evaded by another. Undefined where the URI has no normal form.
     */
    properUri(server: string, uri: string): string | undefined {
      const index = current();
      if (index.servers.get(uri)?.has(server)) return uri;
      index.spellings ??= indexSpellings(index.servers);
      return index.spellings.get(`${server} ${uriKey(uri)}`) ?? normalUri(uri);
    },
  };
}

function indexSpellings(servers: UriIndex['servers']): Map<string, string> {
  const spellings = new Map<string, string>();
  for (const [uri, names] of servers) {
    const key = uriKey(uri);
    for (const server of names) spellings.set(`${server} ${key}`, uri);
  }
  return spellings;
}

function indexUris({ resources, skills, tools }: Naming): UriIndex['servers'] {
  const servers: UriIndex['servers'] = new Map();
  const add = (uri: string, server: string) =>
    servers.set(uri, (servers.get(uri) ?? new Set<string>()).add(server));
  for (const name of resources.names()) {
    const { tool, server } = resources.get(name)!;
    add(tool, server);
  }
  for (const name of skills.names()) {
    const { server, definition } = skills.get(name)!;
    if (isObject(definition.source)) for (const { uri } of filesOf(definition.source)) add(uri, server);
  }
  for (const name of tools.names()) {
    const { server, definition, offered } = tools.get(name)!;
    const uri = offered ? appUri(definition._meta) : undefined;
    if (uri !== undefined) add(uri, server);
  }
  return servers;
}

/** The user interface of a tool (MCP Apps), in its present and its earlier form. */
function appUri(meta: unknown): string | undefined {
  if (!isObject(meta)) return undefined;
  const uri = isObject(meta.ui) ? meta.ui.resourceUri : meta['ui/resourceUri'];
  return typeof uri === 'string' ? uri : undefined;
}
