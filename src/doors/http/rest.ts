import { z } from 'zod';
import { API_PREFIX, type RouteName } from '../../contract/routes/api.ts';
import type { Caller, Identity, Span, Trace } from '../../contract/call.ts';
import { CLIENT_HEADER } from '../../contract/routes/client.ts';
import { ProxyError, errorForAgent, toProxyError } from '../../contract/errors.ts';
import { openApiDocument } from './openapi.ts';
import type { ReserveBody } from '../../load/index.ts';
import { ofRequest } from '../../lib/log.ts';
import { jsonText } from '../../json/index.ts';
import { errorHeaders, SECURITY_HEADERS } from './answer.ts';
import { textResponse } from './bridge.ts';
import { tokenNotAllowed } from './guard/credential-errors.ts';
import { matchRoute, type Match } from './match-route.ts';
import type { ActivityReadPart, Handlers, RequestContext, RestParts } from './parts.ts';
import { readJson, requireNoBody } from './read-body.ts';
import { recordRefusal } from './record-requests.ts';
import { activityReadRoutes, activityRoutes } from './routes/activity.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { chatRoutes } from './routes/chat.ts';
import { eventRoutes } from './routes/events.ts';
import { configRoutes } from './routes/config.ts';
import { loginRoutes } from './routes/login.ts';
import { connectRoutes } from './routes/connect.ts';
import { importPreviewRoute, importRoute, type ImportInto } from './routes/import-servers.ts';
import { serverLoginRoutes } from './routes/server-logins.ts';
import { serverRoutes } from './routes/servers.ts';
import { statusRoutes } from './routes/status.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { itemRoutes } from './routes/items.ts';
import { skillRoutes } from './routes/skills.ts';
import { toolRoutes } from './routes/tools.ts';
import { beginRequest, endRequest, traceOf, traceRoute } from './trace-request.ts';
import { checkKeys, queryOf, validate } from './validate.ts';

export interface RestInfo extends Identity {
  requestId: string;
  /** Address of the client; absent for a command that runs without a daemon. */
  address?: string;
  /** Absent: long bodies are not limited. */
  reserve?: ReserveBody;
  /** Aborted at the log-out of the web session, which ends the streams of this request. */
  until?: AbortSignal;
  /** The program that the credential belongs to, as the door knows it. */
  via?: 'web' | 'cli';
}

/** Takes web requests and needs no server, so that a command can call it in its own process. Never rejects. */
export type Rest = (request: Request, info: RestInfo) => Promise<Response>;

/** A constant: a schema is compiled when it is first used, which costs as much as the rest of a request. */
const NO_QUERY = z.object({});

/** Routes that reach a tool leave a record, also where their input is invalid. */
const RECORDED_ROUTES: ReadonlySet<string> = new Set<RouteName>(['callTool', 'chat']);

/** Routes whose bodies carry the arguments of a tool, which may have any key. */
const ROUTES_WITH_ARGUMENTS: ReadonlySet<RouteName> = new Set(['callTool', 'explainApproval']);

export function createRest(parts: RestParts): Rest {
  const handlers: Handlers = {
    ...statusRoutes(parts),
    ...serverRoutes(parts),
    ...serverLoginRoutes(parts),
    ...importRoute(parts),
    ...connectRoutes(parts),
    ...toolRoutes(parts),
    ...itemRoutes(parts),
    ...skillRoutes(parts),
    ...activityRoutes(parts),
    ...tokenRoutes(parts),
    ...approvalRoutes(parts),
    ...chatRoutes(parts),
    ...eventRoutes(parts),
    ...configRoutes(parts),
    ...loginRoutes(parts),
  };
  return answering(handlers, { ...parts, onRefused: (...args) => recordRefusal(parts, ...args) });
}

/** Reads a log that no proxy writes, and answers dry runs of an import. Routes that need a proxy answer with an error. */
export function createReadingRest(parts: ReadingParts): Rest {
  return answering({ ...activityReadRoutes(parts.activity), ...importPreviewRoute(parts.into) }, parts);
}

