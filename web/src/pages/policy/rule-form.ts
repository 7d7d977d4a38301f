import type { PolicyAction, PolicyMatch, PolicyRule } from '../../../../src/contract/approval-policy.ts';
import { OperationType } from '../../../../src/contract/operation.ts';

/** Which calls a rule is about, by what they do. */
export const KINDS = {
  destructive: 'destructive calls',
  change: 'all changes',
  write: 'writes',
  read: 'reads',
  any: 'all calls',
  unannotated: 'tools without hints',
  secret: 'calls with a secret in them',
} as const;
export type RuleKind = keyof typeof KINDS;

export const ACTIONS: Record<PolicyAction, string> = {
  ask: 'Ask a person about',
  refuse: 'Refuse',
  allow: 'Allow',
};

/** A rule as people fill it in. Empty: any. */
export interface RuleForm {
  action: PolicyAction;
  kind: RuleKind;
  server: string;
  tool: string;
  client: string;
  reason: string;
}

export const NEW_RULE: RuleForm = {
  action: 'ask',
  kind: 'destructive',
  server: '',
  tool: '',
  client: '',
  reason: '',
};

/** Undefined: the rule says more than the form has fields for. */
export function toForm(rule: PolicyRule): RuleForm | undefined {
  if (typeof rule === 'string') return fromShort(rule);
  const { action = 'ask', reason = '' } = rule;
  const match = 'contains' in rule ? { contains: rule.contains } : rule.match;
  const kind = kindOf(match);
  if (kind === undefined) return undefined;
  const { server = '', tool = '', client = '' } = match;
  return { action, kind, server, tool, client, reason };
}

/** "write" covers destructive calls too, and "read" all calls. */
const SHORT: Readonly<Record<string, RuleKind>> = {
  destructive: 'destructive',
  write: 'change',
  read: 'any',
  unannotated: 'unannotated',
};

function fromShort(rule: string): RuleForm {
  if (Object.hasOwn(SHORT, rule)) return { ...NEW_RULE, kind: SHORT[rule]! };
  const colon = rule.indexOf(':');
  const [head, tail] = [rule.slice(0, colon), rule.slice(colon + 1)];
  const names = head === 'server' ? { server: tail } : { server: head, tool: tail };
  return { ...NEW_RULE, kind: 'any', ...names };
}

function kindOf({ operation, unannotated, contains }: PolicyMatch): RuleKind | undefined {
  const operations = [...new Set([operation ?? []].flat())].sort().join(' ');
  if (contains !== undefined) return operations === '' && unannotated === undefined ? 'secret' : undefined;
  if (unannotated !== undefined) return unannotated && operations === '' ? 'unannotated' : undefined;
  if (operations === '' || operations === 'destructive read write') return 'any';
  if (operations === 'destructive write') return 'change';
  return OperationType.safeParse(operations).data;
}

/** The rule, in one word where that says the same. */
export function toRule({ action, kind, reason, ...names }: RuleForm): PolicyRule {
  const [server, tool, client] = [names.server, names.tool, names.client].map((name) => name.trim());
  const short = Object.keys(SHORT).find((word) => SHORT[word] === kind);
  const isPlain = !server && !tool && !client && !reason.trim() && action === 'ask';
  if (isPlain && short !== undefined) return short;
  return {
    match: {
      ...matchOf(kind),
      ...(server && { server }),
      ...(tool && { tool }),
      ...(client && { client }),
    },
    action,
    ...(reason.trim() && { reason: reason.trim() }),
  };
}

function matchOf(kind: RuleKind) {
  if (kind === 'any') return {};
  if (kind === 'unannotated') return { unannotated: true };
  if (kind === 'secret') return { contains: 'secret' as const };
  return { operation: kind === 'change' ? (['write', 'destructive'] as OperationType[]) : kind };
}

/** The rule as a sentence. */
export function sentenceOf(rule: PolicyRule): string {
  const form = toForm(rule);
  if (!form) return JSON.stringify(rule);
  const { action, kind, server, tool, client, reason } = form;
  const where = [
    tool !== '' && ` of ${tool}`,
    server !== '' && ` at ${server}`,
    client !== '' && ` by ${client}`,
    reason !== '' && ` (${reason})`,
  ];
  return `${ACTIONS[action]} ${KINDS[kind]}${where.filter((part) => part !== false).join('')}`;
}
