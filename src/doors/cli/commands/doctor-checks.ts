import { counted, visibleLine } from '../../../lib/visible-text.ts';
import type { Status } from '../../../contract/status.ts';
import { localTime } from '../output/time.ts';
import { reviewLine } from './config-accept.ts';
import { sharedProblems, sharedSummary } from './shared-config.ts';

export interface Check {
  check: string;
  result: 'ok' | 'warning' | 'failed';
  says: string;
  next?: string;
}

/** Checks the approval policy for rules that never match. The use of the operator's key is checked with the tokens. */
export function approvalCheck({ approvals }: Status): Check {
  const check = 'approvals';
  if (approvals.rules === 0) return { check, result: 'ok', says: 'No calls require approval' };
  if (approvals.idle_rules.length > 0)
    return {
      check,
      result: 'warning',
      says: approvals.idle_rules.join('; '),
      next: 'Correct the name or remove the rule',
    };
  if (approvals.in_client)
    return {
      check,
      result: 'warning',
      says: 'Client programs can approve calls (approvals.in_client)',
      next: 'Keep this setting only if every client shows the dialog to a person',
    };
  return {
    check,
    result: 'ok',
    says: `${counted(approvals.rules, 'rule')}, ${counted(approvals.pending, 'pending approval')}`,
  };
}

/** A menu that fills the context of every agent. Nothing to say while nobody uses direct mode. */
export function menuCheck({ menu }: Pick<Status, 'menu'>): Check[] {
  const used = menu?.mode === 'search' ? menu.listed : menu;
  if (!menu || !used) return [];
  const says = `The menu of direct mode has ${counted(used.tools, 'tool')}, about ${counted(used.tokens, 'token')}`;
  if (used.tokens <= menu.max_tokens) return [{ check: 'menu', result: 'ok', says }];
  return [
    {
      check: 'menu',
      result: 'warning',
      says: `${says}; direct.max_menu_tokens is ${menu.max_tokens}`,
      next: 'Limit the token to the servers and tools that its client needs, use mode "search", or raise the setting',
    },
  ];
}

/** Nothing to say while there are none. */
export function rowChecks({ changed_rows: count = 0, activity: { rollback } }: Status): Check[] {
  if (count === 0) return [];
  return [
    {
      check: 'rows',
      result: 'failed',
      says: `${counted(count, 'stored row')} changed outside of mcpproxy, found since the start; none of them counts`,
      next: `${rollback ? RESTORED_NEXT : ''}Find out who can write to the database. The records: mcpproxy activity list --type finding --status refused`,
    },
  ];
}

const RESTORED_NEXT =
  'If you have restored an earlier database, accept that: mcpproxy activity accept-restore. If not: ';

/** The configuration of several proxies. Nothing to say with SQLite. */
export function sharedChecks({ shared_config: shared }: Pick<Status, 'shared_config'>): Check[] {
  if (!shared) return [];
  const problems = sharedProblems(shared).map((each): Check => ({ check: 'shared configuration', ...each }));
  if (problems.length > 0) return problems;
  return [{ check: 'shared configuration', result: 'ok', says: sharedSummary(shared) }];
}

/** Edits of the configuration file that weakened it, or wait. Absent where there are none. */
export function reviewCheck({ config_state: state }: Pick<Status, 'config_state'>): Check[] {
  const says = reviewLine(state);
  if (says === undefined) return [];
  return [
    {
      check: 'config review',
      result: 'warning',
      says,
      next: 'Undo the edit, or confirm it with: mcpproxy config accept',
    },
  ];
}

const DAY_MS = 86_400_000;
const CREATE_TOKEN = 'Give each client a token: mcpproxy tokens create --name NAME';

/** Checks that agents use tokens, and that the tokens are enforced. */
export function tokenCheck(status: Status, now: number): Check {
  const { active, expired, operator_mcp_call_at: operatorCall } = status.tokens;
  const warning = (says: string, next: string): Check => ({ check: 'tokens', result: 'warning', says, next });
  const recent = operatorCall !== null && now - Date.parse(operatorCall) < DAY_MS;
  if (status.approvals_required && recent) {
    return warning(
      `Calls require approval, but a client uses the operator’s key for MCP (last call: ${localTime(operatorCall)}). A client with this key can approve its own calls`,
      CREATE_TOKEN,
    );
  }
  if (!status.require_mcp_auth && active > 0)
    return warning(
      `${activeTokens(active)}, but every local program can use /mcp without a token`,
      'Remove require_mcp_auth=false and --no-mcp-auth',
    );
  if (expired > 0)
    return warning(
      `${activeTokens(active)}, ${expired} expired`,
      'Revoke expired tokens, or create new ones: see "mcpproxy tokens list"',
    );
  return { check: 'tokens', result: 'ok', says: activeTokens(active) };
}

function activeTokens(active: number): string {
  return counted(active, 'active agent token');
}

/** Checks the trace export. Tracing that is off is not a problem. */
export function traceCheck({ traces }: Pick<Status, 'traces'>): Check {
  const { exporting, to, problem, exported, dropped, failed } = traces;
  if (!exporting && problem === undefined)
    return {
      check: 'traces',
      result: 'ok',
      says: 'Tracing is off: OTEL_EXPORTER_OTLP_ENDPOINT is not set for the daemon',
    };
  if (!exporting)
    return {
      check: 'traces',
      result: 'warning',
      says: `Tracing is off: ${problem}`,
      next: 'Fix the environment of the daemon, then restart it',
    };
  const lost = dropped + failed;
  if (problem !== undefined)
    return {
      check: 'traces',
      result: 'warning',
      says: `Spans cannot be sent to ${to}: ${problem}; ${counted(lost, 'span')} lost`,
      next: 'Start the collector. mcpproxy retries automatically',
    };
  const says = `${counted(exported, 'span')} exported to ${to}`;
  if (lost === 0) return { check: 'traces', result: 'ok', says };
  return { check: 'traces', result: 'warning', says: `${says}; ${counted(lost, 'span')} lost` };
}

/** One check per witness. That there is none is not a problem, but a limit that `activity verify` names. */
export function witnessChecks({ activity }: Pick<Status, 'activity'>): Check[] {
  return (activity.witnesses ?? []).map(({ kind, target, delivered, waiting, dropped, problem }) => {
    const check = `witness ${kind}`;
    const place = visibleLine(target);
    if (problem === undefined)
      return { check, result: 'ok', says: `${counted(delivered, 'checkpoint')} sent to ${place}` };
    return {
      check,
      result: 'warning',
      says: `${place}: ${visibleLine(problem)}; ${counted(waiting, 'checkpoint')} waiting, ${dropped} given up`,
      next: 'Fix the place or the setting activity.witness. mcpproxy retries automatically',
    };
  });
}
