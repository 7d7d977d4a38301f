import { useState } from 'react';
import { OperationType } from '../../../../src/contract/operation.ts';
import type { JudgedTool } from '../../../../src/contract/tool.ts';
import { Problem } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client, optimistically, queries, useChange } from '../../session/api.ts';

const SHOWS = ['getTool', 'listTools', 'searchTools', 'diffTool', 'status'] as const;
const ORDER: Record<OperationType, number> = { read: 0, write: 1, destructive: 2 };

type Chosen = OperationType | null;

/** What the operator holds the tool to. A choice that loosens what is enforced is shown with its consequence before it is made. */
export function SetVerdict({ tool }: { tool: JudgedTool }) {
  const { name, book } = tool;
  const set = useChange('setOperation', [...SHOWS]);
  const clear = useChange('clearOperation', [...SHOWS]);
  const task = useTask();
  const [asked, setAsked] = useState<Chosen>();
  const now = book.decision?.operation ?? null;

  const store = (chosen: Chosen) =>
    chosen === null ? clear.mutateAsync({ name }) : set.mutateAsync({ name, body: { operation: chosen } });
  const choose = (chosen: Chosen) => {
    setAsked(undefined);
    task.run(async () => {
      const expected = (before: JudgedTool) => withDecision(before, chosen);
      await optimistically({ route: 'getTool', input: { name }, expected }, () => store(chosen));
      showToast(doneText(name, chosen), () => undo(name, now));
    });
  };
  const ask = (chosen: Chosen) => (loosens(tool, chosen) ? setAsked(chosen) : choose(chosen));

  return (
    <section className="stack" aria-label="Set the verdict">
      <h3>Set the verdict</h3>
      <div className="row">
        {OperationType.options.map((operation) => (
          <button
            key={operation}
            type="button"
            aria-pressed={now === operation}
            disabled={task.busy}
            onClick={() => now !== operation && ask(operation)}
          >
            {operation}
          </button>
        ))}
        {now !== null && (
          <button type="button" className="quiet" disabled={task.busy} onClick={() => ask(null)}>
            Clear
          </button>
        )}
      </div>
      {asked !== undefined && (
        <div className="note note-bad stack" role="alert">
          <p>{consequence(tool, asked)}</p>
          <div className="row">
            <button type="button" className="danger" disabled={task.busy} onClick={() => choose(asked)}>
              {asked === null ? 'Confirm and clear' : `Confirm ${asked}`}
            </button>
            <button type="button" className="quiet" onClick={() => setAsked(undefined)}>
              Cancel
            </button>
          </div>
        </div>
      )}
      {task.error !== undefined && <Problem error={task.error} />}
    </section>
  );
}

async function undo(name: string, before: Chosen): Promise<void> {
  await (before === null
    ? client.request('clearOperation', { name })
    : client.request('setOperation', { name, body: { operation: before } }));
  await Promise.all(SHOWS.map((route) => queries.invalidateQueries({ queryKey: [route] })));
}

const withDecision = (tool: JudgedTool, chosen: Chosen): JudgedTool => ({
  ...tool,
  book: { ...tool.book, decision: chosen === null ? null : { by: 'operator', operation: chosen } },
});

const doneText = (name: string, chosen: Chosen) =>
  chosen === null ? `The verdict on ${name} was cleared.` : `${name} now counts as ${chosen}.`;

/** The strictest of what is enforced, hinted and inferred: below it a person has to look twice. */
function strictest({ book, operation }: JudgedTool): OperationType {
  const known = [book.enforced, book.hinted, book.held, book.inferred.operation, operation.verdict];
  return known.reduce<OperationType>(
    (most, each) => (each && ORDER[each] > ORDER[most] ? each : most),
    'read',
  );
}

function loosens(tool: JudgedTool, chosen: Chosen): boolean {
  return chosen === null ? tool.book.decision !== null : ORDER[chosen] < ORDER[strictest(tool)];
}

function consequence(tool: JudgedTool, chosen: Chosen): string {
  const withheld = tool.withheld ? ' It stays withheld until you accept it.' : '';
  if (chosen === null)
    return `After this, ${tool.name} counts as what its server declares, or else as what its text suggests.${withheld}`;
  return `After this, agents may call ${tool.name} as ${chosen}, and approval rules treat it as ${chosen}. Its server or its text says ${strictest(tool)}.${withheld}`;
}
