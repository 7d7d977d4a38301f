import { maskText } from '../log/index.ts';
import type { CallRequest, CallTool } from '../road/index.ts';
import { toProxyError } from '../contract/errors.ts';
import { ofRequest, type Log } from '../lib/log.ts';
import { visibleLine } from '../lib/visible-text.ts';

/** Of a flood of failures so many are told each second; the others are counted. */
const PER_SECOND = 10;
/** What is longer is no name of a tool. Nor is it cut: a part of a secret may not look like one. */
const MOST_SHOWN = 500;

/**
 * The same road, with a line for each call that leads from the log to its record and its trace. Those that failed are told, within
 * bounds; the others only to whoever wants to know everything. Never what was sent or answered, which may be secret.
 */
export function createCallLog(log: Log): (callTool: CallTool) => CallTool {
  let second = 0;
  let told = 0;
  let untold = 0;

  function mayTell(): boolean {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, told] = [now, 0];
    if (told++ < PER_SECOND) return true;
    untold++;
    return false;
  }

  function fail(request: CallRequest, started: number, cause: unknown): void {
    const { code, outcome } = toProxyError(cause);
    const isFailure = outcome === 'error' || outcome === 'unknown';
    const about = () => ({ ...aboutCall(request, started, outcome), code });
    if (!isFailure) return void (log.isLevelEnabled('debug') && log.debug(about(), 'call refused'));
    if (!mayTell()) return;
    log.info({ ...about(), ...(untold > 0 && { untold }) }, 'call failed');
    untold = 0;
  }

  return (callTool) => async (request) => {
    const started = performance.now();
    try {
      const result = await callTool(request);
      const status = result.isError === true ? 'error' : 'success';
      if (log.isLevelEnabled('debug')) log.debug(aboutCall(request, started, status), 'call');
      return result;
    } catch (cause) {
      fail(request, started, cause);
      throw cause;
    }
  };
}

function aboutCall({ variant, input, caller }: CallRequest, started: number, status: string) {
  const name = (input as { name?: unknown } | null)?.name;
  return {
    ...ofRequest(caller),
    ...(typeof name === 'string' && { tool: shownName(name) }),
    variant,
    status,
    ms: Math.round(performance.now() - started),
  };
}

/** Whoever calls may write anything in the place of a name, a secret too. */
const shownName = (name: string) =>
  name.length > MOST_SHOWN ? `[${name.length} characters]` : visibleLine(maskText(name));
