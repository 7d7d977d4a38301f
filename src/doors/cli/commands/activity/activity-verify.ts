import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  entriesText,
  gapText,
  type AcceptedGap,
  type ActivityVerification,
  type RemovedRecords,
} from '../../../../contract/activity.ts';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { counted, visibleLine, fileProblem } from '../../../../lib/visible-text.ts';
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

export const EXIT_CODES = { intact: EXIT.ok, broken: EXIT.general, unknown: EXIT.unverifiable } as const;
/** Ten million entries take about a minute. */
export const LIMIT_MS = 3_600_000;

export function activityVerify(bind: Bind): Command {
  return define('verify', {
    summary: 'Verify every record against the hash chain and its signatures',
    description:
      'Verify every record against the hash chain and its signatures. Exits with code 0 if the log is intact, 1 if it is broken, 8 if it cannot be verified, 2 if the command line is wrong.',
    examples: [
      'mcpproxy activity verify',
      'mcpproxy activity verify --checkpoint /media/backup/checkpoints.log --public-key activity-key.pub',
      'mcpproxy activity verify --witness /mnt/audit/mcpproxy-checkpoints.log -o json',
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
    ...(checkpoint !== undefined && { checkpoints: lastLines(await checkpointText(checkpoint)) }),
    ...(witness !== undefined && { witness: witnessLines(await witnessText(context, witness)) }),
    ...(publicKey !== undefined && { public_key: await keyText(publicKey) }),
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
    removed: [],
    restored: [],
  };
  return { verdict: 'unknown', ...nothing, why: error.message, proves: '', does_not_prove: '' };
}

const LINES_PER_LOG = 500;

/** Only the newest checkpoints of each log are needed; the file may hold the lines of several proxies one after the other. */
function lastLines(text: string): string {
  const kept = new Map<string, number>();
  const isNeeded = (line: string) => {
    const log = /^\{"log":"(\w+)"/.exec(line)?.[1] ?? '';
    kept.set(log, (kept.get(log) ?? 0) + 1);
    return kept.get(log)! <= LINES_PER_LOG;
  };
  return text.split('\n').reverse().filter(isNeeded).reverse().join('\n');
}

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

/** Only the newest lines are sent, so the whole file is looked at here. A last line may have been cut by a crash. */
async function checkpointText(file: string): Promise<string> {
  const text = await textOf(file);
  const lines = text.split('\n').map((line) => line.trim());
  const last = lines.findLastIndex(Boolean);
  const wrong = lines.findIndex(
    (line, i) => line !== '' && !line.startsWith('{"log":') && !(i === last && i > 0),
  );
  if (wrong >= 0) throw new ProxyError('USAGE', `${file}: line ${wrong + 1} is no checkpoint`, { file });
  return text;
}

async function keyText(file: string): Promise<string> {
  const text = await textOf(file);
  if (!text.includes('-----BEGIN PUBLIC KEY-----'))
    throw new ProxyError('USAGE', `${file} is not a public key. Give a copy of activity-key.pub`, { file });
  return text;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ProxyError('USAGE', `Cannot read ${file}: ${fileProblem(cause)}`, { file }).withCause(cause);
  }
}

export function verificationText(style: Style, result: ActivityVerification): string {
  const { verdict, problem } = result;
  const isComplete = verdict === 'intact' && result.restored.length === 0;
  return fields(style, [
    ['Log', { text: verdictText(result), paint: isComplete ? style.colors.green : style.colors.red }],
    ['Why', result.why],
    ...(problem ? problemLines(problem) : []),
    ...(result.witness ? witnessFields(result.witness) : []),
    ['Records', result.records],
    ['Entries', entriesText(result)],
    ['Signed', signedText(result)],
    ...(result.logs.length > 1 ? result.logs.map(logLine) : []),
    ['Counts', countsText(style, result)],
    ['Head', result.head ?? undefined],
    ...result.removed.map(removedLine),
    ['Proves', verdict === 'intact' ? result.proves || undefined : undefined],
    ['Does not prove', result.does_not_prove || undefined],
  ]);
}

function signedText({ entries, unsigned_entries: n, checkpoint }: ActivityVerification): string {
  if (!checkpoint)
    return `none of ${counted(entries, 'entry', 'entries')} yet; the proxy signs every minute and when it stops`;
  const rest = n === 0 ? 'all entries' : `${entries - n} entries, the last ${n} not yet`;
  return `${rest}; last checkpoint at ${localTime(checkpoint.time)}, entry ${checkpoint.n + 1}`;
}

function countsText({ colors }: Style, { counts }: ActivityVerification): Cell {
  if (counts === 'agree') return 'summaries and charts agree with the records';
  if (counts === undefined) return undefined;
  return {
    text: 'DIFFER: the records are not affected, but summaries, totals and charts show wrong numbers. Somebody or a fault has changed the counts',
    paint: colors.red,
  };
}

function verdictText({ verdict, restored }: ActivityVerification): string {
  if (verdict === 'unknown') return 'cannot be verified';
  if (restored.length === 0) return verdict;
  return `${verdict}${verdict === 'intact' ? ', except for' : '; it also lacks'} ${restored.map(acceptedText).join('; and ')}`;
}

export const acceptedText = (gap: AcceptedGap): string =>
  `${gapText(gap)} when the restore was accepted at ${localTime(gap.at)} by ${visibleLine(gap.by)} (record ${visibleLine(gap.record)})`;

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
const logLine = ({
  log,
  entries,
  records,
  unsigned_entries: unsigned,
}: ActivityVerification['logs'][number]): [string, string] => [
  `Log ${visibleLine(log)}`,
  `${counted(records, 'record')}, ${counted(entries, 'entry', 'entries')}, ${unsigned === 0 ? 'all signed' : `the last ${unsigned} not signed yet`}`,
];

const removedLine = ({ records, from, until }: RemovedRecords): [string, string] => [
  'Removed',
  `${counted(records, 'record')} by retention, from ${localTime(from)} to ${localTime(until)}`,
];
