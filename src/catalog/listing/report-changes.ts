import type { ActivityMetadata } from '../../contract/activity.ts';
import { newId } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { NOT_REMEMBERED } from '../known/diff-tool.ts';
import { MAX_PER_SERVER } from '../known/known-tools.ts';
import type { ToolChange, ToolChangeKind } from '../known/learn-tool.ts';

/** The draft of an activity record: what a server has changed by itself. */
export interface ToolChangeDraft {
  type: 'tool_change';
  source: 'system';
  server_name: string;
  tool_name?: string;
  request_id: string;
  metadata: ActivityMetadata;
}

export interface ReportParts {
  record: (draft: ToolChangeDraft) => void;
  log: Log;
}

export interface ReportedChange extends ToolChange {
  tool: string;
  /** Whether agents can no longer reach it. */
  withheld: boolean;
  /** Which fields differ from what was accepted; worked out only for those that get a record of their own. */
  paths: () => Promise<string[]>;
}

/** Beyond this many in one listing, one record names the rest: a server must not be able to flood the log out of its retention. */
const MAX_RECORDS = 100;

const SENTENCE: Record<ToolChangeKind, string> = {
  tool_new: 'a new tool waits for approval',
  definition_changed: 'a tool has changed its definition',
  definition_restored: 'a tool has its accepted definition again',
  hints_weakened: 'a tool has weakened its hints; the stricter ones hold until they are accepted',
  hints_strengthened: 'a tool has become stricter in its hints',
  hints_changed: 'a tool has changed its hints',
};
const WORRIES = new Set<ToolChangeKind>(['definition_changed', 'hints_weakened']);

export async function reportChanges(
  server: string,
  changes: ReportedChange[],
  { record, log }: ReportParts,
): Promise<void> {
  for (const { tool, withheld, paths, ...change } of changes.slice(0, MAX_RECORDS)) {
    const fields = change.change === 'tool_new' ? [] : await paths();
    const metadata = {
      ...change,
      ...(withheld && { withheld }),
      ...(fields.length > 0 && { paths: fields }),
    };
    log[WORRIES.has(change.change) ? 'warn' : 'info']({ server, tool, ...metadata }, SENTENCE[change.change]);
    record({ ...draft(server, metadata), tool_name: tool });
  }
  const rest = changes.slice(MAX_RECORDS);
  if (rest.length === 0) return;
  const count = (kind: ToolChangeKind) => rest.filter(({ change }) => change === kind).length;
  const weakened = count('hints_weakened');
  log.warn({ server, further: rest.length, weakened }, 'further tools have changed');
  record(
    draft(server, {
      change: count('tool_new') === rest.length ? 'tool_new' : 'definition_changed',
      further: rest.length,
      weakened,
      tools: rest.slice(0, MAX_RECORDS).map(({ tool }) => tool),
    }),
  );
}

/** One record for all tools of a listing that are withheld because no more names of their server are remembered. */
export function reportUnremembered(server: string, tools: string[], { record, log }: ReportParts): void {
  const metadata = {
    change: 'tools_not_remembered',
    withheld: true,
    further: tools.length,
    tools: tools.slice(0, MAX_RECORDS),
    limit: MAX_PER_SERVER,
    reason: NOT_REMEMBERED,
  };
  log.warn(
    { server, tools: tools.length, limit: MAX_PER_SERVER },
    'a server has listed more tool names than are remembered; the new ones are withheld until they are approved',
  );
  record(draft(server, metadata));
}

const MOVED = {
  place: [
    'server_identity_changed',
    'a server is started or reached differently; its tools count as changed',
  ],
  introduction: [
    'server_introduction_changed',
    'a server has another name, version or instructions than before',
  ],
} as const;

/** The server answers from elsewhere, or is another one by its own word. One record for all its tools. */
export function reportMoved(
  server: string,
  what: keyof typeof MOVED,
  tools: number,
  { record, log }: ReportParts,
): void {
  const [change, sentence] = MOVED[what];
  log.warn({ server, tools }, sentence);
  record(draft(server, { change, tools }));
}

function draft(server: string, metadata: ActivityMetadata): ToolChangeDraft {
  return { type: 'tool_change', source: 'system', server_name: server, request_id: newId(), metadata };
}
