import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { constants, open, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import type { Witness, WitnessState } from '../../contract/config.ts';
import { isReallyWithin } from '../../config/index.ts';
import { parseCheckpoint } from '../chain/checkpoint-file.ts';
import type { Checkpoint } from '../chain/hash-chain.ts';

/** Delivers one checkpoint, or throws the reason. */
export type Send = (checkpoint: Checkpoint, signal: AbortSignal) => Promise<void>;

export interface Destination extends Pick<WitnessState, 'kind' | 'target'> {
  send: Send;
}

export function destinationOf(witness: Witness, dataDir: string): Destination {
  const { file, syslog, command, url } = witness;
  if (file !== undefined) return { kind: 'file', target: file, send: createFileSender(file, dataDir) };
  if (syslog !== undefined) return { kind: 'syslog', target: syslog, send: createSyslogSender(syslog) };
  if (command !== undefined) return { kind: 'command', target: command[0]!, send: createRunner(command) };
  // Path and query of a hook often hold its secret.
  return { kind: 'url', target: new URL(url!).origin, send: createPoster(url!) };
}

/** A pipe that nobody reads is an error at once; to wait for a reader would keep the process from ending. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);

/**
 * A write to a mount that hangs occupies a thread of the process and cannot be cancelled. So there is never more than one, and the next is
 * refused until it ends.
 */
function createFileSender(file: string, dataDir: string): Send {
  let writing: Promise<void> | undefined;
  const append = async (line: string) => {
    if (await isReallyWithin(dataDir, file)) throw new Error(IN_DATA_DIR);
    await requireOurs(file);
    const handle = await open(file, APPEND, 0o600);
    try {
      await handle.writeFile(line);
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  return async (checkpoint, signal) => {
    if (writing) throw new Error('an earlier write has not ended yet');
    const write = append(`${JSON.stringify(checkpoint)}\n`);
    const ended = write.catch(() => {}); // the caller reports the error
    writing = ended;
    void ended.then(() => (writing = undefined));
    await Promise.race([write, aborted(signal)]);
  };
}

export const IN_DATA_DIR =
  'the file is in the data directory, so a person who can change the log can change it too; put it elsewhere';

/** Longer than any checkpoint. */
const FIRST_LINE_BYTES = 4096;

/** A line added to a file of somebody else would damage it. A pipe has a reader that expects checkpoints. */
async function requireOurs(file: string): Promise<void> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found || found.isFIFO()) return;
  if (!found.isFile()) throw new Error('it is neither a file nor a pipe');
  if (found.size === 0) return;
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0);
    const [first] = buffer.toString('utf8', 0, bytesRead).split('\n');
    if (!parseCheckpoint(first!))
      throw new Error('the file does not begin with a checkpoint, so nothing was added to it; name another');
  } finally {
    await handle.close();
  }
}

const AUDIT_NOTICE = 13 * 8 + 5;

function syslogLine(checkpoint: Checkpoint): string {
  const host = hostname().replaceAll(/[^\x21-\x7e]/g, '') || '-';
  const time = new Date(checkpoint.time).toISOString();
  return `<${AUDIT_NOTICE}>1 ${time} ${host} mcpproxy ${process.pid} checkpoint - ${JSON.stringify(checkpoint)}`;
}

function createSyslogSender(address: string): Send {
  if (address.startsWith('udp:')) return sendDatagram(new URL(address));
  const to = address.startsWith('unix:')
    ? { path: address.slice('unix:'.length) }
    : { host: hostOf(new URL(address)), port: Number(new URL(address).port) };
  return (checkpoint, signal) =>
    new Promise((resolve, reject) => {
      const socket = connect(to);
      const stop = () => socket.destroy(timedOut());
      signal.addEventListener('abort', stop, { once: true });
      socket
        .on('error', (cause) => reject(datagramOnly(cause)))
        .on('finish', () => {
          socket.destroySoon();
          resolve();
        })
        .on('close', () => signal.removeEventListener('abort', stop))
        .on('connect', () => socket.end(`${syslogLine(checkpoint)}\n`))
        .resume();
    });
}

const hostOf = ({ hostname: name }: URL) => name.replaceAll(/^\[|\]$/g, '');

/** Node.js cannot connect to a datagram socket, which /dev/log usually is. */
function datagramOnly(cause: NodeJS.ErrnoException): Error {
  if (cause.code !== 'EPROTOTYPE') return cause;
  return new Error('it is a datagram socket; use "command": ["logger", "--tag", "mcpproxy"] instead');
}

function sendDatagram(url: URL): Send {
  const host = hostOf(url);
  return (checkpoint, signal) =>
    new Promise((resolve, reject) => {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      let isOpen = true;
      // A name that cannot be resolved may be reported after the time is over.
      const end = (cause?: Error | null) => {
        if (!isOpen) return;
        isOpen = false;
        signal.removeEventListener('abort', stop);
        socket.close();
        if (cause) reject(cause);
        else resolve();
      };
      const stop = () => end(timedOut());
      signal.addEventListener('abort', stop, { once: true });
      socket.on('error', end).send(syslogLine(checkpoint), Number(url.port), host, end);
    });
}

const ENVIRONMENT = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'SystemRoot'];

/** Never in a shell, and with none of the proxy's own variables. */
function createRunner([program, ...args]: readonly string[]): Send {
  return (checkpoint, signal) =>
    new Promise((resolve, reject) => {
      const env = Object.fromEntries(
        ENVIRONMENT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      );
      const child = spawn(program!, args, {
        env,
        detached: OWN_GROUP,
        stdio: ['pipe', 'ignore', 'ignore'],
        windowsHide: true,
      });
      const stop = () => {
        reject(timedOut());
        killWithChildren(child);
      };
      signal.addEventListener('abort', stop, { once: true });
      child.stdin.on('error', () => {}); // a program that does not read decides by its exit code
      child.on('error', reject);
      child.on('exit', (code, killed) => {
        signal.removeEventListener('abort', stop);
        if (code === 0) resolve();
        else reject(new Error(code === null ? `it ended with ${killed}` : `it ended with code ${code}`));
      });
      child.stdin.end(`${JSON.stringify(checkpoint)}\n`);
    });
}

const OWN_GROUP = process.platform !== 'win32';

/** A script that waits for a program of its own leaves none behind, as it is run again for the next checkpoint. */
function killWithChildren(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (OWN_GROUP) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has ended already.
  }
}

function createPoster(url: string): Send {
  return async (checkpoint, signal) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(checkpoint),
      redirect: 'manual',
      signal,
    }).catch((error: Error & { cause?: Error }) => {
      throw signal.aborted ? timedOut() : (error.cause ?? error);
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`it answered ${response.status}`);
  };
}

const timedOut = () => new Error('it did not answer in time');

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(timedOut()), { once: true });
  });
