import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { PolicyRule, PolicyRules } from '../../../../src/contract/approval-policy.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { Fetched } from '../../parts/states.tsx';
import { client, useApi } from '../../session/api.ts';
import { Effect } from './effect.tsx';
import { JsonRules } from './json-rules.tsx';
import { PutInForce } from './put-in-force.tsx';
import { NEW_RULE, toRule, type RuleForm } from './rule-form.ts';
import { RuleRow } from './rule-row.tsx';
import './policy.css';

/** The approval rules: built from plain sentences, tried on the calls of the last weeks, then put in force. */
export default function PolicyPage() {
  const config = useApi('getConfig', {});
  return (
    <>
      <div className="row row-apart">
        <h1>Approval rules</h1>
        <Link href="/approvals">Pending approvals</Link>
      </div>
      <p className="muted">
        The first rule that matches a call decides. A call that none matches runs without a question. Names
        may contain <code>*</code>.
      </p>
      <Fetched query={config} what="rules">
        {({ settings }) => <Builder inForce={rulesOf(settings.approvals)} />}
      </Fetched>
    </>
  );
}

const rulesOf = (approvals: unknown): PolicyRules => (approvals as { require?: PolicyRules }).require ?? [];

const TEMPLATES: ReadonlyArray<[title: string, form: Partial<RuleForm>]> = [
  ['Ask before deletions', { kind: 'destructive' }],
  ['Ask before every change', { kind: 'change' }],
  ['Ask about tools without hints', { kind: 'unannotated' }],
  ['Another rule', { kind: 'any' }],
];

/** What is typed is kept apart from what is in force, so that a change elsewhere takes nothing away. */
function Builder({ inForce }: { inForce: PolicyRules }) {
  const [draft, setDraft] = useState<PolicyRules>();
  const rules = draft ?? inForce;
  const isChanged = draft !== undefined && JSON.stringify(draft) !== JSON.stringify(inForce);
  const now = useReplay(inForce);
  const next = useReplay(rules);
  const set = (index: number, rule: PolicyRule) =>
    setDraft(rules.map((each, at) => (at === index ? rule : each)));
  const move = (index: number, step: 1 | -1) => {
    const moved = [...rules];
    moved.splice(index + step, 0, ...moved.splice(index, 1));
    setDraft(moved);
  };
  return (
    <div className="policy">
      <section className="card stack" aria-label="Rules">
        <div className="row row-apart">
          <h2>{rules.length === 0 ? 'No rules' : counted(rules.length, 'rule')}</h2>
          {isChanged && <span className="badge tone-wait">not in force yet</span>}
        </div>
        <ol className="rules">
          {rules.map((rule, index) => (
            <RuleRow
              key={index}
              rule={rule}
              index={index}
              isLast={index === rules.length - 1}
              decided={next.isPlaceholderData ? undefined : next.data?.rules[index]}
              onChange={(changed) => set(index, changed)}
              onRemove={() => setDraft(rules.filter((_, at) => at !== index))}
              onMove={(step) => move(index, step)}
            />
          ))}
        </ol>
        <div className="row">
          {TEMPLATES.map(([title, form]) => (
            <button
              key={title}
              type="button"
              onClick={() => setDraft([...rules, toRule({ ...NEW_RULE, ...form })])}
            >
              + {title}
            </button>
          ))}
        </div>
        <PutInForce
          inForce={inForce}
          rules={rules}
          isChanged={isChanged}
          replays={{ now: now.data, next: next.isPlaceholderData ? undefined : next.data }}
          onDone={() => setDraft(undefined)}
        />
        <JsonRules rules={rules} onUse={setDraft} />
        <Names />
      </section>
      <section className="card stack" aria-label="Effect">
        <h2>{isChanged ? 'What these rules would have done' : 'What the rules would have done'}</h2>
        <Fetched query={next} what="the effect on the calls of the last weeks">
          {(replay) => <Effect replay={replay} now={isChanged ? now.data : undefined} />}
        </Fetched>
      </section>
    </div>
  );
}

const WEEKS_MS = 28 * 86_400_000;
const PAUSE_MS = 400;

/** The rules on the calls of the last four weeks, once the typing pauses. */
function useReplay(rules: PolicyRules) {
  const text = JSON.stringify(rules);
  const [asked, setAsked] = useState(text);
  const [since] = useState(() => new Date(Date.now() - WEEKS_MS).toISOString());
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const answer = useQuery({
    queryKey: ['replayApprovals', since, asked],
    queryFn: ({ signal }) =>
      client.request(
        'replayApprovals',
        { body: { since, buckets: 28, require: JSON.parse(asked) as PolicyRules } },
        signal,
      ),
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
  return { ...answer, isPlaceholderData: answer.isPlaceholderData || asked !== text };
}

const AGENTS = 100;

/** The names that the fields suggest. */
function Names() {
  const servers = useApi('listServers', {});
  const tokens = useApi('listTokens', {});
  return (
    <>
      <datalist id="policy-servers">
        {servers.data?.servers.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="policy-callers">
        <option value="operator" />
        <option value="anonymous" />
        {tokens.data?.tokens.slice(0, AGENTS).map(({ id, name }) => (
          <option key={id} value={`token:${name}`} />
        ))}
      </datalist>
    </>
  );
}
