import type { Kysely } from 'kysely';
import type { ApprovalsConfig } from '../contract/approval-policy.ts';
import type { Approval, ApprovalPage, ApprovalStatus, Grant } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import { durationMs } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import type { OperationType } from '../contract/operation.ts';
import type { Tables } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import { ofRequest, type Log, type Requester } from '../lib/log.ts';
import { isShownInList, toApproval, type ApprovalRow } from './store/approval-row.ts';
import { createDecide, type Decide, type DecisionLog } from './decide.ts';
import { createClientAnswers, type ClientAnswer } from './client-answer.ts';
import { followOthers, type Channel } from './follow.ts';
import { createGrantStore, toGrant } from './store/grant-store.ts';
import { createHoldStore, isOpen } from './store/hold-store.ts';
import { createHeldRequests } from './held-requests.ts';
import { createHolds } from './store/holds.ts';
import { passGrant } from './pass-grant.ts';
import { passHold } from './pass.ts';
import type { Pass, Waiting } from './hold.ts';
import { rememberPolicy, type Policy } from './policy/policy.ts';
import type { FindMasked, Mask, Question } from './question.ts';
import { recordGrantEnd, recordOutcome } from './record-outcome.ts';
import { createReveal, type Revealed } from './reveal.ts';
import { createRuns } from './runs.ts';
import { startUpkeep } from './store/upkeep.ts';
import { createWaiters } from './waiters.ts';

export interface ApprovalsParts {
  kysely: Kysely<Tables>;
  config: () => ApprovalsConfig;
  activity: DecisionLog;
  retentionDays: () => number;
  events: Pick<EventBus, 'emit'>;
  mask: Mask;
  findMasked: FindMasked;
  /** Names this proxy, also after a restart: what it has left in use is then of unknown outcome. */
  instance: string;
  channel?: Channel | undefined;
  /** The call of a draft, bound as the road will bind it. */
  questionFor: (draft: ConversationDraft) => Question;
  /** A new call waits. */
  notify?: (approval: Approval, by: Requester) => void;
  clock: Clock;
  log: Log;
}

/** A question to the person in a conversation. */
export interface ConversationDraft {
  /** As the call will be made: with source, user and conversation. */
  caller: Caller;
  server: string;
  /** Without its server. */
  tool: string;
  args: Record<string, unknown>;
  description?: string;
  ttlMs?: number;
}

export interface Approvals {
  /** The rules in force. */
  policy(): Policy;
  ttlMs(operation: OperationType): number;
  waitMs(): number;
  inClient(): boolean;
  /** The road's step: waits for a person, or finds a grant, and uses it up. `approvalId`: one that was decided already. */
  pass(question: Question, waiting: Waiting, approvalId?: string): Promise<Pass>;
  /** Asks the person in a conversation, whose next message decides; does not wait. */
  ask(draft: ConversationDraft): Promise<Approval>;
  /** The last question in a conversation, while it is open or has just expired. */
  pendingIn(conversationId: string, userId: string): Promise<Approval | undefined>;
  cancel(id: string, why: string, by: string): Promise<Approval>;
  /** A token is good no more: what it has asked for can never run, so nobody is to decide on it. */
  endToken(token: { id: string; why: 'revoked' | 'expired' }): Promise<void>;
  decide: Decide;
  answered(id: string, answer: ClientAnswer, caller: Caller): Promise<void>;
  /** As everybody may see it: secrets masked. */
  get(id: string): Promise<Approval>;
  /** With the call exactly as it will run, where the caller may decide. That masked parts were shown is recorded. */
  reveal(id: string, caller: Caller): Promise<Revealed>;
  list(query: {
    status?: ApprovalStatus | undefined;
    cursor?: string | undefined;
    limit: number;
  }): Promise<ApprovalPage>;
  pending(): Promise<number>;
  /** The grant that would let this call pass. */
  grantFor(question: Question): Promise<Grant | undefined>;
  grants(query: { active?: boolean | undefined; limit: number }): Promise<Grant[]>;
  revoke(id: string, caller: Caller): Promise<Grant>;
  sweep(): Promise<void>;
  /** Requests that wait are answered now; what they wait for stays. */
  letGo(): void;
  close(): void;
}

/** However many callers there are. */
const MAX_PENDING = 10_000;
/** Of calls that are kept as they will run. */
const MAX_BYTES_PER_CALLER = 32 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
/** Requests of one caller that may wait, for each approval that it may ask for: the same call may come twice. */
const REQUESTS_PER_PENDING = 2;
const CONVERSATION_TTL_MS = 300_000;

