import { Link } from 'wouter';
import type { PolicyRules } from '../../../../src/contract/approval-policy.ts';
import { Claim, Fetched } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';
import { sentenceOf } from '../policy/rule-form.ts';

const SHOWN = 8;

/** The approval rules in force, in words. They have a page of their own, on which they are tried before they change. */
export function ApprovalRules() {
  const config = useApi('getConfig', {});
  return (
    <section className="card stack">
      <div className="row row-apart">
        <h2>Approval rules</h2>
        <Link href="/policy" className="button">
          Change the rules
        </Link>
      </div>
      <Fetched query={config} what="rules">
        {({ settings }) => <Rules rules={(settings.approvals as { require?: PolicyRules }).require ?? []} />}
      </Fetched>
    </section>
  );
}

function Rules({ rules }: { rules: PolicyRules }) {
  if (rules.length === 0) return <Claim>No rules: no call waits for a person.</Claim>;
  return (
    <ol>
      {rules.slice(0, SHOWN).map((rule, index) => (
        <li key={index}>
          <Line text={sentenceOf(rule)} max={300} />
        </li>
      ))}
      {rules.length > SHOWN && <li>and {rules.length - SHOWN} more</li>}
    </ol>
  );
}
