import type { ServerTask } from '../../contract/call.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { RpcFailure } from '../transport/lane.ts';
import type { DispatchCall } from './dispatch-call.ts';

/** How many tasks of one server are followed at the same time. */
export const MAX_FOLLOWED = 256;
/** And of those the tasks of one client. */
export const MAX_OF_CLIENT = 64;

export function failureOf({ error, message }: ServerTask): RpcFailure {
  const { code, message: text } = (error ?? {}) as Partial<RpcFailure>;
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof text === 'string' ? text : (message ?? 'the task failed'),
  };
}

export function tooMany({ server, tool }: DispatchCall, own: number): ProxyError {
  const whose = own >= MAX_OF_CLIENT ? `${own} tasks of this client` : `${MAX_FOLLOWED} tasks`;
  return new ProxyError(
    'SERVER_BUSY',
    `Server '${server}' works on ${whose} already, so the task of '${tool}' was cancelled. It may have run in part.`,
    { server, tool, tasks: own },
  );
}

export function continues({ server, tool }: DispatchCall): ProxyError {
  return new ProxyError(
    'OUTCOME_UNKNOWN',
    `The proxy stopped while server '${server}' worked on '${tool}' in the background. The task goes on; its outcome is recorded when the proxy has asked for it.`,
    { server, tool, continues: true },
  );
}

export function lostTask({ server, tool }: DispatchCall, why: string): ProxyError {
  const text = (reason: string) =>
    `Server '${server}' worked on '${tool}' in the background and no longer tells how it went${reason}. Check whether it ran before you call it again.`;
  return new ProxyError('OUTCOME_UNKNOWN', text(`: ${why}`), { server, tool }).withAgentMessage(text(''));
}

export function cancelledByServer({ server, tool }: DispatchCall, { message }: ServerTask): ProxyError {
  const why = message ? `: ${message}` : '';
  return new ProxyError('CANCELLED', `The task of '${tool}' on server '${server}' was cancelled${why}`, {
    server,
    tool,
    sent: true,
  });
}
