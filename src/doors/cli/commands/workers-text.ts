import { counted } from '../../../lib/visible-text.ts';
import type { Status } from '../../../contract/status.ts';
import type { Check } from './doctor-checks.ts';

/** "2 running, 1 replaced since the start". */
export function workersText(workers: Status['workers']): string | undefined {
  if (!workers) return undefined;
  const restarts = workers.reduce((sum, each) => sum + each.restarts, 0);
  const states = new Map<string, number>();
  for (const { state } of workers) states.set(state, (states.get(state) ?? 0) + 1);
  const parts = [...states].map(([state, count]) => `${count} ${state}`);
  return [...parts, ...(restarts > 0 ? [`${restarts} replaced since the start`] : [])].join(', ');
}

/** Nothing to say where one process serves. */
export function workerChecks({ workers }: Pick<Status, 'workers'>): Check[] {
  if (!workers) return [];
  const says = `${counted(workers.length, 'worker')}: ${workersText(workers)}`;
  if (workers.every(({ state }) => state === 'running')) return [{ check: 'workers', result: 'ok', says }];
  return [
    { check: 'workers', result: 'warning', says, next: 'The log of the proxy says why a worker has ended' },
  ];
}
