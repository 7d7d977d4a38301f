import { runHere } from '../e2e/cli-here.ts';
import { runCli } from '../e2e/run-cli.ts';
import type { Scale } from './attack.ts';

/** Runs commands of the built program; in small sizes without a process for each. */
export const cliOf =
  (scale: Scale) => (args: string[], options: { home: string; env?: Record<string, string> }) =>
    scale === 'full' ? runCli(args, options) : runHere(args, options.env);
