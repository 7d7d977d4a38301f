import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import type { Witness, WitnessState } from '../../contract/witness.ts';
import type { Checkpoint } from '../chain/hash-chain.ts';

/** Delivers one checkpoint, or throws the reason. */
export type Send = (checkpoint: Checkpoint, signal: AbortSignal) => Promise<void>;

export interface Destination extends Pick<WitnessState, 'kind' | 'target'> {
  send: Send;
}

export function destinationOf(witness: Witness): Destination {
  const { file, syslog, command, url } = witness;
  if (file !== undefined) return { kind: 'file', target: file, send: createFileSender(file) };
  if (syslog !== undefined) return { kind: 'syslog', target: syslog, send: createSyslogSender(syslog) };
  if (command !== undefined) return { kind: 'command', target: command[0]!, send: createRunner(command) };
  const { origin, pathname } = new URL(url!);
  return { kind: 'url', target: origin + pathname, send: createPoster(url!) };
}

/**
 * A write to a mount that hangs occupies a thread of the process and cannot be cancelled. So there is never more than one, and the next is
 * refused until it ends.
 */
function createFileSender(file: string): Send {
  let writing: Promise<void> | undefined;
  const append = async (line: string) => {
    const handle = await open(file, 'a', 0o600);
    try {
      await handle.write(line);
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
      const end = (cause?: Error | null) => {
        signal.removeEventListener('abort', stop);
        socket.close();
        if (cause) reject(cause);
        else resolve();
      };
      const stop = () => end(timedOut());
      signal.addEventListener('abort', stop, { once: true });
      socket.on('error', reject).send(syslogLine(checkpoint), Number(url.port), host, end);
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
        signal,
        killSignal: 'SIGKILL',
        stdio: ['pipe', 'ignore', 'ignore'],
        windowsHide: true,
      });
      child.stdin.on('error', () => {}); // a program that does not read decides by its exit code
      child.on('error', (cause) => reject(signal.aborted ? timedOut() : cause));
      child.on('close', (code, killed) => {
        if (code === 0) resolve();
        else reject(new Error(code === null ? `it ended with ${killed}` : `it ended with code ${code}`));
      });
      child.stdin.end(`${JSON.stringify(checkpoint)}\n`);
    });
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
