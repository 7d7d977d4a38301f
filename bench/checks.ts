import { createArgumentChecker } from '../src/catalog/arguments/argument-checker.ts';
import type { CatalogTool } from '../src/catalog/catalog-tool.ts';
import { checkArguments } from '../src/road/steps/arguments.ts';
import { checkIntent } from '../src/road/steps/intent.ts';
import { checkHints } from '../src/road/steps/server-hints.ts';
import { parseCall } from '../src/road/steps/parse.ts';
import { ECHO_TEXT } from './load-plan.ts';
import { median } from './statistics.ts';

// What the road's checks cost by themselves: taking the call apart, intent against variant, variant against verdict; and, apart, with the
// arguments validated against the schema of the tool.
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
  'accepted, args validated': {
    name: 'github:list_issues',
    args: { text: ECHO_TEXT, state: 'open', labels: ['bug', 'help wanted'], page: 2 },
    ...flat,
  },
  'accepted, the same not validated': {
    name: 'github:list_issues',
    args: { text: ECHO_TEXT, state: 'open', labels: ['bug', 'help wanted'], page: 2 },
    ...flat,
  },
  'refused, INVALID_TOOL_ARGUMENTS, validated': { name: 'github:list_issues', args: { page: '2' }, ...flat },
  'refused, INTENT_MISMATCH': {
    name: 'github:list_issues',
    args: { text: ECHO_TEXT },
    intent_operation_type: 'write',
  },
};

const checker = createArgumentChecker();
const definition = {
  name: 'list_issues',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string', maxLength: 1000 },
      state: { type: 'string', enum: ['open', 'closed', 'all'] },
      labels: { type: 'array', items: { type: 'string' } },
      page: { type: 'integer', minimum: 1 },
    },
    required: ['text'],
    additionalProperties: false,
  },
};
const TOOL = { name: 'github:list_issues', definition } as unknown as CatalogTool;

function passes(input: unknown, validated: boolean): boolean {
  try {
    const call = parseCall(input);
    checkIntent('read', call.input, 'required');
    checkHints({ name: call.name, constraint: { operation: 'read', source: 'annotation' } }, 'read', true);
    if (validated && checkArguments(TOOL, call.args, checker) !== undefined) return false;
    return true;
  } catch {
    // A refusal is an answer too, and its cost is counted.
    return false;
  }
}

function timeBatch(call: string, input: unknown, times: number): number {
  const expected = call.startsWith('accepted');
  const validated = call.endsWith(' validated') && !call.endsWith('not validated');
  const start = performance.now();
  let right = 0;
  for (let i = 0; i < times; i++) if (passes(input, validated) === expected) right++;
  const us = ((performance.now() - start) * 1000) / times;
  if (right !== times) throw new Error('a check did not decide as expected');
  return us;
}

const [batches, perBatch] = process.argv.slice(2).map(Number);
const results: CheckResult[] = Object.entries(CALLS).map(([call, input]) => {
  const run = () => timeBatch(call, input, perBatch!);
  run();
  return { call, us: median(Array.from({ length: batches! }, run)) };
});
console.log(JSON.stringify(results));
