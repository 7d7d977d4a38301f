import { useState } from 'react';
import type { ScoredTool } from '../../../../src/contract/tool.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Empty, Fetched } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';
import { ToolDrawer } from './tool-drawer.tsx';

/** The same search, with the same answer, that an agent gets from retrieve_tools. */
export function AgentSearch() {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  const [open, setOpen] = useState<string>();
  const found = useApi('searchTools', { q: query, limit: 10, explain: 'true' }, { enabled: query !== '' });
  return (
    <section className="stack" aria-label="Search as an agent does">
      <form
        className="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(typed.trim());
        }}
      >
        <label className="field grow">
          <span>Search as an agent does: one need at a time</span>
          <input
            type="search"
            value={typed}
            maxLength={1000}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <button type="submit" className="primary search-button" disabled={typed.trim() === ''}>
          Search
        </button>
      </form>
      {query !== '' && (
        <Fetched
          // The tools of the search before are not those of this one.
          query={found.isPlaceholderData ? { ...found, data: undefined } : found}
          what="tools"
        >
          {(answer) => <Results answer={answer} onOpen={setOpen} />}
        </Fetched>
      )}
      {open !== undefined && <ToolDrawer name={open} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

interface Answer {
  tools: ScoredTool[];
  total: number;
  left_out: { by_filter: number; by_limit: number; withheld?: number | undefined };
  suggestions?: { hint: string } | undefined;
}

function Results({ answer, onOpen }: { answer: Answer; onOpen: (name: string) => void }) {
  if (answer.tools.length === 0)
    return (
      <Empty title="An agent finds nothing for this">
        <p>
          <Line text={answer.suggestions?.hint ?? 'Try other words.'} />
        </p>
      </Empty>
    );
  return (
    <>
      <ol className="found">
        {answer.tools.map((tool) => (
          <li key={tool.name} className="card">
            <div className="row row-apart">
              <div className="row">
                <meter min={0} max={1} value={tool.score} aria-label="Score" />
                <span className="mono">{tool.score.toFixed(2)}</span>
                <button type="button" className="link mono" onClick={() => onOpen(tool.name)}>
                  <Line text={tool.name} max={120} />
                </button>
              </div>
              <div className="row">
                <OperationBadge operation={tool.operation.verdict} />
                <code>{tool.call_with}</code>
              </div>
            </div>
            <p className="muted">
              <Line text={tool.description} max={240} />
            </p>
            {tool.why && (
              <details>
                <summary>Why here?</summary>
                <ul className="why">
                  {tool.why.map(({ term, field, score }) => (
                    <li key={`${term} ${field}`}>
                      <Line text={term} max={60} /> in {field}: {score.toFixed(3)}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ol>
      <p className="muted">
        {answer.total} match; {answer.left_out.by_limit} more are not shown
        {answer.left_out.withheld ? `, ${answer.left_out.withheld} are withheld` : ''}.
      </p>
    </>
  );
}
