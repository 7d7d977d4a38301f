import { readChallenge, type Challenge } from '../auth/challenge.ts';
import type { FetchLike } from './light-fetch.ts';

/** The token of a server that the proxy is logged in to. */
export interface Bearer {
  /** The value of the header `Authorization`; undefined: not logged in. */
  readonly header: string | undefined;
  /** True: the token is about to expire, so `renew` comes first. */
  isStale(): boolean;
  renew(): Promise<boolean>;
  /** The server rejected a request without running it. True: send it again with another token. */
  challenged(challenge: Challenge, sent: SentToken): Promise<boolean>;
}

export interface SentToken {
  header: string | undefined;
  /** It was sent again already. */
  isRepeat: boolean;
}

/** A `fetch` that sends the token, and repeats a request once if the server rejected the token. */
export function withBearer(inner: FetchLike, bearer: Bearer): FetchLike {
  return async (url, init = {}) => {
    if (bearer.isStale()) await bearer.renew();
    for (let isRepeat = false; ; isRepeat = true) {
      const { header } = bearer;
      const headers = new Headers(init.headers);
      if (header !== undefined) headers.set('authorization', header);
      const response = await inner(url, { ...init, headers });
      const challenge = readChallenge(response.status, response.headers.get('www-authenticate'));
      if (!challenge || !(await bearer.challenged(challenge, { header, isRepeat })) || isRepeat)
        return response;
      await response.body?.cancel();
    }
  };
}
