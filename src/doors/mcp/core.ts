import type { Identity, Tracer } from '../../contract/call.ts';
import type { ToolMode } from '../../contract/tool.ts';
import { clientOf } from '../../load/index.ts';
import { createBadRequests, type BadRequests, type OpenRecord, type RecordDraft } from '../../log/index.ts';
import { monotonicClock, type Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { createAnswers, type AnswerParts, type Answers } from './answers.ts';
import type { HandleTool } from './calls.ts';
import type { DeclaredHeaders } from './direct/declared-headers.ts';
import type { ItemDoor } from './items/item-door.ts';
import type { ApprovalsPart } from './approval/legacy-wait.ts';
import type { SessionKeeping } from './http/session-ids.ts';
import { MCP_LIMITS, type McpLimits } from './limits.ts';
import type { TasksParts } from './tasks/live-tasks.ts';
import { TaskMethods } from './tasks/task-methods.ts';

/** Tokens are compared by id: a new token may have the name of a revoked one. */
export function isSameClient(a: Identity, b: Identity): boolean {
  return a.principal === b.principal && a.token?.id === b.token?.id;
}

/** Counts how many of the identities belong to each client. */
export function countByClient(identities: Iterable<Identity>): (identity: Identity) => number {
  const counts = new Map<string, number>();
  for (const identity of identities)
    counts.set(clientOf(identity), (counts.get(clientOf(identity)) ?? 0) + 1);
  return (identity) => counts.get(clientOf(identity)) ?? 0;
}

export interface McpParts extends Omit<AnswerParts, 'hasItems'> {
  handleTool: HandleTool;
  /** Prompts, resources and completions; absent: the proxy offers tools only. */
  items?: ItemDoor | undefined;
  /** Absent: tools/list shows the proxy's own tools. */
  modeOf?: (client: McpClient) => ToolMode;
  /** Absent: no parameter has to be repeated as a header. */
  declaredHeaders?: DeclaredHeaders;
  activity: { open(draft: RecordDraft): OpenRecord };
  /** Absent: no call ever waits for a person. */
  approvals?: ApprovalsPart;
  /** Absent: 2025 sessions end with this process. */
  sessionKeeping?: SessionKeeping;
  /** A client of the 2025 revisions has ended, or has other roots. */
  clientChanged?: (key: string) => void;
  /** Absent: no spans are collected. */
  tracer?: Tracer | undefined;
  /** Absent: no call runs in the background. */
  tasks?: Pick<TasksParts, 'calls' | 'resume'> | undefined;
  log: Log;
  limits?: Partial<McpLimits>;
  clock?: Clock;
}

/** Who sent a request, and by which address. */
export interface McpClient {
  readonly identity: Identity;
  /** The client uses /mcp/direct, which takes precedence over its token and the configuration. */
  readonly isDirect?: boolean | undefined;
}

/** What both protocol eras and both transports share. */
export interface McpCore {
  handleTool: HandleTool;
  items: ItemDoor | undefined;
  modeOf: (client: McpClient) => ToolMode;
  declaredHeaders: DeclaredHeaders;
  answers: Answers;
  badRequests: BadRequests;
  approvals: ApprovalsPart | undefined;
  sessionKeeping: SessionKeeping | undefined;
  tasks: TaskMethods | undefined;
  clientChanged: ((key: string) => void) | undefined;
  tracer: Tracer | undefined;
  limits: McpLimits;
  log: Log;
  clock: Clock;
}

export function createCore({
  handleTool,
  items,
  modeOf = () => 'search',
  declaredHeaders = () => [],
  activity,
  approvals,
  sessionKeeping,
  clientChanged,
  tracer,
  tasks,
  log,
  limits,
  clock = monotonicClock,
  ...answerParts
}: McpParts): McpCore {
  const answers = createAnswers({
    ...answerParts,
    hasItems: items !== undefined,
    hasTasks: tasks !== undefined,
  });
  const all = { ...MCP_LIMITS, ...limits };
  const badRequests = createBadRequests({ activity, log, clock, perMinute: all.badRequestsPerMinute });
  return {
    handleTool,
    items,
    modeOf,
    declaredHeaders,
    answers,
    badRequests,
    approvals,
    sessionKeeping,
    tasks: tasks && new TaskMethods({ ...tasks, handleTool, answers, log }),
    clientChanged,
    tracer,
    limits: all,
    log,
    clock,
  };
}
