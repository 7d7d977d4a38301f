import { itemSource, type Audience, type CatalogTool, type Items } from '../../../catalog/index.ts';
import type { Identity } from '../../../contract/call.ts';
import { ITEM_KINDS, type ItemKind } from '../../../contract/item.ts';
import { isObject, type JsonObject, type Steps } from '../../../json/index.ts';
import { proxiedUri } from '../../../lib/resource-uri.ts';
import { audienceOf } from '../../../road/index.ts';
import { entryOnce, inBackground, pageOf } from '../pages.ts';

export type ListItems = (kind: ItemKind, request: { identity: Identity; cursor: unknown }) => JsonObject;

const FIELD: Record<ItemKind, string> = {
  prompt: 'prompts',
  resource: 'resources',
  template: 'resourceTemplates',
  skill: 'skills',
};

/** Keys of `_meta`: whose it is, and how its server names it. */
const SERVER_KEY = 'mcpproxy/server';
const URI_KEY = 'mcpproxy/uri';

const EVERYBODY = {};
/** Pages of one view that are kept. */
const MAX_PAGES = 64;

interface View {
  revision: number;
  pages: Map<unknown, JsonObject>;
}

/** The lists of prompts, resources and templates: what is offered within the scope of the caller, in pages, in the order of the names. */
export function createListItems(items: Pick<Items, ItemKind | 'onChanged'>): ListItems {
  const views = byKind(() => new WeakMap<object, View>());
  const show = byKind((kind) => (item: CatalogTool) => shownItem(kind, item));
  const prepare = byKind((kind) => inBackground(() => makeEntries(kind)));
  items.onChanged((kind) => prepare[kind]());

  function* makeEntries(kind: ItemKind): Steps<void> {
    const catalog = items[kind];
    for (const name of catalog.names()) {
      yield;
      const item = catalog.get(name);
      if (item?.offered) entryOnce(item, show[kind]);
    }
  }

  function viewFor(kind: ItemKind, audience: Audience | undefined): View {
    const [key, revision] = [audience ?? EVERYBODY, items[kind].revision()];
    const before = views[kind].get(key);
    if (before?.revision === revision) return before;
    const view = { revision, pages: new Map<unknown, JsonObject>() };
    views[kind].set(key, view);
    return view;
  }

  return (kind, { identity, cursor }) => {
    const audience = audienceOf(identity.token);
    const { pages } = viewFor(kind, audience);
    const before = pages.get(cursor);
    if (before) return before;
    const catalog = items[kind];
    const page = pageOf({
      field: FIELD[kind],
      names: catalog.names(),
      entryOf: (name) => entryOnce(catalog.get(name)!, show[kind]),
      isShown: (name) => {
        const item = catalog.get(name)!;
        return item.offered && (!audience || audience.tool(item));
      },
      cursor,
    });
    if (pages.size < MAX_PAGES) pages.set(cursor, page);
    return page;
  };
}

function byKind<T>(make: (kind: ItemKind) => T): Record<ItemKind, T> {
  return Object.fromEntries(ITEM_KINDS.map((kind) => [kind, make(kind)])) as Record<ItemKind, T>;
}

/** A skill and its files under the URIs by which they are read through the proxy. */
export function proxiedSkill(server: string, skill: JsonObject): JsonObject {
  const { uri, resources } = skill;
  return {
    ...skill,
    ...(typeof uri === 'string' && { uri: proxiedUri(server, uri) }),
    ...(Array.isArray(resources) && { resources: proxiedEntries(server, resources) }),
  };
}

export function proxiedEntries(server: string, entries: unknown[]): unknown[] {
  return entries.map((entry) =>
    isObject(entry) && typeof entry.uri === 'string'
      ? { ...entry, uri: proxiedUri(server, entry.uri) }
      : entry,
  );
}

/** The entry as its server wrote it, under the name or URI by which the proxy finds it again. */
export function shownItem(kind: ItemKind, { name, server, tool, definition }: CatalogTool): JsonObject {
  // A copy of our own, so its fields can be set.
  const shown = itemSource(definition);
  const meta: JsonObject = { ...(isObject(shown._meta) && shown._meta), [SERVER_KEY]: server };
  shown._meta = meta;
  if (kind === 'prompt') return Object.assign(shown, { name });
  meta[URI_KEY] = tool;
  if (kind === 'skill') return Object.assign(shown, proxiedSkill(server, shown));
  shown.name ??= tool;
  shown[kind === 'resource' ? 'uri' : 'uriTemplate'] = proxiedUri(server, tool);
  return shown;
}
