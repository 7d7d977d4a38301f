import type { ToolTable } from '../tool-table.ts';
import { distrustOf } from '../known/known-tools-row.ts';
import type { KnownTools } from '../known/known-tools.ts';
import { isHarmless } from '../risk/withhold-risky.ts';
import type { LearnListed } from '../known/learn-listing.ts';
import type { CatalogConfig } from '../verdict/judge-tool.ts';

export interface ReviewParts {
  table: ToolTable;
  store: Pick<KnownTools, 'ofServer'>;
  config: () => CatalogConfig;
  learn: LearnListed;
}

export type ServerReview = ReturnType<typeof createServerReview>;

/**
 * With `quarantine: "risky"`, new tools wait until they are scanned, and those of a new server until all of its tools are. They are accepted
 * if nothing was found; what is found in a tool of a new server withholds the others too, until the operator has accepted one.
 */
export function createServerReview({ table, store, config, learn }: ReviewParts) {
  const waitingOf = new Map<string, Set<string>>();

  /** Whether no tool of the server was accepted so far. */
  function isNew(server: string): boolean {
    if (config().quarantine !== 'risky') return false;
    for (const known of store.ofServer(server).values())
      if (known.accepted && !distrustOf(known)) return false;
    return true;
  }

  const isClean = (name: string): boolean => {
    const entry = table.entry(name);
    return entry === undefined || entry.facts.builtin || isHarmless(entry.facts.scan, config());
  };

  function accept(name: string): void {
    const { facts, hash } = table.entry(name)!;
    const { known } = learn({ ...facts, isNewServer: false }, hash);
    table.put({ ...facts, known }, hash);
  }

  return {
    isNew,
    wait(server: string, name: string): void {
      if (config().quarantine !== 'risky') return;
      const waiting = waitingOf.get(server);
      if (waiting) waiting.add(name);
      else waitingOf.set(server, new Set([name]));
    },
    /** Accepts the tools that need not wait any longer. Returns whether there were any. */
    review(server: string): boolean {
      const waiting = waitingOf.get(server);
      if (!waiting || (isNew(server) && !table.namesOf(server).every(isClean))) return false;
      const listed = [...waiting].filter((name) => table.entry(name)?.facts.known.accepted === undefined);
      const ready = listed.filter((name) => table.has(name) && isClean(name));
      const rest = listed.filter((name) => table.entry(name)?.facts.scan.pending);
      if (rest.length > 0) waitingOf.set(server, new Set(rest));
      else waitingOf.delete(server);
      ready.forEach(accept);
      return ready.length > 0;
    },
    forget: (server: string) => void waitingOf.delete(server),
  };
}
