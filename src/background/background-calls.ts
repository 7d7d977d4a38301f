import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Identity } from '../contract/call.ts';
import { OperationType } from '../contract/operation.ts';
import type { AnyDatabase, BackgroundCallsTable } from '../db/index.ts';
import { canonicalJson, exactJson, type JsonObject } from '../json/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

export type CallStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** How a background call ended: the result as the client gets it, as JSON text, or the error of the protocol. */
export type CallOutcome = { result: string } | { error: { code: number; message: string; data?: unknown } };

/** What was called. It is stored, so that the call can be followed after a restart; it is never called again. */
const CalledTool = z.object({
  operation: OperationType,
  input: z.unknown(),
  intentSource: z.literal('verdict').optional(),
  /** What the client said that it can be asked for, where it answers by requests about its task. */
  capabilities: z.record(z.string(), z.unknown()).optional(),
});
export type CalledTool = z.infer<typeof CalledTool>;

/** What changes while a background call runs. */
export interface CallState {
  status: CallStatus;
  message?: string | undefined;
  pollMs?: number | undefined;
  inputRequests?: JsonObject | undefined;
  /** The task that the server has made of it. */
  serverTask?: string | undefined;
}

export interface BackgroundCaller extends Pick<Identity, 'principal' | 'userId'> {
  tokenId?: string | undefined;
  client?: string | undefined;
}

export interface BackgroundCall extends CallState {
  id: string;
  caller: BackgroundCaller;
  /** Absent: nothing that a server could go on with. */
  request?: CalledTool | undefined;
  createdAt: number;
  updatedAt: number;
  /** How long it is kept after its last change. */
  ttlMs: number;
  outcome?: CallOutcome | undefined;
  /** Whether no proxy has followed it for a while. */
  isAbandoned: boolean;
}

export interface BackgroundCalls {
  /** Returns once the call is stored. */
  add(call: Pick<BackgroundCall, 'caller' | 'request' | 'ttlMs'> & CallState): Promise<BackgroundCall>;
  /** False: it has ended already, or another proxy follows it. */
  update(id: string, state: CallState, outcome?: CallOutcome): Promise<boolean>;
  get(id: string): Promise<BackgroundCall | undefined>;
  list(of: Identity, page: { after?: string | undefined; limit: number }): Promise<BackgroundCall[]>;
  /** Takes over a running call that no proxy follows any more; `force`: from a proxy that follows it. False: another one was faster. */
  claim(id: string, force?: boolean): Promise<boolean>;
  /** Keeps other proxies from taking these over. Returns those that another one has taken over. */
  renew(ids: readonly string[]): Promise<string[]>;
  /** Lets another proxy, or this one after a restart, take them over at once. */
  release(ids: readonly string[]): Promise<void>;
  /** Running calls that no proxy follows. */
  abandoned(): Promise<BackgroundCall[]>;
  /** Removes what has been kept for long enough. */
  sweep(): Promise<void>;
}

/** A proxy that has not renewed it for this time is taken for dead. */
const LEASE_MS = 60_000;
const RUNNING = ['working', 'input_required'];
const MAX_ABANDONED = 1000;
/** Ended calls of one caller, and characters of their outcomes. */
const MAX_KEPT = 200;
const MAX_KEPT_CHARACTERS = 64 * 1024 * 1024;

type Row = Selectable<BackgroundCallsTable>;
type Unsealed = Omit<Row, 'seal'>;

export function isOver({ status }: Pick<CallState, 'status'>): boolean {
  return !RUNNING.includes(status);
}

interface Parts {
  db: Pick<AnyDatabase, 'kysely'>;
  clock: Clock;
  /** This proxy. */
  owner: string;
  /** A keyed digest, see `RowSeal`. */
  digest: (text: string) => string;
  log: Log;
}