function answering(handlers: Partial<Handlers>, parts: AnsweringParts): Rest {
  async function respond(
    request: Request,
    context: RequestContext,
    options: RespondOptions,
  ): Promise<Response> {
    const url = new URL(request.url);
    const { token } = context.caller;
    if (token?.scope.metrics && url.pathname !== '/metrics') throw tokenNotAllowed(context.caller);
    if (url.pathname === '/openapi.json') return openApi(request, parts.info.version);
    if (url.pathname === '/metrics' && parts.metrics) {
      if (token && !token.scope.metrics) throw tokenNotAllowed(context.caller);
      return metrics(request, parts.metrics);
    }
    if (!url.pathname.startsWith(`${API_PREFIX}/`))
      throw new ProxyError('NOT_FOUND', `There is nothing here: the API is at ${API_PREFIX}, MCP at /mcp`);
    const match = matchRoute(request.method, url.pathname.slice(API_PREFIX.length));
    const search = url.searchParams;
    return respondToRoute(request, context, { ...options, match, search });
  }

  async function respondToRoute(
    request: Request,
    context: RequestContext,
    { span, ...source }: RespondOptions & InputSource,
  ): Promise<Response> {
    const { route, name } = source.match;
    if (span) traceRoute(span, route);
    // The guard has checked it by the path; this second check is by the route that really answers.
    if (context.caller.token && route.token !== true) throw tokenNotAllowed(context.caller);
    const input = await readInput(request, source).catch(async (error: unknown) => {
      if (isRecorded(name, error)) await parts.onRefused?.(context.caller, error);
      throw error;
    });
    // The table types each handler by its own input; which one this is, is only known at run time.
    const handler = handlers[name] as ((input: unknown, context: RequestContext) => unknown) | undefined;
    if (!handler) throw new ProxyError('NO_DAEMON', 'This needs a running mcpproxy; the log is only read');
    const output = await handler(input, context);
    return output instanceof Response ? output : json(200, output);
  }

  async function answer(request: Request, info: RestInfo, span?: Span): Promise<Response> {
    const trace = traceOf(span, request.headers);
    try {
      return await respond(request, contextOf(request, info, trace), { span, reserve: info.reserve });
    } catch (cause) {
      const error =
        request.signal.aborted && !(cause instanceof ProxyError) ? gone(cause) : toProxyError(cause);
      if (error.code === 'INTERNAL')
        parts.log.error(
          { err: error.cause, ...ofRequest({ ...info, trace }) },
          'request failed with an internal error',
        );
      if (span && error.status >= 500) span.fail(error.code);
      const shown = info.token ? errorForAgent(error) : error;
      return json(shown.status, shown.toBody(info.requestId), errorHeaders(shown));
    }
  }

  return async function rest(request, info) {
    const span = beginRequest(parts.tracer, request, info);
    const response = await answer(request, info, span);
    if (span) endRequest(span, response);
    return withCommonHeaders(response, info.requestId);
  };
}

export interface ReadingParts extends Pick<RestParts, 'log'> {
  activity: ActivityReadPart;
  into: ImportInto;
  info: Pick<RestParts['info'], 'version'>;
}

interface AnsweringParts
  extends Omit<ReadingParts, 'activity' | 'into'>, Pick<RestParts, 'metrics' | 'tracer'> {
  /** Input that is invalid, of a route that leaves a record. */
  onRefused?: (caller: Caller, error: ProxyError) => Promise<void>;
}

interface RespondOptions {
  span?: Span | undefined;
  reserve?: ReserveBody | undefined;
}

interface InputSource {
  match: Match;
  search: URLSearchParams;
  reserve?: ReserveBody | undefined;
}

/** Requests over the body budget are counted at the door instead. */
function isRecorded(route: RouteName, error: unknown): error is ProxyError {
  return RECORDED_ROUTES.has(route) && error instanceof ProxyError && error.code !== 'OVERLOADED';
}

async function readInput(
  request: Request,
  { match: { name, route, params }, search, reserve }: InputSource,
): Promise<{ params: unknown; query: unknown; body: unknown }> {
  const shape = route.query ?? NO_QUERY;
  const query = validate(shape, queryOf(search, Object.keys(shape.shape)), 'query');
  if (request.method !== 'GET' && !route.body) await requireNoBody(request, Object.keys(shape.shape));
  const given = route.body ? await readJson(request, { reserve }) : undefined;
  if (!ROUTES_WITH_ARGUMENTS.has(name)) checkKeys(given);
  const body = route.body ? validate(route.body, given, 'body') : undefined;
  return { params: route.params ? validate(route.params, params, 'path') : {}, query, body };
}

function contextOf(
  request: Request,
  { principal, userId, token, requestId, until, via, address }: RestInfo,
  trace: Trace | undefined,
): RequestContext {
  const named = request.headers.get(CLIENT_HEADER);
  const client = (named ?? request.headers.get('user-agent') ?? '').slice(0, 200);
  const source = named !== null && /^cli(\/|$)/.test(named) ? 'cli' : 'api';
  return {
    caller: {
      source,
      principal,
      userId,
      ...(token && { token }),
      requestId,
      ...(client && { client }),
      ...(address && { address }),
      ...(trace && { trace }),
    },
    signal: request.signal,
    ...(until && { until }),
    ...(via && { via }),
    headers: request.headers,
  };
}

function openApi(request: Request, version: string): Response {
  checkGet(request);
  return json(200, openApiDocument(version));
}

async function metrics(request: Request, source: NonNullable<RestParts['metrics']>): Promise<Response> {
  checkGet(request);
  return new Response(await source.text(), { headers: { 'content-type': source.contentType } });
}

function checkGet(request: Request): void {
  if (request.method !== 'GET')
    throw new ProxyError('METHOD_NOT_ALLOWED', 'This route takes GET only', { allow: ['GET'] });
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): Response {
  const text = jsonText(value);
  return textResponse(text, {
    status,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    },
  });
}

function withCommonHeaders(response: Response, requestId: string): Response {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value);
  response.headers.set('x-request-id', requestId);
  return response;
}

function gone(cause: unknown): ProxyError {
  return new ProxyError('CANCELLED', 'The client disconnected before the answer').withCause(cause);
}
