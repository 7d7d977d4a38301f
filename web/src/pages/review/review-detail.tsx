import type { JudgedTool, ToolDiff } from '../../../../src/contract/tool.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { DefinitionDiff } from '../../parts/diff/definition-diff.tsx';
import { CodeView } from '../../parts/code-view.tsx';
import { Findings, Line, Paragraph } from '../../parts/untrusted.tsx';
import { Consequence } from './consequence.tsx';

/** A definition with everything that a person needs to decide about it. */
export function ReviewDetail({ tool, diff }: { tool: JudgedTool; diff: ToolDiff }) {
  const { book, description, findings, standing } = tool;
  return (
    <div className="stack">
      <Consequence diff={diff} />
      <Findings findings={findings} />
      {diff.notes.map((note) => (
        <p key={note}>
          <Line text={note} />
        </p>
      ))}
      {standing === 'changed' && diff.changes.length > 0 ? (
        <DefinitionDiff changes={diff.changes} />
      ) : (
        <>
          <Paragraph text={description || 'The server gives no description of this tool.'} max={2000} />
          <details>
            <summary>Parameters</summary>
            <CodeView label="Input schema" value={tool.inputSchema} />
          </details>
        </>
      )}
      <dl className="facts">
        <dt>Its server says</dt>
        <dd>{book.hinted ? <OperationBadge operation={book.hinted} /> : 'nothing'}</dd>
        <dt>Its text suggests</dt>
        <dd>
          <OperationBadge operation={book.inferred.operation} />{' '}
          <Line text={book.inferred.reason} max={300} />
        </dd>
      </dl>
    </div>
  );
}
