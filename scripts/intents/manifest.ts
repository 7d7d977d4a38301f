import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rowsOf } from './train.ts';
import type { Example } from './generate.ts';

/** What the weights in the package were made from: so that a change of either is seen without the public sentences. */
export interface Manifest {
  /** Of this repository's messages as the model sees them, each twentieth. */
  own: string;
  /** Of the rows of each public source. */
  sources: Record<string, { rows: number; sha256: string }>;
  weights: string;
}

export const MANIFEST = new URL('./data/shipped.json', import.meta.url);
const EACH = 20;

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest;
}

export function digest(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

export function digestOwn(examples: readonly Example[]): string {
  const hash = createHash('sha256');
  for (const { label, features } of rowsOf(examples.filter((_, i) => i % EACH === 0)))
    hash.update(`${label}:${features.join()}\n`);
  return hash.digest('hex');
}
