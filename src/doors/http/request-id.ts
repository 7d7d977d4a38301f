import type { IncomingMessage } from 'node:http';
import { newId } from '../../lib/clock.ts';
import { ofRequest } from '../../lib/log.ts';
import { passedOn, readContext } from '../../lib/trace.ts';

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The caller's own id where it is a short plain token, so that its logs and ours can be joined; else a new one. */
export function requestIdOf(given: string | string[] | null | undefined): string {
  return typeof given === 'string' && SANE.test(given) ? given : newId();
}

/** The same for whoever only sees the request: from here on its header holds the id that counts. */
export function nameRequest(req: Pick<IncomingMessage, 'headers'>): string {
  return (req.headers['x-request-id'] = requestIdOf(req.headers['x-request-id']));
}

/** What a line of the log says of a request that nobody has been named for yet. */
export function aboutRequest({ headers }: Pick<IncomingMessage, 'headers'>): ReturnType<typeof ofRequest> {
  const requestId = requestIdOf(headers['x-request-id']);
  return ofRequest({ requestId, trace: passedOn(readContext(headers)) });
}
