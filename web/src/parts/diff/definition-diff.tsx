import type { ToolDiff } from '../../../../src/contract/tool.ts';
import { ChangedText } from './changed-text.tsx';
import { Line } from '../untrusted.tsx';

type Change = ToolDiff['changes'][number];

const PARTS = {
  hints: 'Hints',
  text: 'Text',
  schema: 'Schema',
  other: 'Other',
} as const;

function partOf({ path }: Change): keyof typeof PARTS {
  if (path.startsWith('/annotations')) return 'hints';
  if (path.startsWith('/inputSchema') || path.startsWith('/outputSchema')) return 'schema';
  return /^\/(description|title|name)/.test(path) ? 'text' : 'other';
}

/** What changed in a definition: hints, text and schema, word by word. */
export function DefinitionDiff({ changes }: { changes: readonly Change[] }) {
  const parts = (Object.keys(PARTS) as Array<keyof typeof PARTS>)
    .map((part) => ({ part, own: changes.filter((change) => partOf(change) === part) }))
    .filter(({ own }) => own.length > 0);
  return (
    <div className="definition-diff">
      {parts.map(({ part, own }) => (
        <section key={part} aria-label={PARTS[part]}>
          <h4>{PARTS[part]}</h4>
          <ul>
            {own.map((change) => (
              <li key={change.path}>
                <ChangeLine change={change} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function ChangeLine({ change: { path, before, after } }: { change: Change }) {
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return (
    <>
      <p className="row">
        <code>
          <Line text={path} max={200} />
        </code>
        <span className={`badge diff-${kind}`}>{kind}</span>
      </p>
      <ChangedText before={before} after={after} />
    </>
  );
}
