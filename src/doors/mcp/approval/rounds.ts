import { randomBytes } from 'node:crypto';
import type { CallRequest } from '../../../road/index.ts';
import type { CallResult, Caller } from '../../../contract/call.ts';
import { toProxyError, type ProxyError } from '../../../contract/errors.ts';
import { ofRequest, type Log } from '../../../lib/log.ts';
import { exactJson, exactValue, isObject } from '../../../json/index.ts';
import type { StateSeal } from '../../../lib/state-seal.ts';
import { approvalForm, isShownWhole, readAnswer, canShowForms } from './approval-form.ts';
import type { ApprovalsPart } from './legacy-wait.ts';

type Continuation = NonNullable<CallRequest['continuation']>;

export interface ApprovalRoundsParts {
  approvals: ApprovalsPart;
  seal: StateSeal;
  log: Log;
}

/** The state of a pending call that the client sends back with its next round. */
interface RoundState {
  approvalId: string;
  /** The number of rounds so far. */
  round: number;
  /** The same in all rounds of one call. */
  requester: string;
  /** What the client sent for the server; it is forwarded once the call is approved. */
  brought?: Pick<Continuation, 'inputResponses' | 'requestState'>;
}

interface Round {
  /** What is forwarded to the server. */
  own: Continuation;
  state: RoundState | undefined;
  requester: string;
  /** Whether the client is asked to show an approval form. */
  asksClient: boolean;
}

/** Sends one round of a call. Where the client is asked, it does not wait for a decision. */
type Send = (round: Pick<Round, 'own' | 'requester' | 'asksClient'>) => Promise<CallResult>;

export type RunInRounds = ReturnType<typeof createApprovalRounds>;

const QUESTION = 'approval';
/** Clients give up after ten rounds; before that they get an error that says that the approval is pending. */
const MAX_ROUNDS = 8;
const MAX_BROUGHT = 65_536;

/**
 * Pending calls of 2026-07-28 clients. Each round waits for a while and is then answered with "input required" and a state for the next
 * round. Where the person at the client may decide, the first round asks immediately.
 */
export function createApprovalRounds({ approvals, seal, log }: ApprovalRoundsParts) {
  const series = randomBytes(6).toString('hex');
  let calls = 0;

  /** A state that is not ours, or not this caller's, is passed on: the road knows the states of servers and refuses the rest. */
  async function begin(continuation: Continuation, caller: Caller): Promise<Round> {
    const { requestState, clientCapabilities, inputResponses } = continuation;
    const opened = requestState === undefined ? undefined : seal.open(requestState, boundTo(caller));
    if (!opened) {
      const asksClient = approvals.inClient() && canShowForms(clientCapabilities);
      return { own: continuation, state: undefined, requester: `${series}-${++calls}`, asksClient };
    }
    const state = opened.value as RoundState;
    await applyAnswer(state.approvalId, inputResponses, caller);
    const own = { ...(clientCapabilities && { clientCapabilities }), ...state.brought };
    return { own, state, requester: state.requester, asksClient: false };
  }

  async function applyAnswer(id: string, responses: unknown, caller: Caller): Promise<void> {
    if (!isObject(responses) || responses[QUESTION] === undefined) return;
    try {
      const { action, approve } = readAnswer(responses[QUESTION]);
      // A call that no form shows whole was not asked about, so nothing decides it here.
      const isWhole = isShownWhole(await approvals.get(id));
      await approvals.acceptClientAnswer(id, { action, ...(isWhole && { approve }) }, caller);
    } catch (error) {
      // Refused and recorded, or decided elsewhere: the call stays pending, or gets that decision.
      log.debug(
        { err: error, approval: id, ...ofRequest(caller) },
        'the approval answer of a client was not accepted',
      );
    }
  }

  /** Undefined: there were too many rounds, or the state would be too large. */
  async function nextRound(
    id: string,
    { own, state, requester, asksClient }: Round,
    caller: Caller,
  ): Promise<CallResult | undefined> {
    const { requestState } = own;
    const inputResponses = exactValue(own.inputResponses);
    const isBrought = inputResponses !== undefined || requestState !== undefined;
    const brought = { ...(isBrought && { brought: { inputResponses, requestState } }) };
    const round = (state?.round ?? 0) + 1;
    if (round > MAX_ROUNDS || exactJson(brought)!.length > MAX_BROUGHT) return undefined;
    const approval = asksClient ? await approvals.get(id) : undefined;
    const form = approval && approvalForm(approval);
    const next: RoundState = { approvalId: id, round, requester, ...brought };
    return {
      resultType: 'input_required',
      ...(form && { inputRequests: { [QUESTION]: { method: 'elicitation/create', params: form } } }),
      requestState: seal.seal(next, boundTo(caller)),
    };
  }

  return async function runInRounds(
    continuation: Continuation,
    caller: Caller,
    send: Send,
  ): Promise<CallResult> {
    const round = await begin(continuation, caller);
    try {
      return await send(round);
    } catch (cause) {
      const id = pendingApproval(toProxyError(cause));
      const next = id === undefined ? undefined : await nextRound(id, round, caller);
      if (next) return next;
      throw cause;
    }
  };
}

function pendingApproval({ code, details }: ProxyError): string | undefined {
  return code === 'APPROVAL_PENDING' && typeof details.approval_id === 'string'
    ? details.approval_id
    : undefined;
}

/** A state is not a credential: it can be opened only for the caller that got it. */
function boundTo({ principal, token, userId }: Caller): string {
  return JSON.stringify(['held call', principal, token?.id ?? null, userId]);
}
