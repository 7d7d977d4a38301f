import type { WaitHooks } from '../../approval/index.ts';
import { toProxyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../json/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import type { AskMethod } from '../../upstream/dispatch/dispatch-call.ts';
import { runChecks } from '../checks.ts';
import type { CallContext } from '../context.ts';
import { questionFor } from '../steps/approval.ts';
import { flowIn } from '../steps/flows.ts';
import type { RoadParts } from '../step.ts';
import { AskRefusal, ended, notApproved } from './ask-errors.ts';

/** The answer of a client to a question of the server of its call. */
export interface GivenAnswer {
  method: AskMethod;
  /** Of the question. */
  params: JsonObject;
  answer: JsonObject;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** The question may be about this call, but another one answers it: whether the client still waits for this one does not matter. */
  isOther?: boolean;
}

const MAX_QUESTION = 200;

/**
 * An answer is a part of what runs, as the arguments are: where a person decides about the call, they decide about each answer too, before
 * the server gets it. Roots are no answer to a call: the server keeps them for the connection. Returns what the record of the answer says
 * about the approval; undefined: none is needed. Throws an AskRefusal.
 */
export async function approveAnswer(
  call: CallContext,
  parts: RoadParts,
  given: GivenAnswer,
): Promise<JsonObject | undefined> {
  if (given.method === 'roots/list') return undefined;
  try {
    return await permitFor(call, parts, given);
  } catch (cause) {
    throw cause instanceof AskRefusal ? cause : notApproved(toProxyError(cause));
  }
}

async function permitFor(
  call: CallContext,
  parts: RoadParts,
  given: GivenAnswer,
): Promise<JsonObject | undefined> {
  const { approvals } = parts;
  const found = flowIn(call, parts, { answers: given.answer });
  if (found !== undefined) call.warn(found);
  const flow = parts.config().flows === 'ask' ? (call.flow ?? found) : undefined;
  if (!approvals) return undefined;
  const question = questionFor({ call, parts, approvals, flow }, false, broughtBy(call, given));
  if (!question) return undefined;
  const { signal } = given;
  const { hooks, onProgress } = call.request;
  // The call goes on with this decision or not at all, so it waits until the request expires.
  const waiting = {
    signal,
    onProgress,
    waitMs: Number.POSITIVE_INFINITY,
    hooks: withdrawing(given.isOther ? undefined : hooks),
  };
  const permit = await approvals.obtainPermit(question, waiting);
  try {
    runChecks(call.forRecheck(), parts);
    if (signal.aborted) throw ended();
  } catch (error) {
    await permit.release();
    throw error;
  }
  await permit.settle({ result: {} });
  return permit.trail;
}

/** Bound to this question of this call: the same answer to another one needs another approval. The person sees question and answer. */
function broughtBy({ record }: CallContext, { method, params, answer }: GivenAnswer) {
  const { message } = params;
  const question = typeof message === 'string' ? visibleLine(message.slice(0, MAX_QUESTION)) : method;
  return { inputResponses: { [question]: answer }, requestState: { call: record!.id, method, params } };
}

/** When the call has ended nobody can use the decision, so the request is withdrawn. */
function withdrawing(hooks: WaitHooks | undefined): WaitHooks {
  return {
    isAsking: () => hooks?.isAsking?.() === true,
    isListening: () => hooks?.isListening?.() !== false,
    onPending: (approval, recheck) => hooks?.onPending?.(approval, recheck),
    onReleased: () => hooks?.onReleased?.(),
    isWithdrawn: () => true,
  };
}
