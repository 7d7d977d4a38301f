import { lookup as lookUp, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { outboundProxy } from '../transport/outbound-proxy.ts';
import type { FetchLike } from '../transport/light-fetch.ts';
import { isLoopbackUrl, rankOfAddress, rankOfHost, RANKS, type Rank } from './address-rank.ts';
import { LoginError, quoted } from './login-error.ts';

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 15_000;
const MAX_URL = 8192;
const JSON_TYPE = /^application\/([\w.+-]*\+)?json\b/i;

export interface GuardOptions {
  /** The server that names the addresses. */
  serverUrl: URL;
  /** Addresses that the operator wrote down; they may be anywhere. */
  trusted?: readonly string[];
  signal?: AbortSignal;
}

/**
 * The only way to authorization servers: the addresses come from a server that may be hostile. HTTPS only, except on this machine; no
 * address that is nearer to this machine than the server itself; a limit on size and time; JSON only. Redirects are returned, and the
 * SDK follows them within one origin only.
 */
export function createGuardedFetch({ serverUrl, trusted = [], signal }: GuardOptions): FetchLike {
  const origins = new Set([serverUrl.origin, ...trusted.map((url) => new URL(url).origin)]);
  const most = rankOfHost(serverUrl.hostname) ?? 'public';
  return async (given, init = {}) => {
    const url = new URL(given);
    requireSafe(url);
    const limit = origins.has(url.origin) ? undefined : most;
    requireRank(rankOfHost(url.hostname), limit, url);
    const { request } = (await import('undici')).default;
    const agent = await agentFor(url, limit);
    const late = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const answer = await request(url, {
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: { ...Object.fromEntries(new Headers(init.headers)), accept: 'application/json' },
        body: bodyOf(init.body),
        signal: signal ? AbortSignal.any([signal, late]) : late,
        dispatcher: agent,
      });
      return await toResponse(answer, url);
    } catch (error) {
      throw explained(error, { url, late });
    } finally {
      await agent.destroy();
    }
  };
}

function requireSafe(url: URL): void {
  if (url.href.length > MAX_URL) throw new LoginError('an address of the log-in is too long');
  if (url.username !== '' || url.password !== '')
    throw new LoginError(`the address of ${quoted(url.host)} contains a user name, which is not used`);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackUrl(url))) return;
  throw new LoginError(`${quoted(url.origin)} does not use https, which a log-in requires`);
}

function requireRank(rank: Rank | undefined, limit: Rank | undefined, url: URL): void {
  if (rank === undefined || limit === undefined || RANKS.indexOf(rank) <= RANKS.indexOf(limit)) return;
  throw new LoginError(
    `the server names ${quoted(url.host)}, an address of ${rank === 'loopback' ? 'this machine' : 'a private network'}, which a server outside of it may not name. If it is right, set oauth.issuer of the server to the authorization server`,
  );
}

async function agentFor(url: URL, limit: Rank | undefined): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = (await import('undici')).default;
  const limits = {
    maxHeaderSize: 32 * 1024,
    maxResponseSize: MAX_BYTES,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  };
  const proxy = outboundProxy(url);
  // Behind a proxy of the network, that proxy looks the name up.
  if (proxy) return new ProxyAgent({ ...limits, uri: proxy.href, proxyTunnel: url.protocol === 'https:' });
  return new Agent({ ...limits, connect: { timeout: TIMEOUT_MS, lookup: rankedLookup(url, limit) } });
}

/** The address that was checked is the one that is connected to, so that a name cannot change in between. */
function rankedLookup(url: URL, limit: Rank | undefined): LookupFunction {
  return (hostname, options, done) => {
    lookUp(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return done(error, '', 0);
      try {
        for (const { address } of found) requireRank(rankOfAddress(address), limit, url);
      } catch (refused) {
        return done(refused as NodeJS.ErrnoException, '', 0);
      }
      if (options.all === true) return done(null, found);
      done(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
}

function bodyOf(body: RequestInit['body']): string | null {
  if (typeof body === 'string') return body;
  return body instanceof URLSearchParams ? body.toString() : null;
}

async function toResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  url: URL,
): Promise<Response> {
  const type = String(headers['content-type'] ?? '');
  const text = await textOf(body, url);
  const isOk = statusCode >= 200 && statusCode < 300;
  if (isOk && text !== '' && !JSON_TYPE.test(type))
    throw new LoginError(
      `${quoted(url.host)} answers with ${quoted(type.slice(0, 80)) || 'no content type'} instead of JSON`,
    );
  const shown = new Headers();
  for (const name of ['location', 'content-type', 'dpop-nonce']) {
    const value = headers[name];
    if (typeof value === 'string') shown.set(name, value);
  }
  const hasBody = statusCode !== 204 && statusCode !== 304;
  return new Response(hasBody ? text : null, { status: Math.max(200, statusCode), headers: shown });
}

async function textOf(body: AsyncIterable<Buffer>, url: URL): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES)
      throw new LoginError(`the answer of ${quoted(url.host)} is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function explained(error: unknown, { url, late }: { url: URL; late: AbortSignal }): unknown {
  const cause = error instanceof Error && error.cause instanceof LoginError ? error.cause : error;
  if (cause instanceof LoginError) return cause;
  const host = quoted(url.host);
  if (late.aborted) return new LoginError(`${host} did not answer within ${TIMEOUT_MS / 1000} s`);
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new LoginError(`the answer of ${host} is larger than ${MAX_BYTES} bytes`);
  return new LoginError(`${host} cannot be reached (${quoted(code ?? message)})`, { cause: error });
}
