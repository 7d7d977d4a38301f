#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { processIo, run } from './doors/cli/index.ts';
import { installReadableStacks, startRuntime } from './start/index.ts';

installReadableStacks();
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// Nothing is left to wait for by now: results are written and connections closed. Sockets kept alive would only hold the prompt.
process.exit(await run(process.argv.slice(2), { version, ...startRuntime }, processIo()));
