import { variantFor } from '../contract/operation.ts';
import { maskText } from '../log/index.ts';
import type { CallRequest, CallTool } from '../road/index.ts';
import { toProxyError } from '../contract/errors.ts';
import { ofRequest, type Log } from '../lib/log.ts';
import { visibleLine } from '../lib/visible-text.ts';

/** How many failures are logged per second; further ones are counted. */
const PER_SECOND = 10;
/** Longer names are not shown, not even cut: a part of a secret may not be recognised as one. */
const MAX_SHOWN = 500;

/**
 * Adds a log line for each call that refers to its record and trace: failed calls at level info, with a rate limit, all others at level
 * debug. Arguments and results are never logged, as they may be secret.
 */
export function createCallLog(log: Log): (callTool: CallTool) => CallTool {
  let second = 0;
  let logged = 0;
  let suppressed = 0;

  function mayLog(): boolean {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, logged] = [now, 0];
    if (logged++ < PER_SECOND) return true;
    suppressed++;
    return false;
  }

  function fail(request: CallRequest, started: number, cause: unknown): void {
    const { code, outcome } = toProxyError(cause);
    const isFailure = outcome === 'error' || outcome === 'unknown';
    const fields = () => ({ ...callFields(request, started, outcome), code });
    if (!isFailure) return void (log.isLevelEnabled('debug') && log.debug(fields(), 'call refused'));
    if (!mayLog()) return;
    log.info({ ...fields(), ...(suppressed > 0 && { untold: suppressed }) }, 'call failed');
    suppressed = 0;
  }

  return (callTool) => async (request) => {
    const started = performance.now();
    try {
      const result = await callTool(request);
      const status = result.isError === true ? 'error' : 'success';
      if (log.isLevelEnabled('debug')) log.debug(callFields(request, started, status), 'call');
      return result;
    } catch (cause) {
      fail(request, started, cause);
      throw cause;
    }
  };
}

function callFields({ operation, input, caller }: CallRequest, started: number, status: string) {
  const name = (input as { name?: unknown } | null)?.name;
  return {
    ...ofRequest(caller),
    ...(typeof name === 'string' && { tool: shownName(name) }),
    variant: variantFor(operation),
    status,
    ms: Math.round(performance.now() - started),
  };
}

/** A caller may send anything as a name, also a secret. */
const shownName = (name: string) =>
  name.length > MAX_SHOWN ? `[${name.length} characters]` : visibleLine(maskText(name));
