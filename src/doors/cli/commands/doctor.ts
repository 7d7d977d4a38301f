import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { counted } from '../../../lib/visible-text.ts';
import { type Status, stateText, type ServerView } from '../../../contract/status.ts';
import { EXIT, ProxyError } from '../../../contract/errors.ts';
import { print, withPlace, withProxy, type Context } from '../context.ts';
import { workerChecks } from './workers-text.ts';
import { define, type Bind } from '../define.ts';
import { table } from '../output/table.ts';
import {
  approvalCheck,
  menuCheck,
  rowChecks,
  reviewCheck,
  sharedChecks,
  tokenCheck,
  traceCheck,
  witnessChecks,
  type Check,
} from './doctor-checks.ts';
import { clientChecks } from './connect/client-checks.ts';
import { overLimit } from './status.ts';

const MAX_WARNINGS = 5;

export function doctor(bind: Bind): Command {
  return define('doctor', {
    summary: 'Check this installation for problems and show how to fix them',
    description:
      'Check this installation for problems and show how to fix them. Exits with code 1 if a check fails.',
    examples: ['mcpproxy doctor', 'mcpproxy doctor -o json'],
  }).action(
    bind(async (context) => {
      const checks = [
        nodeVersion(),
        await configFile(context),
        await dataDir(context),
        ...(await daemon(context)),
        ...(await clientChecks(context)),
      ];
      await print(context, { checks }, () => overview(context, checks));
      return checks.some(({ result }) => result === 'failed') ? EXIT.general : EXIT.ok;
    }),
  );
}

function overview({ style, place }: Context, checks: Check[]): string {
  const paint = { ok: style.colors.green, warning: style.colors.yellow, failed: style.colors.red };
  const rows = checks.map(({ check, result, says, next }) => [
    { text: result, paint: paint[result] },
    check,
    // The configuration can have several errors, one per line.
    withPlace(place, next ? `${says}. ${next}` : says).replaceAll('\n', ' · '),
  ]);
  return table(
    style,
    [
      { title: 'RESULT', whole: true },
      { title: 'CHECK', whole: true },
      { title: 'DETAIL', wrap: true },
    ],
    rows,
  );
}

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const recent = major > 20 || (major === 20 && minor >= 19);
  return {
    check: 'node',
    result: recent ? 'ok' : 'failed',
    says: `Node.js ${process.versions.node}`,
    ...(!recent && { next: 'Install Node.js 20.19 or newer' }),
  };
}

async function configFile({ runtime, place }: Context): Promise<Check> {
  const { config_file: path } = await runtime.config.paths(place);
  if (!existsSync(path))
    return { check: 'config', result: 'ok', says: `${path} will be created on first start` };
  const { file, problems, warnings } = await runtime.config.validate(place);
  if (problems.length > 0)
    return { check: 'config', result: 'failed', says: problems.join(' · '), next: `Fix ${file}` };
  if (warnings.length === 0) return { check: 'config', result: 'ok', says: `${file} is valid` };
  return {
    check: 'config',
    result: 'warning',
    says: warnings.slice(0, MAX_WARNINGS).join(' · '),
    next: 'Run: mcpproxy config validate',
  };
}

/** The data directory contains the API key and the log: other users must not read it. */
async function dataDir({ runtime, place }: Context): Promise<Check> {
  const { data_dir: dir } = await runtime.config.paths(place);
  const found = await stat(dir).catch(() => undefined);
  if (!found) return { check: 'data', result: 'ok', says: `${dir} will be created on first start` };
  if (!found.isDirectory())
    return {
      check: 'data',
      result: 'failed',
      says: `${dir} is not a directory`,
      next: 'Choose another directory with --data-dir',
    };
  const open = process.platform !== 'win32' && (found.mode & 0o077) !== 0;
  if (open)
    return {
      check: 'data',
      result: 'warning',
      says: `Other users can read ${dir}`,
      next: `Run: chmod 700 ${dir}`,
    };
  return { check: 'data', result: 'ok', says: `${dir} is private` };
}

