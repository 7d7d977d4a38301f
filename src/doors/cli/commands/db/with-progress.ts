import { Interrupted, type Context } from '../../context.ts';
import { createProgressBar } from '../../output/progress.ts';
import type { BackupProgress } from '../../runtime.ts';

interface Watch {
  onProgress: (progress: BackupProgress) => void;
  signal: AbortSignal;
}

/** Runs a long operation with a bar; Ctrl-C stops it, and `stopped` says what that leaves behind. */
export async function withProgress<T>(
  { io }: Context,
  { labels, stopped }: { labels: Record<BackupProgress['step'], string>; stopped: string },
  work: (watch: Watch) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const release = io.onInterrupt((exitCode) => stop.abort(new Interrupted(exitCode)));
  const bar = createProgressBar(io);
  try {
    return await work({
      onProgress: ({ step, done, total }) => bar.show(labels[step], done, total),
      signal: stop.signal,
    });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    bar.end();
    io.err(`${stopped}\n`);
    throw stop.signal.reason;
  } finally {
    bar.end();
    release();
  }
}
