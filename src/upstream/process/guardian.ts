import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { MARKER_NAME } from '../../contract/config.ts';

/** The common prefix of all markers of this proxy, which tells its servers from those of other proxies. */
export const MARKER_PREFIX = randomBytes(12).toString('hex');

/**
 * Waits for the end of its input, which comes when the proxy ends in any way, SIGKILL included. Then it kills the registered groups and, if
 * there is a /proc, every process with the marker. Processes that are started in the meantime are found in the next round.
 */
const SCRIPT = `
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -9 -- "-$group" 2>/dev/null; done
for round in 1 2 3 4 5; do
  for file in $(grep -l -a -s -F "$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}; pid=\${pid%/environ}
    kill -9 "$pid" 2>/dev/null
  done
  sleep 0.2
done
`;

let guardian: ChildProcess | undefined;
const guarded = new Set<number>();

/** Makes sure that the process group does not outlive the proxy. */
export function guard(group: number): void {
  if (process.platform === 'win32') return;
  guarded.add(group);
  if (guardian) guardian.stdin!.write(`+ ${group}\n`);
  else start();
}

export function unguard(group: number): void {
  if (guarded.delete(group)) guardian?.stdin!.write(`- ${group}\n`);
}

/** One small shell for all servers. It has its own group, because Ctrl-C in a terminal goes to the whole group. */
function start(): void {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'mcpproxy-guardian', `${MARKER_NAME}=${MARKER_PREFIX}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true,
  });
  guardian = child;
  const lost = () => {
    if (guardian === child) guardian = undefined;
  };
  child.once('error', lost);
  child.once('exit', lost);
  child.stdin.on('error', lost);
  child.unref();
  (child.stdin as unknown as { unref?: () => void }).unref?.();
  for (const group of guarded) child.stdin.write(`+ ${group}\n`);
}
