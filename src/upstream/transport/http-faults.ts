import { LaneError } from './lane.ts';
import { tooWideText } from '../../json/index.ts';
import { MAX_MESSAGE_BYTES, MESSAGE_LIMITS } from '../../lib/rpc.ts';

/** The error of a broken exchange: `unsent` if it never had a connection. */
export function broken(error: Error & { code?: unknown }, sent: boolean, connectMs: number): LaneError {
  if (sent) return new LaneError('lost', error.message || error.name);
  if (error.code !== 'UND_ERR_CONNECT_TIMEOUT') return new LaneError('unsent', error.message || error.name);
  const slow = { phase: 'connect' as const, limitMs: connectMs };
  return new LaneError('unsent', `no connection within ${connectMs} ms (connect_timeout)`, { slow });
}

export function tooLarge(bytes: number): LaneError {
  return new LaneError(
    'too_large',
    `the answer has more than ${bytes > MAX_MESSAGE_BYTES ? MAX_MESSAGE_BYTES : bytes} bytes`,
  );
}

export function tooWide(): LaneError {
  return new LaneError('too_large', `the answer ${tooWideText(MESSAGE_LIMITS)}`);
}

export function describeStatus(status: number, text: string): string {
  if (status >= 300 && status < 400)
    return `the server redirects to another place (HTTP ${status}), which is not followed; correct the url`;
  if (status === 401 || status === 403)
    return `the server rejects the credentials (HTTP ${status}); check its headers in the configuration`;
  if (status < 300) return `the server gave no readable answer (HTTP ${status})`;
  return `HTTP ${status}${text.trim() === '' ? '' : `: ${text.trim().slice(0, 200)}`}`;
}
