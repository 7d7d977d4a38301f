import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ActivityVerification } from '../../../../contract/activity.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { fields, type Cell } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';

interface VerifyFlags {
  checkpoint?: string;
  witness?: string;
  publicKey?: string;
}

export const EXIT_CODES = { intact: 0, broken: 1, unknown: 2 } as const;
/** Ten million entries take about a minute. */
export const LIMIT_MS = 3_600_000;

export function activityVerify(bind: Bind): Command {
  return define('verify', {
    summary: 'Verify every record against the hash chain and its signatures',
    description:
      'Verify every record against the hash chain and its signatures. Exits with code 0 if the log is intact, 1 if it is broken, 2 if it cannot be verified.',
    examples: [
      'mcpproxy activity verify',
      'mcpproxy activity verify --checkpoint /media/backup/checkpoints.log',
      'mcpproxy activity verify --witness /mnt/audit/mcpproxy-checkpoints.log',
      'mcpproxy activity verify --public-key activity-key.pub -o json',
    ],
  })
    .option(
      '--checkpoint <file>',
      'a copy of checkpoints.log from another place; detects a log that was rolled back',
    )
    .option(
      '--witness <file>',
      'a file with what a witness has received (activity.witness), or "-" for stdin; lines of a syslog work too. Names the entries that are missing or differ',
    )
    .option('--public-key <file>', 'trust this key instead of the one in the data directory')
    .action(bind<VerifyFlags>(runVerify));
}

async function runVerify(context: Context, { checkpoint, witness, publicKey }: VerifyFlags): Promise<number> {
  const body = {
    ...(checkpoint !== undefined && { checkpoints: lastLines(await textOf(checkpoint)) }),
    ...(witness !== undefined && { witness: witnessLines(await witnessText(context, witness)) }),
    ...(publicKey !== undefined && { public_key: await textOf(publicKey) }),
  };
  const result = await withProxy(context, 'daemon-or-files', ({ request }) =>
    Object.keys(body).length === 0
      ? request('verifyActivity', {}, LIMIT_MS)
      : request('verifyActivityAgainst', { body }, LIMIT_MS),
  ).catch(unreadable);
  await print(context, result, () => verificationText(context.style, result));
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

async function witnessText({ io }: Context, file: string): Promise<string> {
  if (file !== '-') return textOf(file);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of io.stdin) {
    parts.push(Buffer.from(part));
    size += parts.at(-1)!.length;
    if (size > MAX_STDIN_BYTES)
      throw new ProxyError('USAGE', 'The lines on stdin exceed 256 MB; name a file instead');
  }
  return Buffer.concat(parts).toString();
}

const MAX_STDIN_BYTES = 268_435_456;

const MAX_LINES = 30_000;

/** The newest lines tell what is missing; of more than can be sent, the older half is thinned out. */
function witnessLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.includes('{"log":'));
  if (lines.length <= MAX_LINES) return lines.join('\n');
  const newest = lines.slice(-MAX_LINES / 2);
  const older = lines.slice(0, -MAX_LINES / 2);
  const step = Math.ceil(older.length / (MAX_LINES / 2));
  return [...older.filter((_, i) => i % step === 0), ...newest].join('\n');
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ProxyError('USAGE', `Cannot read ${file}: ${(cause as Error).message}`, { file }).withCause(
      cause,
    );
  }
}

export function verificationText(style: Style, result: ActivityVerification): string {
  const { verdict, problem, checkpoint } = result;
  const paint = verdict === 'intact' ? style.colors.green : style.colors.red;
  return fields(style, [
    ['Log', { text: verdict === 'unknown' ? 'cannot be verified' : verdict, paint }],
    ['Why', result.why],
    ...(problem ? problemLines(problem) : []),
    ...(result.witness ? witnessFields(result.witness) : []),
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

function witnessFields(witness: NonNullable<ActivityVerification['witness']>): Array<[string, Cell]> {
  const { checkpoints, ignored, logs, unwitnessed } = witness;
  const says = logs.map(({ log, confirmed_to: to, differs, missing }): [string, Cell] => [
    `Witness of ${visibleLine(log)}`,
    [
      to > 0 ? `confirms entries up to ${to}` : 'confirms nothing',
      ...(differs ? [`entries ${differs.from} to ${differs.to} differ`] : []),
      ...(missing ? [`entries ${missing.from} to ${missing.to} are missing`] : []),
    ].join('; '),
  ]);
  return [
    ['Witness', `${counted(checkpoints, 'checkpoint')} compared, ${ignored} not signed by a known key`],
    ...says,
    [
      'Not witnessed',
      unwitnessed.length > 0 ? unwitnessed.map((each) => visibleLine(each)).join(', ') : undefined,
    ],
  ];
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
