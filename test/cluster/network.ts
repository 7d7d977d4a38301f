import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Set in the process that runs in a network of its own. */
const INSIDE = 'MCPPROXY_CLUSTER_NETWORK';
const TABLE = `table inet cluster {
  set requests { type inet_service; }
  set answers { type inet_service; }
  chain lost { type filter hook input priority 0; tcp dport @requests drop; tcp sport @answers drop; }
}`;
const START = `ip link set lo up && printf '%s' "$0" | nft -f - && exec "$@"`;

/** Which packets of a port are lost: those to it, those from it, or all. */
export const LOSSES = ['requests', 'answers', 'both'] as const;
export type Loss = (typeof LOSSES)[number];

/** Whether this process has a network of its own, so that packets may be lost. */
export const hasNetwork = (): boolean => process.env[INSIDE] !== undefined;

/** Runs this program again in a network namespace that has only the loopback interface. Undefined where that is not possible. */
export async function runInNetwork(): Promise<number | undefined> {
  const command = ['--net', '--kill-child', 'sh', '-c', START, TABLE];
  if (spawnSync('unshare', [...command, 'true'], { stdio: 'ignore' }).status !== 0) return undefined;
  const args = [...command, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn('unshare', args, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** The kernel drops packets of the port, and nobody is told, until the returned function is called. */
export function losePackets(port: number, loss: Loss): () => void {
  const sets = loss === 'both' ? ['requests', 'answers'] : [loss];
  const change = (verb: 'add' | 'delete') => {
    const text = sets.map((set) => `${verb} element inet cluster ${set} { ${port} }`).join('\n');
    const { status, stderr } = spawnSync('nft', ['-f', '-'], { input: text, encoding: 'utf8' });
    if (status !== 0) throw new Error(`nft: ${stderr}`);
  };
  change('add');
  return () => change('delete');
}
