import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  type KeyObject,
} from 'node:crypto';
import { z } from 'zod';
import type { FetchLike } from '../transport/light-fetch.ts';

/** The private key of a log-in whose token works only together with it (DPoP, RFC 9449). */
export const ProofKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
export type ProofKey = z.infer<typeof ProofKey>;

/** The algorithm of our keys, as authorization servers and protected resources name it. */
const ALGORITHM = 'ES256';
const NONCE = /^[\x21\x23-\x5B\x5D-\x7E]{1,1024}$/;

export function createProofKey(): ProofKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return ProofKey.parse(privateKey.export({ format: 'jwk' }));
}

export interface ProvenRequest {
  method: string;
  /** Without query and fragment. */
  url: string;
  /** The token that the request shows; absent at the authorization server. */
  token?: string;
}

/** Makes a new proof for each request, with the latest nonce of its server. */
export class Prover {
  readonly #head: string;
  readonly #key: KeyObject;
  #nonce: string | undefined;

  constructor(key: ProofKey) {
    const { d: _secret, ...jwk } = key;
    this.#head = encoded({ typ: 'dpop+jwt', alg: ALGORITHM, jwk });
    this.#key = createPrivateKey({ key, format: 'jwk' });
  }

  get nonce(): string | undefined {
    return this.#nonce;
  }

  /** Anything but a nonce is left out. */
  takeNonce(nonce: unknown): void {
    if (typeof nonce === 'string' && NONCE.test(nonce)) this.#nonce = nonce;
  }

  proof({ method, url, token }: ProvenRequest): string {
    const claims = encoded({
      jti: randomUUID(),
      htm: method,
      htu: url,
      iat: Math.floor(Date.now() / 1000),
      ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
      ...(this.#nonce !== undefined && { nonce: this.#nonce }),
    });
    const signed = Buffer.from(`${this.#head}.${claims}`);
    const signature = sign('sha256', signed, { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return `${signed.toString()}.${signature.toString('base64url')}`;
  }
}

/** A `fetch` that proves the key at the token endpoint, and repeats a request once that lacks the nonce of the server. */
export function withProof(inner: FetchLike, key: ProofKey | undefined, endpoint: string): FetchLike {
  if (!key) return inner;
  const prover = new Prover(key);
  const { href, origin, pathname } = new URL(endpoint);
  return async (url, init = {}) => {
    if (new URL(url).href !== href) return inner(url, init);
    for (let isRepeat = false; ; isRepeat = true) {
      const headers = new Headers(init.headers);
      headers.set('dpop', prover.proof({ method: 'POST', url: origin + pathname }));
      const before = prover.nonce;
      const response = await inner(url, { ...init, headers });
      prover.takeNonce(response.headers.get('dpop-nonce'));
      if (isRepeat || prover.nonce === before || !(await lacksNonce(response))) return response;
    }
  };
}

async function lacksNonce(response: Response): Promise<boolean> {
  if (response.ok) return false;
  const { error } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { error?: unknown };
  return error === 'use_dpop_nonce';
}

/** Metadata of an authorization server or of a protected resource. */
export function namesProofs(metadata: object | undefined): boolean {
  const { dpop_signing_alg_values_supported: algorithms } = (metadata ?? {}) as Record<string, unknown>;
  return Array.isArray(algorithms) && algorithms.includes(ALGORITHM);
}

export function requiresProofs(metadata: object | undefined): boolean {
  return (metadata as Record<string, unknown> | undefined)?.dpop_bound_access_tokens_required === true;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
