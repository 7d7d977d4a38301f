import { extractWWWAuthenticateParams } from './protocol.ts';

/** What a server says when it wants a log-in (401), or a log-in with further scopes (403). */
export interface Challenge {
  status: 401 | 403;
  /** True: the header names a scheme that the proxy can serve. */
  isKnown: boolean;
  /** The server takes tokens that are bound to a key (DPoP). */
  takesProofs?: true;
  /** The request lacks the nonce of the server, or has an old one. */
  wantsNonce?: true;
  metadataUrl?: string;
  scopes?: string[];
}

const MAX_HEADER = 8192;
const MAX_SCOPES = 100;

/** Undefined: the answer has nothing to do with a log-in. */
export function readChallenge(status: number, header: string | null | undefined): Challenge | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const shown = (header ?? '').slice(0, MAX_HEADER);
  const known = knownPart(shown);
  const said = extractWWWAuthenticateParams(
    new Response(null, { headers: known === undefined ? {} : { 'www-authenticate': known } }),
  );
  if (status === 403 && said.error !== 'insufficient_scope') return undefined;
  const scopes = scopeList(said.scope);
  return {
    status,
    isKnown: known !== undefined,
    ...(takesProofs(shown) && { takesProofs: true }),
    ...(said.error === 'use_dpop_nonce' && { wantsNonce: true }),
    ...(said.resourceMetadataUrl && { metadataUrl: said.resourceMetadataUrl.href }),
    ...(scopes.length > 0 && { scopes }),
  };
}

/** A server may offer several schemes in one header. Characters that a header cannot have are left out. */
function knownPart(header: string): string | undefined {
  const at = /(?:^|,\s*|\s)(?:bearer|dpop)\b/i.exec(header);
  if (!at) return undefined;
  const part = header
    .slice(at.index)
    .replace(/^[,\s]+/, '')
    .replace(/[^\x20-\x7E]/g, '');
  // The SDK knows the scheme only where a parameter follows.
  return /^\w+\s+\S/.test(part) ? part : 'Bearer realm=""';
}

/** The name of the scheme in a text of another one does not count. */
function takesProofs(header: string): boolean {
  return /(?:^|,\s*|\s)dpop\b/i.test(header.replace(/"[^"]*"/g, '""'));
}

/** Scopes as texts that may be sent and shown. */
export function scopeList(text: string | undefined): string[] {
  const words = (text ?? '').split(/\s+/).filter((word) => /^[\x21\x23-\x5B\x5D-\x7E]{1,500}$/.test(word));
  return [...new Set(words)].slice(0, MAX_SCOPES);
}
