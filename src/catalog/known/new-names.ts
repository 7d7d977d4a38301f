import type { KnownTool } from './known-tool.ts';

const HOUR_MS = 3_600_000;
/** The first listing of a server may take a while to be applied; its names are not counted as new ones. */
const FIRST_LISTING_MS = 300_000;

interface Counted {
  /** The end of the first listing. */
  countedFrom: number;
  /** When each new name of the last hour was first seen, oldest first. */
  times: number[];
}

/** How many new names each server has listed within the last hour. From the stored times, so a restart changes nothing. */
export function createNewNames(ofServer: (server: string) => ReadonlyMap<string, KnownTool>) {
  const servers = new Map<string, Counted>();

  function countedOf(server: string, at: number): Counted {
    const known = servers.get(server);
    if (known) return known;
    const seen = [...ofServer(server).values()]
      .map(({ firstSeen }) => Date.parse(firstSeen))
      .filter(Number.isFinite);
    const first = seen.reduce((least, each) => Math.min(least, each), at);
    const countedFrom = first + FIRST_LISTING_MS;
    const times = seen.filter((time) => time > countedFrom).sort((a, b) => a - b);
    const counted = { countedFrom, times };
    servers.set(server, counted);
    return counted;
  }

  return {
    add(server: string, at: string): void {
      const time = Date.parse(at);
      const { countedFrom, times } = countedOf(server, time);
      if (time > countedFrom) times.push(time);
    },
    withinHour(server: string, at: string): number {
      const now = Date.parse(at);
      const { times } = countedOf(server, now);
      const current = times.findIndex((time) => time > now - HOUR_MS);
      times.splice(0, current < 0 ? times.length : current);
      return times.length;
    },
  };
}
