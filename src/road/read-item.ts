import type { ItemKind } from '../contract/item.ts';
import { ProxyError } from '../contract/errors.ts';
import { isObject, type JsonObject } from '../json/index.ts';
import { proxiedUri, readProxiedUri } from '../lib/resource-uri.ts';
import { visibleLine } from '../lib/visible-text.ts';
import { clientOf } from '../load/index.ts';
import type { CallContext, ParsedCall } from './context.ts';
import type { ItemRequest } from './request.ts';
import { isOutOfScope } from './scope.ts';
import type { RoadParts } from './step.ts';
import { parseName } from './steps/parse.ts';

const MAX_URI = 8192;
const MAX_CANDIDATES = 10;

type Read = { value: ParsedCall; error?: never } | { value?: never; error: unknown };

/** The request for something else than a tool call, or the error in it. */
export function readItem(call: CallContext, parts: RoadParts): Read {
  try {
    return { value: parseItem(call, parts) };
  } catch (error) {
    return { error };
  }
}

function parseItem(call: CallContext, parts: RoadParts): ParsedCall {
  const kind = call.request.kind!;
  const input = call.request.input;
  if (!isObject(input)) throw invalid('the parameters must be an object', 'params');
  switch (kind) {
    case 'prompt':
      return {
        ...parseName(input.name, 'prompt'),
        args: argumentsOf(input.arguments),
        input,
        item: 'prompt',
      };
    case 'resource':
    case 'subscribe':
    case 'unsubscribe':
      return resourceCall(call, parts, input);
    case 'directory':
      return directoryCall(call, parts, input);
    case 'skill':
      return skillCall(call, parts, input);
    case 'completion':
    default:
      return completion(call, parts, input);
  }
}

function resourceCall(call: CallContext, parts: RoadParts, input: JsonObject): ParsedCall {
  const { server, uri } = locate(input.uri, call, parts);
  return { name: `${server}:${uri}`, server, tool: uri, args: { uri }, input, item: 'resource' };
}

/** Of the extension for skills. A directory has no spelling of its own, so that it is checked as a resource is. */
function directoryCall(call: CallContext, parts: RoadParts, input: JsonObject): ParsedCall {
  const parsed = resourceCall(call, parts, input);
  const { cursor } = input;
  return cursor === undefined ? parsed : { ...parsed, args: { ...parsed.args, cursor } };
}

/** A server need not list all its skills. */
function skillCall(call: CallContext, parts: RoadParts, input: JsonObject): ParsedCall {
  const parsed = resourceCall(call, parts, input);
  return parts.items?.skill.get(parsed.name) ? { ...parsed, item: 'skill' } : parsed;
}

function completion(call: CallContext, parts: RoadParts, input: JsonObject): ParsedCall {
  const { ref, argument, context } = input;
  if (!isObject(argument)) throw invalid('argument must be an object with name and value', 'argument');
  const rest = { argument, ...(context !== undefined && { context }) };
  if (isObject(ref) && ref.type === 'ref/prompt') {
    const parsed = parseName(ref.name, 'prompt');
    return { ...parsed, args: { ref: { ...ref, name: parsed.tool }, ...rest }, input, item: 'prompt' };
  }
  if (!isObject(ref) || ref.type !== 'ref/resource')
    throw invalid('ref must be {"type": "ref/prompt", "name"} or {"type": "ref/resource", "uri"}', 'ref');
  const { server, uri } = locate(ref.uri, call, parts);
  const item: ItemKind = parts.items?.template.get(`${server}:${uri}`) ? 'template' : 'resource';
  return {
    name: `${server}:${uri}`,
    server,
    tool: uri,
    args: { ref: { ...ref, uri }, ...rest },
    input,
    item,
  };
}

/**
 * The server of a URI. A proxied URI names it. The server's own URI is accepted too where exactly one server that the caller may use has
 * listed it, or has named it in a result for this caller.
 */
function locate(text: unknown, { caller }: CallContext, parts: RoadParts): { server: string; uri: string } {
  if (typeof text !== 'string' || text === '') throw invalid('uri is required', 'uri');
  if (text.length > MAX_URI) throw invalid(`uri is longer than ${MAX_URI} characters`, 'uri');
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) throw invalid('uri contains control characters', 'uri');
  const proxied = readProxiedUri(text);
  if (proxied) return proxied;
  const { items, seen } = parts;
  const known = new Set([...(items?.serversOf(text) ?? []), ...seen.serversOf(clientOf(caller), text)]);
  const servers = [...known].filter((server) => {
    const name = `${server}:${text}`;
    const found = items?.resource.get(name) ?? items?.unlisted(server, text);
    return !isOutOfScope(caller.token, name, found);
  });
  if (servers.length === 1) return { server: servers[0]!, uri: text };
  throw servers.length === 0 ? unknownUri(text) : ambiguousUri(text, servers.sort());
}

function unknownUri(uri: string): ProxyError {
  const shown = visibleLine(uri.slice(0, 200));
  return new ProxyError(
    'RESOURCE_NOT_FOUND',
    `No server has listed a resource '${shown}'. Use a URI of resources/list, or mcpproxy://SERVER/ and the URI of the server`,
    { uri: shown },
  );
}

function ambiguousUri(uri: string, servers: string[]): ProxyError {
  const candidates = servers.slice(0, MAX_CANDIDATES).map((server) => proxiedUri(server, uri));
  return new ProxyError(
    'INVALID_ARGUMENTS',
    `${servers.length} servers have a resource '${visibleLine(uri.slice(0, 200))}'. Use one of: ${candidates.map(visibleLine).join(', ')}`,
    { field: 'uri', candidates },
  );
}

function argumentsOf(value: unknown): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalid('arguments must be an object', 'arguments');
  return value;
}

function invalid(message: string, field: string): ProxyError {
  return new ProxyError('INVALID_ARGUMENTS', message, { field });
}

/** For the record of a request that could not be parsed: the name as it was given. */
export function namedIn(kind: ItemRequest, input: unknown): unknown {
  if (!isObject(input)) return undefined;
  if (kind === 'prompt') return input.name;
  if (kind !== 'completion') return input.uri;
  return isObject(input.ref) ? (input.ref.name ?? input.ref.uri) : undefined;
}
