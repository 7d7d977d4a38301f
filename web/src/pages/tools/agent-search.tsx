import { useState } from 'react';
import type { ScoredTool } from '../../../../src/contract/tool.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Empty, Fetched } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { ToolDrawer } from './tool-drawer.tsx';

/** The search of retrieve_tools, with the same results that an agent gets. */
export function AgentSearch() {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  const [open, setOpen] = useState<string>();
  const found = useApi('searchTools', { q: query, limit: 10, explain: 'true' }, { enabled: query !== '' });
  return (
    <section className="stack" aria-label="Agent search">
      <form
        className="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(typed.trim());
        }}
      >
        <label className="field grow">
          <span>Search as an agent would (one task per query)</span>
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
          // Do not show the results of the previous query.
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
      <Empty title="No matching tools">
        <p>
          <Line text={answer.suggestions?.hint ?? 'Try other words, one task per query.'} />
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
                <summary>Why this result?</summary>
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
        {counted(answer.total, 'match', 'matches')}, {answer.left_out.by_limit} not shown{' '}
        {answer.left_out.withheld ? `, ${answer.left_out.withheld} withheld` : ''}.
      </p>
    </>
  );
}
