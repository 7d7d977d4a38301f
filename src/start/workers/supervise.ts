import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { textDigest, type DataDirLock } from '../../config/daemon/index.ts';
import { localUrl } from '../../contract/routes/client.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Series } from '../../observe/index.ts';
import { hostPrograms } from '../../upstream/index.ts';
import type { Installation } from '../place.ts';
import { openPort } from './port.ts';
import { splitAddress } from '../split-address.ts';
import { PROGRAMS, type FromWorker, type ToWorker, type WorkerView } from './messages.ts';

interface Parts {
  place: Installation;
  count: number;
  lock: DataDirLock;
  log: Log;
  /** Called when all workers are told where they listen. */
  onListening: (url: string) => void;
  /** Resolves when the processes are to end. */
  stopped: Promise<NodeJS.Signals>;
}

/** What proxies on one database have in common; the rest of a data directory is of one proxy. */
const COMMON_FILES = ['api_key', 'row-key', 'login-key', 'config_key', 'config_accepted.json'];
/** Which versions of rows are outdated. A copy is made once. */
const FIRST_FILES = ['row-versions.log', 'row-key-used'];
/** The address of a socket has little room. */
const MAX_SOCKET_PATH = 90;
/** One that lived longer is started again at once. */
const STABLE_MS = 10_000;
const MAX_PAUSE_MS = 15_000;
const LAST_WORDS_MS = 50;
const LEAVE_STEP_MS = 50;
const MEASURE_MS = 1_500;
/** Workers end by themselves before that. */
const STOP_MS = 32_000;

interface Slot {
  index: number;
  worker: Worker | undefined;
  view: WorkerView;
  failures: number;
}

