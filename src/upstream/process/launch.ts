import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { childEnv } from './child-env.ts';

export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A program to start, with everything that decides what it can reach. */
export interface Launch {
  command: string;
  args: string[];
  cwd: string | undefined;
  /** The variables configured for the server, and the names of those that it inherits beyond the usual ones. */
  env: Record<string, string>;
  inherit?: readonly string[] | undefined;
  marker: string;
}

/** The one place that starts the program of a server: without a shell, in its own process group. A sandbox would wrap this function. */
export function launch({ command, args, cwd, env, inherit, marker }: Launch): Child {
  return spawn(command, args, {
    env: childEnv({ configured: env, marker, inherit }),
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    detached: true,
    windowsHide: true,
  });
}
