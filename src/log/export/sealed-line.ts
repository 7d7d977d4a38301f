import type { ChainItem } from '../verify/check-chain.ts';
import { checkRecord, claimOf, readEntry } from '../verify/claim.ts';
import type { ActivityRow, SealedFacet } from '../record/row.ts';
import { type Tombstone, checkpointText, tombstoneText } from '../chain/hash-chain.ts';
import { createSignatureCheck } from '../chain/signer.ts';
import type { LogRow } from '../verify/verification.ts';

/**
 * The lines of a sealed export. Each line is the JSON of exactly these values in exactly this order, so that the verifier can compare it
 * byte by byte. No line holds a value that is covered by neither a digest, a hash nor a signature:
 * - the first one: the format, the number of records, and the keys that sign something in this file;
 * - one per log: its id and what retention has left in place of its beginning;
 * - one per entry: its number, text and hash, and the record where this entry vouches for it. A record that has changed since (opened,
 *   then closed) is written with the later entry only, because the earlier one does not cover its present state.
 */
export const SEALED_FORMAT = 'mcpproxy-sealed-2';

export const headLine = (records: number, keys: readonly string[]): string =>
  JSON.stringify({ format: SEALED_FORMAT, records, keys });

/** Skips a log without entries, because nothing in it could be signed. */
export async function* logLines(log: LogRow, items: AsyncIterable<ChainItem>): AsyncGenerator<string> {
  let isBegun = log.base !== null;
  if (isBegun) yield logLine(log);
  for await (const item of items) {
    if (!isBegun) yield logLine(log);
    isBegun = true;
    yield entryLine(item);
  }
}

const logLine = ({ log_id: log, base }: LogRow): string =>
  JSON.stringify({ log, base: base === null ? null : (JSON.parse(base) as Tombstone) });

function entryLine(item: ChainItem): string {
  const { n, entry, hash, row, facet } = item;
  return JSON.stringify({
    n,
    entry,
    hash,
    ...(row && !isSuperseded(item) && { record: sealedRecord(row, facet) }),
  });
}

/** True if a later entry covers the record. A record that no entry covers is exported, so that the verifier reports it. */
function isSuperseded(item: ChainItem): boolean {
  const { entry, row, facet } = item;
  const parsed = typeof entry === 'string' ? readEntry(entry) : null;
  const claim = parsed && claimOf('', parsed, item);
  const found = claim ? checkRecord(claim, row, facet) : 'vouched';
  return found === 'later' || found === 'overtaken';
}

/** Exactly the values that the digest of a record covers, in its order. */
function sealedRecord(row: ActivityRow, facet: SealedFacet | undefined): Record<string, unknown> {
  const names = facet && !facet.unlisted ? facet : row;
  return {
    salt: row.salt,
    seq: row.seq,
    id: row.id,
    ts: row.ts,
    type: facet?.type ?? null,
    source: facet?.source ?? null,
    status: facet?.status ?? null,
    operation_type: facet?.operation_type ?? null,
    server_name: names.server_name,
    tool_name: names.tool_name,
    request_id: row.request_id,
    session_id: row.session_id,
    conversation_id: row.conversation_id,
    client: row.client,
    duration_ms: row.duration_ms,
    error_code: row.error_code,
    error_message: row.error_message,
    response_truncated: row.response_truncated,
    metadata: row.metadata,
    arguments: row.arguments,
    response: row.response,
  };
}

/** An entry that is not about a record: a checkpoint, or a tombstone of retention. */
export interface Statement {
  n: number;
  entry: unknown;
}

/** Statements read per log. The last one is nearly always signed by the log's own writer. */
export const STATEMENTS_READ = 50;

type IsSigned = ReturnType<typeof createSignatureCheck>;

/** The distinct keys that signed something in the logs. */
export async function signingKeys(
  logs: readonly LogRow[],
  statementsOf: (log: LogRow) => Promise<readonly Statement[]>,
): Promise<string[]> {
  const signed = await Promise.all(
    logs.map(async (log) => ({ log, checks: [...checksOf(log, await statementsOf(log))] })),
  );
  const keys = [...new Set(logs.map((log) => log.public_key))];
  return keys.filter((key) => {
    const isSigned = createSignatureCheck(key);
    const ownFirst = signed.toSorted(
      (a, b) => Number(b.log.public_key === key) - Number(a.log.public_key === key),
    );
    return ownFirst.some(({ checks }) => checks.some((check) => check(isSigned)));
  });
}

/** One check per signed statement of a log. */
function* checksOf(
  { log_id: log, base }: LogRow,
  statements: readonly Statement[],
): Generator<(isSigned: IsSigned) => boolean> {
  for (const { n, entry } of statements) {
    const { k, t, head, signature, base: stone } = (typeof entry === 'string' && readEntry(entry)) || {};
    const statement = { log, n: n - 1, head: String(head), time: Number(t) };
    if (k === 'checkpoint') yield (isSigned) => isSigned(checkpointText(statement), signature);
    if (k === 'dropped' && stone) yield (isSigned) => isSigned(tombstoneText(stone), stone.signature);
  }
  const stone = base === null ? null : (JSON.parse(base) as Tombstone);
  if (stone) yield (isSigned) => isSigned(tombstoneText(stone), stone.signature);
}
