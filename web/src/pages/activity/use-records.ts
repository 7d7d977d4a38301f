import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ActivityRecord } from '../../../../src/contract/activity.ts';
import { useLive } from '../../live/live.ts';
import { client } from '../../session/api.ts';
import { apiFilter } from './filter-url.ts';

const PAGE = 100;
const REFRESH_MS = 1000;
/** Newer records are fetched page by page until they reach the known ones; after this many pages the whole list is refetched. */
const MAX_CATCH_UP = 5;

/** A record without its payloads, which are fetched when it is opened: thousands of rows stay cheap. */
export type RowRecord = Omit<ActivityRecord, 'arguments' | 'response'>;

interface Loaded {
  records: RowRecord[];
  next: string | null;
  total: number;
}

async function load(filter: string, cursor: string | undefined, signal?: AbortSignal): Promise<Loaded> {
  const input = { ...apiFilter(filter), limit: PAGE, cursor, payloads: 'false' as const };
  const page = await client.request('listActivity', input, signal);
  return { records: page.records, next: page.next_cursor, total: page.total };
}

/**
 * Records from newest to oldest, loaded as the person scrolls. New ones wait until the person wants to see them, so that rows do not move
 * under the pointer; an empty list shows them at once.
 */
export function useRecords(filter: string) {
  const key = filter;
  const [shown, setShown] = useState<{ key: string; newest?: string }>({ key });
  const query = useInfiniteQuery({
    queryKey: ['listActivity', 'rows', filter],
    queryFn: ({ pageParam, signal }) => load(filter, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  const pages = query.data?.pages;
  const older = useMemo(() => pages?.flatMap(({ records }) => records) ?? [], [pages]);
  const fresh = useNewRecords({ filter, key, older }, () => void query.refetch());
  const all = useMemo(() => merge(fresh.records, older), [fresh.records, older]);
  const newest = (shown.key === key ? shown.newest : undefined) ?? older[0]?.id;
  const records = useMemo(
    () => (newest === undefined ? all : all.filter(({ id }) => id <= newest)),
    [all, newest],
  );
  return {
    ...query,
    records,
    total: fresh.total ?? pages?.[0]?.total,
    waiting: all.length - records.length,
    showWaiting: () => setShown({ key, newest: all[0]?.id }),
  };
}

interface Shown {
  filter: string;
  /** The filter as a string, to compare. */
  key: string;
  older: RowRecord[];
}

/** Records that arrived after the first page was loaded. */
function useNewRecords({ filter, key, older }: Shown, refetchAll: () => void) {
  const [state, setState] = useState<{ key: string; records: RowRecord[]; total?: number }>({
    key,
    records: [],
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef({ filter, key, older });
  useEffect(() => {
    latest.current = { filter, key, older };
  });
  useEffect(() => () => clearTimeout(timer.current), []);

  async function catchUp(): Promise<void> {
    const asked = latest.current;
    const known = new Set(asked.older.map(({ id, status }) => `${id} ${status}`));
    const found: RowRecord[] = [];
    let cursor: string | undefined;
    let total = 0;
    for (let page = 0; page < MAX_CATCH_UP; page++) {
      const loaded = await load(asked.filter, cursor);
      found.push(...loaded.records);
      if (page === 0) total = loaded.total;
      const met =
        loaded.next === null || loaded.records.some(({ id, status }) => known.has(`${id} ${status}`));
      if (met && latest.current.key === asked.key) return setState({ key: asked.key, records: found, total });
      cursor = loaded.next ?? undefined;
    }
    refetchAll();
  }

  function soon(): void {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void catchUp().catch(() => {}); // the next event tries again
    }, REFRESH_MS);
  }
  useLive('activity', soon);
  useLive('reset', soon);
  return state.key === key ? state : { records: [] as RowRecord[], total: undefined };
}

/** Newest first, each once; the later fetch wins. */
function merge(fresh: RowRecord[], older: RowRecord[]): RowRecord[] {
  if (fresh.length === 0) return older;
  const seen = new Set(fresh.map(({ id }) => id));
  const rest = older.filter(({ id }) => !seen.has(id));
  return [...fresh, ...rest].sort((a, b) => (a.id < b.id ? 1 : -1));
}
