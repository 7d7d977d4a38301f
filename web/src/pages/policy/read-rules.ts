import { PolicyRule, PolicyRules, ShortRule } from '../../../../src/contract/approval-policy.ts';

/** Parses the typed rules. An error names the rule, counted from 1, and what it must be. */
export function readRules(text: string): PolicyRules {
  const value = parseJson(text.trim() || '[]');
  if (!Array.isArray(value)) throw new Error('The rules must be a JSON array: [ … ]');
  return checkRules(value);
}

export function checkRules(rules: readonly unknown[]): PolicyRules {
  rules.forEach((rule, index) => {
    const problem = problemOf(rule);
    if (problem !== undefined) throw new Error(`Rule ${index + 1}: ${problem}`);
  });
  const checked = PolicyRules.safeParse(rules);
  if (!checked.success) throw new Error(checked.error.issues[0]?.message);
  return checked.data;
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
