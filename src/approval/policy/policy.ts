import { createHash } from 'node:crypto';
import type { PolicyAction, PolicyMatch, PolicyRule, PolicyRules } from '../../contract/approval-policy.ts';
import { OperationType, variantFor } from '../../contract/operation.ts';
import type { OperationView } from '../../contract/tool.ts';
import { canonicalJson } from '../../json/index.ts';
import { glob } from '../../lib/pattern.ts';

/** The facts that policy rules can match. */
export interface CallFacts {
  operation: OperationType;
  server: string;
  tool: string;
  /** Neither the server nor the operator has classified the tool. */
  unannotated: boolean;
  /** The credential: operator, anonymous, token:NAME. */
  client: string;
  /** Whether the call carries a secret. Asked only by rules about it, because the answer costs a search. Absent: it carries none. */
  hasSecret?: () => boolean;
}

export interface Ruling {
  action: PolicyAction;
  /** Index of the rule that decided; null where no rule matched. */
  rule: number | null;
  reason: string;
}

export interface Policy {
  /** Changes with the rules. An approval is valid only under the policy version of its request. */
  readonly version: string;
  readonly rules: number;
  judge(facts: CallFacts): Ruling;
}

interface CompiledRule {
  matches: (facts: CallFacts) => boolean;
  ruling: Ruling;
}

const NO_RULE: Ruling = { action: 'allow', rule: null, reason: 'no rule of approvals.require matches' };

/** The first matching rule decides. Pure: the same facts always get the same ruling. */
export function createPolicy(rules: PolicyRules): Policy {
  const compiled = rules.map(compile);
  return {
    version: createHash('sha256').update(canonicalJson(rules)).digest('hex').slice(0, 16),
    rules: rules.length,
    judge: (facts) => compiled.find((rule) => rule.matches(facts))?.ruling ?? NO_RULE,
  };
}

function compile(rule: PolicyRule, index: number): CompiledRule {
  const { matches, shown, action, reason } = parsedRule(rule);
  const own = reason ? `: ${reason}` : '';
  return {
    matches,
    ruling: { action, rule: index, reason: `approvals.require[${index}] ${shown}${own}` },
  };
}

interface ParsedRule {
  matches: CompiledRule['matches'];
  shown: string;
  action: PolicyAction;
  reason?: string | undefined;
}

function parsedRule(rule: PolicyRule): ParsedRule {
  if (typeof rule === 'string') return { matches: matchesShort(rule), shown: rule, action: 'ask' };
  const match = matchOf(rule);
  const { action = 'ask', reason } = rule;
  return { matches: matchesFields(match), shown: JSON.stringify(match), action, reason };
}

/** `{contains: "secret"}` is short for a rule with nothing else in `match`. */
const matchOf = (rule: Exclude<PolicyRule, string>): PolicyMatch =>
  'match' in rule ? rule.match : { contains: rule.contains };

/** "write" includes destructive: an operator who wants to approve changes also wants to approve deletions. */
function matchesShort(rule: string): (facts: CallFacts) => boolean {
  const operation = OperationType.safeParse(rule);
  if (operation.success) {
    const covered = OperationType.options.slice(severity(operation.data));
    return (facts) => covered.includes(facts.operation);
  }
  if (rule === 'unannotated') return (facts) => facts.unannotated;
  const colon = rule.indexOf(':');
  const [head, tail] = [rule.slice(0, colon), rule.slice(colon + 1)];
  if (head === 'server') return matchesFields({ server: tail });
  return matchesFields({ server: head, tool: tail });
}

function matchesFields({
  operation,
  server,
  tool,
  unannotated,
  client,
  contains,
}: PolicyMatch): CompiledRule['matches'] {
  const operations = operation === undefined ? undefined : [operation].flat();
  const [ofServer, ofTool, ofClient] = [server, tool, client].map((each) => each?.length && glob(each));
  const names: CompiledRule['matches'] = (facts) =>
    (!ofServer || ofServer(facts.server)) &&
    (!ofTool || ofTool(facts.tool)) &&
    (!ofClient || ofClient(facts.client));
  return (facts) =>
    (!operations || operations.includes(facts.operation)) &&
    (unannotated === undefined || unannotated === facts.unannotated) &&
    names(facts) &&
    (contains === undefined || facts.hasSecret?.() === true);
}

function severity(operation: OperationType): number {
  return OperationType.options.indexOf(operation);
}

/** Compiles the rules only when they change: the configuration keeps the same list until then. */
export function createPolicyCache(): (rules: PolicyRules) => Policy {
  let last: { rules: PolicyRules; policy: Policy } | undefined;
  return (rules) => {
    if (last?.rules !== rules) last = { rules, policy: createPolicy(rules) };
    return last.policy;
  };
}

/** Warnings about rules for servers that do not exist: a misspelt name would silently allow the calls. */
export function rulesWithoutServer(rules: PolicyRules, servers: readonly string[]): string[] {
  return rules.flatMap((rule, index) => {
    const pattern = typeof rule === 'string' ? serverIn(rule) : matchOf(rule).server;
    if (pattern === undefined || servers.some(glob(pattern))) return [];
    return [`approvals.require[${index}] names the server "${pattern}", which does not exist`];
  });
}

function serverIn(rule: string): string | undefined {
  const colon = rule.indexOf(':');
  if (colon < 0) return undefined;
  const head = rule.slice(0, colon);
  return head === 'server' ? rule.slice(colon + 1) : head;
}

/** The part of a tool that a policy needs. */
interface JudgedTool {
  server: string;
  tool: string;
  operation: OperationView;
}

/** The facts of a call, from the verdict on the tool and the operation that the caller chose. */
export function callFacts(
  { server, tool, operation }: JudgedTool,
  chosen: OperationType,
  principal: string,
): CallFacts {
  return {
    operation: effectiveOperation(operation, chosen),
    server,
    tool,
    unannotated: !isVouchedFor(operation),
    client: principal,
  };
}

/**
 * The more severe of the chosen operation and the verdict. For an unannotated tool the inferred operation counts too: an unnecessary approval
 * request costs a moment, a missing one may cost the data.
 */
export function effectiveOperation(view: OperationView, chosen: OperationType): OperationType {
  const verdict = isVouchedFor(view) ? view.verdict : worse(view.verdict, view.inferred);
  return worse(verdict, chosen);
}

/** Why the call counts as this operation, for people. */
export function effectiveOperationReason(view: OperationView, chosen: OperationType): string {
  const operation = effectiveOperation(view, chosen);
  if (operation === view.verdict) return `the verdict on the tool is ${view.verdict} (${view.source})`;
  if (operation === view.inferred && !isVouchedFor(view))
    return `the tool has no hints and looks ${view.inferred === 'read' ? 'read-only' : view.inferred}`;
  return `it was called with ${variantFor(chosen)}`;
}

// Plain comparisons: with a policy this runs on every call.
function worse(a: OperationType, b: OperationType): OperationType {
  if (a === 'destructive' || b === 'read') return a;
  if (b === 'destructive' || a === 'read') return b;
  return a;
}

function isVouchedFor({ source }: OperationView): boolean {
  return source === 'operator' || source === 'annotation';
}
