import { errorForAgent, type ErrorCode, type ProxyError } from '../../../contract/errors.ts';
import { CODE, MODERN_REVISIONS, RpcError } from '../wire.ts';

/** What the 2025 revisions call a missing resource; later ones call it invalid parameters. */
const RESOURCE_NOT_FOUND = -32002;
/** A client of the older revisions shows the dialogs in the data of this error, and nobody has marked them. */
const URL_ELICITATION_REQUIRED = -32042;

/** With a code of the protocol these are what the server answered. */
const OF_SERVER: readonly ErrorCode[] = ['UPSTREAM_FAILED', 'INVALID_ARGUMENTS'];

const INVALID: readonly ErrorCode[] = [
  'INVALID_ARGUMENTS',
  'INVALID_STATE',
  'PROMPT_NOT_FOUND',
  'RESOURCE_NOT_FOUND',
  'TOO_DEEP',
];

/** A refusal or failure in the terms of the protocol. An error of the server itself is passed on as it is. */
export function itemError(
  cause: ProxyError,
  { isModern, uri }: { isModern: boolean; uri: unknown },
): RpcError {
  const error = errorForAgent(cause);
  const { rpc_code: code, rpc_message: text, data } = cause.details;
  if (OF_SERVER.includes(cause.code) && typeof code === 'number' && code !== URL_ELICITATION_REQUIRED) {
    const isMissing = isModern && code === RESOURCE_NOT_FOUND;
    return new RpcError(isMissing ? CODE.invalidParams : code, String(text), {
      data: isMissing && data === undefined ? { uri } : data,
      status: code === CODE.missingCapability ? 400 : 200,
    });
  }
  const body = error.toBody().error;
  if (error.code === 'RESOURCE_NOT_FOUND')
    return new RpcError(isModern ? CODE.invalidParams : RESOURCE_NOT_FOUND, error.message, {
      data: { ...body, uri },
    });
  const rpc = INVALID.includes(error.code) ? CODE.invalidParams : CODE.server;
  return new RpcError(rpc, error.message, { data: body });
}

export function unfinished(): RpcError {
  return new RpcError(
    CODE.server,
    `The server needs interactive input for this request, which the protocol revision of this client does not support; use a client that supports ${MODERN_REVISIONS[0]}`,
  );
}
