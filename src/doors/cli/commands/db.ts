import type { Command } from 'commander';
import { define, type Bind } from '../define.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import { hint, Interrupted, print, type Context } from '../context.ts';
import { createProgressBar } from '../output/progress.ts';
import type { MigrateOptions, MigrateProgress, MigrationReport } from '../runtime.ts';
import type { Style } from '../output/style.ts';
import { fields } from '../output/table.ts';

export function db(bind: Bind): Command {
  return define('db', {
    summary: 'The database of the proxy',
    examples: [
      'mcpproxy db migrate --to-file ~/.pgurl',
      'mcpproxy db migrate --to-file ~/.pgurl --from ./backup.db',
    ],
    globals: ['output', 'config', 'dataDir'],
    subcommands: [dbMigrate(bind)],
  });
}

function dbMigrate(bind: Bind): Command {
  return define('migrate', {
    summary: 'Move everything from the SQLite file to a PostgreSQL server',
    description: `Move the activity log and everything else from the SQLite file to a PostgreSQL server. No mcpproxy may be running on the data directory.

The chain of the log is verified before and after, and ends with the same hash under the same key. Stopped by Ctrl-C or a crash, the command goes on where it ended when it is run again; nothing is moved twice. The file stays as it is.

Where to comes from --to, from --to-file, or from MCPPROXY_DATABASE_URL. A password belongs into one of the last two, or into PGPASSWORD: the process list shows the command line to everybody.`,
    examples: [
      'MCPPROXY_DATABASE_URL="$(cat ~/.pgurl)" mcpproxy db migrate',
      'mcpproxy db migrate --to-file ~/.pgurl',
      'mcpproxy db migrate --to postgres://mcpproxy@db.example.org/mcpproxy --from ./backup.db -o json',
    ],
    globals: ['output', 'config', 'dataDir'],
  })
    .option('--to <url>', 'the server, as in postgres://USER@HOST:PORT/DATABASE')
    .option('--to-file <file>', 'a file that holds the URL')
    .option('--from <file>', 'the SQLite file (default: the one of the data directory)')
    .option('--allow-broken', 'move a log that does not verify, as it is')
    .action(bind<MigrateOptions>(runMigrate));
}

const LABELS = {
  check: 'Checking the log',
  tables: 'Moving settings, tokens, approvals, tasks and tools',
  log: 'Moving the log',
  verify: 'Verifying what was moved',
} as const satisfies Record<MigrateProgress['step'], string>;

async function runMigrate(context: Context, options: MigrateOptions): Promise<void> {
  const { io, runtime, place } = context;
  const stop = new AbortController();
  const release = io.onInterrupt((exitCode) => stop.abort(new Interrupted(exitCode)));
  const bar = createProgressBar(io);
  try {
    const report = await runtime.db.migrate(place, options, {
      onProgress: ({ step, done, total }) => bar.show(LABELS[step], done, total),
      signal: stop.signal,
    });
    bar.end();
    await print(context, report, () => overview(context.style, report));
    for (const warning of report.warnings) hint(context, `warning: ${visibleLine(warning)}`);
    hint(context, nextStep(report));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    bar.end();
    io.err('Stopped. What was moved stays there; the same command goes on from here.\n');
    throw stop.signal.reason;
  } finally {
    bar.end();
    release();
  }
}

function overview(style: Style, report: MigrationReport): string {
  const paint = report.verdict === 'intact' ? style.colors.green : style.colors.red;
  const records = report.logs.reduce((sum, log) => sum + log.records, 0);
  return fields(style, [
    ['From', visibleLine(report.from)],
    ['To', visibleLine(report.to)],
    ['Log', { text: report.verdict, paint }],
    ['Records', records],
    ['Entries', `${report.entries}, of which ${report.moved} by this run`],
    ...report.logs.map(({ log, head }): [string, string] => [
      `Head of ${visibleLine(log)}`,
      visibleLine(head),
    ]),
    ...report.tables
      .filter(({ rows }) => rows > 0)
      .map(({ table, rows, moved }): [string, string] => [table, `${rows}, of which ${moved} by this run`]),
  ]);
}

/** With a reference in the place of the password, so that nobody is led to write it down. */
function nextStep({ to, config_file: file }: MigrationReport): string {
  const url = to.replace(/^(postgres:\/\/[^@/]*)@/, '$1:${env:PGPASSWORD}@');
  return `next: set "database_url": "${visibleLine(url)}" in ${visibleLine(file)}, then start mcpproxy; the SQLite file is not used any more`;
}
