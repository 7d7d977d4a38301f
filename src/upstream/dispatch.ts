import type { CallResult } from '../contract/api.ts';

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export interface DispatchCall {
  server: string;
  tool: string;
  args: Record<string, unknown>;
  signal: AbortSignal;
  onProgress?: ((progress: Progress) => void) | undefined;
  timeoutMs?: number | undefined;
}

/** Sends one call to its upstream and gives back the result untouched. Only `call/` may use this. */
export type Dispatch = (call: DispatchCall) => Promise<CallResult>;
