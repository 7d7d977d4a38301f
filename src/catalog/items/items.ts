import type { ServerConfig } from '../../contract/config.ts';
import { ITEM_KINDS, type ItemKind } from '../../contract/item.ts';
import type { JsonObject } from '../../json/index.ts';
import { NOT_SCANNED } from '../../scanner/index.ts';
import { createCatalog, type Catalog, type CatalogParts } from '../catalog.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import { serverIdentity } from '../known/server-identity.ts';
import { judgeTool, type CatalogConfig } from '../verdict/judge-tool.ts';
import { createAcceptedServers } from './accepted-servers.ts';
import { itemDefinition } from './item-definition.ts';
import { forgetfulStore, rememberingStore } from './item-store.ts';
import { createSkillFiles } from './skill-files.ts';
import { createUriIndex } from './uri-index.ts';

export interface ItemParts extends Omit<CatalogParts, 'events'> {
  /** Their definitions may name resources of an app. */
  tools: Pick<Catalog, 'get' | 'names' | 'revision'>;
}

export type Items = ReturnType<typeof createItems>;
type ChangeListener = (kind: ItemKind, server: string) => void;

const MAX_URI = 4096;

/**
 * Prompts, resources, templates and skills of all servers. Each kind is a catalog of its own: judged, scanned and searched like tools.
 * Prompts and skills are remembered, so that a changed one is withheld by the same policy.
 */
export function createItems({ tools, store, config, record, log, clock }: ItemParts) {
  const listeners = new Set<ChangeListener>();
  const accepted = createAcceptedServers(tools);
  const settings = itemConfig(config, (server) => isUnaccepted(server));
  let acceptedBefore = '';

  function isUnaccepted(server: string): boolean {
    const { usable, listed } = accepted();
    // With "risky", a server without tools has nothing that could be found in them.
    return !usable.has(server) && (config().quarantine === 'new' || listed.has(server));
  }

  const open = (kind: ItemKind): Catalog => {
    const isRemembered = kind === 'prompt' || kind === 'skill';
    return createCatalog({
      store: isRemembered ? rememberingStore(store, kind) : forgetfulStore(),
      config: () => settings(!isRemembered),
      events: {
        emit: (_name, data) => {
          const { server } = data as { server: string };
          for (const listener of listeners) listener(kind, server);
        },
      },
      record: (draft) => record({ ...draft, metadata: { ...draft.metadata, kind } }),
      log: log.child({ kind }),
      ...(kind !== 'prompt' && { maxName: MAX_URI }),
      ...(clock && { clock }),
    });
  };
  const catalogs: Record<ItemKind, Catalog> = {
    prompt: open('prompt'),
    resource: open('resource'),
    template: open('template'),
    skill: open('skill'),
  };

  return {
    ...catalogs,
    replace(server: string, kind: ItemKind, items: readonly JsonObject[]) {
      const definitions = items.map((raw) => itemDefinition(kind, raw));
      return catalogs[kind].replace(server, definitions);
    },
    /** A resource that is in no list: made by a template, or named in a result. */
    unlisted: (server: string, uri: string) => unlistedResource(settings(true), server, uri),
    ...createUriIndex({ resources: catalogs.resource, skills: catalogs.skill, tools }),
    skillFile: createSkillFiles(catalogs.skill),
    /** With `quarantine: "new"` and `"risky"`, what else a server offers is withheld until one of its tools is accepted. */
    toolsChanged() {
      const now = [...accepted().usable].join(' ');
      const isSame = now === acceptedBefore;
      acceptedBefore = now;
      if (isSame || !isUnacceptedWithheld(config())) return;
      catalogs.resource.refreshConfig();
      catalogs.template.refreshConfig();
    },
    refreshConfig: () => ITEM_KINDS.forEach((kind) => catalogs[kind].refreshConfig()),
    flush: () => Promise.all(ITEM_KINDS.map((kind) => catalogs[kind].flush())),
    /** Called when the items of a kind of a server have changed. Returns the function that unsubscribes. */
    onChanged(listener: ChangeListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function unlistedResource(config: CatalogConfig, server: string, uri: string): CatalogTool {
  const definition = itemDefinition('resource', { uri });
  const seen = { hash: uri, identity: serverIdentity(config, server) };
  const accepted = { ...seen, by: 'first use', at: '' };
  const known = { ...seen, hints: READ, held: READ, accepted, firstSeen: '', changedAt: '' };
  const inferred = { operation: 'read' as const, reason: 'a resource is read' };
  return judgeTool({ server, builtin: false, definition, inferred, scan: NOT_SCANNED, known }, config);
}

const READ = { readOnlyHint: true };

/**
 * The settings of tools say which of them are switched off; they hold for what else the server offers too. An operation that is set for a
 * tool does not: getting a prompt or a resource is always a read.
 */
function itemConfig(
  config: () => CatalogConfig,
  isUnaccepted: (server: string) => boolean,
): (isUnremembered: boolean) => CatalogConfig {
  const known = new WeakMap<CatalogConfig, Record<'true' | 'false', CatalogConfig>>();
  return (isUnremembered) => {
    const from = config();
    const made = known.get(from) ?? {
      true: unremembered(settingsFor(from), isUnaccepted),
      false: settingsFor(from),
    };
    known.set(from, made);
    return made[`${isUnremembered}`];
  };
}

function settingsFor(from: CatalogConfig): CatalogConfig {
  const mcpServers = Object.fromEntries(
    Object.entries(from.mcpServers).map(([name, server]) => [name, withoutOperations(server)]),
  );
  return { ...from, mcpServers };
}

const isUnacceptedWithheld = ({ quarantine }: CatalogConfig) =>
  quarantine === 'new' || quarantine === 'risky';

/** Without a memory nothing is new or changed: what is new is the server. */
function unremembered(
  settings: CatalogConfig,
  isUnaccepted: NonNullable<CatalogConfig['isUnaccepted']>,
): CatalogConfig {
  return {
    ...settings,
    quarantine: 'changed',
    ...(isUnacceptedWithheld(settings) && { isUnaccepted }),
  };
}

function withoutOperations<T extends ServerConfig>(server: T): T {
  if (!server.tools) return server;
  const tools = Object.entries(server.tools).map(([name, { enabled }]) => [
    name,
    enabled === undefined ? {} : { enabled },
  ]);
  return { ...server, tools: Object.fromEntries(tools) as T['tools'] };
}
