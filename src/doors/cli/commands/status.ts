import type { Command } from 'commander';
import { counted, visibleLine } from '../../../lib/visible-text.ts';
import type { Status } from '../../../contract/status.ts';
import { print, withPlace, withProxy } from '../context.ts';
import { define, type Bind } from '../define.ts';
import type { Style } from '../output/style.ts';
import { fields, type Cell } from '../output/table.ts';
import { longDuration } from '../output/time.ts';
import { reviewLine } from './config-accept.ts';
import { sharedProblems, sharedSummary } from './shared-config.ts';
import { workersText } from './workers-text.ts';

export function status(bind: Bind): Command {
  return define('status', {
    summary: 'Show the state of the running daemon',
    description: 'Show the state of the running daemon. Exits with code 7 if no daemon answers.',
    examples: ['mcpproxy status', 'mcpproxy status -o json', 'mcpproxy status --url http://127.0.0.1:9090'],
  }).action(
    bind(async (context) => {
      const answer = await withProxy(context, 'daemon', ({ request }) => request('status', {}));
      await print(context, answer, () => withPlace(context.place, overview(context.style, answer)));
    }),
  );
}

function overview(style: Style, status: Status): string {
  const { intent_declaration: intent, tools, activity } = status;
  return fields(style, [
    ['Version', status.version],
    ['Listening', status.listen ?? undefined],
    ['Uptime', longDuration(status.uptime_s)],
    ['Process', status.pid],
    ['Workers', workersText(status.workers)],
    ['Config', status.config_file],
    [
      'Config error',
      status.config_error
        ? { text: status.config_error.replaceAll('\n', ' · '), paint: style.colors.red }
        : undefined,
    ],
    ['Next start', restartCell(style, status)],
    ['Config digest', status.config_state?.digest],
    ['Config review', reviewCell(style, status)],
    ...sharedLines(style, status),
    ['Data', status.data_dir],
    ['Database', status.database],
    ['Servers', counts(status.servers)],
    ['Starting', status.starting?.map(({ name, progress }) => `${name}: ${progress}`).join('; ')],
    ['Tools', tools.coverage],
    ['Menu', menuCell(style, status)],
    ['Tokens', tokenLine(status)],
    ['Quarantine', status.quarantine],
    ['Approvals', approvalLine(status)],
    [
      'Activity',
      `${counted(activity.records, 'record')}, ${activity.last_24h} in the last 24 hours (${activity.refused_24h} refused)`,
    ],
    [
      'Log',
      activity.log === 'ok'
        ? undefined
        : {
            text: `not writable since ${activity.since ?? ''}: ${activity.reason ?? ''}; ${counted(activity.waiting, 'record')} waiting`,
            paint: style.colors.red,
          },
    ],
    ['Log size', activity.over_limit && { text: overLimit(activity.over_limit), paint: style.colors.yellow }],
    [
      'Missing',
      activity.rollback && {
        text: `${visibleLine(activity.rollback.reason)}. Run: mcpproxy activity verify. If you restored a back-up, run: mcpproxy activity accept-restore`,
        paint: style.colors.red,
      },
    ],
    ...witnessLines(style, status),
    [
      'Intent',
      `operation type ${intent.operation_type}, ${intent.strict_server_validation ? 'strict' : 'not strict'}, tools without hints: ${intent.unannotated}`,
    ],
    [
      'Stalls',
      status.stalls.last && {
        text: `blocked for ${status.stalls.last.ms} ms at ${status.stalls.last.at}; ${counted(status.stalls.count, 'stall')} in total`,
        paint: style.colors.yellow,
      },
    ],
    ['MCP', status.protocol_revisions.join(', ')],
  ]);
}

function witnessLines(style: Style, { activity }: Status): Array<[string, Cell]> {
  return (activity.witnesses ?? []).map(({ kind, target, delivered, problem }) => [
    'Witness',
    problem === undefined
      ? `${kind} ${visibleLine(target)}, ${counted(delivered, 'checkpoint')} sent`
      : { text: `${kind} ${visibleLine(target)}: ${visibleLine(problem)}`, paint: style.colors.yellow },
  ]);
}

/** Direct mode fills the context of agents; nothing to show while nobody uses it. */
function menuCell({ colors }: Style, { menu }: Status): Cell {
  const used = menu?.mode === 'search' ? menu.listed : menu;
  if (!menu || !used) return undefined;
  const text = `${counted(used.tools, 'tool')} in direct mode, about ${counted(used.tokens, 'token')}`;
  if (used.tokens <= menu.max_tokens) return text;
  return { text: `${text}, more than direct.max_menu_tokens (${menu.max_tokens})`, paint: colors.yellow };
}

function approvalLine({ approvals: { rules, pending } }: Status): string {
  const waiting = pending > 0 ? `${pending} pending. Run: mcpproxy approvals list` : 'none pending';
  return `${rules === 0 ? 'none required' : counted(rules, 'rule')}, ${waiting}`;
}

function reviewCell(style: Style, { config_state: state }: Status): Cell {
  const text = reviewLine(state);
  return text === undefined
    ? undefined
    : { text: `${text}. Run: mcpproxy config accept`, paint: style.colors.red };
}

function sharedLines({ colors }: Style, { shared_config: shared }: Status): Array<[string, Cell]> {
  if (!shared) return [];
  const problems = sharedProblems(shared).map(({ says }): [string, Cell] => [
    'Config problem',
    { text: says, paint: colors.red },
  ]);
  return [['Config source', sharedSummary(shared)], ...problems];
}

/** Settings that the daemon reads only when it starts. */
function restartCell({ colors }: Style, { needs_restart: settings = [] }: Status): Cell {
  if (settings.length === 0) return undefined;
  const text = `${settings.join(', ')} changed in the file; the daemon uses the old value until it is restarted`;
  return { text, paint: colors.yellow };
}

/** By how much the log is over its limits, and why. */
export function overLimit({ mb, records }: NonNullable<Status['activity']['over_limit']>): string {
  const by = [...(mb > 0 ? [`${mb} MB`] : []), ...(records > 0 ? [counted(records, 'record')] : [])];
  return `over the limit by ${by.join(' and ')}, kept by activity.keep_changes_days`;
}

function counts({ total, ...states }: Status['servers']): string {
  const parts = Object.entries(states).filter(([, count]) => count > 0);
  const listed = parts.map(([state, count]) => `${count} ${state}`).join(', ');
  return listed ? `${total ?? 0} (${listed})` : String(total ?? 0);
}

function tokenLine({ tokens: { active, expired }, require_mcp_auth: required }: Status): string {
  const tokens = expired > 0 ? `${active} active, ${expired} expired` : `${active} active`;
  return required ? tokens : `${tokens}; every local program can use /mcp without a token`;
}
