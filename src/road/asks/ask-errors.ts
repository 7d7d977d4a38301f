import type { ActivityStatus } from '../../contract/activity.ts';
import type { ErrorCode, ProxyError } from '../../contract/errors.ts';
import { RpcFault } from '../../lib/rpc.ts';
import { METHOD_NOT_FOUND, type AskMethod } from '../../upstream/dispatch/dispatch-call.ts';

/** Why a request of a server was not answered: for the server in the words of the protocol, and for the record. */
export class AskRefusal extends RpcFault {
  readonly status: ActivityStatus;
  readonly why: ErrorCode;

  constructor(
    fault: { code: number; message: string },
    status: ActivityStatus,
    why: ErrorCode = 'ASK_REFUSED',
  ) {
    super(fault.code, fault.message);
    this.status = status;
    this.why = why;
  }
}

const REJECTED = -1;
const INVALID_PARAMS = -32602;
const SERVER = -32000;

export const unsupported = (method: AskMethod, why: string) =>
  new AskRefusal({ code: METHOD_NOT_FOUND, message: `Method not found: ${method} (${why})` }, 'refused');

export const invalid = (message: string, why: ErrorCode = 'ASK_REFUSED') =>
  new AskRefusal({ code: INVALID_PARAMS, message: `Invalid params: ${message}` }, 'refused', why);

export const overLimit = (message: string) =>
  new AskRefusal({ code: SERVER, message }, 'refused', 'OVERLOADED');

export const rejected = (what: string) =>
  new AskRefusal({ code: REJECTED, message: `User rejected ${what}` }, 'denied');

/** The client answered, and the answer was not approved. */
export const notApproved = ({ code, outcome }: ProxyError) =>
  new AskRefusal(
    { code: REJECTED, message: `The answer was not passed on: ${code}` },
    code === 'APPROVAL_DENIED' ? 'denied' : outcome,
    code,
  );

export const late = (limitMs: number) =>
  new AskRefusal({ code: SERVER, message: `The client did not answer within ${limitMs} ms` }, 'expired');

export const ended = () =>
  new AskRefusal(
    { code: SERVER, message: 'The client or the call ended before the answer' },
    'error',
    'CANCELLED',
  );

/** The client answered with an error of its own, or with something unusable. */
export const failed = (code: number, message: string) =>
  new AskRefusal({ code, message }, 'error', 'ASK_REFUSED');
