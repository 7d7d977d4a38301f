import type { ClientFeatures, Sharing } from '../../contract/config.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

/** What a client can be asked for, by the method that asks. */
export const FEATURE_OF = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
} as const;
export type AskMethod = keyof typeof FEATURE_OF;
export type Feature = (typeof FEATURE_OF)[AskMethod];

export function isAskMethod(method: unknown): method is AskMethod {
  return typeof method === 'string' && Object.hasOwn(FEATURE_OF, method);
}

const FEATURES = Object.values(FEATURE_OF);

/** The capabilities of a client, as far as the operator lets this server use them. */
export function permittedCapabilities(features: ClientFeatures, client: JsonObject): JsonObject {
  const known = FEATURES.filter((name) => features[name] !== 'deny' && isObject(client[name]));
  return Object.fromEntries(known.map((name) => [name, client[name]]));
}

/**
 * What the proxy declares on the connection that clients share, so that the server lists every tool that some client can use. Whether the
 * caller can answer is decided when the server asks. Roots differ per client, so a connection that all share never has any.
 */
export function sharedCapabilities(features: ClientFeatures, sharing: Sharing): JsonObject {
  const all = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
  const { roots, ...rest } = permittedCapabilities(features, all);
  return sharing === 'shared' || roots === undefined ? rest : { ...rest, roots };
}
