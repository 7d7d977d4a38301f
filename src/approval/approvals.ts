import type { Kysely } from 'kysely';
import type { ApprovalsConfig } from '../contract/approval-policy.ts';
import type { Approval, ApprovalPage, ApprovalStatus, Grant } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import { durationMs } from '../contract/config.ts';
import type { OperationType } from '../contract/operation.ts';
import type { RowSeal, Tables } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import { ofRequest, type Log, type Requester } from '../lib/log.ts';
import { callDigest, type ApprovalRequest, type FindMasked, type Mask } from './approval-request.ts';
import { recordOutcome, type DecisionLog } from './audit-records.ts';
import { clientWaitMs } from './client-waits.ts';
import { createConversationApprovals, type ConversationDraft } from './conversation.ts';
import { createClientAnswers, createDecide, type ClientAnswer, type Decide } from './decide.ts';
import { createGrants } from './grants.ts';
import { watchOtherProxies, type Channel } from './other-proxies.ts';
import { createPolicyCache, type Policy } from './policy/policy.ts';
import { createReveal, type Revealed } from './reveal.ts';
import { createRuns, type CallPermit } from './runs.ts';
import { SERVER_CHANGED, createServerFence, noFence, type ServerFence } from './server-change.ts';
import { createApprovalRequests } from './store/approval-requests.ts';
import { isCompleteInList, toApproval, type ApprovalRow } from './store/approval-row.ts';
import { createApprovalStore } from './store/approval-store.ts';
import { createCallStore, isOpen, type CallStore } from './store/exact-call.ts';
import { createGrantStore } from './store/grant-store.ts';
import { startMaintenance } from './store/maintenance.ts';
import { createWaitForApproval } from './wait-for-approval.ts';
import { createWaiters, createWaitingRequests, type Waiters, type WaitOptions } from './waiters.ts';

export interface ApprovalsParts {
  kysely: Kysely<Tables>;
  seal: RowSeal;
  config: () => ApprovalsConfig;
  activity: DecisionLog;
  retentionDays: () => number;
  events: Pick<EventBus, 'emit'>;
  mask: Mask;
  findMasked: FindMasked;
  /** The id of this proxy, the same after a restart: calls that it left running then have an unknown outcome. */
  instance: string;
  channel?: Channel | undefined;
  /** The approval request for a draft, bound in the same way as the later call. */
  requestFor: (draft: ConversationDraft) => ApprovalRequest;
  /** A call starts to wait. */
  notify?: (approval: Approval, by: Requester) => void;
  clock: Clock;
  log: Log;
}

export interface Approvals {
  /** The current rules. */
  policy(): Policy;
  ttlMs(operation: OperationType): number;
  /** How long a request of this client program stays open; see `Caller.client`. */
  waitMs(client?: string): number;
  inClient(): boolean;
  /** Waits for an approval, or finds a grant, and uses it. `approvalId`: an approval that was decided before. */
  obtainPermit(request: ApprovalRequest, waiting: WaitOptions, approvalId?: string): Promise<CallPermit>;
  /** Asks the person in a conversation, whose next message decides. Does not wait. */
  ask(draft: ConversationDraft): Promise<Approval>;
  /** The last approval request in a conversation, while it is pending or has just expired. */
  pendingIn(conversationId: string, userId: string): Promise<Approval | undefined>;
  cancel(id: string, why: string, by: string): Promise<Approval>;
  /** The ids of the tokens that have open approvals. */
  openTokens(): Promise<string[]>;
  /** Cancels the open requests of a token that is no longer valid: their calls can never run. */
  cancelForToken(token: { id: string; why: 'revoked' | 'expired' | 'invalid' }): Promise<void>;
  decide: Decide;
  acceptClientAnswer(id: string, answer: ClientAnswer, caller: Caller): Promise<void>;
  /** Without secrets, for everybody. */
  get(id: string): Promise<Approval>;
  /** With the call exactly as it will run, for the operator. Revealed secrets are recorded. */
  reveal(id: string, caller: Caller): Promise<Revealed>;
  list(query: {
    status?: ApprovalStatus | undefined;
    cursor?: string | undefined;
    limit: number;
  }): Promise<ApprovalPage>;
  pending(): Promise<number>;
  /** The grant that covers this call. */
  grantFor(request: ApprovalRequest): Promise<Grant | undefined>;
  grants(query: { active?: boolean | undefined; limit: number }): Promise<Grant[]>;
  revoke(id: string, caller: Caller): Promise<Grant>;
  sweep(): Promise<void>;
  /** Answers all waiting requests now; their approval requests stay. */
  releaseWaiters(): void;
  close(): void;
}

