import type { ItemKind } from '../../../contract/item.ts';
import type { CallRequest } from '../../../road/index.ts';

export type ItemRequest = NonNullable<CallRequest['kind']>;

const LISTS: ReadonlyMap<string, ItemKind> = new Map([
  ['prompts/list', 'prompt'],
  ['resources/list', 'resource'],
  ['resources/templates/list', 'template'],
  ['skills/list', 'skill'],
]);

const REQUESTS: ReadonlyMap<string, ItemRequest> = new Map([
  ['prompts/get', 'prompt'],
  ['resources/read', 'resource'],
  ['completion/complete', 'completion'],
  ['skills/get', 'skill'],
  ['resources/directory/read', 'directory'],
]);

/** Of the 2025 revisions; later ones have `subscriptions/listen`. */
const LEGACY_REQUESTS: ReadonlyMap<string, ItemRequest> = new Map([
  ...REQUESTS,
  ['resources/subscribe', 'subscribe'],
  ['resources/unsubscribe', 'unsubscribe'],
]);

/** Which list a method asks for; undefined: it asks for none of these. */
export const listedBy = (method: string): ItemKind | undefined => LISTS.get(method);

/** What a method asks a server for, besides tool calls. */
export const requestedBy = (method: string): ItemRequest | undefined => REQUESTS.get(method);
export const requestedByLegacy = (method: string): ItemRequest | undefined => LEGACY_REQUESTS.get(method);
