import { backoffMs, pause } from '../../load/index.ts';

export interface KeepParts<C extends { closed: Promise<string> }> {
  /** Opens a connection; rejects where that fails. */
  connect(): Promise<C>;
  /** It was lost, for this reason; `often`: it never lives long. Resolves when nothing of it is left over. */
  lost(connection: C, reason: string, often: boolean): Promise<void>;
  failed(error: unknown): void;
  /** The server was tried: it is there, or it is not. */
  tried(): void;
  /** Before every attempt but the first. */
  again(): void;
}

/** A connection that lived this long was good: the next failure counts as the first. */
const STABLE_MS = 30_000;
const SHORT_LIVES_UNTIL_FAILED = 3;

/** Keeps a connection open until the signal: made again when it breaks, later and later while it breaks again and again. */
export async function keepConnected<C extends { closed: Promise<string> }>(
  parts: KeepParts<C>,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; parts.again()) {
    try {
      const connection = await parts.connect();
      const readyAt = performance.now();
      parts.tried();
      const reason = await connection.closed;
      failures = performance.now() - readyAt > STABLE_MS ? 1 : failures + 1;
      await parts.lost(connection, reason, failures > SHORT_LIVES_UNTIL_FAILED);
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      parts.failed(error);
    }
    if (signal.aborted) return;
    parts.tried();
    await pause(backoffMs(failures), signal);
    if (signal.aborted) return;
  }
}
