import { createBadRequests, type BadRequests, type OpenRecord, type RecordDraft } from '../../log/index.ts';
import type { Identity, Tracer } from '../../contract/call.ts';
import { monotonicClock, type Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { createAnswers, type AnswerParts, type Answers } from './answers.ts';
import type { HandleTool } from './tools/tool-request.ts';
import type { ApprovalsPart } from './held/legacy-hold.ts';
import { MCP_LIMITS, type McpLimits } from './limits.ts';

/** Who is behind a connection, as the door authenticated it. */
export type Visitor = Identity;

/** A token is known by its id: one that was revoked may have a namesake. */
export function isSameVisitor(a: Visitor, b: Visitor): boolean {
  return a.principal === b.principal && a.token?.id === b.token?.id;
}

export interface McpParts extends AnswerParts {
  handleTool: HandleTool;
  activity: { open(draft: RecordDraft): OpenRecord };
  /** Absent: no call ever waits for a person. */
  approvals?: ApprovalsPart;
  /** Absent: no spans are collected. */
  tracer?: Tracer | undefined;
  log: Log;
  limits?: Partial<McpLimits>;
  clock?: Clock;
}

/** What both eras and both transports share. */
export interface McpCore {
  handleTool: HandleTool;
  answers: Answers;
  badRequests: BadRequests;
  approvals: ApprovalsPart | undefined;
  tracer: Tracer | undefined;
  limits: McpLimits;
  log: Log;
  clock: Clock;
}

export function createCore({
  handleTool,
  activity,
  approvals,
  tracer,
  log,
  limits,
  clock = monotonicClock,
  ...said
}: McpParts): McpCore {
  const all = { ...MCP_LIMITS, ...limits };
  const badRequests = createBadRequests({ activity, log, clock, perMinute: all.badRequestsPerMinute });
  return {
    handleTool,
    answers: createAnswers(said),
    badRequests,
    approvals,
    tracer,
    limits: all,
    log,
    clock,
  };
}
