import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { LineSplitter } from '../../lib/message-stream.ts';
import { MAX_MESSAGE_BYTES } from '../../lib/rpc.ts';
import { HostedProgram, type Member } from './hosted-program.ts';
import { control, type Attach, type ToHost } from './frames.ts';

/** Owns the programs of stdio servers for all workers of this machine. */
export interface ProgramHost {
  /** Ends all programs. */
  close(): Promise<void>;
}

export type HostPrograms = typeof hostPrograms;

const FRAME_BYTES = MAX_MESSAGE_BYTES + 1024;

/** Workers reach it at a socket that only the owner of the process can open. It sends nothing by itself: it passes on lines. */
export async function hostPrograms(
  path: string,
  { clock, log }: { clock: Clock; log: Log },
): Promise<ProgramHost> {
  const programs = new Map<string, HostedProgram>();
  const sockets = new Set<Socket>();

  async function programFor({ key, isFresh, ...program }: Attach['attach']): Promise<HostedProgram> {
    const present = programs.get(key);
    if (present && isFresh) await present.close('the server is started again');
    const found = programs.get(key);
    if (found && !found.hasEnded) return found;
    const made: HostedProgram = new HostedProgram(program, {
      clock,
      onEnded: () => programs.get(key) === made && programs.delete(key),
    });
    programs.set(key, made);
    return made;
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serveWorker(socket, programFor, log);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, resolve);
  });
  chmodSync(path, 0o600);
  return {
    async close() {
      server.close();
      await Promise.all([...programs.values()].map((program) => program.close('the proxy stops')));
      for (const socket of sockets) socket.destroy();
    },
  };
}

type ProgramFor = (attach: Attach['attach']) => Promise<HostedProgram>;

function serveWorker(socket: Socket, programFor: ProgramFor, log: Log): void {
  let used: { program: HostedProgram; member: Member } | undefined;
  let isFinal = false;

  async function attach(wanted: Attach['attach']): Promise<void> {
    const program = await programFor(wanted);
    const member = await program.attach(socket);
    if (!member) return;
    used = { program, member };
    if (socket.destroyed) program.detach(member, isFinal);
  }

  function obey(frame: ToHost): void {
    if ('attach' in frame)
      return void attach(frame.attach).catch((error: Error) => {
        log.error({ err: error }, 'a program cannot be shared among workers');
        socket.end(control({ ended: error.message }));
      });
    if (!used) return;
    const { program, member } = used;
    if ('opened' in frame) program.opened(member, frame.opened);
    else if ('watch' in frame) member.watches.add(frame.watch);
    else if ('unwatch' in frame) program.unwatch(member, frame);
    else {
      isFinal = true;
      program.detach(member, true);
    }
  }

  function line(text: string): void {
    const kind = text[0];
    if (kind === '#') return obey(JSON.parse(text.slice(1)) as ToHost);
    if (!used) return;
    const { program, member } = used;
    if (kind === '=') return program.notify(text.slice(1));
    const space = text.indexOf(' ');
    const id = JSON.parse(text.slice(1, space)) as string | number;
    const message = text.slice(space + 1);
    if (kind === '?') program.passOn(member, Number(id), message);
    else program.answer(id, message);
  }

  const lines = new LineSplitter(
    { line, oversize: () => socket.destroy(), endless: () => socket.destroy() },
    FRAME_BYTES,
  );
  socket.on('data', (chunk) => lines.push(chunk));
  socket.on('error', () => socket.destroy());
  socket.once('close', () => used?.program.detach(used.member, isFinal));
}
