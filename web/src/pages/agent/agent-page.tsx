import { Link, useSearch } from 'wouter';
import { type ActivityBreakdown, filterText } from '../../../../src/contract/activity.ts';
import type { TokenView } from '../../../../src/contract/token.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { OperationBadge, StatusBadge } from '../../parts/badges.tsx';
import { Claim, Fetched } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';

const DAYS = 30;

/** One agent: what it may do, what it did, how often and why it was refused, and what is new today. */
export default function AgentPage() {
  const name = new URLSearchParams(useSearch()).get('name') ?? '';
  const filter = filterText({
    clauses: [{ field: 'agent', values: [name], exclude: false }],
    words: [],
    since: `${DAYS}d`,
  });
  const month = useApi('activityBreakdown', { filter, buckets: 30 });
  return (
    <>
      <div className="row row-apart">
        <h1>
          <Line text={name} max={80} />
        </h1>
        <Link className="button quiet" href={activity(filter)}>
          All its calls
        </Link>
      </div>
      <div className="cards">
        <Permitted principal={name} />
        <Fetched query={month} what="what it did">
          {(data) => (
            <>
              <Done breakdown={data} filter={filter} />
              <Refused breakdown={data} filter={filter} />
              <Unusual name={name} />
              <Sessions breakdown={data} />
            </>
          )}
        </Fetched>
      </div>
    </>
  );
}

const activity = (filter: string) => `/activity?${new URLSearchParams({ filter })}`;

function Permitted({ principal }: { principal: string }) {
  const name = principal.startsWith('token:') ? principal.slice('token:'.length) : undefined;
  const tokens = useApi('listTokens', {}, { enabled: name !== undefined });
  return (
    <section className="card stack">
      <h2>What it may do</h2>
      {name === undefined ? (
        <p>Not an agent token, so no token scope limits it.</p>
      ) : (
        <Fetched query={tokens} what="tokens">
          {(data) => <Scope token={data.tokens.find((token) => token.name === name)} />}
        </Fetched>
      )}
    </section>
  );
}

function Scope({ token }: { token: TokenView | undefined }) {
  if (!token) return <Claim>No token has this name now.</Claim>;
  const { operations, servers, tools, status, expires_at: expires, last_used_at: used } = token;
  return (
    <dl className="facts">
      <dt>Token</dt>
      <dd>{status}</dd>
      <dt>Operations</dt>
      <dd className="row">
        {operations.map((operation) => (
          <OperationBadge key={operation} operation={operation} />
        ))}
      </dd>
      <dt>Servers and tools</dt>
      <dd className="mono">
        <Line text={[...(servers ?? []), ...(tools ?? [])].join(', ') || 'all'} max={300} />
      </dd>
      <dt>Expires</dt>
      <dd>{expires ? <Time at={expires} /> : 'never'}</dd>
      <dt>Last used</dt>
      <dd>{used ? <Time at={used} /> : 'never'}</dd>
    </dl>
  );
}

interface CountedProps {
  breakdown: ActivityBreakdown;
  filter: string;
}

function Done({ breakdown: { counted: n, complete, fields }, filter }: CountedProps) {
  return (
    <section className="card stack">
      <h2>What it did in {DAYS} days</h2>
      <p>
        {complete ? '' : 'The newest '}
        {counted(n, 'record')}
      </p>
      <ul className="looks">
        {fields.op.map(({ value, count }) => (
          <li key={value} className="row">
            <OperationBadge operation={value as 'read'} />
            <Link href={activity(`${filter} op:${value}`)}>{counted(count, 'call')}</Link>
          </li>
        ))}
        {fields.tool.slice(0, 8).map(({ value, count }) => (
          <li key={value} className="row row-apart">
            <span className="mono">
              <Line text={value} max={60} />
            </span>
            <span className="muted">{count.toLocaleString('en')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Refused({ breakdown: { failures, fields }, filter }: CountedProps) {
  const refused = fields.status.filter(({ value }) => value === 'refused' || value === 'denied');
  return (
    <section className="card stack">
      <h2>Refused</h2>
      {refused.length === 0 && <Claim>None of these calls was refused or denied.</Claim>}
      <ul className="looks">
        {refused.map(({ value, count }) => (
          <li key={value}>
            <Link href={activity(`${filter} status:${value}`)}>{counted(count, 'call')}</Link> {value}
          </li>
        ))}
        {failures.slice(0, 6).map((group) => (
          <li key={group.record} className="row">
            <StatusBadge status={group.status} />
            <Link href={`/activity?record=${group.record}`} className="mono">
              <Line text={group.code ?? group.tool ?? '–'} max={60} />
            </Link>
            <span className="muted">
              {counted(group.count, 'time')}, last <Time at={group.last} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Tools and operations of the last day that the agent did not use in the month before. */
function Unusual({ name }: { name: string }) {
  const clauses = [{ field: 'agent' as const, values: [name], exclude: false }];
  const today = useApi('activityBreakdown', {
    filter: filterText({ clauses, words: [], since: '24h' }),
    buckets: 1,
  });
  const before = useApi('activityBreakdown', {
    filter: filterText({ clauses, words: [], since: `${DAYS}d`, until: '24h' }),
    buckets: 1,
  });
  const data = today.data && before.data ? { today: today.data, before: before.data } : undefined;
  const refetch = () => [today.refetch(), before.refetch()];
  return (
    <section className="card stack">
      <h2>Unusual today</h2>
      <Fetched query={{ data, error: today.error ?? before.error, refetch }} what="what is new">
        {({ today: now, before: earlier }) => <NewTools now={now} earlier={earlier} />}
      </Fetched>
    </section>
  );
}

function NewTools({ now, earlier }: { now: ActivityBreakdown; earlier: ActivityBreakdown }) {
  const known = new Set(earlier.fields.tool.map(({ value }) => value));
  const fresh = now.fields.tool.filter(({ value }) => !known.has(value));
  if (earlier.counted === 0) return <Claim>There are no earlier records to compare with.</Claim>;
  // Only the most frequent tools are listed, so an older one may be missing there.
  if (fresh.length === 0) return <Claim>No tool that it did not use in the {DAYS} days before.</Claim>;
  return (
    <ul className="looks">
      {fresh.map(({ value, count }) => (
        <li key={value}>
          <span className="mono">
            <Line text={value} max={60} />
          </span>{' '}
          <span className="muted">first used today, {counted(count, 'call')}</span>
        </li>
      ))}
    </ul>
  );
}

function Sessions({ breakdown: { fields } }: { breakdown: ActivityBreakdown }) {
  return (
    <section className="card stack">
      <h2>Sessions</h2>
      {fields.session.length === 0 && <Claim>Its calls had no session.</Claim>}
      <ul className="looks">
        {fields.session.slice(0, 10).map(({ value, count }) => (
          <li key={value} className="row row-apart">
            <Link href={`/session?id=${encodeURIComponent(value)}`} className="mono">
              <Line text={value} max={30} />
            </Link>
            <span className="muted">{counted(count, 'record')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
