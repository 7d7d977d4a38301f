import type { Status } from '../../../contract/status.ts';
import { localTime } from '../output/time.ts';

export interface Check {
  check: string;
  result: 'ok' | 'warning' | 'failed';
  says: string;
  next?: string;
}

/** Whether the policy means what it says. That agents should not hold the operator's key is said where tokens are looked at. */
export function approvalCheck({ approvals }: Status): Check {
  const check = 'approvals';
  if (approvals.rules === 0) return { check, result: 'ok', says: 'no call waits for a person' };
  if (approvals.idle_rules.length > 0)
    return {
      check,
      result: 'warning',
      says: approvals.idle_rules.join('; '),
      next: 'correct the name, or remove the rule',
    };
  if (approvals.in_client)
    return {
      check,
      result: 'warning',
      says: 'the answer of a client program counts as a decision (approvals.in_client)',
      next: 'leave it on only where each client shows the dialog to a person',
    };
  return { check, result: 'ok', says: `${approvals.rules} rules; ${approvals.pending} calls wait now` };
}

const DAY_MS = 86_400_000;
const MAKE_ONE = 'give each client a token: mcpproxy tokens create --name NAME';

/** Whether agents hold credentials of their own, and whether these mean anything. */
export function tokenCheck(status: Status, now: number): Check {
  const { active, expired, operator_mcp_call_at: operatorCall } = status.tokens;
  const warning = (says: string, next: string): Check => ({ check: 'tokens', result: 'warning', says, next });
  const recent = operatorCall !== null && now - Date.parse(operatorCall) < DAY_MS;
  if (status.approvals_required && recent) {
    return warning(
      `calls wait for approval, but tools were called over MCP with the operator’s key, last at ${localTime(operatorCall)}: whoever holds it can approve its own calls`,
      MAKE_ONE,
    );
  }
  if (!status.require_mcp_auth && active > 0)
    return warning(
      `${count(active)}, but /mcp is open to every local program without one`,
      'remove require_mcp_auth=false and --no-mcp-auth',
    );
  if (expired > 0)
    return warning(
      `${count(active)}, and ${expired} that expired`,
      'see "mcpproxy tokens list"; revoke them, and make new ones where they are missed',
    );
  return { check: 'tokens', result: 'ok', says: count(active) };
}

function count(active: number): string {
  return active === 1 ? '1 agent token is active' : `${active} agent tokens are active`;
}

/** Whether spans arrive where the environment of the daemon says. Without a collector nothing is wrong. */
export function traceCheck({ traces }: Pick<Status, 'traces'>): Check {
  const { exporting, to, problem, exported, dropped, failed } = traces;
  if (!exporting && problem === undefined)
    return {
      check: 'traces',
      result: 'ok',
      says: 'no spans are collected: the daemon runs without OTEL_EXPORTER_OTLP_ENDPOINT',
    };
  if (!exporting)
    return {
      check: 'traces',
      result: 'warning',
      says: `no spans are collected: ${problem}`,
      next: 'mend the environment of the daemon and start it again',
    };
  const lost = dropped + failed;
  if (problem !== undefined)
    return {
      check: 'traces',
      result: 'warning',
      says: `spans do not arrive at ${to}: ${problem}; ${lost} are lost`,
      next: 'start the collector; mcpproxy goes on by itself',
    };
  const says = `${exported} spans exported to ${to}`;
  if (lost === 0) return { check: 'traces', result: 'ok', says };
  return { check: 'traces', result: 'warning', says: `${says}; ${lost} are lost` };
}
