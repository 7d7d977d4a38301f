import { useEffect, useRef, type ReactNode } from 'react';
import { counted } from '../../../../src/lib/visible-text.ts';
import { useIsLost } from '../../live/connection.ts';
import { useLive } from '../../live/live.ts';
import { BarLegend } from '../../parts/charts/stacked-bars.tsx';
import { Fetched } from '../../parts/states.tsx';
import { queries, useApi } from '../../session/api.ts';
import { Facets } from './facets.tsx';
import { FailureGroups } from './failure-groups.tsx';
import { apiFilter, withRange } from './filter-url.ts';
import { Histogram } from './histogram.tsx';
import { QueryBar } from './query-bar.tsx';

const REFRESH_MS = 5000;

interface Props {
  filter: string;
  isGrouped: boolean;
  onChange: (filter: string) => void;
  /** The list. */
  children: ReactNode;
}

/** Query bar, histogram and facets around the list: all of exactly the records that are listed. */
export function Explore({ filter, isGrouped, onChange, children }: Props) {
  const breakdown = useApi('activityBreakdown', { ...apiFilter(filter), buckets: 96 });
  useRefresh();
  const { data } = breakdown;
  const isLost = useIsLost();
  return (
    <>
      <QueryBar filter={filter} fields={data?.fields} onChange={onChange} />
      <section className="card stack time-range" aria-label="Records over time">
        <Fetched query={breakdown} what="records over time">
          {({ series, counted: n, complete }) => (
            <>
              <Histogram
                series={series}
                label={`${isLost ? 'Records' : `${complete ? '' : 'The newest '}${counted(n, 'record')}`} over time. Drag, or use Shift with the arrow keys and Enter, to choose a range.`}
                onRange={(range) => onChange(withRange(filter, range))}
              />
              <BarLegend />
            </>
          )}
        </Fetched>
      </section>
      <div className="explore">
        <aside aria-label="Filters">
          {data && <Facets filter={filter} breakdown={data} onChange={onChange} />}
          {data && !data.complete && !isLost && (
            <p className="muted">Counts are of the newest {counted(data.counted, 'record')} that match.</p>
          )}
        </aside>
        <div className="stack explore-list">
          {children}
          {isGrouped && data && <FailureGroups groups={data.failures} filter={filter} onChange={onChange} />}
        </div>
      </div>
    </>
  );
}

/** Counts follow new records, but not each of them. */
function useRefresh(): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLive('activity', () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: ['activityBreakdown'] });
    }, REFRESH_MS);
  });
}
