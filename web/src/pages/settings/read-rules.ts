import { PolicyRule, PolicyRules, ShortRule } from '../../../../src/contract/approval-policy.ts';

/** The rules that somebody typed. The error names the rule, counted from 1, and what it must be. */
export function readRules(text: string): PolicyRules {
  const value = parseJson(text.trim() || '[]');
  if (!Array.isArray(value)) throw new Error('The rules must be a list: [ … ]');
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
    throw new Error(`This is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** What is wrong, said about the form that was meant: a word, or an object with "match" and "action". */
function problemOf(rule: unknown): string | undefined {
  const form = typeof rule === 'string' ? ShortRule : PolicyRule.options[1];
  const { error } = form.safeParse(rule);
  const [issue] = error?.issues ?? [];
  return issue && [issue.path.join('.'), issue.message].filter(Boolean).join(': ');
}
