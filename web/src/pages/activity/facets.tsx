import { useQueries } from '@tanstack/react-query';
import {
  BREAKDOWN_FIELDS,
  type ActivityBreakdown,
  type BreakdownField,
} from '../../../../src/contract/activity.ts';
import { Line } from '../../parts/untrusted.tsx';
import { client } from '../../session/api.ts';
import { apiFilter, choiceOf, read, withoutField, withValue, type Choice } from './filter-url.ts';

const TITLES: Record<BreakdownField, string> = {
  agent: 'Agent or person',
  client: 'Client',
  server: 'Server',
  tool: 'Tool',
  op: 'Operation',
  status: 'Status',
  code: 'Error code',
  type: 'Type',
  session: 'Session',
  secret: 'Secret sent',
  received_secret: 'Secret received',
};
const FIRST_SHOWN = 6;

interface Props {
  filter: string;
  breakdown: ActivityBreakdown;
  onChange: (filter: string) => void;
}

/** The values of each field with their counts. A click wants a value, another one drops it again; "not" excludes it. */
export function Facets({ filter, breakdown, onChange }: Props) {
  const parsed = read(filter);
  const filtered = BREAKDOWN_FIELDS.filter((field) =>
    parsed.clauses.some((clause) => clause.field === field),
  );
  // A field that is filtered shows what else it has: its own conditions do not count for it.
  const others = useQueries({
    queries: filtered.map((field) => {
      const input = { ...apiFilter(withoutField(filter, field)), buckets: 1 };
      return {
        queryKey: ['activityBreakdown', input],
        queryFn: ({ signal }: { signal: AbortSignal }) => client.request('activityBreakdown', input, signal),
      };
    }),
  });
  return (
    <div className="facets" role="group" aria-label="Values of the records">
      {BREAKDOWN_FIELDS.map((field) => {
        const other = others[filtered.indexOf(field)]?.data;
        const found = (other ?? breakdown).fields[field] ?? [];
        const chosen = parsed.clauses
          .filter((clause) => clause.field === field)
          .flatMap(({ values }) => values);
        const known = found.map((each) => ({ ...each, written: asWritten(field, each.value, chosen) }));
        const missing = chosen.filter((value) => !known.some(({ written }) => written === value));
        const values = [...known, ...missing.map((value) => ({ value, written: value, count: 0 }))];
        if (values.length === 0) return null;
        return (
          <details key={field} open={field !== 'session' && field !== 'type'}>
            <summary>{TITLES[field]}</summary>
            <ul>
              {shownOf(values, chosen).map(({ value, written, count }) => (
                <FacetValue
                  key={value}
                  value={value}
                  count={count}
                  choice={choiceOf(parsed, field, written)}
                  onChoose={(as) => onChange(withValue(filter, { field, value: written, as }))}
                />
              ))}
            </ul>
          </details>
        );
      })}
    </div>
  );
}

const shownOf = <T extends { written: string }>(values: T[], chosen: string[]): T[] =>
  values.filter(({ written }, index) => index < FIRST_SHOWN || chosen.includes(written));

/** A value as the filter has it: the name of a token stands for the token. */
const asWritten = (field: BreakdownField, value: string, chosen: readonly string[]): string =>
  chosen.find((each) => each === value || (field === 'agent' && `token:${each}` === value)) ?? value;

interface ValueProps {
  value: string;
  count: number;
  choice: Choice;
  onChoose: (as: Choice) => void;
}

function FacetValue({ value, count, choice, onChoose }: ValueProps) {
  return (
    <li className={`facet facet-${choice}`}>
      <button
        type="button"
        className="facet-value"
        aria-pressed={choice === 'wanted'}
        onClick={() => onChoose(choice === 'wanted' ? 'neither' : 'wanted')}
      >
        <Line text={value} max={60} /> <span className="muted">{count.toLocaleString('en')}</span>
      </button>
      <button
        type="button"
        className="facet-not"
        aria-pressed={choice === 'excluded'}
        aria-label={`Exclude ${value.slice(0, 60)}`}
        onClick={() => onChoose(choice === 'excluded' ? 'neither' : 'excluded')}
      >
        not
      </button>
    </li>
  );
}
