import { useState } from 'react';
import type { Replay } from '../../../../src/contract/approval.ts';
import { Fetched, Problem } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { client, useApi, useChange } from '../../session/api.ts';
import { PolicyRule, PolicyRules, ShortRule } from '../../../../src/contract/approval-policy.ts';

const WEEK_MS = 7 * 86_400_000;

/** The approval rules: tests them against last week's calls before they are applied. */
export function PolicyReplay() {
  const config = useApi('getConfig', {});
  return (
    <section className="card stack">
      <h2>Approval rules</h2>
      <p className="muted">
        The rules in <code>approvals.require</code> say which calls need approval. The first matching rule
        decides. Example: <code>["destructive", "github:delete_*"]</code>
      </p>
      <Fetched query={config} what="rules">
        {(data) => <Rules current={(data.settings.approvals as { require?: unknown }).require} />}
      </Fetched>
    </section>
  );
}

/** Rendered only after the current rules were loaded: applying an empty field would remove them all. */
function Rules({ current }: { current: unknown }) {
  const update = useChange('updateConfig', ['getConfig', 'status']);
  const [typed, setTyped] = useState<string>();
  const [replay, setReplay] = useState<Replay>();
  const task = useTask();
  const text = typed ?? (current === undefined ? '' : JSON.stringify(current, null, 2));

  const tryIt = () =>
    task.run(async () => {
      const since = new Date(Date.now() - WEEK_MS).toISOString();
      setReplay(await client.request('replayApprovals', { body: { since, require: readRules(text) } }));
    });

  return (
    <>
      <label className="field">
        <span>Rules (JSON)</span>
        <textarea rows={5} className="mono" value={text} onChange={(event) => setTyped(event.target.value)} />
      </label>
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="row">
        <button type="button" disabled={task.busy} onClick={tryIt}>
          Test against last week
        </button>
        <button
          type="button"
          className="primary"
          disabled={task.busy}
          onClick={() =>
            task.run(() => update.mutateAsync({ body: { approvals: { require: readRules(text) } } }))
          }
        >
          Apply
        </button>
      </div>
      {replay && <Outcome replay={replay} />}
    </>
  );
}

function Outcome({ replay }: { replay: Replay }) {
  return (
    <div className="stack" role="status">
      <p>
        Of {counted(replay.calls, 'call')}, {replay.allow.toLocaleString('en')} would have run without
        approval, <strong>{replay.ask.toLocaleString('en')}</strong> would have needed approval and{' '}
        <strong>{replay.refuse.toLocaleString('en')}</strong> would have been refused.{' '}
        {replay.truncated && ' There were more calls than were checked.'}
      </p>
      {replay.tools.length > 0 && (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th>Tool</th>
                <th>Allowed</th>
                <th>Needs approval</th>
                <th>Refused</th>
                <th>Reason</th>
              </tr>
            </thead>
            <tbody>
              {replay.tools.map(({ tool, allow, ask, refuse, reason }) => (
                <tr key={tool}>
                  <td className="mono">
                    <Line text={tool} max={100} />
                  </td>
                  <td>{allow}</td>
                  <td>{ask}</td>
                  <td>{refuse}</td>
                  <td>
                    <Line text={reason} max={200} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

/** Parses the typed rules. An error names the rule, counted from 1, and what it must be. */
function readRules(text: string): PolicyRules {
  const value = parseJson(text.trim() || '[]');
  if (!Array.isArray(value)) throw new Error('The rules must be a JSON array: [ … ]');
  value.forEach((rule: unknown, index) => {
    const problem = problemOf(rule);
    if (problem !== undefined) throw new Error(`Rule ${index + 1}: ${problem}`);
  });
  const rules = PolicyRules.safeParse(value);
  if (!rules.success) throw new Error(rules.error.issues[0]?.message);
  return rules.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Invalid JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The problem with a rule, checked against the form that was meant: a word, or an object with "match" and "action". */
function problemOf(rule: unknown): string | undefined {
  const isShort = typeof rule === 'object' && rule !== null && 'contains' in rule;
  const form = typeof rule === 'string' ? ShortRule : PolicyRule.options[isShort ? 2 : 1];
  const { error } = form.safeParse(rule);
  const [issue] = error?.issues ?? [];
  return issue && [issue.path.join('.'), issue.message].filter(Boolean).join(': ');
}
