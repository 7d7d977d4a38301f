import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ActivityVerification } from '../../../../contract/activity.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { fields, type Cell } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';

interface VerifyFlags {
  checkpoint?: string;
  publicKey?: string;
}

const EXIT_CODES = { intact: 0, broken: 1, unknown: 2 } as const;
/** Ten million entries take about a minute. */
const LIMIT_MS = 3_600_000;

export function activityVerify(bind: Bind): Command {
  return define('verify', {
    summary: 'Verify every record against the hash chain and its signatures',
    description:
      'Verify every record against the hash chain and its signatures. Exits with code 0 if the log is intact, 1 if it is broken, 2 if it cannot be verified.',
    examples: [
      'mcpproxy activity verify',
      'mcpproxy activity verify --checkpoint /media/backup/checkpoints.log',
      'mcpproxy activity verify --public-key activity-key.pub -o json',
    ],
  })
    .option(
      '--checkpoint <file>',
      'a copy of checkpoints.log from another place; detects a log that was rolled back',
    )
    .option('--public-key <file>', 'trust this key instead of the one in the data directory')
    .action(bind<VerifyFlags>(runVerify));
}

async function runVerify(context: Context, { checkpoint, publicKey }: VerifyFlags): Promise<number> {
  const body = {
    ...(checkpoint !== undefined && { checkpoints: lastLines(await textOf(checkpoint)) }),
    ...(publicKey !== undefined && { public_key: await textOf(publicKey) }),
  };
  const result = await withProxy(context, 'daemon-or-files', ({ request }) =>
    Object.keys(body).length === 0
      ? request('verifyActivity', {}, LIMIT_MS)
      : request('verifyActivityAgainst', { body }, LIMIT_MS),
  ).catch(unreadable);
  await print(context, result, () => overview(context.style, result));
  return EXIT_CODES[result.verdict];
}

/** A database that cannot be opened cannot be verified; other errors are not about the log. */
function unreadable(error: unknown): ActivityVerification {
  if (!(error instanceof ProxyError) || error.code !== 'INTERNAL') throw error;
  const nothing = {
    intact: false,
    entries: 0,
    records: 0,
    head: null,
    checkpoint: null,
    unsigned_entries: 0,
    logs: [],
  };
  return { verdict: 'unknown', ...nothing, why: error.message, proves: '', does_not_prove: '' };
}

/** Only the newest checkpoint of each log is needed, and they are in order. */
const lastLines = (text: string) => text.split('\n').slice(-500).join('\n');

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ProxyError('USAGE', `Cannot read ${file}: ${(cause as Error).message}`, { file }).withCause(
      cause,
    );
  }
}

function overview(style: Style, result: ActivityVerification): string {
  const { verdict, problem, checkpoint } = result;
  const paint = verdict === 'intact' ? style.colors.green : style.colors.red;
  return fields(style, [
    ['Log', { text: verdict === 'unknown' ? 'cannot be verified' : verdict, paint }],
    ['Why', result.why],
    ...(problem ? problemLines(problem) : []),
    ['Entries', result.entries],
    ['Records', result.records],
    ...(result.logs.length > 1 ? result.logs.map(logLine) : []),
    ['Head', result.head ?? undefined],
    ['Checkpoint', checkpoint ? `entry ${checkpoint.n}, ${localTime(checkpoint.time)}` : undefined],
    ['Not signed yet', result.unsigned_entries],
    ['Proves', verdict === 'intact' ? result.proves || undefined : undefined],
    ['Does not prove', result.does_not_prove || undefined],
  ]);
}

function problemLines({
  reason,
  message,
  entry,
  record,
}: NonNullable<ActivityVerification['problem']>): Array<[string, Cell]> {
  return [
    ['Reason', `${reason}: ${visibleLine(message)}`],
    ['First bad entry', entry],
    ['Record', record ?? undefined],
  ];
}

/** If several proxies share a database, each has its own chain. */
const logLine = ({ log, entries, records }: ActivityVerification['logs'][number]): [string, string] => [
  `Log ${visibleLine(log)}`,
  `${entries} entries, ${records} records`,
];
