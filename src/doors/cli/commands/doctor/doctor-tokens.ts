import type { Status } from '../../../../contract/status.ts';
import { localTime } from '../../output/time.ts';
import type { Check } from './check.ts';

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