async function daemon(context: Context): Promise<Check[]> {
  try {
    return await withProxy(context, 'daemon', async ({ request }) => {
      const [status, { servers }] = [await request('status', {}), await request('listServers', {})];
      return [
        running(status),
        ...reviewCheck(status),
        ...sharedChecks(status),
        ...workerChecks(status),
        records(status),
        ...witnessChecks(status),
        ...rowChecks(status),
        ...servers.map((one) => server(one, context.io.now())),
        hints(status),
        changes(status),
        ...menuCheck(status),
        tokenCheck(status, context.io.now()),
        approvalCheck(status),
        traceCheck(status),
      ];
    });
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    if (error.code === 'NO_DAEMON' && !context.place.url) {
      return [
        {
          check: 'daemon',
          result: 'warning',
          says: 'No daemon is running',
          next: 'Start it with: mcpproxy serve',
        },
      ];
    }
    return [{ check: 'daemon', result: 'failed', says: error.message }];
  }
}

function running({ version, listen, config_error: problem, needs_restart: late = [] }: Status): Check {
  if (problem)
    return {
      check: 'daemon',
      result: 'failed',
      says: `The configuration file is invalid, so the previous configuration stays active: ${problem}`,
    };
  if (late.length > 0)
    return {
      check: 'daemon',
      result: 'warning',
      says: `${late.join(', ')} changed in the configuration file since the daemon started`,
      next: 'Restart the daemon to use the new value',
    };
  return { check: 'daemon', result: 'ok', says: `Version ${version} listens on ${listen ?? 'nothing'}` };
}

function records({ database, activity }: Status): Check {
  if (activity.rollback)
    return {
      check: 'log',
      result: 'failed',
      says: activity.rollback.reason,
      next: 'Run: mcpproxy activity verify. If you restored a back-up, run: mcpproxy activity accept-restore',
    };
  if (activity.log === 'ok' && activity.over_limit)
    return {
      check: 'log',
      result: 'warning',
      says: `The log in ${database} is ${overLimit(activity.over_limit)}`,
      next: 'Make room for it: raise activity.max_size_mb or max_records, or lower activity.keep_changes_days',
    };
  if (activity.log === 'ok') return { check: 'log', result: 'ok', says: `Records are stored in ${database}` };
  return {
    check: 'log',
    result: 'failed',
    says: `${database} is not writable since ${activity.since ?? ''}: ${activity.reason ?? ''}`,
    next: 'Fix the disk or the database server. mcpproxy resumes automatically',
  };
}

function server(view: ServerView, now: number): Check {
  const { name, state, tool_count: count, last_error: problem } = view;
  const check = `server ${name}`;
  if (state === 'ready' || state === 'disabled')
    return { check, result: 'ok', says: `${state}, ${counted(count, 'tool')}` };
  const how = stateText(view, now);
  const says = problem ? `${how}: ${problem}` : how;
  return {
    check,
    result: state === 'failed' ? 'failed' : 'warning',
    says,
    next: view.next_step ?? `Run: mcpproxy upstream show ${name}`,
  };
}

function hints({ tools }: Status): Check {
  const { unannotated_destructive: doubtful, coverage: says } = tools;
  if (doubtful === 0) return { check: 'hints', result: 'ok', says };
  return { check: 'hints', result: 'warning', says, next: 'Run: mcpproxy tools list --unannotated' };
}

/** Tools whose definition differs from the accepted one, whether they are withheld or not. */
function changes({ tools, quarantine }: Status): Check {
  const waiting = tools.changed + tools.new;
  if (waiting === 0)
    return {
      check: 'changes',
      result: 'ok',
      says: `All tools match their accepted definitions (quarantine: ${quarantine})`,
    };
  const says = `${counted(tools.changed, 'changed tool')} and ${counted(tools.new, 'new tool')} not accepted; ${tools.withheld} withheld from agents`;
  return { check: 'changes', result: 'warning', says, next: 'Run: mcpproxy tools list --changed' };
}
