import type { PolicyAction, PolicyRule } from '../../../../src/contract/approval-policy.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { Icon } from '../../parts/icon.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { ACTIONS, KINDS, toForm, toRule, type RuleForm, type RuleKind } from './rule-form.ts';

interface Props {
  rule: PolicyRule;
  index: number;
  isLast: boolean;
  /** How many calls the rule would have decided; undefined: not known yet. */
  decided: number | undefined;
  onChange: (rule: PolicyRule) => void;
  onRemove: () => void;
  onMove: (step: 1 | -1) => void;
}

/** One rule as a sentence with fields. */
export function RuleRow({ rule, index, isLast, decided, onChange, onRemove, onMove }: Props) {
  const form = toForm(rule);
  const n = index + 1;
  return (
    <li className="rule" aria-label={`Rule ${n}`}>
      <span className="rule-number">{n}</span>
      {form ? (
        <Fields form={form} n={n} onChange={(next) => onChange(toRule(next))} />
      ) : (
        <code className="rule-json">
          <Line text={JSON.stringify(rule)} max={500} />
        </code>
      )}
      <span className={decided === 0 ? 'muted rule-count' : 'rule-count'}>
        {decided === undefined ? '…' : counted(decided, 'call')}
      </span>
      <span className="row rule-buttons">
        <button
          type="button"
          className="quiet"
          aria-label={`Move rule ${n} up`}
          disabled={index === 0}
          onClick={() => onMove(-1)}
        >
          ↑
        </button>
        <button
          type="button"
          className="quiet"
          aria-label={`Move rule ${n} down`}
          disabled={isLast}
          onClick={() => onMove(1)}
        >
          ↓
        </button>
        <button type="button" className="quiet" aria-label={`Remove rule ${n}`} onClick={onRemove}>
          <Icon name="close" />
        </button>
      </span>
    </li>
  );
}

interface FieldsProps {
  form: RuleForm;
  n: number;
  onChange: (form: RuleForm) => void;
}

function Fields({ form, n, onChange }: FieldsProps) {
  const set = (changes: Partial<RuleForm>) => onChange({ ...form, ...changes });
  return (
    <div className="row rule-fields">
      <select
        aria-label={`Action of rule ${n}`}
        value={form.action}
        onChange={({ target }) => set({ action: target.value as PolicyAction })}
      >
        {Object.entries(ACTIONS).map(([action, title]) => (
          <option key={action} value={action}>
            {title}
          </option>
        ))}
      </select>
      <select
        aria-label={`Calls of rule ${n}`}
        value={form.kind}
        onChange={({ target }) => set({ kind: target.value as RuleKind })}
      >
        {Object.entries(KINDS).map(([kind, title]) => (
          <option key={kind} value={kind}>
            {title}
          </option>
        ))}
      </select>
      <Name
        n={n}
        word="at"
        label="Server"
        value={form.server}
        onChange={(server) => set({ server })}
        list="servers"
      />
      <Name n={n} word="of" label="Tool" value={form.tool} onChange={(tool) => set({ tool })} />
      <Name
        n={n}
        word="by"
        label="Caller"
        value={form.client}
        onChange={(client) => set({ client })}
        list="callers"
      />
    </div>
  );
}

interface NameProps {
  n: number;
  word: string;
  label: string;
  value: string;
  list?: 'servers' | 'callers';
  onChange: (value: string) => void;
}

function Name({ n, word, label, value, list, onChange }: NameProps) {
  return (
    <label className="row rule-name">
      <span className="muted">{word}</span>
      <input
        aria-label={`${label} of rule ${n}`}
        placeholder={`any ${label.toLowerCase()}`}
        value={value}
        maxLength={512}
        spellCheck={false}
        {...(list && { list: `policy-${list}` })}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}