/** For all callers together. */
const MAX_PENDING = 10_000;
/** For the calls that are kept until they are decided. */
const MAX_BYTES_PER_CALLER = 32 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
/** Waiting requests of one caller for each approval request that it may have: the same call may come twice. */
const REQUESTS_PER_PENDING = 2;

const TOKEN_ENDS = {
  revoked: 'the token was revoked',
  expired: 'the token expired',
  invalid: 'the row of the token was changed outside of mcpproxy',
} as const;

/** Calls that wait for approval. One state machine in the database, for every way to ask and to decide. */
export async function createApprovals(parts: ApprovalsParts): Promise<Approvals> {
  const { config } = parts;
  const core = createCore(parts);
  const { store, requests, waiters, activity, now } = core;
  const grants = createGrants(core);
  const decide = createDecide({ ...core, inClient: () => config().in_client });
  const maintenance = startMaintenance({
    ...core,
    retentionDays: parts.retentionDays,
    runner: parts.instance,
    onAbandoned: (row) => recordOutcome(activity, row, 'unknown'),
  });
  // With a channel to other proxies, thus with PostgreSQL.
  if (parts.channel)
    core.setFence(await createServerFence({ kysely: parts.kysely, endAll: () => endAll(core) }));
  const stopWatching = watchOtherProxies({ ...core, channel: parts.channel, instance: parts.instance });
  let isStopping = false;
  const waitForApproval = createWaitForApproval({
    ...core,
    waitingRequests: createWaitingRequests(),
    maxWaiting: () => REQUESTS_PER_PENDING * config().max_pending_per_caller,
    isStopping: () => isStopping,
  });
  const releaseWaiters = () => {
    isStopping = true;
    waiters.wakeAll();
  };
  const abandoned = await maintenance.recover();
  if (abandoned > 0)
    parts.log.warn(
      { approvals: abandoned },
      'approved calls were running when the proxy stopped; their outcome is unknown',
    );

  return {
    ...configured(config),
    ...createConversationApprovals({ store, requests, requestFor: parts.requestFor }),

    async obtainPermit(request, waiting, approvalId) {
      const granted = approvalId === undefined ? await grants.useFor(request) : undefined;
      return granted ?? waitForApproval(request, waiting, approvalId);
    },

    cancel: (id, why, by) => requests.cancel(id, why, by),
    openTokens: () => store.openTokens(),
    async cancelForToken({ id, why }) {
      const reason = TOKEN_ENDS[why];
      for (const open of await store.openOfToken(id)) await requests.cancel(open.id, reason, 'system');
    },
    decide,
    acceptClientAnswer: createClientAnswers({ decide, requests, activity }),

    get: async (id) => toApproval(await requests.current(id)),
    reveal: createReveal(core),
    async list({ status, cursor, limit }) {
      const rows = await store.list({ status, before: cursor, limit: limit + 1 });
      const shown = rows.slice(0, limit).map(toApproval);
      return { approvals: shown, next_cursor: rows.length > limit ? shown.at(-1)!.id : null };
    },
    pending: () => store.pending(now()),

    grantFor: (request) => grants.find(request),
    grants: (query) => grants.list(query),
    revoke: (id, caller) => grants.revoke(id, caller),

    sweep: () => maintenance.sweep(),
    releaseWaiters,
    close() {
      stopWatching();
      maintenance.stop();
      releaseWaiters();
    },
  };
}

