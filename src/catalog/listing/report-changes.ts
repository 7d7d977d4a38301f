import type { ActivityMetadata } from '../../contract/activity.ts';
import type { ToolDiff } from '../../contract/tool.ts';
import { newId } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { NOT_REMEMBERED } from '../known/diff-tool.ts';
import { MAX_NEW_PER_HOUR, MAX_PER_SERVER } from '../known/known-tools.ts';
import type { LearnResult, ToolChange, ToolChangeKind } from '../known/learn-tool.ts';
import type { TableEntry } from '../tool-table.ts';

/** The draft of an activity record about a change that a server made. */
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

export interface ChangeReportParts extends ReportParts {
  entryOf: (name: string) => TableEntry | undefined;
  diffOf: (entry: TableEntry) => Promise<ToolDiff>;
  /** Resolves when what was listed so far is judged. */
  settled: () => Promise<void>;
}

/** A tool of a listing, compared with what was known of it. */
export type LearnedTool = LearnResult & { tool: string };

interface ReportedChange extends ToolChange {
  tool: string;
  /** Agents can no longer use it. */
  withheld: () => boolean;
  isSettled: () => boolean;
  /** How the fields differ from the accepted definition; computed only for tools with their own record. */
  fields: () => Promise<ToolDiff['changes']>;
}

/** Further changes of one listing share a record: a server must not be able to push older records out of the log. */
const MAX_RECORDS = 100;
const MAX_FIELDS = 20;
/** Keys and values are the server's own text. */
const MAX_TEXT = 200;
/** Of a long text, what comes before the first difference. */
const CONTEXT = 40;

const SENTENCE: Record<ToolChangeKind, string> = {
  tool_new: 'a new tool waits for approval',
  definition_changed: 'a tool has changed its definition',
  definition_restored: 'a tool has its accepted definition again',
  hints_weakened: 'a tool has weakened its hints; the stricter ones apply until the operator accepts',
  hints_strengthened: 'a tool has made its hints stricter',
  hints_changed: 'a tool has changed its hints',
};
const WARNINGS = new Set<ToolChangeKind>(['definition_changed', 'hints_weakened']);

const MOVED = {
  place: [
    'server_identity_changed',
    'a server is started or reached differently; its tools count as changed',
  ],
  introduction: ['server_introduction_changed', 'a server has changed its name, version or instructions'],
} as const;

/** Records what a listing changed. Differences are read from the database, so reports follow a moment later, in order. */
export function createChangeReports({ record, log, entryOf, diffOf, settled }: ChangeReportParts) {
  let last: Promise<void> = Promise.resolve();

  function changesOf(server: string, { tool, change }: LearnedTool): ReportedChange[] {
    const name = `${server}:${tool}`;
    const entry = entryOf(name);
    if (!change || !entry) return [];
    const now = () => entryOf(name) ?? entry;
    // Accepted meanwhile, because nothing was found in it.
    const isSettled = () => change.change === 'tool_new' && now().facts.known.accepted !== undefined;
    const fields = async () => (await diffOf(entry)).changes.slice(0, MAX_FIELDS).map(shortened);
    return [{ tool, ...change, withheld: () => now().tool.withheld, isSettled, fields }];
  }

  async function reportChanges(server: string, found: ReportedChange[]): Promise<void> {
    const changes = found.filter(({ isSettled }) => !isSettled());
    for (const { tool, withheld, fields, isSettled: _, ...change } of changes.slice(0, MAX_RECORDS)) {
      const changed = change.change === 'tool_new' ? [] : await fields();
      const metadata = {
        ...change,
        ...(withheld() && { withheld: true }),
        ...(changed.length > 0 && { paths: changed.map(({ path }) => path) }),
      };
      const level = WARNINGS.has(change.change) ? 'warn' : 'info';
      log[level]({ server, tool, ...metadata }, SENTENCE[change.change]);
      const texts = changed.length > 0 ? { changes: changed } : {};
      record({ ...draft(server, { ...metadata, ...texts }), tool_name: tool });
    }
    const rest = changes.slice(MAX_RECORDS);
    if (rest.length > 0) reportRest(server, rest);
  }

  function reportRest(server: string, rest: ReportedChange[]): void {
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

  /** One record for all tools that are withheld because their server has listed too many names. */
  function reportUnremembered(server: string, tools: string[]): void {
    log.warn(
      { server, tools: tools.length, limit: MAX_PER_SERVER, per_hour: MAX_NEW_PER_HOUR },
      'a server has listed more tool names than are remembered; the new ones are withheld until they are approved',
    );
    record(
      draft(server, {
        change: 'tools_not_remembered',
        withheld: true,
        further: tools.length,
        tools: tools.slice(0, MAX_RECORDS),
        limit: MAX_PER_SERVER,
        per_hour: MAX_NEW_PER_HOUR,
        reason: NOT_REMEMBERED,
      }),
    );
  }

  /** One record for all tools of the server. */
  function reportMoved(server: string, what: keyof typeof MOVED, tools: number): void {
    const [change, sentence] = MOVED[what];
    log.warn({ server, tools }, sentence);
    record(draft(server, { change, tools }));
  }

  return {
    report(server: string, learned: readonly LearnedTool[]): void {
      for (const what of ['place', 'introduction'] as const) {
        const moved = learned.filter((each) => each.moved === what).length;
        if (moved > 0) reportMoved(server, what, moved);
      }
      const unremembered = learned.filter(({ known }) => known.unremembered).map(({ tool }) => tool);
      if (unremembered.length > 0) reportUnremembered(server, unremembered);
      const changes = learned.flatMap((each) => changesOf(server, each));
      if (changes.length === 0) return;
      last = last
        .then(settled)
        .then(() => reportChanges(server, changes))
        .catch((error: unknown) => log.error({ err: error, server }, 'changes of tools cannot be reported'));
    },
    /** Resolves when every report so far is made. */
    idle: () => last,
  };
}

/** A field before and after, with as much of its text as a record needs to tell what was changed. */
function shortened({ path, before, after }: ToolDiff['changes'][number]): ToolDiff['changes'][number] {
  const isLong = Math.max(before?.length ?? 0, after?.length ?? 0) > MAX_TEXT;
  const from = isLong ? Math.max(0, sharedLength(before ?? '', after ?? '') - CONTEXT) : 0;
  return {
    path: cut(path, 0),
    ...(before !== undefined && { before: cut(before, from) }),
    ...(after !== undefined && { after: cut(after, from) }),
  };
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function cut(text: string, from: number): string {
  const rest = text.slice(from);
  return `${from > 0 ? '…' : ''}${rest.slice(0, MAX_TEXT)}${rest.length > MAX_TEXT ? '…' : ''}`;
}

function draft(server: string, metadata: ActivityMetadata): ToolChangeDraft {
  return { type: 'tool_change', source: 'system', server_name: server, request_id: newId(), metadata };
}
