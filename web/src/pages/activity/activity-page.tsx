import { useCallback, useMemo, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { API_PREFIX } from '../../../../src/contract/routes/api.ts';
import { useIsLost } from '../../live/connection.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Fetched } from '../../parts/states.tsx';
import { counted } from '../../../../src/lib/visible-text.ts';
import { FilterBar } from './filter-bar.tsx';
import { filterFrom, searchOf, withValue } from './filter-url.ts';
import { RecordDrawer } from './record-drawer.tsx';
import { RecordTable } from './record-table.tsx';
import { TimeRange } from './time-range.tsx';
import { useRecords } from './use-records.ts';
import './activity.css';

/** The activity log. The filter is part of the URL, so that a link keeps it. */
export default function ActivityPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filter = useMemo(() => filterFrom(search), [search]);
  const [open, setOpen] = useState(() => new URLSearchParams(search).get('record') ?? undefined);
  const query = useRecords(filter);
  const { records, total, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const isLost = useIsLost();

  const change = useCallback(
    (changes: Parameters<typeof withValue>[1]) =>
      navigate(`/activity?${searchOf(withValue(filter, changes))}`, { replace: true }),
    [filter, navigate],
  );
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  return (
    <>
      <div className="row row-apart">
        <h1>Activity</h1>
        <div className="row">
          <span className="muted" role="status">
            {total === undefined || isLost ? '' : counted(total, 'record')}
          </span>
          <Link className="button quiet" href="/audit">
            Audit
          </Link>
          <ExportLinks search={search} />
        </div>
      </div>
      <TimeRange filter={filter} onChange={change} />
      <FilterBar filter={filter} onChange={change} />
      <Fetched query={query} what="records">
        {() =>
          records.length === 0 ? (
            <NoRecords isFiltered={search !== ''} />
          ) : (
            <RecordTable records={records} total={total} onEnd={more} onOpen={setOpen} />
          )
        }
      </Fetched>
      {open !== undefined && <RecordDrawer id={open} onClose={() => setOpen(undefined)} onFilter={change} />}
    </>
  );
}

function NoRecords({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? 'No records match these filters' : 'No activity yet'}>
      <p>
        {isFiltered
          ? 'Remove a filter or choose a longer time range.'
          : 'Connect a client, or try a tool on the Tools page. Every call appears here, including refused ones.'}
      </p>
    </Empty>
  );
}

function ExportLinks({ search }: { search: string }) {
  const query = searchOf(filterFrom(search));
  return (
    <>
      {(['json', 'csv'] as const).map((format) => (
        <a
          key={format}
          className="button quiet"
          href={`${API_PREFIX}/activity/export?format=${format}${query && `&${query}`}`}
          download={`activity.${format === 'json' ? 'jsonl' : 'csv'}`}
        >
          <Icon name="download" />
          {format.toUpperCase()}
        </a>
      ))}
    </>
  );
}
