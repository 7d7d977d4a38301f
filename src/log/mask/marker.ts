import { createHmac, createSecretKey } from 'node:crypto';

/** A keyed digest of a text: the same text has the same digest, and without the key it cannot be guessed, however short the text is. */
export type Digest = (text: string) => string;

const DIGEST_LETTERS = 16;

export function createDigest(key: Buffer): Digest {
  const secret = createSecretKey(key);
  return (text) => createHmac('sha256', secret).update(text).digest('hex').slice(0, DIGEST_LETTERS);
}

/** Writes what stands in the place of a masked text. */
export interface Marker {
  /** What it has written: kind, length and digest of the text. */
  mark(kind: string, text: string): string;
  /** How many it has written. */
  count(): number;
  readonly digest: Digest | undefined;
}

/** Without a digest, the marks give only the kind. */
export function createMarker(digest?: Digest): Marker {
  let count = 0;
  return {
    digest,
    count: () => count,
    mark(kind, text) {
      count++;
      if (!digest) return `***[masked:${kind}]`;
      return `***[masked:${kind} ${text.length} character${text.length === 1 ? '' : 's'}, digest ${digest(text)}]`;
    },
  };
}

/** For texts that are not kept. */
export const PLAIN_MARKER = createMarker();
