import type { CallRequest } from '../../../road/index.ts';
import type { CallResult, Caller } from '../../../contract/call.ts';
import { toProxyError, type ProxyError } from '../../../contract/errors.ts';
import { ofRequest, type Log } from '../../../lib/log.ts';
import { exactJson, exactValue, isObject } from '../../../json/index.ts';
import type { StateSeal } from '../../../lib/state-seal.ts';
import { approvalForm, isShownWhole, readAnswer, showsForms } from './approval-form.ts';
import type { ApprovalsPart } from './legacy-hold.ts';

type Continuation = NonNullable<CallRequest['continuation']>;

export interface HeldRoundsParts {
  approvals: ApprovalsPart;
  seal: StateSeal;
  log: Log;
}

/** What a client carries for us from one round of a held call to the next. */
interface HeldState {
  approvalId: string;
  /** How many rounds there were. */
  round: number;
  /** What the call brought for its server; it is sent once the call is approved. */
  brought?: Pick<Continuation, 'inputResponses' | 'requestState'>;
}

interface Round {
  /** What is for the server. */
  own: Continuation;
  state: HeldState | undefined;
}

/** One round of a call: what is for its server, and how long it may be kept waiting. */
type Send = (continuation: Continuation, waitMs: number | undefined) => Promise<CallResult>;

export type InRounds = ReturnType<typeof createHeldRounds>;

const QUESTION = 'approval';
/** Clients give up after ten rounds; before that they are told in words that the call waits. */
const MAX_ROUNDS = 8;
const MAX_BROUGHT = 65_536;

/**
 * Calls of 2026-07-28 clients that wait for a person. Each round is kept open for a while and then answered with "input required": come
 * again with this state. Where the person at the client may decide, the first round asks for that at once.
 */
export function createHeldRounds({ approvals, seal, log }: HeldRoundsParts) {
  /** A state that is not ours, or not this caller's, is left to the road, which knows those of servers and refuses the rest. */
  async function begin(continuation: Continuation, caller: Caller): Promise<Round> {
    const { requestState, clientCapabilities, inputResponses } = continuation;
    const opened = requestState === undefined ? undefined : seal.open(requestState, boundTo(caller));
    if (!opened) return { own: continuation, state: undefined };
    const state = opened.value as HeldState;
    await takeAnswer(state.approvalId, inputResponses, caller);
    return { own: { ...(clientCapabilities && { clientCapabilities }), ...state.brought }, state };
  }

  async function takeAnswer(id: string, responses: unknown, caller: Caller): Promise<void> {
    if (!isObject(responses) || responses[QUESTION] === undefined) return;
    try {
      const isWhole = isShownWhole(await approvals.get(id));
      await approvals.answered(id, readAnswer(responses[QUESTION], isWhole), caller);
    } catch (error) {
      // Refused and recorded, or decided elsewhere: the call waits on, or hears of it.
      log.debug({ err: error, approval: id, ...ofRequest(caller) }, 'the answer of a client did not count');
    }
  }

  async function nextRound(
    id: string,
    { own, state }: Round,
    asks: boolean,
    caller: Caller,
  ): Promise<CallResult | undefined> {
    const { requestState } = own;
    const inputResponses = exactValue(own.inputResponses);
    const isBrought = inputResponses !== undefined || requestState !== undefined;
    const brought = { ...(isBrought && { brought: { inputResponses, requestState } }) };
    const round = (state?.round ?? 0) + 1;
    if (round > MAX_ROUNDS || exactJson(brought)!.length > MAX_BROUGHT) return undefined;
    const approval = asks ? await approvals.get(id) : undefined;
    const form = approval && approvalForm(approval, isShownWhole(approval));
    const next: HeldState = { approvalId: id, round, ...brought };
    return {
      resultType: 'input_required',
      ...(form && { inputRequests: { [QUESTION]: { method: 'elicitation/create', params: form } } }),
      requestState: seal.seal(next, boundTo(caller)),
    };
  }

  return async function inRounds(
    continuation: Continuation,
    caller: Caller,
    send: Send,
  ): Promise<CallResult> {
    const round = await begin(continuation, caller);
    const asks = !round.state && approvals.inClient() && showsForms(continuation.clientCapabilities);
    try {
      return await send(round.own, asks ? 0 : undefined);
    } catch (cause) {
      const id = heldId(toProxyError(cause));
      const next = id === undefined ? undefined : await nextRound(id, round, asks, caller);
      if (next) return next;
      throw cause;
    }
  };
}

function heldId({ code, details }: ProxyError): string | undefined {
  return code === 'APPROVAL_PENDING' && typeof details.approval_id === 'string'
    ? details.approval_id
    : undefined;
}

/** Possession of a state is no credential: it opens for the caller that got it. */
function boundTo({ principal, token, userId }: Caller): string {
  return JSON.stringify(['held call', principal, token?.id ?? null, userId]);
}
