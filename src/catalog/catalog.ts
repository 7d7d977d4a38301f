import { ProxyError } from '../contract/errors.ts';
import type { ToolDiff } from '../contract/judged-tool.ts';
import type { ToolVariant } from '../contract/operation.ts';
import type { OperationView, ToolDefinition, ToolStanding } from '../contract/tool.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import type { Log } from '../lib/log.ts';
import { createHiddenCounts, reachOf, type Audience } from './audience.ts';
import { checkServerName } from './check-server-name.ts';
import { createDecisions } from './decisions.ts';
import { definitionHash } from './definition-hash.ts';
import { diffTool } from './diff-tool.ts';
import { inferOperation } from './infer-operation.ts';
import { judgeTool, type CatalogConfig, type ToolFacts } from './judge-tool.ts';
import type { KnownTool, KnownTools } from './known-tools.ts';
import { createLearning } from './learn-listing.ts';
import type { Learnt } from './learn-tool.ts';
import { nameForms, nearestNames, type NameForms } from './nearest-names.ts';
import { listTools, toolEntry, type ListQuery } from './read-catalog.ts';
import type { ReportParts } from './report-changes.ts';
import { createLearntReports } from './report-learnt.ts';
import { reportInstructions, reportSuspicious, type Suspect } from './report-suspicious.ts';
import { NOT_SCANNED, scanDefinition, type Scan } from './scan/scan-definition.ts';
import { createScanner, type Scanned } from './scan/scanner.ts';
import { searchTools, type SearchQuery } from './search-catalog.ts';
import { createSearchIndex } from './search-index.ts';
import { introductionHash } from './server-identity.ts';
import { createTakeUp } from './take-up.ts';
import { differs, toolsEvent } from './tools-event.ts';
import { usableTools } from './usable-tools.ts';
import type { Constraint } from './verdict.ts';
import { coverageOf, judgedTool } from './verdict-book.ts';

/** A tool as the proxy knows it now, with the verdict it is held to. */
export interface CatalogTool {
  /** server:tool */
  name: string;
  server: string;
  tool: string;
  builtin: boolean;
  enabled: boolean;
  standing: ToolStanding;
  /** Neither found nor callable until the operator approves it. */
  withheld: boolean;
  /** Its text looks meant for the model. */
  suspicious: boolean;
  /** Enabled and not withheld: agents may see it. Nothing of any other tool may reach them. */
  offered: boolean;
  definition: ToolDefinition;
  operation: OperationView;
  constraint: Constraint;
  callWith: ToolVariant;
}

export interface CatalogParts extends ReportParts {
  store: KnownTools;
  config: () => CatalogConfig;
  events: Pick<EventBus, 'emit'>;
  log: Log;
  clock?: Clock;
}

/** Whose tools they are, and what it says of itself. */
interface ListingInfo {
  builtin?: boolean;
  introduction?: { instructions?: string | undefined } | undefined;
}

interface Entry {
  facts: ToolFacts;
  hash: string;
  tool: CatalogTool;
  forms: NameForms;
}

export type Catalog = ReturnType<typeof createCatalog>;

const MAX_NEAREST = 3;
/** Tools of one listing; more are taken up one after the other. It takes a tenth of a second. */
const AT_ONCE = 1000;

