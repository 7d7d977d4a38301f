import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { MARKER_NAME } from '../../contract/config.ts';

/** A process by pid and start time: pids are reused, the pair is not. */
interface Process {
  pid: number;
  parent: number;
  group: number;
  started: string;
  zombie: boolean;
}

export interface Tree {
  /** The process that the proxy started; also the id of its group. */
  pid: number;
  /** Its marker in the environment, which children inherit. */
  marker: string;
}

const POLL_MS = 25;

/**
 * Ends a server and everything it started. Signals go to the group first; on Linux also to processes that left it, found as descendants or
 * by the marker in their environment. Returns the processes that the kernel could not end.
 */
export async function endTree(
  tree: Tree,
  { graceMs, killMs }: { graceMs: number; killMs: number },
): Promise<number[]> {
  const known = new Map<string, Process>();
  for (const [signal, limit] of [
    ['SIGTERM', graceMs],
    ['SIGKILL', killMs],
  ] as const) {
    const end = performance.now() + limit;
    let members = await membersOf(tree, known);
    for (let first = true; members.length > 0 && (first || performance.now() < end); first = false) {
      // A process may start another one while it is being ended, so SIGKILL is sent in every round.
      if (first || signal === 'SIGKILL') await signalAll(tree, members, signal);
      await sleep(POLL_MS);
      members = await membersOf(tree, known);
    }
    if (members.length === 0) return [];
  }
  return (await membersOf(tree, known)).map(({ pid }) => pid);
}

/** For the exit of the proxy, when nothing can be awaited. */
export function killGroupNow(pid: number): void {
  sendSignal(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
}

async function signalAll(tree: Tree, members: Process[], signal: NodeJS.Signals): Promise<void> {
  if (process.platform === 'win32') return taskkill(tree.pid);
  if (members.some(({ group }) => group === tree.pid)) sendSignal(-tree.pid, signal);
  for (const member of members) {
    if (member.group !== tree.pid && sameProcess(member)) sendSignal(member.pid, signal);
  }
}

/** The living processes of the tree. A process is remembered once seen, because its parent may end first. */
async function membersOf(tree: Tree, known: Map<string, Process>): Promise<Process[]> {
  if (process.platform !== 'linux')
    return groupAlive(tree.pid) ? [{ ...GROUP, pid: tree.pid, group: tree.pid }] : [];
  const alive = (await allProcesses()).filter(({ zombie, pid }) => !zombie && pid !== process.pid);
  const inside = new Set<number>();
  const marks = await Promise.all(alive.map(({ pid }) => hasMarker(pid, tree.marker)));
  alive.forEach((one, index) => {
    if (one.pid === tree.pid || one.group === tree.pid || marks[index] || known.has(keyOf(one)))
      inside.add(one.pid);
  });
  for (let before = -1; before !== inside.size;) {
    before = inside.size;
    for (const { pid, parent } of alive) if (inside.has(parent)) inside.add(pid);
  }
  const members = alive.filter(({ pid }) => inside.has(pid));
  for (const member of members) known.set(keyOf(member), member);
  return members;
}

const GROUP: Process = { pid: 0, parent: 0, group: 0, started: '', zombie: false };

function groupAlive(pid: number): boolean {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function allProcesses(): Promise<Process[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map((name) => readFile(`/proc/${name}/stat`, 'latin1').then(parseStat, () => undefined)),
  );
  return found.filter((one) => one !== undefined);
}

/** The program's name is in brackets and may contain brackets and spaces, so the fields start after the last bracket. */
function parseStat(stat: string): Process {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    pid: Number.parseInt(stat, 10),
    zombie: fields[0] === 'Z' || fields[0] === 'X',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    started: fields[19] ?? '',
  };
}

async function hasMarker(pid: number, marker: string): Promise<boolean> {
  const environ = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environ.includes(`${MARKER_NAME}=${marker}`);
}

function sameProcess(member: Process): boolean {
  try {
    return keyOf(parseStat(readFileSync(`/proc/${member.pid}/stat`, 'latin1'))) === keyOf(member);
  } catch {
    // The process has ended.
    return false;
  }
}

function keyOf({ pid, started }: Process): string {
  return `${pid}@${started}`;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended in the meantime.
  }
}

async function taskkill(pid: number): Promise<void> {
  await new Promise<void>((done) => {
    const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], {
      stdio: 'ignore',
      windowsHide: true,
    });
    killer.once('error', () => done());
    killer.once('exit', () => done());
  });
}
