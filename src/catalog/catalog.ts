import type { ToolDiff } from '../contract/tool.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import type { Log } from '../lib/log.ts';
import { isJudgedDifferently, toolEntry, toolsEvent, type CatalogTool } from './catalog-tool.ts';
import { definitionTextHash } from './known/definition.ts';
import { diffTool } from './known/diff-tool.ts';
import type { KnownTool } from './known/known-tool.ts';
import type { KnownTools } from './known/known-tools.ts';
import { createLearner } from './known/learn-listing.ts';
import { createListings } from './listing/apply-listing.ts';
import { createRecordQuota } from './listing/record-quota.ts';
import { createChangeReports, type ReportParts } from './listing/report-changes.ts';
import { createServerReview } from './listing/review-server.ts';
import { createTextWatch } from './listing/watch-texts.ts';
import { createReader } from './read-catalog.ts';
import { createAssessor } from './risk/assess-changes.ts';
import type { ChangeRisk } from './risk/change-risk.ts';
import { createToolTable, type TableEntry } from './tool-table.ts';
import { createDecisions } from './verdict/decisions.ts';
import type { CatalogConfig } from './verdict/judge-tool.ts';

export interface CatalogParts extends ReportParts {
  store: KnownTools;
  config: () => CatalogConfig;
  events: Pick<EventBus, 'emit'>;
  log: Log;
  clock?: Clock;
  /** How long a name may be; resources are named by their URIs. */
  maxName?: number;
}

export type Catalog = ReturnType<typeof createCatalog>;

/** All tools of all servers, answered from memory. What must survive a restart is in the store. */
export function createCatalog({
  store,
  config,
  events,
  record,
  log,
  clock = systemClock,
  maxName,
}: CatalogParts) {
  const table = createToolTable(config, (name) => changes.add(name));
  const changes = createAssessor({ store, log, entryOf: table.entry, apply: applyRisk });
  const now = () => new Date(clock.now()).toISOString();
  const { factsOf, ...reader } = createReader(table, config);
  const quota = createRecordQuota(record, clock);
  const told = { record: quota.record, log };
  const learn = createLearner({ store, config, now });
  const review = createServerReview({ table, store, config, learn });
  const texts = createTextWatch({
    ...told,
    table,
    config,
    announce,
    review: (server) => review.review(server),
  });
  const reports = createChangeReports({ ...told, entryOf: table.entry, diffOf, settled });
  const listings = createListings({
    table,
    learn,
    texts,
    review,
    report: (server, learned) => reports.report(server, learned),
    announce,
    log,
    maxName,
  });

  function announce(server: string): void {
    const tools = table.namesOf(server).map((name) => table.get(name)!);
    events.emit('tools', toolsEvent(server, tools));
  }

  /** What was listed so far is scanned and compared. */
  async function settled(): Promise<void> {
    if (config().quarantine === 'risky') await texts.idle();
    await changes.idle();
  }

  function remove(server: string): void {
    listings.stop(server);
    review.forget(server);
    if (table.forgetServer(server).length > 0) announce(server);
  }

  function apply(name: string, known: KnownTool): CatalogTool | undefined {
    const entry = table.entry(name);
    if (!entry) return undefined;
    const tool = table.put({ ...entry.facts, known }, entry.hash);
    review.review(tool.server);
    announce(tool.server);
    return tool;
  }

  function applyRisk(name: string, risk: ChangeRisk): void {
    const entry = table.entry(name);
    if (!entry) return;
    const tool = table.put({ ...entry.facts, risk }, entry.hash);
    if (isJudgedDifferently(tool, entry.tool)) announce(tool.server);
  }

  async function diffOf({ tool, facts }: TableEntry): Promise<ToolDiff> {
    const stored = await store.acceptedDefinition({ server: facts.server, tool: tool.tool });
    // The row of the tool is sealed and has the hash; a definition that does not fit was changed by somebody else.
    const accepted =
      stored !== null && definitionTextHash(stored) === facts.known.accepted?.hash ? stored : null;
    return diffTool({ tool, facts, accepted }, config());
  }

  async function diff(name: string): Promise<ToolDiff> {
    const facts = factsOf(name);
    return diffOf({ ...table.entry(name)!, facts });
  }

  // Decisions of the operator at another proxy apply here as well.
  store.onChanged(({ server, tool }, known) => {
    const name = `${server}:${tool}`;
    if (table.entry(name)?.facts.server === server) apply(name, known);
  });

  return {
    ...reader,
    ...createDecisions({ store, config, log, now, table, factsOf, diff, apply }),
    replace: listings.replace,
    refreshConfig: listings.refreshConfig,
    remove,
    entry: toolEntry,
    diff,
    /** Before the database is closed: reports and stores everything learned so far. */
    async flush() {
      await listings.idle();
      await texts.idle();
      await changes.idle();
      await reports.idle();
      quota.flush();
      await store.flush();
    },
  };
}
