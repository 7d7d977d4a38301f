import { visibleLine } from '../../../lib/visible-text.ts';
import { parseObject } from './bridge-session.ts';
import { CODE, RpcError } from '../wire.ts';
import { isObject } from '../../../json/index.ts';

/** No answer at all. */
export function unreachable(url: string, cause: unknown): RpcError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return daemonError(`No mcpproxy daemon answers at ${url} (${code}): start it with "mcpproxy serve"`);
  }
  return daemonError(
    `The connection to the mcpproxy daemon at ${url} was lost (${code ?? message}); the request may have been carried out`,
  );
}

/** An answer that is not in the protocol: the guard's, or no answer in a stream that ended. */
export function refusedBy(url: string, status: number, body: string): RpcError {
  if (status === 200) {
    return daemonError(
      `The mcpproxy daemon at ${url} ended its answer too early; the request may have been carried out`,
    );
  }
  const error = parseObject(body)?.error;
  const said =
    isObject(error) && typeof error.message === 'string'
      ? `: ${visibleLine(error.message.slice(0, 500))}`
      : '';
  return daemonError(`The mcpproxy daemon at ${url} refused the request with HTTP ${status}${said}`);
}

function daemonError(message: string): RpcError {
  return new RpcError(CODE.server, message);
}
