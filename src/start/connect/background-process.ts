import { appendFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { hasSuccessor } from '../../config/index.ts';
import { countClients } from '../../config/daemon/index.ts';
import { toProxyError } from '../../contract/errors.ts';
import { createLog } from '../../lib/log.ts';
import { installReadableStacks } from '../readable-stacks.ts';
import { startDaemon } from '../daemon.ts';
import { openOrSalvage } from '../place.ts';
import { stopWithin } from '../stop-within.ts';
import { untilSignal } from '../until-signal.ts';
import { backgroundAddress } from './background-address.ts';
import { findDaemon, holdOrFind } from './hold-or-find.ts';
import type { Located, Reported } from './spawn-daemon.ts';

/** How long the daemon waits for the next client after the last one has gone. */
const LINGER_MS = 10_000;
const LOOK_MS = 2_000;
const SUCCESSOR_MS = 250;
const LOG_BYTES = 10 * 1024 * 1024;

/** The parent reads one line and closes its end. */
function report(value: Reported): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

/** Lines go to a file of the data directory, because nobody reads stderr of a process in the background. */
function createLogFile() {
  let file: string | undefined;
  let early: string[] = [];
  return {
    write: (text: string) =>
      file === undefined ? void early.push(text) : appendFileSync(file, text, { mode: 0o600 }),
    open(dataDir: string): void {
      file = join(dataDir, 'background.log');
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > LOG_BYTES) renameSync(file, `${file}.old`);
      if (early.length > 0) appendFileSync(file, early.join(''), { mode: 0o600 });
      early = [];
    },
  };
}

/** Starts the daemon of the data directory, or finds the one that runs, and reports its address. */
async function run(): Promise<void> {
  installReadableStacks();
  const file = createLogFile();
  const log = createLog('info', { pretty: false, write: file.write });
  const place = openOrSalvage({}, { watch: true, log });
  if ('invalid' in place) {
    const url = await findDaemon(place.dataDir);
    if (!url) throw place.invalid;
    return report({ url, dataDir: place.dataDir, warning: place.invalid.message });
  }
  const { dataDir, config } = place;
  const held = await holdOrFind(dataDir, { background: true });
  if ('url' in held) {
    await config.close();
    return report({ url: held.url, dataDir });
  }
  file.open(dataDir);
  const stopped = untilSignal();
  const listen = backgroundAddress(dataDir, config.current().listen);
  const daemon = await startDaemon(place, { listen, orAnyPort: true, log, lock: held.lock });
  // A client may call a tool immediately after its handshake.
  await daemon.connecting;
  report({ url: daemon.url, dataDir } satisfies Located);
  log.info({ url: daemon.url }, 'started in the background for "mcpproxy stdio"');
  await Promise.race([stopped, untilUnused(dataDir, daemon.lastRequest), untilSucceeded(dataDir)]);
  log.info('stopping');
  await stopWithin(() => daemon.stop(), { log });
}

/** Resolves when no client has needed the daemon for a while. */
function untilUnused(dataDir: string, lastRequest: () => number): Promise<void> {
  let used = performance.now();
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (countClients(dataDir) > 0) used = performance.now();
      if (performance.now() - Math.max(used, lastRequest()) < LINGER_MS) return;
      clearInterval(timer);
      resolve();
    }, LOOK_MS);
  });
}

/** Resolves when `mcpproxy serve` wants to take over. */
function untilSucceeded(dataDir: string): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!hasSuccessor(dataDir)) return;
      clearInterval(timer);
      resolve();
    }, SUCCESSOR_MS);
  });
}

// A parent that has gone does not read the report; the daemon is of use to the next one.
process.stdout.on('error', () => undefined);
try {
  await run();
  process.exit(0);
} catch (error) {
  report(toProxyError(error).toBody());
  process.exit(1);
}
