import type { Socket } from 'node:net';
import { join } from 'node:path';
import { lockDataDir, type DataDirLock } from '../../config/daemon/index.ts';
import type { ServeOptions } from '../../doors/cli/index.ts';
import { createLog } from '../../lib/log.ts';
import { sumSeries, type Series } from '../../observe/index.ts';
import { shareProgramsAt } from '../../upstream/index.ts';
import { startDaemon, type Daemon, type WorkerParts } from '../daemon.ts';
import { openInstallation } from '../place.ts';
import { stopWithin } from '../stop-within.ts';
import { FIRST, PROGRAMS, type FromWorker, type Setup, type ToWorker, type WorkerView } from './messages.ts';

const COLLECT_MS = 2_000;

/** One of several processes behind one port. It is a proxy like any other on the database; the process that started it says when to stop. */
export async function serveAsWorker(options: ServeOptions): Promise<number> {
  // A terminal sends them to all processes; the first one tells us.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // Nobody would answer for the port and the programs any more.
  process.once('disconnect', () => process.exit(1));
  const link = openLink();
  const { index, dataDir, configFile, sockets, cliSecret, url } = await link.setup;
  const log = createLog(options.logLevel ?? 'info').child({ worker: index });
  const isFirst = index === 1;
  const flags = isFirst ? options : { ...options, config: configFile, dataDir };
  const place = openInstallation(flags, { watch: true, log });
  const workers: WorkerParts = {
    share: await shareProgramsAt(join(sockets, PROGRAMS)),
    path: join(sockets, FIRST),
    isFirst,
    index,
    url,
    onConnection: link.onConnection,
    pid: process.ppid,
    list: link.list,
    sumWith: link.sumWith,
  };
  const lock = isFirst ? borrowedLock(cliSecret) : { ...lockDataDir(place.dataDir), cliSecret };
  const daemon = await startDaemon(place, { log, lock, workers });
  link.answer(daemon);
  await link.stopping;
  await daemon.leave();
  link.left();
  await stopWithin(() => daemon.stop(), { log });
  return 0;
}

/** The process that started this one holds the data directory. */
const borrowedLock = (cliSecret: string): DataDirLock => ({
  cliSecret,
  publish: () => undefined,
  withdraw: () => undefined,
  release: () => undefined,
});

/** To the process that started this one. */
function openLink() {
  let workers: WorkerView[] = [];
  let daemon: Daemon | undefined;
  let asked = 0;
  const collecting = new Map<number, (series: Series[]) => void>();
  const say = (message: FromWorker) => void process.send?.(message);
  let begin!: (setup: Setup) => void;
  let stop!: () => void;
  const setup = new Promise<Setup>((resolve) => (begin = resolve));
  const stopping = new Promise<void>((resolve) => (stop = resolve));
  let serve: ((socket: Socket) => void) | undefined;
  process.on('message', (message: ToWorker, socket: unknown) => {
    if ('setup' in message) begin(message.setup);
    else if ('connection' in message) take(message.connection, socket as Socket | undefined);
    else if ('workers' in message) ({ workers } = message);
    else if ('measure' in message)
      void daemon?.app.series().then((series) => say({ measured: message.measure, series }));
    else if ('measured' in message) collecting.get(message.measured)?.(message.series);
    else stop();
  });
  say({ hello: true });

  /** Read only when the other process knows that it is here: it would give it to another worker otherwise. */
  function take(id: number, socket: Socket | undefined): void {
    process.send!({ taken: id } satisfies FromWorker, undefined, undefined, () => {
      if (!socket) return;
      serve?.(socket);
      socket.resume();
    });
  }

  /** Of a worker that does not answer in time, nothing is counted. */
  async function others(): Promise<Series[]> {
    const id = ++asked;
    const collected = new Promise<Series[]>((resolve) => {
      collecting.set(id, resolve);
      setTimeout(resolve, COLLECT_MS, []).unref();
    });
    say({ collect: id });
    return collected.finally(() => collecting.delete(id));
  }

  return {
    setup,
    stopping,
    onConnection: (take: (socket: Socket) => void) => void (serve = take),
    left: () => say({ left: true }),
    list: () => workers,
    sumWith: async (own: Series) => sumSeries([own, ...(await others())]),
    answer(running: Daemon): void {
      daemon = running;
      say({ listening: true });
      void running.app.upstreams.settled().then(() => say({ settled: true }));
    },
  };
}
