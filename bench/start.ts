import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort, isOk, startNode, waitFor } from './children.ts';
import { ECHO_COMMAND, peerArguments, prepareProxy, PROGRAM, STDIO_UPSTREAM } from './middles.ts';
import { median } from './statistics.ts';

export interface StartResult {
  what: string;
  medianMs: number;
  slowestMs: number;
}

/** From spawn to the first good answer, with one stdio upstream behind it. */
async function startOnce(
  args: string[],
  readyUrl: string,
  { log, env = {} }: { log: string; env?: Record<string, string> },
): Promise<number> {
  const start = performance.now();
  const child = startNode(args, { log, env });
  try {
    await waitFor({ name: readyUrl, child, log }, () => isOk(readyUrl));
    return performance.now() - start;
  } finally {
    await child.stop();
  }
}

async function startProxyOnce(dir: string): Promise<number> {
  const port = await freePort();
  const { args, env, log } = prepareProxy({ echo: STDIO_UPSTREAM }, dir, { listen: `127.0.0.1:${port}` });
  return startOnce(args, `http://127.0.0.1:${port}/readyz`, { log, env });
}

async function startPeerOnce(dir: string): Promise<number> {
  const port = await freePort();
  const log = join(dir, 'peer-start.log');
  return startOnce(peerArguments(port, ECHO_COMMAND), `http://127.0.0.1:${port}/ping`, { log });
}

async function runOnce(args: string[]): Promise<number> {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
  if (status !== 0) throw new Error(`node ${args.join(' ')}: exit ${status} ${stderr}`);
  return performance.now() - start;
}

export async function measureStart(dir: string, times: number): Promise<StartResult[]> {
  const runs: Array<[string, () => Promise<number>]> = [
    ['serve to ready', () => startProxyOnce(dir)],
    ['mcp-proxy to ready', () => startPeerOnce(dir)],
    ['mcpproxy --version', () => runOnce([PROGRAM, '--version'])],
    ['mcpproxy --help', () => runOnce([PROGRAM, '--help'])],
    ['node -e 0', () => runOnce(['-e', '0'])],
  ];
  const taken = runs.map(() => [] as number[]);
  for (let i = 0; i < times; i++) {
    for (const [index, [, run]] of runs.entries()) taken[index]!.push(await run());
  }
  return runs.map(([what], index) => ({
    what,
    medianMs: median(taken[index]!),
    slowestMs: Math.max(...taken[index]!),
  }));
}
