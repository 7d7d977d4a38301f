import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Status, waitingText, type ServerView } from '../../../contract/status.ts';
import { EXIT, ProxyError } from '../../../contract/errors.ts';
import { print, withProxy, type Context } from '../context.ts';
import { define, type Bind } from '../define.ts';
import type { Style } from '../output/style.ts';
import { table } from '../output/table.ts';
import { approvalCheck, tokenCheck, traceCheck, type Check } from './doctor-checks.ts';

const MAX_WARNINGS = 5;

export function doctor(bind: Bind): Command {
  return define('doctor', {
    summary: 'Find what is wrong with this installation, and what to do about it',
    description:
      'Find what is wrong with this installation, and what to do about it. Ends with exit code 1 when a check failed.',
    examples: ['mcpproxy doctor', 'mcpproxy doctor -o json'],
  }).action(
    bind(async (context) => {
      const checks = [
        nodeVersion(),
        await configFile(context),
        await dataDir(context),
        ...(await daemon(context)),
      ];
      await print(context, { checks }, () => overview(context.style, checks));
      return checks.some(({ result }) => result === 'failed') ? EXIT.general : EXIT.ok;
    }),
  );
}

function overview(style: Style, checks: Check[]): string {
  const paint = { ok: style.colors.green, warning: style.colors.yellow, failed: style.colors.red };
  const rows = checks.map(({ check, result, says, next }) => [
    { text: result, paint: paint[result] },
    check,
    // Several errors of the configuration come one per line; a cell has only one.
    (next ? `${says}; ${next}` : says).replaceAll('\n', ' · '),
  ]);
  return table(
    style,
    [{ title: 'RESULT', whole: true }, { title: 'CHECK', whole: true }, { title: 'DETAIL' }],
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
    ...(!recent && { next: 'install 20.19 or newer' }),
  };
}

async function configFile({ runtime, place }: Context): Promise<Check> {
  const { file, problems, warnings } = await runtime.config.validate(place);
  if (problems.length > 0)
    return { check: 'config', result: 'failed', says: problems.join(' · '), next: `fix ${file}` };
  if (warnings.length === 0) return { check: 'config', result: 'ok', says: `${file} is valid` };
  return {
    check: 'config',
    result: 'warning',
    says: warnings.slice(0, MAX_WARNINGS).join(' · '),
    next: 'see: mcpproxy config validate',
  };
}

/** The key and the log lie here: others on the machine must not read them. */
async function dataDir({ runtime, place }: Context): Promise<Check> {
  const { data_dir: dir } = await runtime.config.paths(place);
  const found = await stat(dir).catch(() => undefined);
  if (!found) return { check: 'data', result: 'ok', says: `${dir} will be created on first start` };
  if (!found.isDirectory())
    return {
      check: 'data',
      result: 'failed',
      says: `${dir} is not a directory`,
      next: 'name another with --data-dir',
    };
  const open = process.platform !== 'win32' && (found.mode & 0o077) !== 0;
  if (open)
    return {
      check: 'data',
      result: 'warning',
      says: `others may look into ${dir}`,
      next: `run: chmod 700 ${dir}`,
    };
  return { check: 'data', result: 'ok', says: `${dir} is private` };
}

async function daemon(context: Context): Promise<Check[]> {
  try {
    return await withProxy(context, 'daemon', async ({ request }) => {
      const [status, { servers }] = [await request('status', {}), await request('listServers', {})];
      return [
        running(status),
        records(status),
        ...servers.map((one) => server(one, context.io.now())),
        hints(status),
        changes(status),
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
          says: 'no daemon is running',
          next: 'start it with: mcpproxy serve',
        },
      ];
    }
    return [{ check: 'daemon', result: 'failed', says: error.message }];
  }
}

function running({ version, listen, config_error: problem }: Status): Check {
  if (problem)
    return {
      check: 'daemon',
      result: 'failed',
      says: `an older configuration serves, because the file is invalid: ${problem}`,
    };
  return { check: 'daemon', result: 'ok', says: `version ${version} listens on ${listen ?? 'nothing'}` };
}

function records({ database, activity }: Status): Check {
  if (activity.log === 'ok') return { check: 'log', result: 'ok', says: `records are kept in ${database}` };
  return {
    check: 'log',
    result: 'failed',
    says: `${database} cannot be written since ${activity.since ?? ''}: ${activity.reason ?? ''}`,
    next: 'mend the disk or the server; mcpproxy goes on by itself',
  };
}

function server(view: ServerView, now: number): Check {
  const { name, state, tool_count: count, last_error: problem } = view;
  const check = `server ${name}`;
  if (state === 'ready' || state === 'disabled')
    return { check, result: 'ok', says: `${state}, ${count} tools` };
  const isMisconfigured = problem?.startsWith('its configuration cannot be used') ?? false;
  const waits = waitingText(view, now);
  const how = waits ? `${state}, ${waits}` : state;
  const says = problem ? `${how}: ${problem}` : how;
  return {
    check,
    result: state === 'failed' ? 'failed' : 'warning',
    says,
    // Without a connection or a process there is nothing in its log.
    next: isMisconfigured ? 'see: mcpproxy config validate' : `see: mcpproxy upstream logs ${name}`,
  };
}

function hints({ tools }: Status): Check {
  const { unannotated_destructive: doubtful, coverage: says } = tools;
  if (doubtful === 0) return { check: 'hints', result: 'ok', says };
  return { check: 'hints', result: 'warning', says, next: 'see: mcpproxy tools list --unannotated' };
}

/** Tools that differ from what was accepted, whether agents still get them or not. */
function changes({ tools, quarantine }: Status): Check {
  const waiting = tools.changed + tools.new;
  if (waiting === 0)
    return { check: 'changes', result: 'ok', says: `all tools are as accepted (quarantine: ${quarantine})` };
  const says = `${tools.changed} tools changed and ${tools.new} are new since accepted; ${tools.withheld} are withheld from agents`;
  return { check: 'changes', result: 'warning', says, next: 'see: mcpproxy tools list --changed' };
}
