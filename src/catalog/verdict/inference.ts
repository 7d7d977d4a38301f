import type { OperationType } from '../../contract/operation.ts';

/** The most likely operation of a tool, and the evidence. */
export interface Inference {
  operation: OperationType;
  reason: string;
}

export const SEVERITY: Record<OperationType, number> = { read: 0, write: 1, destructive: 2 };

/** `getHTTPResponse2`, `get-http-response` → get, http, response. */
export function nameParts(name: string): string[] {
  return name
    .slice(0, 256)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean);
}
