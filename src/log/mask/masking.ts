import type { Redaction } from '../chain/redact.ts';
import type { Signer } from '../chain/signer.ts';
import { toJson, type StoredJson } from '../record/to-json.ts';
import { createDigest, createMarker, maskText, type Digest, type Marker } from './mask-text.ts';

/** Masks with the digests of this installation. Their key is derived from the signing key, which is never in the database. */
export interface Masking {
  marker: Marker;
  digest: Digest;
  mask: (value: unknown, maxBytes: number) => StoredJson | null;
  redaction(redaction: Redaction): Redaction;
}

const PURPOSE = 'mcpproxy digests of masked texts 1';

export function createMasking(signer: Pick<Signer, 'derive'>): Masking {
  const digest = createDigest(signer.derive(PURPOSE));
  const marker = createMarker(digest);
  return {
    marker,
    digest,
    mask: (value, maxBytes) => toJson(value, maxBytes, marker),
    redaction: ({ reason, ...rest }) => ({
      ...rest,
      ...(reason !== undefined && { reason: maskText(reason, marker) }),
    }),
  };
}
