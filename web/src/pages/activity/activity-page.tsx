import { useCallback, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { API_PREFIX } from '../../../../src/contract/api.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { FilterBar } from './filter-bar.tsx';
import { filterFrom, searchOf, withValue } from './filter-url.ts';
import { RecordDrawer } from './record-drawer.tsx';
import { RecordTable } from './record-table.tsx';
import { TimeRange } from './time-range.tsx';
import { useRecords } from './use-records.ts';
import './activity.css';

/** Everything that agents did or tried. The filter is in the address, so that a link keeps it. */
export default function ActivityPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filter = useMemo(() => filterFrom(search), [search]);
  const [open, setOpen] = useState(() => new URLSearchParams(search).get('record') ?? undefined);
  const { records, total, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useRecords(filter);

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
            {total === undefined ? '' : `${total.toLocaleString('en')} records`}
          </span>
          <ExportLinks search={search} />
        </div>
      </div>
      <TimeRange filter={filter} onChange={change} />
      <FilterBar filter={filter} onChange={change} />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading what="records" />}
      {!isPending && records.length === 0 && (
        <Empty title={search === '' ? 'Nothing has happened yet' : 'No record fits this filter'}>
          <p>
            {search === ''
              ? 'Connect a client, or try a tool on the Tools page: every call appears here, refused ones too.'
              : 'Take a condition away, or choose a longer time.'}
          </p>
        </Empty>
      )}
      {records.length > 0 && <RecordTable records={records} total={total} onEnd={more} onOpen={setOpen} />}
      {open !== undefined && <RecordDrawer id={open} onClose={() => setOpen(undefined)} onFilter={change} />}
    </>
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
