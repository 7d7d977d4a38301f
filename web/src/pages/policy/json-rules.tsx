import { useState } from 'react';
import type { PolicyRules } from '../../../../src/contract/approval-policy.ts';
import { Problem } from '../../parts/states.tsx';
import { readRules } from './read-rules.ts';

/** The same rules as the setting approvals.require has them. */
export function JsonRules({ rules, onUse }: { rules: PolicyRules; onUse: (rules: PolicyRules) => void }) {
  const [typed, setTyped] = useState<string>();
  const [error, setError] = useState<unknown>();
  const use = () => {
    try {
      onUse(readRules(typed ?? ''));
      setTyped(undefined);
      setError(undefined);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <details>
      <summary>As JSON</summary>
      <div className="stack">
        <label className="field">
          <span>
            Rules (JSON), as in <code>approvals.require</code>
          </span>
          <textarea
            rows={6}
            className="mono"
            value={typed ?? JSON.stringify(rules, null, 2)}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        {error !== undefined && <Problem error={error} />}
        <div className="row">
          <button type="button" disabled={typed === undefined} onClick={use}>
            Use these rules
          </button>
          {typed !== undefined && (
            <button
              type="button"
              className="quiet"
              onClick={() => {
                setTyped(undefined);
                setError(undefined);
              }}
            >
              Discard the text
            </button>
          )}
        </div>
      </div>
    </details>
  );
}
