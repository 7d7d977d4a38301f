import type { ActivityFilter } from '../src/contract/activity.ts';
import { END, RARE } from './activity-fill.ts';

export const DAY = 86_400_000;
export const iso = (ms: number) => new Date(ms).toISOString();

/** Of all kinds, common and rare. */
export function filters(records: number): ActivityFilter[] {
  return [
    {},
    { server: 'server-0' },
    { server: RARE.server },
    { status: 'refused' },
    { intent_type: 'destructive' },
    { tool: 'get_issue' },
    { tool: `${RARE.server}:${RARE.tool}`, status: 'error' },
    { server: 'server-19', status: 'unknown', intent_type: 'destructive' },
    { type: 'discovery', status: 'error' },
    { session_id: `session-${Math.floor(records / 400)}` },
    { request_id: `request-${Math.floor(records / 3)}` },
    { start_time: iso(END - 20 * DAY), end_time: iso(END - 19 * DAY) },
    { status: 'error', server: 'server-2', start_time: iso(END - 15 * DAY), end_time: iso(END - 14 * DAY) },
    { q: 'budget' },
    { q: RARE.word },
    { q: 'budget refund', server: 'server-7', status: 'refused' },
    {
      q: 'customer',
      intent_type: 'destructive',
      start_time: iso(END - 25 * DAY),
      end_time: iso(END - 20 * DAY),
    },
    { q: 'nowhere' },
  ];
}

export function shown(filter: ActivityFilter): string {
  const parts = Object.entries(filter).map(([key, value]) =>
    key.endsWith('_time') ? `${key} ${value.slice(0, 10)}` : `${key} ${value}`,
  );
  return parts.join(', ') || '(no filter)';
}
