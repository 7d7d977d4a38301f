import { OperationView } from '../../contract/tool.ts';
import type { ActivityRecord } from '../../contract/activity.ts';
import type { PolicyAction } from '../../contract/approval-policy.ts';
import type { Replay } from '../../contract/approval.ts';
import { callFacts } from './call-facts.ts';
import type { Policy, Ruling } from './policy.ts';

const MAX_CALLS = 1_000_000;
const MAX_TOOLS = 1000;
const MAX_EXAMPLES = 100;
/** So that other requests have their turn. */
const BREATH = 1000;

type Counts = Omit<Replay, 'since' | 'until'>;
const SEVERITY: PolicyAction[] = ['allow', 'ask', 'refuse'];

/** Runs a policy over calls as they were recorded. Calls that were refused before any policy was looked at are left out. */
export async function replayPolicy(
  policy: Policy,
  records: AsyncIterable<ActivityRecord> | Iterable<ActivityRecord>,
  signal: AbortSignal,
): Promise<Counts> {
  const counts: Counts = {
    policy_version: policy.version,
    calls: 0,
    allow: 0,
    ask: 0,
    refuse: 0,
    truncated: false,
    tools: [],
    examples: [],
  };
  const tools = new Map<string, Replay['tools'][number]>();
  for await (const record of records) {
    const ruling = rulingOn(policy, record);
    if (!ruling) continue;
    if (counts.calls >= MAX_CALLS) {
      counts.truncated = true;
      break;
    }
    count(counts, tools, record, ruling);
    if (counts.calls % BREATH === 0) {
      signal.throwIfAborted();
      await new Promise(setImmediate);
    }
  }
  counts.tools = [...tools.values()].sort(
    (a, b) => b.refuse - a.refuse || b.ask - a.ask || (a.tool < b.tool ? -1 : 1),
  );
  return counts;
}

/** What the policy says of a recorded call, by what the tool was held to when it was made. */
function rulingOn(policy: Policy, record: ActivityRecord): Ruling | undefined {
  const { server_name: server, tool_name: tool, status, error_code: code, metadata } = record;
  const operation = OperationView.safeParse(metadata.operation);
  const variant = metadata.tool_variant;
  if (server === undefined || tool === undefined || !operation.success || !variant) return undefined;
  if (status === 'refused' && code !== 'POLICY_REFUSED' && !code?.startsWith('APPROVAL_')) return undefined;
  const principal = typeof metadata.principal === 'string' ? metadata.principal : 'operator';
  return policy.judge(callFacts({ server, tool, operation: operation.data }, variant, principal));
}

function count(
  counts: Counts,
  tools: Map<string, Replay['tools'][number]>,
  record: ActivityRecord,
  { action, reason }: Ruling,
): void {
  counts.calls++;
  counts[action]++;
  const tool = `${record.server_name}:${record.tool_name}`;
  const entry = tools.get(tool) ?? { tool, allow: 0, ask: 0, refuse: 0, reason };
  const before = SEVERITY.findLast((each) => entry[each] > 0) ?? 'allow';
  if (SEVERITY.indexOf(action) > SEVERITY.indexOf(before)) entry.reason = reason;
  entry[action]++;
  if (tools.has(tool) || tools.size < MAX_TOOLS) tools.set(tool, entry);
  else counts.truncated = true;
  if (action !== 'allow' && counts.examples.length < MAX_EXAMPLES)
    counts.examples.push({
      record_id: record.id,
      timestamp: record.timestamp,
      tool,
      action,
      reason,
      status: record.status,
    });
}
