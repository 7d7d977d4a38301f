import type { JudgedTool, ToolDiff } from '../../../../src/contract/tool.ts';
import type { OperationType } from '../../../../src/contract/operation.ts';
import { OperationBadge } from '../../parts/badges.tsx';

const ORDER: ReadonlyArray<OperationType | null> = [null, 'read', 'write', 'destructive'];
const severity = (operation: OperationType | null) => ORDER.indexOf(operation);

/** Accepting it lets agents do more than before, or more than its text suggests, or its text speaks to the model. */
export const isRisky = ({ findings, book }: JudgedTool, { approval: { before, after } }: ToolDiff): boolean =>
  findings.length > 0 ||
  (before !== null && severity(after.operation) < severity(before.operation)) ||
  severity(after.operation) < severity(book.inferred.operation);

const ASKED = {
  never: 'nobody is asked',
  sometimes: 'a person is asked for some callers only',
  always: 'a person is asked before each call',
} as const;

/** What follows from accepting a definition, in one sentence. */
export function Consequence({ diff }: { diff: ToolDiff }) {
  const { before, after, asks = 'never' } = diff.approval;
  return (
    <p className={asks === 'never' && after.operation !== 'destructive' ? 'after after-open' : 'after'}>
      After this, agents may call it as{' '}
      {after.operation ? <OperationBadge operation={after.operation} /> : <strong>any operation</strong>} and{' '}
      <strong>{ASKED[asks]}</strong>.{' '}
      {!before ? (
        'It was never accepted.'
      ) : before.operation === after.operation ? (
        'That is as before.'
      ) : (
        <span>
          Before: {before.operation ? <OperationBadge operation={before.operation} /> : 'any operation'}.
        </span>
      )}
    </p>
  );
}
