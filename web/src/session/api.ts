import {
  QueryClient,
  useMutation,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { JsonRoute, RouteInput, RouteOutput } from '../../../src/contract/routes/api.ts';
import { createClient } from '../../../src/contract/routes/client.ts';
import { ProxyError } from '../../../src/contract/errors.ts';
import { parseExact } from '../../../src/json/index.ts';
import { BASE } from './base.ts';
import { csrf, sessionEnded } from './session.ts';

export const client = createClient({
  url: location.origin + BASE,
  client: 'web',
  parse: parseExact,
  headers: () => ({ 'x-mcpproxy-csrf': csrf() }),
  async fetch(request) {
    const response = await fetch(request);
    if (response.status === 401) sessionEnded();
    return response;
  },
});

export const queries = new QueryClient({
  defaultOptions: {
    // The proxy usually runs on this machine, so it is reachable even when the browser is offline.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      retry: (count, error) => count < 2 && error instanceof ProxyError && error.code === 'NO_DAEMON',
    },
  },
});

/** Refetches everything after missed events, except pages of records: they are many, and the record list catches up itself. */
export function refetchAll(): void {
  void queries.invalidateQueries({
    predicate: ({ queryKey, state }) => queryKey[1] !== 'rows' || state.status !== 'success',
  });
}

/** Fetches a route of the API and caches the answer while it is shown. */
export function useApi<N extends JsonRoute>(
  name: N,
  input: RouteInput<N>,
  options: { enabled?: boolean; refetchMs?: number } = {},
): UseQueryResult<RouteOutput<N>> {
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) => client.request(name, input, signal),
    enabled: options.enabled ?? true,
    refetchInterval: options.refetchMs ?? false,
    placeholderData: (before) => before,
  });
}

/** Changes something through the API, then refetches the routes in `touches`. */
export function useChange<N extends JsonRoute>(
  name: N,
  touches: JsonRoute[],
): UseMutationResult<RouteOutput<N>, Error, RouteInput<N>> {
  return useMutation({
    mutationFn: (input: RouteInput<N>) => client.request(name, input),
    onSettled: () => Promise.all(touches.map((key) => queries.invalidateQueries({ queryKey: [key] }))),
  });
}

/**
 * Shows a change before the proxy has confirmed it. `expected` gives the answer of `route` after the change; where the proxy refuses, the
 * answer from before comes back.
 */
export async function optimistically<N extends JsonRoute>(
  { route, input, expected }: Expected<N>,
  change: () => Promise<unknown>,
): Promise<void> {
  const queryKey = [route, input];
  await queries.cancelQueries({ queryKey });
  const before = queries.getQueryData<RouteOutput<N>>(queryKey);
  if (before !== undefined) queries.setQueryData(queryKey, expected(before));
  try {
    await change();
  } catch (error) {
    queries.setQueryData(queryKey, before);
    throw error;
  }
}

interface Expected<N extends JsonRoute> {
  route: N;
  input: RouteInput<N>;
  expected: (before: RouteOutput<N>) => RouteOutput<N>;
}
