import type { ActivityMetadata } from '../contract/activity.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { HintChange } from './held-hints.ts';

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

export interface ToolHintChange extends HintChange {
  tool: string;
}

/** Beyond this many in one listing, one record names the rest: a server must not be able to flood the log out of its retention. */
const MAX_RECORDS = 100;

const SENTENCE = {
  hints_weakened: 'a tool has weakened its hints; the stricter ones hold until they are accepted',
  hints_strengthened: 'a tool has become stricter in its hints',
  hints_changed: 'a tool has changed its hints',
} as const;

export function reportChanges(server: string, changes: ToolHintChange[], { record, log }: ReportParts): void {
  const draft = (metadata: ActivityMetadata): ToolChangeDraft => ({
    type: 'tool_change',
    source: 'system',
    server_name: server,
    request_id: newId(),
    metadata,
  });
  for (const { tool, ...change } of changes.slice(0, MAX_RECORDS)) {
    log[change.change === 'hints_weakened' ? 'warn' : 'info'](
      { server, tool, ...change },
      SENTENCE[change.change],
    );
    record({ ...draft({ ...change }), tool_name: tool });
  }
  const rest = changes.slice(MAX_RECORDS);
  if (rest.length === 0) return;
  const weakened = rest.filter(({ change }) => change === 'hints_weakened').length;
  log.warn({ server, further: rest.length, weakened }, 'further tools have changed their hints');
  record(
    draft({
      change: 'hints_changed',
      further: rest.length,
      weakened,
      tools: rest.slice(0, MAX_RECORDS).map(({ tool }) => tool),
    }),
  );
}
