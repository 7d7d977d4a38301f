import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { environment, installGlobally, run, sizeOf, startUntil, type Runtime } from './install-package.ts';

export interface Tried {
  readonly version: string;
  readonly way: 'global' | 'npx';
  readonly installedBytes: number;
  /** From the command to the line that says where it listens; by npx with the unpacking. */
  readonly startMs: number;
  readonly restartMs: number;
}

const TASK = 'buy milk';

/** Installs the archive, starts the proxy, calls a tool, reads the log, and stops the proxy. Throws where anything is not as it must be. */
export async function tryInstalled(
  runtime: Runtime,
  way: Tried['way'],
  { archive, base }: { archive: string; base: string },
): Promise<Tried> {
  const home = mkdtempSync(join(base, `${way}-`));
  const env = environment(runtime, home);
  const prefix = way === 'global' ? await installGlobally(runtime, archive, home) : undefined;
  const program = prefix
    ? { path: join(prefix, 'bin', 'mcpproxy'), before: [] }
    : {
        path: runtime.node,
        before: [join(runtime.npm, 'npx-cli.js'), '--yes', `--package=${archive}`, 'mcpproxy'],
      };
  const command = (...args: string[]) => ({ path: program.path, args: [...program.before, ...args], env });

  async function start(): Promise<number> {
    const daemon = await startUntil(command('serve', '--listen', '127.0.0.1:0'), 'listens at http');
    try {
      const added = await run(
        command('call', 'tool-write', 'tasks:add_task', '--args', JSON.stringify({ description: TASK })),
      );
      expectText(added, TASK);
      expectText(await run(command('call', 'tool-read', 'tasks:list_tasks', '--args', '{}')), TASK);
      expectText(await run(command('activity', 'list')), 'add_task');
      expectText(await run(command('stop')), 'stopped');
      const code = await daemon.exited;
      if (code !== 0) throw new Error(`the proxy ended with ${code}`);
    } finally {
      daemon.kill();
    }
    return daemon.ms;
  }

  try {
    expectText(await run(command('--version')), '.');
    const startMs = await start();
    const restartMs = await start();
    const installedBytes = sizeOf(prefix ?? join(home, '.npm', '_npx'));
    return { version: runtime.version, way, installedBytes, startMs, restartMs };
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function expectText(text: string, part: string): void {
  if (!text.toLowerCase().includes(part.toLowerCase())) throw new Error(`no "${part}" in:\n${text}`);
}
