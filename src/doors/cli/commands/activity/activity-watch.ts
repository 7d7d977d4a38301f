import type { Command } from 'commander';
import {
  isClient,
  type ActivityRecord,
  type ActivityStatus,
  type ActivityType,
} from '../../../../contract/activity.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import type { OperationType } from '../../../../contract/operation.ts';
import { principalNamed } from '../../../../contract/token.ts';
import { ACTIVITY_STATUSES, ACTIVITY_TYPES, OPERATION_TYPES } from '../../../../contract/values.ts';
import { parseExact } from '../../../../json/index.ts';
import { hint, withProxy, type Context, type Reached } from '../../context.ts';
import { choice, define, type Bind } from '../../define.ts';
import { followEvents } from '../../events.ts';
import { whatOf } from './record-fields.ts';
import { safeJson, safeYaml } from '../../output/safe-json.ts';
import { intentCell, statusCell, type Style } from '../../output/style.ts';
import { row } from '../../output/table.ts';
import { localTime, shortDuration } from '../../output/time.ts';

interface WatchFlags {
  server?: string;
  status?: ActivityStatus;
  intentType?: OperationType;
  type?: ActivityType;
  principal?: string;
  client?: string;
}

export function activityWatch(bind: Bind): Command {
  return define('watch', {
    summary: 'Follow the log of the running daemon',
    description:
      'Follow the log of the running daemon. Press Ctrl-C to stop. With -o json it prints one record per line. After a lost connection or a restart of the daemon it continues where it stopped.',
    examples: [
      'mcpproxy activity watch',
      'mcpproxy activity watch --intent-type destructive',
      'mcpproxy activity watch --status refused -o json',
    ],
  })
    .option('--server <name>', 'only this server')
    .addOption(choice('--status <status>', 'only records with this status', ACTIVITY_STATUSES))
    .addOption(choice('--intent-type <operation>', 'only calls with this operation', OPERATION_TYPES))
    .addOption(choice('--type <type>', 'only records of this type', ACTIVITY_TYPES))
    .option(
      '--principal <name>',
      'only calls with this credential: operator, anonymous, token:NAME or the name of a token',
    )
    .option('--client <name>', 'only calls of this client program, with or without its version')
    .action(
      bind<WatchFlags>((context, flags) =>
        withProxy(context, 'daemon', async (reached) => {
          hint(context, 'Watching the log. Press Ctrl-C to stop.');
          await followEvents(context, reached, {
            onEvent: async ({ event, data }, client) => {
              if (event === 'activity') {
                const record = await recordOf(data, { client, signal: reached.signal });
                if (record && matches(record, flags)) await context.io.out(await line(context, record));
              }
              if (event === 'reset') hintReset(context, data);
            },
          });
        }),
      ),
    );
}

const ANSWER_MS = 60_000;

function hintReset(context: Context, data: string): void {
  const { lost } = JSON.parse(data) as { lost?: unknown };
  if (lost === 'all') hint(context, 'Some records were missed. Find them with "mcpproxy activity list".');
}

interface ActivityEvent {
  id?: unknown;
  phase?: unknown;
  record?: ActivityRecord;
  truncated?: boolean;
}

/** The record of a finished call. Large ones are cut in the event and fetched whole. */
async function recordOf(
  data: string,
  { client, signal }: Pick<Reached, 'client' | 'signal'>,
): Promise<ActivityRecord | undefined> {
  const { id, phase, record, truncated } = parseExact(data) as ActivityEvent;
  if (phase !== 'closed' || typeof id !== 'string') return undefined;
  if (record && !truncated) return record;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  return client.request('getActivity', { id }, limit).catch(ignoreNotFound);
}

/** Retention may have removed the record since its event. */
function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof ProxyError && error.code === 'NOT_FOUND')) throw error;
}

function matches(record: ActivityRecord, flags: WatchFlags): boolean {
  const { server, status, intentType, type, principal, client } = flags;
  return (
    (type === undefined || record.type === type) &&
    (principal === undefined || record.principal === principalNamed(principal)) &&
    (client === undefined || isClient(record.client, client)) &&
    (server === undefined || record.server_name === server) &&
    (status === undefined || record.status === status) &&
    (intentType === undefined || record.operation_type === intentType)
  );
}

async function line({ output, style }: Context, record: ActivityRecord): Promise<string> {
  if (output === 'json') return `${safeJson(record)}\n`;
  if (output === 'yaml') return `---\n${await safeYaml(record)}`;
  return tableLine(style, record);
}

/** Fixed widths, because later records are not known yet. Only the last column may be truncated. */
const COLUMNS = [
  { title: 'TIME', width: 25 },
  { title: 'INTENT', width: 7 },
  { title: 'STATUS', width: 8 },
  { title: 'DURATION', width: 8, align: 'right' as const },
  { title: 'WHAT', width: Number.POSITIVE_INFINITY },
];

function tableLine(style: Style, record: ActivityRecord): string {
  const tool = [record.server_name, whatOf(record)].filter(Boolean).join(':');
  return row(style, COLUMNS, [
    localTime(record.timestamp),
    intentCell(style, record.operation_type),
    statusCell(style, record.status),
    shortDuration(record.duration_ms),
    record.error_message ? `${tool}  ${record.error_message}` : tool,
  ]);
}
