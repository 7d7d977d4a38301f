import { AggregatorRegistry, type Registry } from 'prom-client';

/** The metrics of one process, as they are sent to another one. */
export type Series = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The metrics of several processes as one text: each says how it is combined, most are added. */
export function sumSeries(all: Series[]): Promise<string> {
  return AggregatorRegistry.aggregate(all).metrics();
}
