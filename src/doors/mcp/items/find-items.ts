import { itemSource, type Audience, type CatalogTool, type Items } from '../../../catalog/index.ts';
import type { ItemKind } from '../../../contract/item.ts';
import { proxiedUri } from '../../../lib/resource-uri.ts';

/** A prompt, a resource or a template that matches a search. */
export interface FoundItem {
  name?: string;
  uri?: string;
  uri_template?: string;
  title?: unknown;
  description?: unknown;
  arguments?: unknown;
  mime_type?: unknown;
  server: string;
  score: number;
}

export interface FoundItems {
  kind: 'prompt' | 'resource';
  items: FoundItem[];
  usage_instructions: string;
  total: number;
  query: string;
}

interface ItemQuery {
  query: string;
  limit: number;
  server?: string | undefined;
  audience?: Audience | undefined;
}

const USAGE = {
  prompt: 'The client program gets a prompt with prompts/get, by this name and with its arguments as texts.',
  resource:
    'The client program reads a resource with resources/read, by this uri; a uri_template is filled in first (RFC 6570).',
};

/** What retrieve_tools finds besides tools. Resources and templates are ranked together. */
export function findItems(
  items: Pick<Items, ItemKind> | undefined,
  kind: FoundItems['kind'],
  { limit, ...query }: ItemQuery,
): FoundItems {
  const kinds: ItemKind[] = kind === 'prompt' ? ['prompt'] : ['resource', 'template', 'skill'];
  let total = 0;
  const found = kinds.flatMap((each) => {
    const hits = items?.[each].search({ ...query, limit });
    total += hits?.total ?? 0;
    return (hits?.tools ?? []).map(({ name, score }) => foundItem(each, items![each].get(name)!, score));
  });
  const best = found.sort((a, b) => b.score - a.score).slice(0, limit);
  return { kind, items: best, usage_instructions: USAGE[kind], total, query: query.query };
}

function foundItem(
  kind: ItemKind,
  { name, server, tool, definition }: CatalogTool,
  score: number,
): FoundItem {
  const { name: label, title = label, description, arguments: named, mimeType } = itemSource(definition);
  const about = { title, description, server, score };
  if (kind === 'prompt') return { name, ...about, ...(named !== undefined && { arguments: named }) };
  const uri = proxiedUri(server, tool);
  const type = mimeType === undefined ? {} : { mime_type: mimeType };
  return kind === 'template' ? { uri_template: uri, ...about, ...type } : { uri, ...about, ...type };
}
