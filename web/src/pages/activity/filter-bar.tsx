import { useEffect, useState } from 'react';
import { ActivityStatus, ActivityType, type ActivityFilter } from '../../../../src/contract/activity.ts';
import { OperationType } from '../../../../src/contract/operation.ts';
import { useApi } from '../../session/api.ts';

interface Props {
  filter: ActivityFilter;
  onChange: (changes: Partial<Record<keyof ActivityFilter, string | undefined>>) => void;
}

const TYPING_MS = 250;

/** The filters of the log. Intent comes first because it is used most. */
export function FilterBar({ filter, onChange }: Props) {
  const servers = useApi('listServers', {});
  const names = servers.data?.servers.map(({ name }) => name) ?? [];
  return (
    <form
      className="filters"
      role="search"
      aria-label="Filter records"
      onSubmit={(event) => event.preventDefault()}
    >
      <fieldset className="segments">
        <legend>Intent</legend>
        {['', ...OperationType.options].map((value) => (
          <label key={value}>
            <input
              type="radio"
              name="intent"
              checked={(filter.intent_type ?? '') === value}
              onChange={() => onChange({ intent_type: value })}
            />
            <span>{value === '' ? 'all' : value}</span>
          </label>
        ))}
      </fieldset>
      <Text
        label="Search"
        value={filter.q}
        placeholder="tool, arguments, reason, error, caller, decider"
        onChange={(q) => onChange({ q })}
      />
      <Choice
        label="Status"
        value={filter.status}
        options={ActivityStatus.options}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label="Server"
        value={filter.server}
        options={names}
        onChange={(server) => onChange({ server })}
      />
      <Text label="Tool" value={filter.tool} onChange={(tool) => onChange({ tool })} />
      <Choice
        label="Type"
        value={filter.type}
        options={ActivityType.options}
        onChange={(type) => onChange({ type })}
      />
      <details className="more-filters" open={hasMore(filter)}>
        <summary>More filters</summary>
        <div className="row">
          <Text
            label="Principal"
            value={filter.principal}
            onChange={(principal) => onChange({ principal })}
          />
          <Text label="Client" value={filter.client} onChange={(client) => onChange({ client })} />
          <Text
            label="Approval"
            value={filter.approval_id}
            onChange={(approval_id) => onChange({ approval_id })}
          />
          <Text
            label="Decider"
            value={filter.decided_by}
            onChange={(decided_by) => onChange({ decided_by })}
          />
          <Text
            label="From"
            value={filter.start_time}
            placeholder="yesterday, 7d, 2026-11-01"
            onChange={(start_time) => onChange({ start_time })}
          />
          <Text
            label="To"
            value={filter.end_time}
            placeholder="today, 2026-11-01"
            onChange={(end_time) => onChange({ end_time })}
          />
          <Text
            label="Session"
            value={filter.session_id}
            onChange={(session_id) => onChange({ session_id })}
          />
          <Text
            label="Request"
            value={filter.request_id}
            onChange={(request_id) => onChange({ request_id })}
          />
          <Text
            label="Conversation"
            value={filter.conversation_id}
            onChange={(conversation_id) => onChange({ conversation_id })}
          />
        </div>
      </details>
    </form>
  );
}

const MORE = [
  'principal',
  'client',
  'approval_id',
  'decided_by',
  'session_id',
  'request_id',
  'conversation_id',
] as const satisfies Array<keyof ActivityFilter>;

const hasMore = (filter: ActivityFilter): boolean => MORE.some((name) => filter[name] !== undefined);

function Choice(props: {
  label: string;
  value: string | undefined;
  options: readonly string[];
  onChange: (value: string) => void;
}) {
  const { label, value = '', options, onChange } = props;
  // A removed server still has records.
  const all = value === '' || options.includes(value) ? options : [value, ...options];
  return (
    <label className="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">any</option>
        {all.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

/** Reports a change when the typing pauses. */
function Text(props: {
  label: string;
  value: string | undefined;
  placeholder?: string;
  onChange: (value: string) => void;
}) {
  const { label, value = '', placeholder, onChange } = props;
  const [typed, setTyped] = useState(value);
  const [from, setFrom] = useState(value);
  if (from !== value) {
    setFrom(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => onChange(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <label className="field">
      <span>{label}</span>
      <input
        type="search"
        value={typed}
        placeholder={placeholder}
        maxLength={200}
        onChange={(event) => setTyped(event.target.value)}
      />
    </label>
  );
}