/** The stores, the waiting requests and the running calls, which everything else works on. */
function createCore(parts: ApprovalsParts) {
  const { kysely, seal, config, activity, events, mask, findMasked, instance, clock, log } = parts;
  const now = () => clock.now();
  const store = createApprovalStore({ kysely, seal, now });
  const calls = createCallStore(kysely, seal);
  const waiters = createWaiters();
  const announce = ({ id, status, server, tool }: ApprovalRow) =>
    events.emit('approval', { id, status, server, tool });
  const changed = createChangeHandler(parts, { calls, waiters, announce });
  let serverFence = noFence;
  const fence = () => serverFence;
  const runs = createRuns({ store, runner: instance, now, changed, fence, seal, log });
  const requests = createApprovalRequests({
    store,
    mask,
    findMasked,
    digestOf: (call) => seal.digest(callDigest(call)),
    now,
    changed,
    limits: () => ({
      perCaller: config().max_pending_per_caller,
      total: MAX_PENDING,
      bytesPerCaller: MAX_BYTES_PER_CALLER,
      bytesTotal: MAX_BYTES,
    }),
    isRunning: (id) => runs.isRunning(id),
    onRequested: (approval, by) => parts.notify?.(approval, by),
    onExpired: (row) => recordOutcome(activity, row, 'expired'),
  });
  const onRemoteChange = (id: string) =>
    void store.get(id).then(
      (row) => row && announce(row),
      // The event is only a hint to refresh a view.
      () => {},
    );
  const grants = createGrantStore({ kysely, seal, now });
  const setFence = (made: ServerFence) => void (serverFence = made);
  const shared = {
    store,
    calls,
    grants,
    waiters,
    requests,
    runs,
    activity,
    changed,
    onRemoteChange,
    now,
    log,
  };
  return { ...shared, fence, setFence };
}

const MOST_GRANTS = 100_000;

/** A person is asked again for what was approved on a server that is gone. */
async function endAll({ store, grants, requests, now, log }: ReturnType<typeof createCore>): Promise<void> {
  const approved = await store.approved();
  for (const { id } of approved) await requests.cancel(id, SERVER_CHANGED, 'mcpproxy');
  const active = await grants.list({ activeAt: now(), limit: MOST_GRANTS });
  for (const { id } of active) await grants.revoke(id, now(), 'mcpproxy');
  if (approved.length + active.length > 0)
    log.warn(
      { approvals: approved.length, grants: active.length },
      `unused approvals and grants have ended: ${SERVER_CHANGED}`,
    );
}

function configured(
  config: () => ApprovalsConfig,
): Pick<Approvals, 'policy' | 'ttlMs' | 'waitMs' | 'inClient'> {
  const policyOf = createPolicyCache();
  return {
    policy: () => policyOf(config().require),
    ttlMs: (operation) => durationMs(config().ttl_by_operation[operation] ?? config().ttl),
    waitMs: (client) => clientWaitMs(config(), client),
    inClient: () => config().in_client,
  };
}

interface ChangeTargets {
  calls: CallStore;
  waiters: Waiters;
  announce: (row: ApprovalRow) => void;
}

/** After every change of an approval: wakes its waiting requests, and tells other proxies and the event stream. */
function createChangeHandler(
  { channel, instance, log }: Pick<ApprovalsParts, 'channel' | 'instance' | 'log'>,
  { calls, waiters, announce }: ChangeTargets,
): (row: ApprovalRow, by?: Requester) => void {
  /** A settled call is not shown any more. Where erasing fails, the next sweep does it. */
  function eraseSettled(row: ApprovalRow): void {
    if (isOpen(row.status) || isCompleteInList(toApproval(row))) return;
    calls
      .erase(row.id)
      .catch((error: unknown) =>
        log.warn({ err: error, approval: row.id }, 'the call of a settled approval could not be erased yet'),
      );
  }

  return (row, by) => {
    waiters.wake(row.id);
    announce(row);
    if (!isOpen(row.status)) waiters.forget(row.id);
    eraseSettled(row);
    channel
      ?.notify(`${instance} ${row.id}`)
      .catch((error: unknown) =>
        log.warn(
          { err: error, approval: row.id, ...(by && ofRequest(by)) },
          'other proxies could not be notified',
        ),
      );
  };
}