/** All tools of all servers, answered from memory. What must outlive the process goes through the store. */
export function createCatalog({ store, config, events, record, log, clock = systemClock }: CatalogParts) {
  const entries = new Map<string, Entry>();
  const namesOf = new Map<string, Set<string>>();
  /** The instructions of each server that were looked at. */
  const heeded = new Map<string, string | undefined>();
  const index = createSearchIndex();
  let sorted: string[] | undefined;
  let withheld = 0;
  /** Moves with every change of a tool. */
  let edition = 0;
  const now = () => new Date(clock.now()).toISOString();
  const learn = createLearning({ store, config, now });
  const get = (name: string) => entries.get(name)?.tool;
  const judged = (tool: CatalogTool) => judgedTool(tool, factsOf(tool.name), config());
  const listable = { get, names: () => (sorted ??= [...entries.keys()].sort()), judged };
  const hasAdded = () => Object.keys(config().mcpServers).length > 0;
  const hidden = createHiddenCounts(allTools, () => edition);
  const reports = createLearntReports({ record, log, entryOf: (name) => entries.get(name), diffOf });
  const scanner = createScanner({ scanned, through: (tools) => reportServers(tools) });
  const takeUp = createTakeUp();
  const searchable = { get, tools: allTools, servers, withheld: () => withheld, hidden, hasAdded, index };

  /** The tools that a server lists now. Those that are the same as before are left alone, so a quiet refresh costs little. */
  function replace(
    server: string,
    listed: readonly ToolDefinition[],
    { builtin = false, introduction: said }: ListingInfo = {},
  ): void {
    takeUp.stop(server);
    const introduction = builtin ? undefined : introductionHash(said);
    if (!builtin) heed(server, said?.instructions);
    const { tools, left } = usableTools(listed);
    for (const [tool, why] of [...left].slice(0, 20))
      log.warn({ server, tool }, `a tool is left out: ${why}`);
    const gone = [...(namesOf.get(server) ?? [])].filter((name) => !tools.has(name.slice(server.length + 1)));
    const fresh = [...tools.values()]
      .map((definition) => ({
        name: `${server}:${definition.name}`,
        definition,
        hash: definitionHash(definition),
      }))
      .filter(({ name, hash }) => {
        const entry = entries.get(name);
        return entry?.hash !== hash || entry.facts.introduction !== introduction;
      });
    if (gone.length + fresh.length === 0) return;
    // In one sweep: taking tools out of the index one by one would go through its long lists once for each.
    index.remove([...gone, ...fresh.map(({ name }) => name)]);
    const rest = fresh.slice(AT_ONCE);
    // Until it is taken up, a tool that has changed is not there: neither as it was nor as it is.
    forget(server, [...gone, ...rest.map(({ name }) => name).filter((name) => entries.has(name))]);
    const scan = scanner.listing();
    const learnt: Array<Learnt & { tool: string }> = [];
    const looked: Array<{ name: string }> = [];
    const takeIn = ({ name, definition, hash }: (typeof fresh)[number]): void => {
      const learning = learn({ server, builtin, definition, introduction }, hash);
      const found = builtin ? NOT_SCANNED : scan({ name, definition });
      const inferred = inferOperation(definition);
      put({ server, builtin, definition, inferred, scan: found, known: learning.known, introduction }, hash);
      learnt.push({ tool: definition.name, ...learning });
      if (!found.pending) looked.push({ name });
    };
    const tell = (error?: unknown): void => {
      if (error !== undefined) log.error({ err: error, server }, 'a listing was not taken up to its end');
      reports.tell(server, learnt);
      reportSuspicious(server, suspects(looked), { record, log });
      announce(server);
    };
    fresh.slice(0, AT_ONCE).forEach(takeIn);
    if (rest.length > 0) takeUp.later(server, rest, takeIn, tell);
    else tell();
  }

  /** Looked at once per text: the listing is read again and again. */
  function heed(server: string, instructions: string | undefined): void {
    if (config().scanner === 'off' || instructions === heeded.get(server)) return;
    heeded.set(server, instructions);
    const { suspicious, findings } = scanDefinition({ instructions });
    if (suspicious) reportInstructions(server, findings, { record, log });
  }

  /** A definition that had to wait was looked at; it may be another one by now. */
  function scanned({ name, definition }: Scanned, scan: Scan): void {
    const entry = entries.get(name);
    if (entry?.facts.definition === definition) put({ ...entry.facts, scan }, entry.hash);
  }

  function reportServers(tools: readonly Scanned[]): void {
    const servers = new Set(tools.flatMap(({ name }) => entries.get(name)?.facts.server ?? []));
    for (const server of servers) {
      const own = tools.filter(({ name }) => entries.get(name)?.facts.server === server);
      reportSuspicious(server, suspects(own), { record, log });
      announce(server);
    }
  }

  function suspects(fresh: ReadonlyArray<{ name: string }>): Suspect[] {
    return fresh.flatMap(({ name }) => {
      const entry = entries.get(name);
      if (!entry?.tool.suspicious) return [];
      const { tool, withheld } = entry.tool;
      return [{ tool, withheld, findings: entry.facts.scan.findings }];
    });
  }

  function put(facts: ToolFacts, hash: string): CatalogTool {
    const tool = judgeTool(facts, config());
    const before = entries.get(tool.name);
    edition++;
    entries.set(tool.name, { facts, hash, tool, forms: before?.forms ?? nameForms(tool.name) });
    withheld += Number(tool.withheld) - Number(before?.tool.withheld ?? false);
    if (!before) {
      sorted = undefined;
      namesOf.set(facts.server, (namesOf.get(facts.server) ?? new Set()).add(tool.name));
    }
    // What agents may not have is not in the index at all, so no filter can forget it.
    if (!tool.offered) index.remove([tool.name]);
    else if (!before?.tool.offered || before.hash !== hash) index.add(tool);
    return tool;
  }

  function forget(server: string, names: string[]): void {
    if (names.length === 0) return;
    edition++;
    index.remove(names);
    for (const name of names) {
      withheld -= Number(entries.get(name)?.tool.withheld ?? false);
      entries.delete(name);
      namesOf.get(server)?.delete(name);
    }
    sorted = undefined;
  }

  function remove(server: string): void {
    takeUp.stop(server);
    const names = [...(namesOf.get(server) ?? [])];
    forget(server, names);
    namesOf.delete(server);
    if (names.length > 0) announce(server);
  }

  function announce(server: string): void {
    events.emit(
      'tools',
      toolsEvent(
        server,
        [...(namesOf.get(server) ?? [])].map((name) => get(name)!),
      ),
    );
  }

  /** The configuration has changed: verdicts, switched-off tools and where servers come from are worked out anew. */
  function refreshConfig(): void {
    for (const [server, names] of namesOf) {
      let touched = false;
      const learnt = [...names].map((name) => {
        const { facts, hash, tool } = entries.get(name)!;
        const learning = learn(facts, hash);
        const after = put({ ...facts, known: learning.known }, hash);
        touched ||= differs(after, tool);
        return { tool: tool.tool, ...learning };
      });
      reports.tell(server, learnt);
      if (touched) announce(server);
    }
  }

  function nearest(name: string, audience?: Audience): string[] {
    return nearestNames(name, offeredForms(audience), MAX_NEAREST);
  }

  function* allTools(): Generator<CatalogTool> {
    for (const { tool } of entries.values()) yield tool;
  }

  /** Names of tools that agents may not have are not given away as suggestions. */
  function* offeredForms(audience?: Audience): Generator<NameForms> {
    for (const { forms, tool } of entries.values())
      if (tool.offered && (!audience || audience.tool(tool))) yield forms;
  }

  function servers(): string[] {
    return [...new Set([...namesOf.keys(), ...Object.keys(config().mcpServers)])].sort();
  }

  function factsOf(name: string): ToolFacts {
    const entry = entries.get(name);
    if (entry) return entry.facts;
    const tool = name.slice(0, 200);
    throw new ProxyError('TOOL_NOT_FOUND', `Tool '${tool}' not found`, { tool, nearest: nearest(name) });
  }

  function take(name: string, known: KnownTool): CatalogTool | undefined {
    const entry = entries.get(name);
    if (!entry) return undefined;
    const tool = put({ ...entry.facts, known }, entry.hash);
    announce(tool.server);
    return tool;
  }

  async function diffOf(tool: CatalogTool, facts: ToolFacts): Promise<ToolDiff> {
    return diffTool(tool, facts, await store.acceptedDefinition({ server: facts.server, tool: tool.tool }));
  }

  // What the operator has decided at another proxy holds here as well.
  store.onChanged(({ server, tool }, known) => take(`${server}:${tool}`, known));

  return {
    replace,
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
    coverage: () => coverageOf(allTools()),
    reach: (audience: Audience) => reachOf(allTools(), audience),
    ...createDecisions({
      store,
      config,
      log,
      now,
      facts: factsOf,
      known: (name) => entries.get(name)?.facts,
      isWithheld: (name) => entries.get(name)?.tool.withheld ?? false,
      namesOf: (server) => [...(namesOf.get(server) ?? [])],
      take,
    }),
    /** Before the database is closed: everything learnt so far is reported and goes to disk. */
    async flush() {
      await takeUp.idle();
      await scanner.idle();
      await reports.told();
      await store.flush();
    },
  };
}
