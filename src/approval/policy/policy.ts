import { createHash } from 'node:crypto';
import type { PolicyAction, PolicyMatch, PolicyRule, PolicyRules } from '../../contract/approval-policy.ts';
import { OperationType } from '../../contract/operation.ts';
import { canonicalJson } from '../../json/index.ts';
import { glob } from '../../lib/pattern.ts';

/** All that a policy may look at. */
export interface CallFacts {
  operation: OperationType;
  server: string;
  tool: string;
  /** Neither the server nor the operator says what the tool does. */
  unannotated: boolean;
  /** The credential: operator, anonymous, token:NAME. */
  client: string;
}

export interface Ruling {
  action: PolicyAction;
  /** Place of the rule that decided; null where none matched. */
  rule: number | null;
  reason: string;
}

export interface Policy {
  /** Changes with every change of the rules; an approval holds under the policy it was asked under. */
  readonly version: string;
  readonly rules: number;
  judge(facts: CallFacts): Ruling;
}

interface CompiledRule {
  fits: (facts: CallFacts) => boolean;
  ruling: Ruling;
}

const NO_RULE: Ruling = { action: 'allow', rule: null, reason: 'no rule of approvals.require matches' };

/** The rules in their order; the first that fits decides. Pure: the same facts always get the same ruling. */
export function createPolicy(rules: PolicyRules): Policy {
  const compiled = rules.map(compile);
  return {
    version: createHash('sha256').update(canonicalJson(rules)).digest('hex').slice(0, 16),
    rules: rules.length,
    judge: (facts) => compiled.find((rule) => rule.fits(facts))?.ruling ?? NO_RULE,
  };
}

function compile(rule: PolicyRule, index: number): CompiledRule {
  const isShort = typeof rule === 'string';
  const action = isShort ? 'ask' : rule.action;
  const shown = isShort ? rule : JSON.stringify(rule.match);
  const own = isShort || !rule.reason ? '' : `: ${rule.reason}`;
  return {
    fits: isShort ? shortFits(rule) : matchFits(rule.match),
    ruling: { action, rule: index, reason: `approvals.require[${index}] ${shown}${own}` },
  };
}

/** In a list of what needs a person, "write" means at least that: whoever asks about changes asks about deletions too. */
function shortFits(rule: string): (facts: CallFacts) => boolean {
  const operation = OperationType.safeParse(rule);
  if (operation.success) {
    const covered = OperationType.options.slice(severity(operation.data));
    return (facts) => covered.includes(facts.operation);
  }
  if (rule === 'unannotated') return (facts) => facts.unannotated;
  const colon = rule.indexOf(':');
  const [head, tail] = [rule.slice(0, colon), rule.slice(colon + 1)];
  if (head === 'server') return matchFits({ server: tail });
  return matchFits({ server: head, tool: tail });
}

function matchFits({ operation, server, tool, unannotated, client }: PolicyMatch): CompiledRule['fits'] {
  const operations = operation === undefined ? undefined : [operation].flat();
  const [ofServer, ofTool, ofClient] = [server, tool, client].map((each) => each?.length && glob(each));
  return (facts) =>
    (!operations || operations.includes(facts.operation)) &&
    (!ofServer || ofServer(facts.server)) &&
    (!ofTool || ofTool(facts.tool)) &&
    (unannotated === undefined || unannotated === facts.unannotated) &&
    (!ofClient || ofClient(facts.client));
}

function severity(operation: OperationType): number {
  return OperationType.options.indexOf(operation);
}

/** Compiles the rules again only where they are others: the configuration keeps the list until it changes. */
export function rememberPolicy(): (rules: PolicyRules) => Policy {
  let last: { rules: PolicyRules; policy: Policy } | undefined;
  return (rules) => {
    if (last?.rules !== rules) last = { rules, policy: createPolicy(rules) };
    return last.policy;
  };
}

/** Rules that name a server which is not there: a misspelt name would silently let pass what it was meant to stop. */
export function idleRules(rules: PolicyRules, servers: readonly string[]): string[] {
  return rules.flatMap((rule, index) => {
    const pattern = typeof rule === 'string' ? serverIn(rule) : rule.match.server;
    if (pattern === undefined || servers.some(glob(pattern))) return [];
    return [`approvals.require[${index}] names the server "${pattern}", which is not there`];
  });
}

function serverIn(rule: string): string | undefined {
  const colon = rule.indexOf(':');
  if (colon < 0) return undefined;
  const head = rule.slice(0, colon);
  return head === 'server' ? rule.slice(colon + 1) : head;
}
