import { createPolicy } from '../src/approval/policy/policy.ts';
import type { CatalogTool } from '../src/catalog/catalog-tool.ts';
import { CallContext } from '../src/road/context.ts';
import type { RoadParts } from '../src/road/step.ts';
import { approval } from '../src/road/steps/approval.ts';
import type { PolicyRules } from '../src/contract/approval-policy.ts';
import type { Caller } from '../src/contract/call.ts';
import { median } from './statistics.ts';

const BATCHES = 15;
const PER_BATCH = 200_000;

const caller: Caller = { source: 'mcp', principal: 'token:ci', userId: 'local', requestId: 'r' };
const tool = {
  name: 'github:list_issues',
  server: 'github',
  tool: 'list_issues',
  operation: { verdict: 'read', source: 'annotation', inferred: 'read' },
} as unknown as CatalogTool;

// What the step costs a call that nobody is asked about: without any rule, and with rules that do not match.
// usage: approval-gate.js; prints JSON

export interface GateResult {
  policy: string;
  us: number;
}

function time(rules: PolicyRules): number {
  const policy = createPolicy(rules);
  const unused = () => Promise.reject(new Error('nobody should be asked'));
  const parts = {
    config: () => ({ mcpServers: {}, flows: 'off' }),
    approvals: { policy: () => policy, ttlMs: () => 0, waitMs: () => 0, pass: unused },
  } as unknown as RoadParts;
  const signal = new AbortController().signal;
  const run = () => {
    // CPU time, so that other work on the machine does not count.
    const start = process.cpuUsage();
    for (let i = 0; i < PER_BATCH; i++) {
      const call = new CallContext({ operation: 'read', input: {}, caller, signal });
      call.tool = tool;
      call.args = {};
      if (approval.run(call, parts)) throw new Error('nobody should be asked');
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / PER_BATCH;
  };
  run();
  return median(Array.from({ length: BATCHES }, run));
}

const ten: PolicyRules = Array.from({ length: 10 }, (_, i) => `server${i}:delete_*`);
const results: GateResult[] = [
  { policy: 'none', us: time([]) },
  { policy: '["destructive"]', us: time(['destructive']) },
  { policy: 'ten patterns', us: time(ten) },
];
console.log(JSON.stringify(results));
