import { ProxyError } from '../contract/errors.ts';
import type { ToolDiff } from '../contract/tool.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import type { Log } from '../lib/log.ts';
import { createHiddenCounts, reachOf, type Audience } from './audience.ts';
import { checkServerName } from './listing/check-server-name.ts';
import { createDecisions } from './verdict/decisions.ts';
import { diffTool } from './known/diff-tool.ts';
import { type CatalogConfig, type ToolFacts } from './verdict/judge-tool.ts';
import type { KnownTools } from './known/known-tools.ts';
import type { KnownTool } from './known/known-tool.ts';
import { createLearning } from './known/learn-listing.ts';
import { nearestNames, type NameForms } from './search/nearest-names.ts';
import { listTools, toolEntry, type ListQuery } from './read-catalog.ts';
import type { ReportParts } from './listing/report-changes.ts';
import { createLearntReports } from './listing/report-learnt.ts';
import { createToolTable } from './tool-table.ts';
import { createListings } from './listing/take-listing.ts';
import { createTextWatch } from './listing/watch-texts.ts';
import { searchTools, type SearchQuery } from './search/search-catalog.ts';
import { differs, toolsEvent } from './listing/tools-event.ts';
import { coverageOf, judgedTool } from './verdict/verdict-book.ts';
import type { CatalogTool } from './catalog-tool.ts';

export interface CatalogParts extends ReportParts {
  store: KnownTools;
  config: () => CatalogConfig;
  events: Pick<EventBus, 'emit'>;
  log: Log;
  clock?: Clock;
}

export type Catalog = ReturnType<typeof createCatalog>;

const MAX_NEAREST = 3;

/** All tools of all servers, answered from memory. What must outlive the process goes through the store. */
export function createCatalog({ store, config, events, record, log, clock = systemClock }: CatalogParts) {
  const table = createToolTable(config);
  const { get } = table;
  const now = () => new Date(clock.now()).toISOString();
  const learn = createLearning({ store, config, now });
  const judged = (tool: CatalogTool) => judgedTool(tool, factsOf(tool.name), config());
  const listable = { get, names: table.names, judged };
  const reports = createLearntReports({ record, log, entryOf: table.entry, diffOf });
  const texts = createTextWatch({ table, config, announce, record, log });
  const listings = createListings({
    table,
    learn,
    texts,
    tell: (server, learnt) => reports.tell(server, learnt),
    announce,
    log,
  });
  const searchable = {
    get,
    tools: table.tools,
    servers,
    withheld: table.withheld,
    hidden: createHiddenCounts(table.tools, table.edition),
    hasAdded: () => Object.keys(config().mcpServers).length > 0,
    index: table.index,
  };

  function remove(server: string): void {
    listings.stop(server);
    if (table.forgetServer(server).length > 0) announce(server);
  }

  function announce(server: string): void {
    const tools = table.namesOf(server).map((name) => get(name)!);
    events.emit('tools', toolsEvent(server, tools));
  }

  /** The configuration has changed: verdicts, switched-off tools and where servers come from are worked out anew. */
  function refreshConfig(): void {
    for (const server of table.servers()) {
      let touched = false;
      const learnt = table.namesOf(server).map((name) => {
        const { facts, hash, tool } = table.entry(name)!;
        const learning = learn(facts, hash);
        const after = table.put({ ...facts, known: learning.known }, hash);
        touched ||= differs(after, tool);
        return { tool: tool.tool, ...learning, told: facts.known.unremembered === true };
      });
      // That there is no room for a tool was told when it was listed.
      const news = learnt.filter(({ known, told }) => !(told && known.unremembered));
      reports.tell(server, news);
      if (touched) announce(server);
    }
  }

  function nearest(name: string, audience?: Audience): string[] {
    return nearestNames(name, offeredForms(audience), MAX_NEAREST);
  }

  /** Names of tools that agents may not have are not given away as suggestions. */
  function* offeredForms(audience?: Audience): Generator<NameForms> {
    for (const { forms, tool } of table.entries())
      if (tool.offered && (!audience || audience.tool(tool))) yield forms;
  }

  function servers(): string[] {
    return [...new Set([...table.servers(), ...Object.keys(config().mcpServers)])].sort();
  }

  function factsOf(name: string): ToolFacts {
    const entry = table.entry(name);
    if (entry) return entry.facts;
    const tool = name.slice(0, 200);
    throw new ProxyError('TOOL_NOT_FOUND', `Tool '${tool}' not found`, { tool, nearest: nearest(name) });
  }

  function take(name: string, known: KnownTool): CatalogTool | undefined {
    const entry = table.entry(name);
    if (!entry) return undefined;
    const tool = table.put({ ...entry.facts, known }, entry.hash);
    announce(tool.server);
    return tool;
  }

  async function diffOf(tool: CatalogTool, facts: ToolFacts): Promise<ToolDiff> {
    const kept = await store.acceptedDefinition({ server: facts.server, tool: tool.tool });
    return diffTool(tool, facts, kept, config());
  }

  // What the operator has decided at another proxy holds here as well.
  store.onChanged(({ server, tool }, known) => take(`${server}:${tool}`, known));

  return {
    replace: listings.replace,
    remove,
    refreshConfig,
    get,
    nearest,
    entry: toolEntry,
    judged,
    diff: async (name: string) => diffOf(get(name)!, factsOf(name)),
    list(query: ListQuery = {}) {
      if (query.server !== undefined) checkServerName(query.server, servers());
      return listTools(listable, query);
    },
    search: (query: SearchQuery) => searchTools(searchable, query),
    coverage: () => coverageOf(table.tools()),
    reach: (audience: Audience) => reachOf(table.tools(), audience),
    ...createDecisions({
      store,
      config,
      log,
      now,
      facts: factsOf,
      known: (name) => table.entry(name)?.facts,
      isWithheld: (name) => get(name)?.withheld ?? false,
      diff: async (name) => diffOf(get(name)!, factsOf(name)),
      namesOf: table.namesOf,
      take,
    }),
    /** Before the database is closed: everything learnt so far is reported and goes to disk. */
    async flush() {
      await listings.idle();
      await texts.idle();
      await reports.told();
      await store.flush();
    },
  };
}
