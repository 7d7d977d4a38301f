import type { CallResult } from '../../contract/call.ts';
import { ProxyError } from '../../contract/errors.ts';
import { ToolVariant } from '../../contract/operation.ts';
import type { ToolMode } from '../../contract/tool.ts';
import { canShowForms } from './approval/approval-form.ts';
import type { ListRequest, ListTools } from './direct/list-tools.ts';
import type { ToolRequest } from './calls.ts';
import { errorBesideSchema, errorResult } from './error-result.ts';
import { SKILLS_EXTENSION, TASKS_EXTENSION } from '../../contract/call.ts';
import { CODE, LEGACY_REVISIONS, META, MODERN_REVISIONS, RpcError, type RequestId } from './wire.ts';
import { isObject, keepSource, keepSourceOfField, withFields, type JsonObject } from '../../json/index.ts';

export interface AnswerParts {
  listTools: ListTools;
  /** How the tools work together, for the model. */
  instructions: string;
  /** The same for clients that list the tools of the servers and nothing else. */
  directInstructions?: string;
  version: string;
  /** Prompts, resources and completions are offered too. */
  hasItems?: boolean;
  /** Whether calls can run in the background. */
  hasTasks?: boolean;
}

/** What a 2025 session knows of its client. It is carried by the session id: small, and plain JSON. */
export interface Negotiated {
  revision: string;
  client: string | undefined;
  /** Whether the client can show a form. */
  forms: boolean;
  /** What servers may ask of the client. */
  asks: JsonObject;
}

export interface Handshake {
  negotiated: Negotiated;
  result: JsonObject;
}

export type Answers = ReturnType<typeof createAnswers>;

const CLIENT_LENGTH = 200;
/** 2025-11-25: what can run in the background, and what can be asked about it. */
const LEGACY_TASKS = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
/** Clients may not cache lists: they subscribe to changes instead. */
const CACHE = { ttlMs: 0, cacheScope: 'private' };

/** Declared whether or not a server has them now: servers come and go, and changes of the lists are announced. */
const ITEM_CAPABILITIES = {
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
};

/** The proxy's own answers, and the conversion of results, for each protocol era. */
export function createAnswers({
  listTools,
  instructions: ofSearch,
  directInstructions = ofSearch,
  version,
  hasItems = false,
  hasTasks = false,
}: AnswerParts) {
  const serverInfo = { name: 'mcpproxy', version };
  const ownMeta = { [META.serverInfo]: serverInfo };
  // Serialized once, as it is part of every result.
  keepSource(ownMeta, JSON.stringify(ownMeta));
  const instructionsFor = (mode: ToolMode) => (mode === 'direct' ? directInstructions : ofSearch);
  const extensions = hasItems && { [SKILLS_EXTENSION]: { directoryRead: true } };
  const capabilities = {
    tools: { listChanged: true },
    logging: {},
    ...(hasItems && ITEM_CAPABILITIES),
    ...(extensions && { extensions }),
  };
  const legacyCapabilities = { ...capabilities, ...(hasTasks && { tasks: LEGACY_TASKS }) };
  const modernCapabilities = {
    ...capabilities,
    ...((extensions || hasTasks) && {
      extensions: { ...extensions, ...(hasTasks && { [TASKS_EXTENSION]: {} }) },
    }),
  };

  const forModern = (list: JsonObject): JsonObject =>
    withFields(list, { resultType: 'complete', ...CACHE, _meta: ownMeta });

  return {
    handshake(params: JsonObject | undefined, mode: ToolMode): Handshake {
      const requested = params?.protocolVersion;
      if (typeof requested !== 'string') {
        throw new RpcError(CODE.invalidParams, 'Invalid params: "protocolVersion" must be a string', {
          record: 'INVALID_REQUEST',
        });
      }
      const revision = LEGACY_REVISIONS.includes(requested) ? requested : LEGACY_REVISIONS[0]!;
      const instructions = instructionsFor(mode);
      const own = revision === LEGACY_REVISIONS[0] ? legacyCapabilities : capabilities;
      const result = { protocolVersion: revision, capabilities: own, serverInfo, instructions };
      const client = clientName(params?.clientInfo);
      const forms = canShowForms(params?.capabilities);
      return { negotiated: { revision, client, forms, asks: askedOf(params?.capabilities) }, result };
    },

    discover(mode: ToolMode, client: string | undefined): JsonObject {
      const instructions = instructionsFor(mode);
      const own =
        mode === 'search' && dropsTools(client) ? withoutChanges(modernCapabilities) : modernCapabilities;
      const known = { supportedVersions: MODERN_REVISIONS, capabilities: own, instructions };
      return { ...known, resultType: 'complete', ...CACHE, _meta: ownMeta };
    },

    legacyList: (request: ListRequest): JsonObject => listTools(request),
    modernList: (request: ListRequest): JsonObject => forModern(listTools(request)),
    /** A list as a client of 2026-07-28 gets it. */
    forModern,

    /** An unfinished result must not look complete to a client that does not know `resultType`. */
    legacyResult(
      result: CallResult,
      { name, mode = 'search' }: Pick<ToolRequest, 'name' | 'mode'>,
    ): JsonObject {
      const type = result.resultType;
      if (type === undefined || type === 'complete') return result;
      const isProxyTool = mode === 'search' || ToolVariant.safeParse(name).success;
      return isProxyTool ? errorResult(unfinishedResult(type)) : errorBesideSchema(unfinishedResult(type));
    },

    modernResult(result: CallResult): JsonObject {
      const { resultType, _meta: meta } = result;
      const fields: JsonObject = resultType === undefined ? { resultType: 'complete' } : {};
      if (meta === undefined) fields._meta = ownMeta;
      else if (isObject(meta) && !(META.serverInfo in meta)) {
        keepSourceOfField(result, '_meta');
        fields._meta = withFields(meta, ownMeta);
      }
      return withFields(result, fields);
    },

    subscriptionEnd: (id: RequestId): JsonObject => ({
      resultType: 'complete',
      _meta: { ...ownMeta, [META.subscriptionId]: id },
    }),
  };
}

