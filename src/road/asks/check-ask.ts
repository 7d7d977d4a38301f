import type { ClientFeatures } from '../../contract/config.ts';
import { toProxyError } from '../../contract/errors.ts';
import { exactJson, isObject, type JsonObject } from '../../json/index.ts';
import { FEATURE_OF, type AskMethod } from '../../upstream/dispatch/dispatch-call.ts';
import { markDialog } from '../dialogs/mark-dialogs.ts';
import { failed, invalid, unsupported } from './ask-errors.ts';

const MAX_ASK = 4 * 1024 * 1024;
const MAX_ANSWER = 4 * 1024 * 1024;
const MAX_ROOTS = 1_000;
const SERVER_KEY = 'mcpproxy/server';

export interface AskedBy {
  server: string;
  tool: string;
}

/** Whether policy and client permit the request. Throws in the words of the protocol. */
export function checkPermitted(
  { method, params }: { method: AskMethod; params: JsonObject },
  features: ClientFeatures,
  capabilities: JsonObject,
): void {
  const feature = FEATURE_OF[method];
  if (features[feature] === 'deny') throw unsupported(method, 'the operator does not allow it');
  const capability = capabilities[feature];
  if (!isObject(capability)) throw unsupported(method, 'the client does not support it');
  if (method !== 'elicitation/create') return;
  const mode = params.mode === 'url' ? 'url' : 'form';
  const isPlain = mode === 'form' && Object.keys(capability).length === 0;
  if (!isPlain && !isObject(capability[mode]))
    throw unsupported(method, `the client does not support mode ${mode}`);
}

/** The request as the client gets it: bounded, with the name of its server. */
export function preparedParams(
  { method, params }: { method: AskMethod; params: JsonObject },
  { server, tool }: AskedBy,
  features: ClientFeatures,
): JsonObject {
  if ((exactJson(params) ?? '').length > MAX_ASK)
    throw invalid(`the request is larger than ${MAX_ASK} characters`);
  switch (method) {
    case 'elicitation/create':
      return markedForm(server, tool, params);
    case 'sampling/createMessage':
      return { ...params, ...maxTokens(params, features), ...labelled(params, server) };
    case 'roots/list':
    default:
      return labelled(params, server);
  }
}

function markedForm(server: string, tool: string, params: JsonObject): JsonObject {
  try {
    return markDialog(server, tool, params);
  } catch (cause) {
    const { code, message } = toProxyError(cause);
    throw invalid(message, code);
  }
}

function maxTokens({ maxTokens: wanted }: JsonObject, features: ClientFeatures): JsonObject {
  if (typeof wanted !== 'number' || !(wanted >= 1)) throw invalid('"maxTokens" must be a positive number');
  return { maxTokens: Math.min(wanted, features.sampling_max_tokens) };
}

/** Neither is shown as a form by the proxy, so its source stands where programs look. */
function labelled({ _meta: meta }: JsonObject, server: string): JsonObject {
  return { _meta: { ...(isObject(meta) && meta), [SERVER_KEY]: server } };
}

/** The answer of the client, as far as the proxy relies on it. */
export function checkAnswer(method: AskMethod, answer: JsonObject): void {
  if ((exactJson(answer) ?? '').length > MAX_ANSWER)
    throw failed(-32000, `The answer of the client is larger than ${MAX_ANSWER} characters`);
  const { roots, action, content } = answer;
  const isFit = {
    'roots/list': Array.isArray(roots) && roots.length <= MAX_ROOTS && roots.every(isRoot),
    'elicitation/create': action === 'accept' || action === 'decline' || action === 'cancel',
    'sampling/createMessage': content !== undefined,
  }[method];
  if (!isFit) throw failed(-32603, 'The answer of the client is malformed');
}

function isRoot(root: unknown): boolean {
  return isObject(root) && typeof root.uri === 'string';
}
