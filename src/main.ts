#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { processIo } from './cli/io.ts';
import { run } from './cli/run.ts';
import type { Runtime } from './cli/runtime.ts';

/** Everything behind the command line is loaded when a command needs it, so that help and completion come at once. */
const app = () => import('./app.ts');

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const runtime: Runtime = {
  version,
  serve: async (options) => (await app()).serve(options),
  stdio: async (place) => (await app()).stdio(place),
  tasks: async (place) => (await app()).tasks(place),
  connect: async (place, how, signal) => (await app()).connect(place, how, signal),
  config: {
    paths: async (place) => (await app()).configPaths(place),
    show: async (place) => (await app()).configShow(place),
    validate: async (place, file) => (await app()).configValidate(place, file),
  },
};

// Nothing is left to wait for by now: results are written and connections closed. Sockets kept alive would only hold the prompt.
process.exit(await run(process.argv.slice(2), runtime, processIo()));