/**
 * Copilot CLI subscribes to every list that may change. When the proxy ends, it tries to subscribe three times within a second, then
 * takes the tools away from its model until it has connected again. In search mode the tools stay the same and it uses no other list, so
 * it is told of none that changes: it then has no subscription to lose, and its next call simply works.
 */
const dropsTools = (client: string | undefined): boolean => /^copilot-cli(\/|$)/.test(client ?? '');

function withoutChanges(capabilities: JsonObject): JsonObject {
  const entries = Object.entries(capabilities).map(([name, value]) => {
    if (!isObject(value)) return [name, value];
    const { listChanged: _, ...rest } = value;
    return [name, rest];
  });
  return Object.fromEntries(entries) as JsonObject;
}

const ASKS = ['sampling', 'elicitation', 'roots'];
const MAX_ASKS = 1_000;

/** The capabilities that concern servers; small, as a session id carries them. */
function askedOf(capabilities: unknown): JsonObject {
  if (!isObject(capabilities)) return {};
  const asks = Object.fromEntries(
    ASKS.filter((name) => isObject(capabilities[name])).map((name) => [name, capabilities[name]]),
  );
  return JSON.stringify(asks).length <= MAX_ASKS ? asks : {};
}

/** The client program as it names itself. A copy: a slice would keep the whole message in memory while the session lasts. */
export function clientName(info: unknown): string | undefined {
  if (!isObject(info) || typeof info.name !== 'string') return undefined;
  const version = typeof info.version === 'string' ? `/${info.version.slice(0, CLIENT_LENGTH)}` : '';
  const name = `${info.name.slice(0, CLIENT_LENGTH)}${version}`.slice(0, CLIENT_LENGTH);
  return Buffer.from(name).toString();
}

function unfinishedResult(type: unknown): ProxyError {
  const why =
    type === 'input_required'
      ? 'The server needs interactive input for this call'
      : 'The server returned an unfinished result of an unknown kind';
  return new ProxyError(
    'UPSTREAM_FAILED',
    `${why}, which the protocol revision of this client does not support; use a client that supports ${MODERN_REVISIONS[0]}`,
    { result_type: type },
  );
}