/** The calls that run in the background, in the database: a restart or another proxy goes on with them. */
export function createBackgroundCalls({ db: { kysely }, clock, owner, digest, log }: Parts): BackgroundCalls {
  const table = 'background_calls';
  const sealOf = (row: Unsealed) => digest(sealedText(row));

  /** Undefined where the row was changed outside of the proxy. */
  function toCall(row: Row): BackgroundCall | undefined {
    if (row.seal === sealOf(row)) return readRow(row, clock.now());
    log.warn(
      { task: row.id.slice(0, 64) },
      'a background call was changed outside of mcpproxy: it does not count',
    );
    return undefined;
  }
  const intact = (rows: Row[]) => rows.map(toCall).filter((call) => call !== undefined);
  return {
    async add({ caller, request, ttlMs, ...state }) {
      const now = clock.now();
      const row = {
        // 256 bits: the id and the credential of its caller are all that it takes to read the result.
        id: randomBytes(32).toString('base64url'),
        principal: caller.principal,
        token_id: caller.tokenId ?? null,
        user_id: caller.userId,
        client: caller.client ?? null,
        request: exactJson(request ?? null) ?? 'null',
        ...stateColumns(state),
        outcome: null,
        created_at: now,
        updated_at: now,
        ttl_ms: ttlMs,
        owner,
        lease_until: now + LEASE_MS,
      };
      await kysely
        .insertInto(table)
        .values({ ...row, seal: sealOf(row) })
        .execute();
      return readRow(row, now);
    },
    async update(id, state, outcome) {
      const before = await kysely.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst();
      if (!before || !toCall(before)) return false;
      const next = {
        ...before,
        ...stateColumns(state),
        ...(outcome && { outcome: exactJson(outcome) ?? '{}' }),
        updated_at: clock.now(),
      };
      const { owner: _owner, lease_until: _lease, ...columns } = next;
      const { numUpdatedRows } = await kysely
        .updateTable(table)
        .set({ ...columns, seal: sealOf(next) })
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('status', 'in', RUNNING)
        .executeTakeFirst();
      if (outcome) await trim(before.principal);
      return numUpdatedRows > 0n;
    },
    async get(id) {
      const row = await kysely.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst();
      return row && toCall(row);
    },
    async list({ principal, token }, { after, limit }) {
      let query = kysely.selectFrom(table).selectAll().where('principal', '=', principal);
      query = token ? query.where('token_id', '=', token.id) : query.where('token_id', 'is', null);
      if (after !== undefined) query = query.where('id', '>', after);
      return intact(await query.orderBy('id').limit(limit).execute());
    },
    async claim(id, force = false) {
      const now = clock.now();
      let query = kysely
        .updateTable(table)
        .set({ owner, lease_until: now + LEASE_MS })
        .where('id', '=', id)
        .where('status', 'in', RUNNING);
      if (!force) query = query.where('lease_until', '<=', now);
      const { numUpdatedRows } = await query.executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async renew(ids) {
      const kept = await setLease(ids, clock.now() + LEASE_MS);
      return ids.filter((id) => !kept.has(id));
    },
    async release(ids) {
      await setLease(ids, 0);
    },
    async abandoned() {
      const rows = await kysely
        .selectFrom(table)
        .selectAll()
        .where('status', 'in', RUNNING)
        .where('lease_until', '<=', clock.now())
        .limit(MAX_ABANDONED)
        .execute();
      return intact(rows);
    },
    async sweep() {
      const now = clock.now();
      await kysely
        .deleteFrom(table)
        .where((of) => of(of('updated_at', '+', of.ref('ttl_ms')), '<', now))
        .where('status', 'not in', RUNNING)
        .execute();
    },
  };

  /** Outcomes of one caller are kept up to a size; the oldest go first. */
  async function trim(principal: string): Promise<void> {
    const kept = await kysely
      .selectFrom(table)
      .select((of) => ['id', of.fn<number>('length', ['outcome']).as('size')])
      .where('principal', '=', principal)
      .where('status', 'not in', RUNNING)
      .orderBy('updated_at', 'desc')
      .execute();
    let size = 0;
    const old = kept.filter(
      (row, index) => (size += row.size ?? 0) > MAX_KEPT_CHARACTERS || index >= MAX_KEPT,
    );
    if (old.length > 0)
      await kysely
        .deleteFrom(table)
        .where(
          'id',
          'in',
          old.slice(0, MAX_ABANDONED).map(({ id }) => id),
        )
        .execute();
  }

  async function setLease(ids: readonly string[], until: number): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await kysely
      .updateTable(table)
      .set({ lease_until: until })
      .where('id', 'in', ids)
      .where('owner', '=', owner)
      .returning('id')
      .execute();
    return new Set(rows.map(({ id }) => id));
  }
}

function stateColumns({ status, message, pollMs, inputRequests, serverTask }: CallState) {
  return {
    status,
    message: message ?? null,
    poll_ms: pollMs ?? null,
    input_requests: inputRequests ? (exactJson(inputRequests) ?? null) : null,
    server_task: serverTask ?? null,
  };
}

/** Who follows it may change. */
function sealedText({
  owner: _owner,
  lease_until: _lease,
  seal: _seal,
  ...row
}: Unsealed & { seal?: string }): string {
  return canonicalJson(row);
}

function readRow(row: Unsealed, now: number): BackgroundCall {
  return {
    id: row.id,
    caller: {
      principal: row.principal,
      userId: row.user_id,
      tokenId: row.token_id ?? undefined,
      client: row.client ?? undefined,
    },
    request: CalledTool.nullable().parse(JSON.parse(row.request)) ?? undefined,
    status: row.status as CallStatus,
    message: row.message ?? undefined,
    pollMs: row.poll_ms ?? undefined,
    inputRequests: row.input_requests === null ? undefined : (JSON.parse(row.input_requests) as JsonObject),
    serverTask: row.server_task ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ttlMs: row.ttl_ms,
    outcome: row.outcome === null ? undefined : (JSON.parse(row.outcome) as CallOutcome),
    isAbandoned: row.lease_until <= now,
  };
}
