import { useEffect, useRef } from 'react';
import type { JsonRoute } from '../../../src/contract/routes/api.ts';
import { queries } from '../session/api.ts';
import { useLive, type LiveName } from './live.ts';

interface Refresh {
  on: LiveName;
  route: JsonRoute;
  input: unknown;
  /** At most this often; the last event is never missed. */
  everyMs: number;
}

/** Fetches an answer again some time after an event, so that many events at once are fetched once. */
export function useRefresh({ on, route, input, everyMs }: Refresh): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLive(on, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: [route, input] });
    }, everyMs);
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [route],
  );
}
