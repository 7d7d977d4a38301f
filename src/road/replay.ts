import type { Policy, Ruling } from '../approval/index.ts';
import type { ActivityRecord } from '../contract/activity.ts';
import type { PolicyAction } from '../contract/approval-policy.ts';
import type { Replay } from '../contract/approval.ts';
import { ROAD } from './road.ts';

const MAX_CALLS = 1_000_000;
const MAX_TOOLS = 1000;
const MAX_EXAMPLES = 100;
/** Other requests get their turn after so many calls. */
const CALLS_PER_SLICE = 1000;

type Counts = Omit<Replay, 'since' | 'until'>;
type ToolCounts = Replay['tools'][number];
const SEVERITY: PolicyAction[] = ['allow', 'ask', 'refuse'];

interface Replayed {
  policy: Policy;
  /** The time of the calls, in milliseconds, and into how many points it is divided. */
  range: { since: number; until: number; buckets: number };
}

/** Applies a policy to recorded calls: it walks the same list of steps. Calls that were refused before the policy step are left out. */
export async function replayPolicy(
  { policy, range }: Replayed,
  records: AsyncIterable<ActivityRecord> | Iterable<ActivityRecord>,
  signal: AbortSignal,
): Promise<Counts> {
  const tally = new Tally(policy, range);
  for await (const record of records) {
    const ruling = rulingOn(policy, record);
    if (!ruling) continue;
    if (tally.isFull()) break;
    tally.add(record, ruling);
    if (tally.counts.calls % CALLS_PER_SLICE === 0) {
      signal.throwIfAborted();
      await new Promise(setImmediate);
    }
  }
  return tally.finish();
}

/** The first ruling of a step on a recorded call. */
function rulingOn(policy: Policy, record: ActivityRecord): Ruling | undefined {
  for (const step of ROAD) {
    const ruling = step.replay?.(record, policy);
    if (ruling) return ruling;
  }
  return undefined;
}

class Tally {
  readonly counts: Counts;
  readonly #since: number;
  readonly #step: number;
  readonly #tools = new Map<string, ToolCounts>();

  constructor(policy: Policy, { since, until, buckets }: Replayed['range']) {
    this.#since = since;
    this.#step = Math.max(1, (until - since) / buckets);
    this.counts = {
      policy_version: policy.version,
      calls: 0,
      allow: 0,
      ask: 0,
      refuse: 0,
      truncated: false,
      points: Array.from({ length: buckets }, (_, index) => ({
        time: new Date(since + index * this.#step).toISOString(),
        allow: 0,
        ask: 0,
        refuse: 0,
      })),
      rules: Array.from({ length: policy.rules }, () => 0),
      tools: [],
      examples: [],
    };
  }

  isFull(): boolean {
    if (this.counts.calls < MAX_CALLS) return false;
    this.counts.truncated = true;
    return true;
  }

  add(record: ActivityRecord, ruling: Ruling): void {
    const { counts } = this;
    const tool = `${record.server_name}:${record.tool_name}`;
    counts.calls++;
    counts[ruling.action]++;
    this.#addPoint(Date.parse(record.timestamp), ruling.action);
    if (ruling.rule !== null) counts.rules[ruling.rule]!++;
    this.#addTool(tool, ruling);
    if (ruling.action === 'allow' || counts.examples.length >= MAX_EXAMPLES) return;
    const { id, timestamp, status } = record;
    counts.examples.push({
      record_id: id,
      timestamp,
      tool,
      action: ruling.action,
      reason: ruling.reason,
      status,
    });
  }

  /** A record may be a moment older than the range, when the clock was set back. */
  #addPoint(time: number, action: PolicyAction): void {
    const { points } = this.counts;
    const index = Math.floor((time - this.#since) / this.#step);
    points[Math.min(points.length - 1, Math.max(0, index))]![action]++;
  }

  /** Keeps the reason of the most severe action. */
  #addTool(tool: string, { action, reason }: Ruling): void {
    const entry = this.#tools.get(tool) ?? { tool, allow: 0, ask: 0, refuse: 0, reason };
    const before = SEVERITY.findLast((each) => entry[each] > 0) ?? 'allow';
    if (SEVERITY.indexOf(action) > SEVERITY.indexOf(before)) entry.reason = reason;
    entry[action]++;
    if (this.#tools.has(tool) || this.#tools.size < MAX_TOOLS) this.#tools.set(tool, entry);
    else this.counts.truncated = true;
  }

  finish(): Counts {
    this.counts.tools = [...this.#tools.values()].sort(
      (a, b) => b.refuse - a.refuse || b.ask - a.ask || (a.tool < b.tool ? -1 : 1),
    );
    return this.counts;
  }
}
