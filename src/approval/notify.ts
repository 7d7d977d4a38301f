import { spawn } from 'node:child_process';
import type { Approval } from '../contract/approval.ts';
import { exactJson } from '../json/index.ts';
import { ofRequest, type Log, type Requester } from '../lib/log.ts';

export interface NotifyParts {
  /** Program and arguments; undefined: no notification. */
  command: () => string[] | undefined;
  log: Log;
  limitMs?: number;
}

const LIMIT_MS = 10_000;
const MAX_RUNNING = 2;
const MAX_QUEUED = 50;
/** Variables that a desktop notification needs; none of the proxy's own, and nothing of the call. */
const ENVIRONMENT = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TZ',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'SystemRoot',
];

/**
 * Runs the operator's program when a call starts to wait. Never in a shell, and without data of the call in its arguments or environment:
 * it reads the approval as JSON from stdin. Few run at the same time, each with a time limit; when too many wait, some are skipped.
 */
export function createNotifier(parts: NotifyParts): (approval: Approval, by: Requester) => void {
  const send = createSender(parts);
  return (approval, by) => send({ value: approval, about: about(approval, by) });
}

/** The same program, for an event that is no approval. */
export function createEventNotifier(parts: NotifyParts): (event: { event: string }) => void {
  const send = createSender(parts);
  return (event) => send({ value: event, about: { event: event.event } });
}

interface Notice {
  /** Sent to the program as JSON. */
  value: unknown;
  /** Fields of the log line if it fails. */
  about: object;
}

function createSender({ command, log, limitMs = LIMIT_MS }: NotifyParts): (notice: Notice) => void {
  const queue: Notice[] = [];
  let running = 0;

  function next(): void {
    while (running < MAX_RUNNING && queue.length > 0) {
      const argv = command();
      const { value, about: fields } = queue.shift()!;
      if (!argv) continue;
      running++;
      void run(argv, value, limitMs)
        .catch((error: unknown) =>
          log.warn({ program: argv[0], err: error, ...fields }, 'approvals.notify failed'),
        )
        .finally(() => {
          running--;
          next();
        });
    }
  }

  return (notice) => {
    if (!command()) return;
    if (queue.length >= MAX_QUEUED)
      return log.warn(notice.about, 'approvals.notify: too many notifications wait, one was skipped');
    queue.push(notice);
    next();
  };
}

const about = ({ id }: Approval, by: Requester) => ({ approval: id, ...ofRequest(by) });

function run([program, ...args]: string[], value: unknown, limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program!, args, {
      shell: false,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: environment(),
      windowsHide: true,
    });
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.once('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.once('exit', (code, signal) => {
      clearTimeout(limit);
      if (code === 0) resolve();
      else
        reject(
          new Error(
            signal ? `it was killed by ${signal} after ${limitMs} ms` : `it exited with code ${code}`,
          ),
        );
    });
    // A program that does not read its input is not an error.
    child.stdin.on('error', () => {});
    child.stdin.end(`${exactJson(value)}\n`);
  });
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}