/** Runs workers behind one port, replaces those that die, and owns the programs of stdio servers. It makes no decision about calls. */
export async function supervise({ place, count, lock, log, stopped, onListening }: Parts): Promise<number> {
  const { config, dataDir } = place;
  const folder = socketFolder(dataDir);
  const host = await hostPrograms(join(folder, PROGRAMS), { clock: systemClock, log });
  const { host: at, port: number } = splitAddress(config.current().listen);
  const port = await openPort(at, number);
  const { url } = port;
  const slots: Slot[] = [];
  let isStopping = false;
  let hasListened = false;
  let listening!: () => void;
  const firstListens = new Promise<void>((resolve) => (listening = resolve));
  let fail!: (code: number) => void;
  const failed = new Promise<number>((resolve) => (fail = resolve));
  const publish = (): void => {
    const digest = textDigest(config.validText());
    lock.publish({ url: localUrl(url), config: { file: config.file, digest } });
  };
  config.subscribe(publish);
  config.onWaiting(publish);

  function tellAll(): void {
    const workers = slots.map(({ view }) => view);
    for (const { worker } of slots) tell(worker, { workers });
  }

  function setState(slot: Slot, state: WorkerView['state']): void {
    slot.view = { ...slot.view, state, pid: slot.worker?.process.pid ?? 0, since: new Date().toISOString() };
    tellAll();
  }

  function start(slot: Slot): void {
    const { index } = slot;
    const own = index === 1 ? dataDir : ownDirectory(dataDir, index);
    const worker = cluster.fork();
    const began = performance.now();
    slot.worker = worker;
    setState(slot, 'starting');
    worker.on('message', (message: FromWorker) => {
      if ('hello' in message)
        tell(worker, {
          setup: {
            index,
            dataDir: own,
            configFile: config.file,
            sockets: folder,
            cliSecret: lock.cliSecret,
            url,
          },
        });
      else if ('taken' in message) port.taken(message.taken);
      else if ('listening' in message) {
        // One that takes the place of another answers when it can answer everything.
        if (!hasListened) admit(slot);
        hasListened = true;
        listening();
      } else if ('settled' in message) admit(slot);
      else if ('left' in message) left.add(worker);
      else if ('collect' in message) void collect(slot, message.collect);
      else measured.get(message.measured)?.(message.series);
    });
    worker.once('exit', (code, signal) => void replace(slot, { code, signal, began }));
  }

  function admit(slot: Slot): void {
    if (!slot.worker || slot.view.state === 'running') return;
    port.add(slot.worker);
    setState(slot, 'running');
  }

  async function replace(slot: Slot, { code, signal, began }: Ended): Promise<void> {
    const { worker } = slot;
    slot.worker = undefined;
    // What it has said last is read by then.
    setTimeout(() => worker && port.remove(worker), LAST_WORDS_MS);
    if (isStopping) return;
    // The first start has said on stderr why it failed.
    if (!hasListened) return fail(code || 1);
    slot.failures = performance.now() - began > STABLE_MS ? 0 : slot.failures + 1;
    const waitMs = slot.failures <= 1 ? 0 : Math.min(MAX_PAUSE_MS, 250 * 2 ** slot.failures);
    log.error(
      { worker: slot.index, code, signal, retry_ms: waitMs },
      'a worker has ended; another one is started',
    );
    slot.view = { ...slot.view, restarts: slot.view.restarts + 1 };
    setState(slot, 'replacing');
    await pause(waitMs, undefined, { ref: false });
    if (!isStopping) start(slot);
  }

  const left = new Set<Worker>();
  let asked = 0;
  const measured = new Map<number, (series: Series) => void>();
  async function collect(by: Slot, id: number): Promise<void> {
    const others = slots.filter((slot) => slot !== by && slot.view.state === 'running');
    const series = await Promise.all(others.map(({ worker }) => measure(worker)));
    tell(by.worker, { measured: id, series: series.filter((one) => one !== undefined) });
  }

  async function measure(worker: Worker | undefined): Promise<Series | undefined> {
    const id = ++asked;
    tell(worker, { measure: id });
    const answered = new Promise<Series>((resolve) => measured.set(id, resolve));
    return Promise.race([answered, pause(MEASURE_MS, undefined, { ref: false })]).finally(() =>
      measured.delete(id),
    );
  }

  async function stop(): Promise<void> {
    isStopping = true;
    lock.withdraw();
    const running = slots.flatMap(({ worker }) => worker ?? []);
    const ended = running.map(async (worker) => worker.isDead() || once(worker, 'exit'));
    for (const worker of running) tell(worker, { stop: true });
    while (!running.every((worker) => left.has(worker) || worker.isDead())) await pause(LEAVE_STEP_MS);
    // What has arrived by now is still answered.
    await pause(LEAVE_STEP_MS);
    port.close();
    await Promise.race([Promise.all(ended), pause(STOP_MS, undefined, { ref: false })]);
    for (const worker of running) worker.process.kill('SIGKILL');
    await host.close();
    await config.close();
    rmSync(folder, { recursive: true, force: true });
    lock.release();
  }

  const add = (index: number) => {
    const view: WorkerView = { worker: index, pid: 0, state: 'starting', since: '', restarts: 0 };
    const slot: Slot = { index, worker: undefined, view, failures: 0 };
    slots.push(slot);
    start(slot);
  };
  // The keys that all of them need are made by the first one, where there are none.
  add(1);
  const early = await Promise.race([firstListens, stopped, failed]);
  if (early === undefined) {
    publish();
    for (let index = 2; index <= count; index++) add(index);
    log.info({ workers: count, url }, 'several workers listen');
    onListening(localUrl(url));
  }
  const code = typeof early === 'number' ? early : await Promise.race([stopped, failed]);
  log.info('stopping: waiting for calls in flight; send the signal again to exit immediately');
  await stop();
  log.info('stopped');
  return typeof code === 'number' ? code : 0;
}

interface Ended {
  code: number;
  signal: string | null;
  began: number;
}

function tell(worker: Worker | undefined, message: ToWorker): void {
  // One that has just ended is replaced.
  if (worker?.isConnected()) worker.send(message, () => undefined);
}

/** The data directory of a further worker: a proxy of its own, with the keys that all share. */
function ownDirectory(dataDir: string, index: number): string {
  const own = join(dataDir, 'workers', String(index));
  mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const name of [...COMMON_FILES, ...FIRST_FILES]) {
    const [from, to] = [join(dataDir, name), join(own, name)];
    const isKept = FIRST_FILES.includes(name) && existsSync(to);
    if (existsSync(from) && !isKept) copyFileSync(from, to);
  }
  return own;
}

function socketFolder(dataDir: string): string {
  const folder = join(dataDir, 'sockets');
  if (folder.length > MAX_SOCKET_PATH) return mkdtempSync(join(tmpdir(), 'mcpproxy-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
