import { ProxyError } from './errors.ts';

/** The stderr of a server and the location of the database are for the operator only. */
const OPERATOR_DETAILS: ReadonlySet<string> = new Set(['last_error', 'reason', 'file', 'database']);

const SEE_LOG = 'The operator can find the reason in the log of the proxy and with: mcpproxy status';

/** The error as agents see it. The record and the operator get the full one. */
export function errorForAgent(error: ProxyError): ProxyError {
  const message = messageForAgent(error);
  if (message === undefined) return error;
  const shown = Object.entries(error.details).filter(([name]) => !OPERATOR_DETAILS.has(name));
  return new ProxyError(error.code, message, Object.fromEntries(shown)).withCause(error);
}

/** Undefined: agents may read the message. Messages of the database are never passed on, whatever their origin. */
function messageForAgent({ code, details, agentMessage }: ProxyError): string | undefined {
  if (agentMessage !== undefined) return agentMessage;
  if (code === 'DATABASE_UNAVAILABLE') return `The database of the proxy is not available. ${SEE_LOG}`;
  if (code !== 'AUDIT_UNAVAILABLE') return undefined;
  return details.executed === true
    ? `The tool has run, but its outcome could not be recorded, so its result is not returned. Check what it did before you repeat the call. ${SEE_LOG}`
    : `The activity log cannot be written, so the call was not made. ${SEE_LOG}`;
}
