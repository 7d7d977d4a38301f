import { extractWWWAuthenticateParams } from './protocol.ts';

/** What a server says when it wants a log-in (401), or a log-in with further scopes (403). */
export interface Challenge {
  status: 401 | 403;
  /** True: the header names the scheme that the proxy can serve. */
  isBearer: boolean;
  metadataUrl?: string;
  scopes?: string[];
}

const MAX_HEADER = 8192;
const MAX_SCOPES = 100;

/** Undefined: the answer has nothing to do with a log-in. */
export function readChallenge(status: number, header: string | null | undefined): Challenge | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const bearer = bearerPart((header ?? '').slice(0, MAX_HEADER));
  const said = extractWWWAuthenticateParams(
    new Response(null, { headers: bearer === undefined ? {} : { 'www-authenticate': bearer } }),
  );
  if (status === 403 && said.error !== 'insufficient_scope') return undefined;
  const scopes = scopeList(said.scope);
  return {
    status,
    isBearer: bearer !== undefined,
    ...(said.resourceMetadataUrl && { metadataUrl: said.resourceMetadataUrl.href }),
    ...(scopes.length > 0 && { scopes }),
  };
}

/** A server may offer several schemes in one header. Characters that a header cannot have are left out. */
function bearerPart(header: string): string | undefined {
  const at = /(?:^|,\s*|\s)bearer\b/i.exec(header);
  if (!at) return undefined;
  const part = header
    .slice(at.index)
    .replace(/^[,\s]+/, '')
    .replace(/[^\x20-\x7E]/g, '');
  // The SDK knows the scheme only where a parameter follows.
  return /^bearer\s+\S/i.test(part) ? part : 'Bearer realm=""';
}

/** Scopes as texts that may be sent and shown. */
export function scopeList(text: string | undefined): string[] {
  const words = (text ?? '').split(/\s+/).filter((word) => /^[\x21\x23-\x5B\x5D-\x7E]{1,500}$/.test(word));
  return [...new Set(words)].slice(0, MAX_SCOPES);
}
