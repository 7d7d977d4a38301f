import { randomBytes } from 'node:crypto';
import { createArgumentChecker } from '../catalog/index.ts';
import type { CallResult } from '../contract/call.ts';
import { withSpan } from '../lib/trace.ts';
import { createStateSeal, SEAL_KEY_BYTES } from '../lib/state-seal.ts';
import type { Relay } from '../db/index.ts';
import { createAskDesk } from './asks/ask-desk.ts';
import { TOOL_CHECKS } from './checks.ts';
import { CallContext } from './context.ts';
import { createFlows } from './flows/flows.ts';
import type { CallTool } from './request.ts';
import { createSeenResources } from './seen-resources.ts';
import type { RoadParts, Step } from './step.ts';
import { admission, doorAdmission } from './steps/admission.ts';
import { approval } from './steps/approval.ts';
import { dispatch, result, turnCheck } from './steps/dispatch.ts';
import { flows } from './steps/flows.ts';
import { parse } from './steps/parse.ts';
import { closeFailed, closeRecord, durableRecord, openRecord } from './steps/record.ts';
import { requestState } from './steps/request-state.ts';
import { scope } from './steps/scope.ts';
import { serverStart } from './steps/look-up.ts';

/**
 * The policy checkpoint. Every call to a tool of a server, from every door, runs these steps in this order, and so does every request for
 * a prompt, a resource or a completion; no other code sends one.
 * A step that refuses throws a ProxyError; the record is closed in every case.
 */
export const ROAD: readonly Step[] = [
  doorAdmission,
  openRecord,
  parse,
  scope,
  serverStart,
  ...TOOL_CHECKS,
  requestState,
  durableRecord,
  flows,
  approval,
  admission,
  turnCheck,
  dispatch,
  result,
  closeRecord,
];

const STEPS = ROAD.filter((step) => step.at !== 'door');

/** Wraps the whole list: metrics, the log line of a call, the usage of a token. */
export type Wrapper = (callTool: CallTool) => CallTool;

type Defaults = 'argumentChecker' | 'stateSeal' | 'flows' | 'seen' | 'asks';
/** Parts with a default may be left out: states are then sealed with a key of this process alone. */
export type GivenParts = Omit<RoadParts, Defaults> &
  Partial<Pick<RoadParts, Defaults>> & {
    /** To the other proxies on the same database. */
    relay?: Relay;
  };

/** The outermost wrapper comes first. */
export function createRoad(given: GivenParts, wrappers: readonly Wrapper[] = []): CallTool {
  const parts: RoadParts = {
    argumentChecker: createArgumentChecker(),
    stateSeal: createStateSeal(randomBytes(SEAL_KEY_BYTES)),
    flows: createFlows(),
    seen: createSeenResources(),
    asks: createAskDesk(given.relay && { relay: given.relay, log: given.log }),
    ...given,
  };
  const callTool: CallTool = (request) => runSteps(new CallContext(request), parts);
  return wrappers.reduceRight((inner, wrap) => wrap(inner), callTool);
}

async function runSteps(call: CallContext, parts: RoadParts): Promise<CallResult> {
  const { trace } = call.caller;
  try {
    for (const step of STEPS) {
      const waiting = step.run(call, parts);
      if (waiting) await (trace && step.span ? withSpan(trace, step.span, waiting) : waiting);
    }
    return call.result;
  } catch (cause) {
    throw await closeFailed(call, parts, cause);
  }
}
