import type { Arrival } from './trace-request.ts';

const WAIT = /(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])/i;
/** An answer needs some time to arrive. */
const MARGIN_MS = 500;

/** How long the client is willing to wait for an answer, where it says so: `Prefer: wait=5` (RFC 7240), in seconds. */
export function declaredWaitMs({ req }: Arrival): number | undefined {
  const prefer = req?.headers.prefer;
  if (typeof prefer !== 'string' || prefer.length > 200) return undefined;
  const seconds = WAIT.exec(prefer)?.[1];
  return seconds === undefined ? undefined : Math.max(0, Number(seconds) * 1_000 - MARGIN_MS);
}
