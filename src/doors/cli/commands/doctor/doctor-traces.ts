import type { Status } from '../../../../contract/status.ts';
import type { Check } from './check.ts';

/** Whether spans arrive where the environment of the daemon says. Without a collector nothing is wrong. */
export function traceCheck({ traces }: Pick<Status, 'traces'>): Check {
  const { exporting, to, problem, exported, dropped, failed } = traces;
  if (!exporting && problem === undefined)
    return {
      check: 'traces',
      result: 'ok',
      says: 'no spans are collected: the daemon runs without OTEL_EXPORTER_OTLP_ENDPOINT',
    };
  if (!exporting)
    return {
      check: 'traces',
      result: 'warning',
      says: `no spans are collected: ${problem}`,
      next: 'mend the environment of the daemon and start it again',
    };
  const lost = dropped + failed;
  if (problem !== undefined)
    return {
      check: 'traces',
      result: 'warning',
      says: `spans do not arrive at ${to}: ${problem}; ${lost} are lost`,
      next: 'start the collector; mcpproxy goes on by itself',
    };
  const says = `${exported} spans exported to ${to}`;
  if (lost === 0) return { check: 'traces', result: 'ok', says };
  return { check: 'traces', result: 'warning', says: `${says}; ${lost} are lost` };
}
