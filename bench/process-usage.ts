import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Linux says it in ticks of 10 ms; elsewhere `ps` is asked, whose resolution is 10 ms to 1 s. */
export const METHOD = process.platform === 'linux' ? '/proc/PID/stat, utime + stime' : 'ps -o time=';

const TICK_US = 10_000;

/** CPU time that a process has used so far, all its threads together, without its children; in microseconds. */
export function cpuUs(pid: number): number {
  if (process.platform !== 'linux')
    return psTimeUs(execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name, which may hold spaces: count from its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

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
