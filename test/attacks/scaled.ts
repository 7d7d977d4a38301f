import { runHere } from '../e2e/cli-here.ts';
import { runCli } from '../e2e/run-cli.ts';
import { startHere } from '../e2e/start-here.ts';
import { startProxy } from '../e2e/start-proxy.ts';
import type { Scale } from './attack.ts';

/** Starts the built program; in small sizes the same parts without a process. */
export const startOf = (scale: Scale): typeof startHere => (scale === 'full' ? startProxy : startHere);

/** Runs commands of the built program; in small sizes without a process for each. */
export const cliOf =
  (scale: Scale) => (args: string[], options: { home: string; env?: Record<string, string> }) =>
    scale === 'full' ? runCli(args, options) : runHere(args, options.env);
