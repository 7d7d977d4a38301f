import { CODE, META, metaOf, MODERN_REVISIONS, RpcError, type Message, type Shape } from './wire.ts';
import { isObject, jsonText, type JsonObject } from '../../json/index.ts';
import { valueAt, type ParamHeader } from '../../lib/param-headers.ts';

/** Headers that repeat parts of a 2026 body, so that gateways can route without parsing. */
export interface RoutingHeaders {
  version: string | undefined;
  method: string | undefined;
  name: string | undefined;
}

/** Revisions are dates: everything from the first one of the 2026 era on is of that era, known to us or not. */
export function isModern(version: string): boolean {
  return version >= MODERN_REVISIONS[0]!;
}

/**
 * Which protocol era a message belongs to: the version in its `_meta` decides, then the version header; never its method. Returns the
 * 2026 revision, or undefined for the 2025 era, and throws where a 2026 message is invalid. On stdio there are no headers to compare.
 */
export function modernRevision(message: Message, shape: Shape, headers?: RoutingHeaders): string | undefined {
  const meta = metaOf(message.params);
  if (meta === undefined || !(META.version in meta)) return revisionFromHeader(message, shape, headers);
  const version = meta[META.version];
  const fault = envelopeFault(meta, shape);
  if (message.method === 'initialize' && (fault || !isModern(version as string))) return undefined;
  if (fault) throw envelopeError(fault.key, fault.problem);
  const revision = version as string;
  if (headers?.version !== undefined && headers.version !== revision) {
    throw mismatchError('MCP-Protocol-Version', headers.version, revision);
  }
  if (!MODERN_REVISIONS.includes(revision)) throw unsupportedVersion(revision);
  if (headers) compareHeaders(message, shape, headers);
  return revision;
}

/** For a message without a version in its `_meta`. */
function revisionFromHeader(message: Message, shape: Shape, headers?: RoutingHeaders): string | undefined {
  const version = headers?.version;
  if (version === undefined || !isModern(version)) return undefined;
  if (message.method === 'initialize')
    throw mismatchError('MCP-Protocol-Version', version, 'initialize without a 2026 envelope');
  if (shape === 'notification') {
    compareMethod(message, headers!);
    return version;
  }
  const meta = metaOf(message.params);
  const missing = meta ? [META.version, META.clientCapabilities].filter((key) => !(key in meta)) : ['_meta'];
  throw new RpcError(
    CODE.invalidParams,
    `Invalid params: MCP-Protocol-Version is ${version}, but the request lacks ${missing.join(' and ')}`,
    { data: { envelope: { missing } }, status: 400, record: 'INVALID_REQUEST' },
  );
}

function envelopeFault(meta: JsonObject, shape: Shape): { key: string; problem: string } | undefined {
  if (typeof meta[META.version] !== 'string') return { key: META.version, problem: 'expected a string' };
  if (shape === 'notification') return undefined;
  const capabilities = meta[META.clientCapabilities];
  if (capabilities === undefined) return { key: META.clientCapabilities, problem: 'missing' };
  if (!isObject(capabilities)) return { key: META.clientCapabilities, problem: 'expected an object' };
  const info = meta[META.clientInfo];
  if (
    info === undefined ||
    (isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')
  ) {
    return undefined;
  }
  return { key: META.clientInfo, problem: 'expected {name, version}' };
}

function compareHeaders(message: Message, shape: Shape, headers: RoutingHeaders): void {
  compareMethod(message, headers);
  if (shape === 'notification') return;
  if (headers.version === undefined)
    throw mismatchError('MCP-Protocol-Version', undefined, String(metaOf(message.params)?.[META.version]));
  if (headers.method === undefined) throw mismatchError('Mcp-Method', undefined, message.method);
  const name = targetName(message);
  if (typeof name !== 'string') return;
  if (headers.name === undefined) throw mismatchError('Mcp-Name', undefined, name);
  if (decodeHeader(headers.name) !== name) throw mismatchError('Mcp-Name', headers.name, name);
}

/** The headers with parameters of a tool: somebody on the way may have decided by them, so they have to say what the body says. */
export function compareParams(
  declared: readonly ParamHeader[],
  args: unknown,
  headerOf: (name: string) => string | undefined,
): void {
  for (const { path, header } of declared) {
    const [value, got] = [valueAt(args, path) ?? undefined, headerOf(header)];
    if (!agrees(value, got)) throw mismatchError(header, got, value === undefined ? '' : jsonText(value));
  }
}

function agrees(value: unknown, got: string | undefined): boolean {
  if (value === undefined) return got === undefined;
  if (typeof value === 'string' || typeof value === 'boolean')
    return got !== undefined && decodeHeader(got) === String(value);
  // A value that the schema does not ask for is refused with the arguments.
  if (typeof value !== 'number') return true;
  // Clients leave out integers that not every program can read.
  return got === undefined ? !Number.isSafeInteger(value) : got.trim() !== '' && Number(got) === value;
}

function compareMethod(message: Message, headers: RoutingHeaders): void {
  if (headers.method !== undefined && headers.method !== message.method) {
    throw mismatchError('Mcp-Method', headers.method, message.method);
  }
}

/** The name or URI that the Mcp-Name header repeats. */
export function targetName({ method, params }: Message): unknown {
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return params?.name;
    case 'resources/read':
      return params?.uri;
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel':
      return params?.taskId;
    default:
      return undefined;
  }
}

/**
 * `=?base64?…?=` carries values that are not plain ASCII. A value that looks like it is always decoded, as a gateway would do too.
 * Undefined: not canonical base64.
 */
function decodeHeader(value: string): string | undefined {
  if (!value.startsWith('=?')) return value;
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString() : undefined;
}

function mismatchError(header: string, got: string | undefined, body: string): RpcError {
  const shown = got === undefined ? 'is missing' : `says "${got.slice(0, 200)}"`;
  return new RpcError(
    CODE.headerMismatch,
    `Bad Request: the ${header} header ${shown}, the body "${body.slice(0, 200)}"`,
    {
      data: { mismatch: { header: got ?? '(missing)', body: body.slice(0, 200) } },
      status: 400,
      record: 'INVALID_REQUEST',
    },
  );
}

function envelopeError(key: string, problem: string): RpcError {
  return new RpcError(CODE.invalidParams, `Invalid params: _meta["${key}"]: ${problem}`, {
    data: { envelope: { key, problem } },
    status: 400,
    record: 'INVALID_REQUEST',
  });
}

/** Not recorded as a bad request: this is how a client finds out which versions we support. */
function unsupportedVersion(requested: string): RpcError {
  const data = { supported: MODERN_REVISIONS, requested: requested.slice(0, 200) };
  return new RpcError(CODE.unsupportedVersion, `Unsupported protocol version: ${data.requested}`, {
    data,
    status: 400,
  });
}
