import { checkIntent } from '../src/call/check-intent.ts';
import { checkServer } from '../src/call/check-server.ts';
import { parseCall } from '../src/call/parse-call.ts';
import { ECHO_TEXT } from './load-plan.ts';
import { median } from './statistics.ts';

// What the road's checks cost by themselves: taking the call apart, intent against variant, variant against verdict.
// usage: checks.js BATCHES CHECKS_PER_BATCH; prints JSON

export interface CheckResult {
  call: string;
  us: number;
}

const flat = {
  intent_operation_type: 'read',
  intent_data_sensitivity: 'internal',
  intent_reason: 'looking up the open issues of the project',
};

const CALLS: Record<string, Record<string, unknown>> = {
  'accepted, args_json of 200 B': {
    name: 'github:list_issues',
    args_json: JSON.stringify({ text: ECHO_TEXT }),
    ...flat,
  },
  'accepted, args as an object': { name: 'github:list_issues', args: { text: ECHO_TEXT }, ...flat },
  'refused, INTENT_MISMATCH': {
    name: 'github:list_issues',
    args: { text: ECHO_TEXT },
    intent_operation_type: 'write',
  },
};

function passes(input: unknown): boolean {
  try {
    const call = parseCall('call_tool_read', input);
    checkIntent('call_tool_read', call.input, 'required');
    checkServer(call.name, 'call_tool_read', { operation: 'read', source: 'annotation' }, true);
    return true;
  } catch {
    // A refusal is an answer too, and its cost is counted.
    return false;
  }
}

function timeBatch(input: unknown, expected: boolean, times: number): number {
  const start = performance.now();
  let right = 0;
  for (let i = 0; i < times; i++) if (passes(input) === expected) right++;
  const us = ((performance.now() - start) * 1000) / times;
  if (right !== times) throw new Error('a check did not decide as expected');
  return us;
}

const [batches, perBatch] = process.argv.slice(2).map(Number);
const results: CheckResult[] = Object.entries(CALLS).map(([call, input]) => {
  const run = () => timeBatch(input, call.startsWith('accepted'), perBatch!);
  run();
  return { call, us: median(Array.from({ length: batches! }, run)) };
});
console.log(JSON.stringify(results));
