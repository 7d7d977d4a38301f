import { readChallenge, type Challenge } from '../auth/challenge.ts';
import type { FetchLike } from './light-fetch.ts';

/** The token of a server that the proxy is logged in to. */
export interface Bearer {
  /** The value of the header `Authorization`; undefined: not logged in. */
  readonly header: string | undefined;
  /** The latest nonce of the server for proofs; each of its answers may have another. */
  readonly nonce: string | undefined;
  takeNonce(nonce: unknown): void;
  /** The headers of one request: the token, and a proof where the token is bound to a key. */
  prove(method: string, url: URL): ProvenHeaders | undefined;
  /** True: the token is about to expire, so `renew` comes first. */
  isStale(): boolean;
  renew(): Promise<boolean>;
  /** The server rejected a request without running it. True: send it again, with another token or the nonce that it gave. */
  challenged(challenge: Challenge, sent: SentToken): Promise<boolean>;
}

export interface ProvenHeaders extends Record<string, string> {
  authorization: string;
}

export interface SentToken {
  header: string | undefined;
  nonce: string | undefined;
  /** Whether it was sent again already, because of a token and because of a nonce. */
  isRepeat: boolean;
  isNonceRepeat: boolean;
}

export const UNSENT: Readonly<SentToken> = {
  header: undefined,
  nonce: undefined,
  isRepeat: false,
  isNonceRepeat: false,
};

/** Once for each reason. */
export function isLastTry({ wantsNonce }: Challenge, { isRepeat, isNonceRepeat }: SentToken): boolean {
  return wantsNonce ? isNonceRepeat : isRepeat;
}

/** A `fetch` that sends the token, and repeats a request once if the server rejected the token. */
export function withBearer(inner: FetchLike, bearer: Bearer): FetchLike {
  return async (url, init = {}) => {
    if (bearer.isStale()) await bearer.renew();
    const sent: SentToken = { ...UNSENT };
    for (;;) {
      sent.header = bearer.header;
      sent.nonce = bearer.nonce;
      const headers = new Headers(init.headers);
      const proven = bearer.prove(init.method ?? 'GET', new URL(url));
      for (const [name, value] of Object.entries(proven ?? {})) headers.set(name, value);
      const response = await inner(url, { ...init, headers });
      bearer.takeNonce(response.headers.get('dpop-nonce'));
      const challenge = readChallenge(response.status, response.headers.get('www-authenticate'));
      if (!challenge) return response;
      const isLast = isLastTry(challenge, sent);
      if (!(await bearer.challenged(challenge, sent)) || isLast) return response;
      await response.body?.cancel();
      if (challenge.wantsNonce) sent.isNonceRepeat = true;
      else sent.isRepeat = true;
    }
  };
}
