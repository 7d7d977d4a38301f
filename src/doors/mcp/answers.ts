import type { CallResult } from '../../contract/call.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { ToolDefinition } from '../../contract/tool.ts';
import { showsForms } from './held/approval-form.ts';
import { errorResult } from './tools/handle-tool.ts';
import { CODE, LEGACY_REVISIONS, META, MODERN_REVISIONS, RpcError, type RequestId } from './wire.ts';
import { isObject, keepSource, keepSourceOfField, withFields, type JsonObject } from '../../json/index.ts';

export interface AnswerParts {
  /** `client`: the program that asks, as it names itself. */
  listTools: (client: string | undefined) => ToolDefinition[];
  /** How the tools work together, for the model. */
  instructions: string;
  version: string;
}

export interface Handshake {
  revision: string;
  client: string | undefined;
  /** Whether the client can show a form. */
  forms: boolean;
  result: JsonObject;
}

export type Answers = ReturnType<typeof createAnswers>;

const CLIENT_LENGTH = 200;
/** Lists are always fresh: a client that wants to keep them listens for changes. */
const CACHE = { ttlMs: 0, cacheScope: 'private' };

/** What we say of ourselves and around results, in the words of each era. */
export function createAnswers({ listTools, instructions, version }: AnswerParts) {
  const serverInfo = { name: 'mcpproxy', version };
  const ownMeta = { [META.serverInfo]: serverInfo };
  // Written once: it goes with every result.
  keepSource(ownMeta, JSON.stringify(ownMeta));
  const capabilities = { tools: { listChanged: true } };

  return {
    handshake(params: JsonObject | undefined): Handshake {
      const asked = params?.protocolVersion;
      if (typeof asked !== 'string') {
        throw new RpcError(CODE.invalidParams, 'Invalid params: "protocolVersion" must be a string', {
          record: 'INVALID_REQUEST',
        });
      }
      const revision = LEGACY_REVISIONS.includes(asked) ? asked : LEGACY_REVISIONS[0]!;
      const result = { protocolVersion: revision, capabilities, serverInfo, instructions };
      return {
        revision,
        client: clientName(params?.clientInfo),
        forms: showsForms(params?.capabilities),
        result,
      };
    },

    discover(): JsonObject {
      const known = { supportedVersions: MODERN_REVISIONS, capabilities, instructions };
      return { ...known, resultType: 'complete', ...CACHE, _meta: ownMeta };
    },

    legacyList: (client: string | undefined): JsonObject => ({ tools: listTools(client) }),
    modernList: (client: string | undefined): JsonObject => ({
      tools: listTools(client),
      resultType: 'complete',
      ...CACHE,
      _meta: ownMeta,
    }),

    /** An unfinished result must not look finished to a client that does not know the difference. */
    legacyResult(result: CallResult): JsonObject {
      const type = result.resultType;
      return type === undefined || type === 'complete' ? result : errorResult(unfinished(type));
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

/** The client program as it names itself. A copy: a part of a text keeps all of the text in memory, for as long as the session lasts. */
export function clientName(info: unknown): string | undefined {
  if (!isObject(info) || typeof info.name !== 'string') return undefined;
  const version = typeof info.version === 'string' ? `/${info.version.slice(0, CLIENT_LENGTH)}` : '';
  const name = `${info.name.slice(0, CLIENT_LENGTH)}${version}`.slice(0, CLIENT_LENGTH);
  return Buffer.from(name).toString();
}

function unfinished(type: unknown): ProxyError {
  const why =
    type === 'input_required'
      ? 'The server needs interactive input for this call'
      : 'The server gave an unfinished result of a kind that is not known';
  return new ProxyError(
    'UPSTREAM_FAILED',
    `${why}, which the protocol revision of this client cannot carry; use a client that speaks ${MODERN_REVISIONS[0]}`,
    { result_type: type },
  );
}
