import type { Caller } from '../../contract/call.ts';
import { newId } from '../../lib/clock.ts';
import type { RestParts } from './parts.ts';
import { recordChange } from './record-requests.ts';

interface Parts {
  activity: RestParts['activity'];
  logIns: RestParts['upstreams']['logIns'];
}

/** Completes a log-in to a server with the answer of the authorization server, and returns the name of the server. */
export type FinishLogin = (
  answer: URLSearchParams,
  by?: { caller: Caller; server: string },
) => Promise<string>;

/** `by` is absent for a browser that was sent back: it has no key, and its one-time state stands for the operator who began. */
export function createFinishLogin({
  activity,
  logIns,
}: Pick<Parts, 'logIns'> & { activity: Pick<Parts['activity'], 'open'> }): FinishLogin {
  return async (answer, by) => {
    const server = by?.server ?? logIns.serverOf(answer);
    const caller: Caller = by?.caller ?? {
      source: 'api',
      requestId: newId(),
      principal: 'operator',
      userId: 'local',
    };
    const change = {
      action: 'login_server',
      caller,
      ...(server !== undefined && { server }),
      outcome: ({ issuer, scopes }: { issuer: string; scopes: string[] }) => ({ issuer, scopes }),
    };
    // An answer that nobody waits for leaves no record: anybody could send any number of them.
    if (server === undefined) return (await logIns.complete(answer)).server;
    return (await recordChange(activity, change, () => logIns.complete(answer, server))).server;
  };
}
