import { readFileSync, statSync } from 'node:fs';

export interface ProcessIdentity {
  pid: number;
  /** The start time of the process, where the system reports it: another program may reuse the process id. */
  started?: string;
}

/** Whether the process runs. Where the system reports start times, one without the right one is another program. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = statOf(pid);
  // A process that was killed has its id until its parent notices.
  if (now?.state === 'Z') return false;
  return now === undefined || now.started === started;
}

export function startOf(pid: number): { started?: string } {
  const started = statOf(pid)?.started;
  return started ? { started } : {};
}

/** The user of the process; undefined where the system does not tell. */
export function userOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/** Fields 3 and 22 of /proc/PID/stat: the state, and the start time in clock ticks since boot. The name in field 2 may contain anything, so count from its end. */
function statOf(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}
