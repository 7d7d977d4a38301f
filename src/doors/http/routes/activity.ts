import { CSV_HEADER, csvLine, findFacts } from '../../../log/index.ts';
import {
  type AcceptedRestore,
  type ActivityRecord,
  type ActivityRollback,
  type SummaryQuery,
  recordFilter,
} from '../../../contract/activity.ts';
import { withTimes } from '../../../contract/time.ts';
import { systemClock } from '../../../lib/clock.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { exactJson } from '../../../json/index.ts';
import { counted } from '../../../lib/visible-text.ts';
import { auditOf } from './audit.ts';
import { recordChange } from '../record-requests.ts';
import type { ActivityReadPart, Handlers, RestParts } from '../parts.ts';

type ReadHandlers = Pick<
  Handlers,
  | 'listActivity'
  | 'auditActivity'
  | 'activitySummary'
  | 'activitySeries'
  | 'activityBreakdown'
  | 'exportActivity'
  | 'exportSealed'
  | 'verifyActivity'
  | 'verifyActivityAgainst'
  | 'digestActivity'
  | 'getActivity'
  | 'activityChain'
>;

type ActivityHandlers = ReadHandlers & Pick<Handlers, 'acceptRestore' | 'redactActivity'>;

type Timed = Parameters<typeof withTimes>[0];
const timed = <T extends Timed>(filter: T): T => withTimes(filter, systemClock.now());

const FORMATS = {
  json: {
    type: 'application/x-ndjson',
    file: 'activity.jsonl',
    head: '',
    line: (record: ActivityRecord) => `${exactJson(record)}\n`,
  },
  csv: { type: 'text/csv; charset=utf-8', file: 'activity.csv', head: CSV_HEADER, line: csvLine },
} as const;

export function activityRoutes({ activity, restoreAccepted }: RestParts): ActivityHandlers {
  return {
    ...activityReadRoutes(activity),
    async acceptRestore({ body }, { caller }) {
      const { rollback } = activity.state();
      const change = {
        action: 'accept_restore',
        caller,
        server: 'mcpproxy',
        ...(rollback && { facts: { missing_entries: rollback.missing, log_heads: headsOf(rollback) } }),
        wanted: { ...rollback, ...(body.reason !== undefined && { accepted_because: body.reason }) },
        outcome: ({ missing, kept_as }: AcceptedRestore) => ({
          says: `restored, ${counted(missing, 'entry', 'entries')} missing`,
          missing,
          kept_as,
        }),
      };
      return recordChange(activity, change, async () => {
        const accepted = await activity.acceptRestore();
        restoreAccepted?.(caller.principal);
        return accepted;
      });
    },
    async redactActivity({ params, body }, { caller }) {
      const change = {
        action: 'redact',
        caller,
        server: 'mcpproxy',
        wanted: { record: params.id.slice(0, 64) },
      };
      return recordChange(activity, change, async () =>
        found(params.id, await activity.redact(params.id, { by: caller.principal, reason: body.reason })),
      );
    },
  };
}

export function activityReadRoutes(activity: ActivityReadPart): ReadHandlers {
  return {
    listActivity({ query: { limit, cursor, payloads, ...filter } }) {
      return activity.list(recordFilter(filter, systemClock.now()), {
        limit,
        cursor,
        ...(payloads === 'false' && { isLight: true }),
      });
    },
    activityBreakdown: ({ query: { buckets, flows, ...filter } }) =>
      activity.breakdown(recordFilter(filter, systemClock.now()), { buckets, flows: flows === 'true' }),
    activitySummary: ({ query: { names, type, ...query } }) =>
      activity.summary(summarised(query), { names, type }),
    auditActivity: ({ query }, { signal }) =>
      auditOf(timed(query), { activity, now: systemClock.now(), signal }),
    activitySeries: ({ query }) => activity.series(timed(query)),
    async exportActivity({ query: { format, ...filter } }) {
      const { type, file, head, line } = FORMATS[format];
      const body = await streamText(activity.export(recordFilter(filter, systemClock.now())), { head, line });
      return new Response(body, {
        headers: { 'content-type': type, 'content-disposition': `attachment; filename="${file}"` },
      });
    },
    async exportSealed() {
      const body = await streamText(activity.sealed(), { head: '', line: (line) => `${line}\n` });
      return new Response(body, {
        headers: {
          'content-type': 'application/x-ndjson',
          'content-disposition': 'attachment; filename="activity.sealed.jsonl"',
        },
      });
    },
    verifyActivity: (_input, { signal }) => activity.verify({ signal }),
    verifyActivityAgainst: ({ body }, { signal }) =>
      activity.verify({
        checkpoints: body.checkpoints,
        witness: body.witness,
        publicKey: body.public_key,
        signal,
      }),
    digestActivity: async ({ body: { text } }) => ({
      characters: text.length,
      digest: await activity.digest(text),
    }),
    async activityChain({ params }) {
      const { id, timestamp, duration_ms } = found(params.id, await activity.get(params.id));
      const opened = Date.parse(timestamp);
      // The duration is rounded: the entry may be up to a millisecond earlier.
      const closed = duration_ms === undefined ? {} : { closed: opened + Math.max(0, duration_ms - 1) };
      const facts = await findFacts(activity.facts, { id, opened, ...closed });
      return {
        entries: facts.map(({ log, n, kind, time }) => ({
          log,
          n,
          kind,
          time: new Date(time).toISOString(),
        })),
      };
    },
    async getActivity({ params }) {
      return found(params.id, await activity.get(params.id));
    },
  };
}

/** The ends that the restore has put in place. These logs are not continued, so the record of the acceptance covers them. */
const headsOf = ({ logs }: ActivityRollback) =>
  Object.fromEntries(logs.flatMap(({ log, head }) => (head === undefined ? [] : [[log, head]])));

function summarised({
  period,
  ...times
}: Omit<SummaryQuery, 'names' | 'type'>): Parameters<ActivityReadPart['summary']>[0] {
  if (times.start_time === undefined && times.end_time === undefined) return period ?? '24h';
  if (period === undefined) return timed(times);
  throw new ProxyError('INVALID_REQUEST', 'Give either period, or start_time and end_time', {
    field: 'period',
  });
}

function found(id: string, record: ActivityRecord | undefined): ActivityRecord {
  if (record) return record;
  const shown = id.slice(0, 64);
  throw new ProxyError('NOT_FOUND', `There is no record '${shown}'; it may have been removed by retention`, {
    id: shown,
  });
}

const CHUNK_CHARACTERS = 65_536;

interface TextFormat<T> {
  head: string;
  line: (item: T) => string;
}

/**
 * Streams a text item by item, only as fast as it is read; when the reader disconnects, the source ends. The first item is fetched before this
 * resolves, so that a source that fails to start is answered with an error status.
 */
async function streamText<T>(
  source: AsyncIterable<T> | Iterable<T>,
  { head, line }: TextFormat<T>,
): Promise<ReadableStream<Uint8Array>> {
  const items = iterate(source);
  const encoder = new TextEncoder();
  let next = await items.next();
  let text = head;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (!next.done && text.length < CHUNK_CHARACTERS) {
          text += line(next.value);
          next = await items.next();
        }
        if (text !== '') controller.enqueue(encoder.encode(text));
        text = '';
        if (next.done) controller.close();
      },
      async cancel() {
        await items.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
}

async function* iterate<T>(source: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* source;
}
