/** What can be told to wait with more. */
interface Source {
  pause(): unknown;
  resume(): unknown;
}

/** Shorter than this, nobody notices. */
const BUSY_MS = 2;

/** A server whose messages take long to read, be they large or many, leaves the same time to everybody else before it is read again. */
export function leaveRoom(source: Source, readingMs: number): void {
  if (readingMs < BUSY_MS) return;
  source.pause();
  setTimeout(() => source.resume(), readingMs);
}