/** Calls that wait for a person. One state machine for all of them, in the database, whoever asks and whoever decides. */
export async function createApprovals(parts: ApprovalsParts): Promise<Approvals> {
  const { kysely, config, activity, events, mask, findMasked, instance, channel, log, clock } = parts;
  const now = () => clock.now();
  const [store, grants] = [createHoldStore(kysely), createGrantStore(kysely)];
  const waiters = createWaiters();
  const policyOf = rememberPolicy();

  const announce = ({ id, status, server, tool }: ApprovalRow) =>
    events.emit('approval', { id, status, server, tool });
  function changed(row: ApprovalRow, by?: Requester): void {
    waiters.wake(row.id);
    announce(row);
    eraseSettled(row);
    channel
      ?.notify(`${instance} ${row.id}`)
      .catch((error: unknown) =>
        log.warn(
          { err: error, approval: row.id, ...(by && ofRequest(by)) },
          'other proxies could not be told',
        ),
      );
  }
  /** Nobody decides on it any more. What is not erased now, as the proxy ends, the next sweep erases. */
  function eraseSettled(row: ApprovalRow): void {
    if (isOpen(row.status) || isShownInList(toApproval(row))) return;
    store
      .eraseCall(row.id)
      .catch((error: unknown) =>
        log.warn({ err: error, approval: row.id }, 'a call could not be erased yet'),
      );
  }
  let stopping = false;
  const letGo = () => {
    stopping = true;
    waiters.wakeAll();
  };
  const runs = createRuns({ store, runner: instance, now, changed, log });
  const holds = createHolds({
    store,
    mask,
    findMasked,
    now,
    changed,
    limits: () => ({
      perCaller: config().max_pending_per_caller,
      total: MAX_PENDING,
      bytesPerCaller: MAX_BYTES_PER_CALLER,
      bytesTotal: MAX_BYTES,
    }),
    isRunning: (id) => runs.isRunning(id),
    asked: (approval, by) => parts.notify?.(approval, by),
    lapsed: (row) => recordOutcome(activity, row, 'expired'),
  });
  const upkeep = startUpkeep({
    ...parts,
    store,
    grants,
    holds,
    runs,
    runner: instance,
    now,
    changed,
    abandoned: (row) => recordOutcome(activity, row, 'unknown'),
  });
  const onRemote = (id: string) =>
    void store.get(id).then(
      (row) => row && announce(row),
      () => {},
    );
  const stopFollowing = followOthers({ store, waiters, channel, instance, onRemote, log });
  const decide = createDecide({
    store,
    grants,
    holds,
    activity,
    inClient: () => config().in_client,
    now,
    changed,
  });
  const passing = {
    holds,
    waiters,
    held: createHeldRequests(),
    mostHeld: () => REQUESTS_PER_PENDING * config().max_pending_per_caller,
    runs,
    now,
    stopping: () => stopping,
  };
  const left = await upkeep.recover();
  if (left > 0)
    log.warn(
      { approvals: left },
      'approved calls were under way when the proxy ended; their outcome is unknown',
    );

  return {
    policy: () => policyOf(config().require),
    ttlMs: (operation) => durationMs(config().ttl_by_operation[operation] ?? config().ttl),
    waitMs: () => durationMs(config().wait),
    inClient: () => config().in_client,

    async pass(question, waiting, approvalId) {
      const granted =
        approvalId === undefined ? await passGrant({ grants, holds, now }, question) : undefined;
      return granted ?? passHold(passing, question, waiting, approvalId);
    },

    async ask(draft) {
      const { ttlMs = CONVERSATION_TTL_MS, description } = draft;
      const question = { ...parts.questionFor(draft), scope: 'conversation' as const, ttlMs, description };
      return toApproval((await holds.ask(question)) ?? (await holds.attach(question)));
    },

    async pendingIn(conversationId, userId) {
      const row = await store.ofConversation(conversationId, userId);
      if (!row) return undefined;
      const approval = toApproval(await holds.current(row.id));
      if (approval.status === 'pending') return approval;
      // Said once: the person who answers too late is told that it expired.
      return approval.status === 'expired' && (await store.tell(approval.id)) ? approval : undefined;
    },

    cancel: (id, why, by) => holds.cancel(id, why, by),
    async endToken({ id, why }) {
      const reason = why === 'revoked' ? 'the token was revoked' : 'the token expired';
      for (const open of await store.openOfToken(id)) await holds.cancel(open.id, reason, 'system');
    },
    decide,

    answered: createClientAnswers({ decide, holds, activity }),

    get: async (id) => toApproval(await holds.current(id)),
    reveal: createReveal({ store, holds, activity, now }),
    async list({ status, cursor, limit }) {
      const rows = await store.list({ status, before: cursor, limit: limit + 1 });
      const shown = rows.slice(0, limit).map(toApproval);
      return { approvals: shown, next_cursor: rows.length > limit ? shown.at(-1)!.id : null };
    },
    pending: () => store.pending(now()),

    async grantFor(question) {
      const row = await grants.find(question, now());
      return row && toGrant(row, now());
    },
    grants: async ({ active, limit }) =>
      (await grants.list({ activeAt: active ? now() : undefined, limit })).map((row) => toGrant(row, now())),
    async revoke(id, caller) {
      const row = (await grants.revoke(id, now(), caller.principal)) ?? (await grants.get(id));
      if (!row)
        throw new ProxyError('NOT_FOUND', `There is no grant ${id.slice(0, 64)}`, {
          grant_id: id.slice(0, 64),
        });
      await recordGrantEnd(activity, row, caller);
      return toGrant(row, now());
    },

    sweep: () => upkeep.sweep(),
    letGo,
    close() {
      stopFollowing();
      upkeep.stop();
      letGo();
    },
  };
}
