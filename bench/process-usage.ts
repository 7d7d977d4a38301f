import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** Linux says it in nanoseconds; elsewhere `ps` is asked, whose resolution is 10 ms to 1 s. */
export const METHOD =
  process.platform === 'linux' ? '/proc/PID/task/*/schedstat, all threads' : 'ps -o time=';

/** CPU time that a process has used so far, all its threads together, without its children; in microseconds. */
export function cpuUs(pid: number): number {
  if (process.platform !== 'linux')
    return psTimeUs(execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }));
  // A tick of /proc/PID/stat is 10 ms, as long as ten calls of a single caller.
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + threadUs(`/proc/${pid}/task/${thread}/schedstat`), 0);
}

/** The first field is the time on a processor. A thread may end before it is read. */
function threadUs(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1000;
  } catch (error) {
    if (!ENDED.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return 0;
  }
}

const ENDED = new Set(['ENOENT', 'ESRCH']);

/** "1-02:03:04" or "3:04.56" */
function psTimeUs(text: string): number {
  const [clock, days] = text.trim().split('-').reverse();
  const seconds = clock!.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (seconds + Number(days ?? 0) * 86_400) * 1_000_000;
}

/** Resident memory in MB. */
export function rssMb(pid: number): number {
  if (process.platform !== 'linux')
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}
