import { useCallback, useMemo, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { API_PREFIX } from '../../../../src/contract/routes/api.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { useIsLost } from '../../live/connection.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Fetched } from '../../parts/states.tsx';
import { ColumnChoice, useColumns } from './columns.tsx';
import { Explore } from './explore.tsx';
import { addressOf, apiFilter, filterFrom, withRange } from './filter-url.ts';
import { RecordDrawer } from './record-drawer.tsx';
import { RecordTable } from './record-table.tsx';
import { SavedViews } from './saved-views.tsx';
import { useRecords } from './use-records.ts';
import './activity.css';

const RANGES: ReadonlyArray<[label: string, since: string]> = [
  ['1 h', '1h'],
  ['24 h', '24h'],
  ['7 d', '7d'],
  ['30 d', '30d'],
];

/** The activity log. The filter and the open record are the URL, so that a link keeps them and Back works. */
export default function ActivityPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filter = useMemo(() => filterFrom(search), [search]);
  const open = new URLSearchParams(search).get('record') ?? undefined;
  const query = useRecords(filter);
  const { records, total, waiting, showWaiting, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const isLost = useIsLost();
  const [columns, setColumns] = useColumns();
  const [isGrouped, setGrouped] = useState(false);

  const change = useCallback(
    (next: string) => {
      if (next !== filter) navigate(addressOf(next));
    },
    [filter, navigate],
  );
  const show = useCallback(
    (id: string | undefined, isStep = false) => navigate(addressOf(filter, id), { replace: isStep }),
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
          <ExportLinks filter={filter} />
        </div>
      </div>
      <SavedViews filter={filter} onChange={change} />
      <Explore filter={filter} isGrouped={isGrouped} onChange={change}>
        <div className="row row-apart">
          <div className="row" role="group" aria-label="Time range">
            {RANGES.map(([label, since]) => (
              <button key={since} type="button" onClick={() => change(withRange(filter, { since }))}>
                {label}
              </button>
            ))}
            <button type="button" onClick={() => change(withRange(filter, {}))}>
              All time
            </button>
          </div>
          <div className="row">
            <button type="button" aria-pressed={isGrouped} onClick={() => setGrouped(!isGrouped)}>
              Group failures
            </button>
            <ColumnChoice columns={columns} onChange={setColumns} />
          </div>
        </div>
        {waiting > 0 && (
          <button type="button" className="pill" onClick={showWaiting}>
            {waiting.toLocaleString('en')} new
          </button>
        )}
        {!isGrouped && (
          <Fetched query={query} what="records">
            {() =>
              records.length === 0 ? (
                <NoRecords isFiltered={filter !== ''} />
              ) : (
                <RecordTable records={records} total={total} columns={columns} onEnd={more} onOpen={show} />
              )
            }
          </Fetched>
        )}
      </Explore>
      {open !== undefined && (
        <RecordDrawer
          id={open}
          filter={filter}
          onStep={(step) => {
            const next = records[records.findIndex(({ id }) => id === open) + step];
            if (next) show(next.id, true);
          }}
          onClose={() => show(undefined)}
          onFilter={change}
        />
      )}
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

function ExportLinks({ filter }: { filter: string }) {
  const query = new URLSearchParams(apiFilter(filter));
  return (
    <>
      {(['json', 'csv'] as const).map((format) => (
        <a
          key={format}
          className="button quiet"
          href={`${API_PREFIX}/activity/export?${new URLSearchParams([['format', format], ...query])}`}
          download={`activity.${format === 'json' ? 'jsonl' : 'csv'}`}
        >
          <Icon name="download" />
          {format.toUpperCase()}
        </a>
      ))}
    </>
  );
}
