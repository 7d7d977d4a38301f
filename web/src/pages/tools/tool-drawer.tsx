import { useSearch } from 'wouter';
import type { JudgedTool } from '../../../../src/contract/tool.ts';
import { isObject } from '../../../../src/json/index.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { CodeView } from '../../parts/code-view.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Findings } from '../../parts/untrusted.tsx';
import { Fetched } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';
import { SetVerdict } from './set-verdict.tsx';
import { ToolChanges } from './tool-changes.tsx';
import { RunTool } from './run/run-tool.tsx';

/** One tool: verdict, changes, schemas and a form to try it. */
export function ToolDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  const tool = useApi('getTool', { name });
  return (
    <Drawer title={<Line text={name} />} onClose={onClose}>
      <Fetched query={tool} what="the tool">
        {(data) => (
          <>
            <Detail tool={data} />
            <Run tool={data} />
            <CodeView label="Input schema" value={data.inputSchema} />
            {data.outputSchema && <CodeView label="Output schema" value={data.outputSchema} />}
          </>
        )}
      </Fetched>
    </Drawer>
  );
}

function Detail({ tool }: { tool: JudgedTool }) {
  return (
    <>
      <div className="row">
        <OperationBadge operation={tool.operation.verdict} />
        <StandingBadge tool={tool} />
        <code>{tool.call_with}</code>
      </div>
      <Paragraph text={tool.description || 'The server gives no description of this tool.'} />
      <Findings findings={tool.findings} />
      <Book tool={tool} />
      <SetVerdict tool={tool} />
      {(tool.standing !== 'accepted' || tool.withheld) && <ToolChanges tool={tool} />}
    </>
  );
}

/** The form of the tool. An address with `record` begins with the arguments of that call. */
function Run({ tool }: { tool: JudgedTool }) {
  const record = new URLSearchParams(useSearch()).get('record') ?? undefined;
  const earlier = useApi('getActivity', { id: record ?? '' }, { enabled: record !== undefined });
  if (record === undefined) return <RunTool key={tool.name} tool={tool} given={undefined} />;
  return (
    <Fetched query={earlier} what="the call">
      {({ arguments: given, metadata }) => (
        <>
          {(metadata.masked ?? 0) > 0 && (
            <p className="note note-warn">
              Parts of this call are masked in the log. Replace them before you call again.
            </p>
          )}
          {metadata.arguments_truncated && (
            <p className="note note-warn">The arguments of this call were cut in the log.</p>
          )}
          <RunTool key={record} tool={tool} given={isObject(given) ? given : undefined} />
        </>
      )}
    </Fetched>
  );
}

function Book({ tool: { book, operation, annotations, first_seen, changed_at } }: { tool: JudgedTool }) {
  return (
    <section>
      <h3>Verdict and its inputs</h3>
      <dl className="facts">
        <dt>Hinted by the server</dt>
        <dd>
          <OperationBadge operation={book.hinted} />{' '}
          {annotations && <code>{<Line text={JSON.stringify(annotations)} />}</code>}
        </dd>
        {book.held !== book.hinted && (
          <>
            <dt>Hinted before</dt>
            <dd>
              <OperationBadge operation={book.held} /> enforced until the change is accepted
            </dd>
          </>
        )}
        <dt>Inferred</dt>
        <dd>
          <OperationBadge operation={book.inferred.operation} /> <Line text={book.inferred.reason} />
        </dd>
        <dt>Set by the operator</dt>
        <dd>
          {book.decision ? (
            <>
              <OperationBadge operation={book.decision.operation} /> by {book.decision.by}{' '}
              {book.decision.at && <Time at={book.decision.at} />}
            </>
          ) : (
            'not set'
          )}
        </dd>
        <dt>Enforced</dt>
        <dd>
          {book.enforced ? <OperationBadge operation={book.enforced} /> : 'any variant can call it'}{' '}
          {operation.reason && <Line text={operation.reason} />}
        </dd>
        <dt>First seen</dt>
        <dd>
          <Time at={first_seen} />, last changed <Time at={changed_at} />
        </dd>
      </dl>
    </section>
  );
}

/** Whether the current definition of the tool is accepted, and whether agents can use it. */
export function StandingBadge({
  tool,
}: {
  tool: Pick<JudgedTool, 'standing' | 'withheld' | 'rejected' | 'enabled' | 'suspicious'>;
}) {
  if (tool.enabled === false) return <span className="badge">disabled</span>;
  if (tool.rejected) return <span className="badge tone-bad">rejected</span>;
  if (tool.withheld) return <span className="badge tone-bad">{tool.standing}, withheld</span>;
  if (tool.suspicious) return <span className="badge badge-write">suspicious text</span>;
  if (tool.standing === 'accepted') return <span className="badge tone-good">accepted</span>;
  return <span className="badge tone-wait">{tool.standing}</span>;
}
