import type { Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { LogRing } from '../connection/log-ring.ts';
import type { Negotiated } from '../connection/negotiate-stdio.ts';
import { StdioTransport } from '../transport/stdio-transport.ts';
import { control, routeOf, STRIDE, type FromHost, type Program } from './frames.ts';

/** A worker that uses the program. */
export interface Member {
  socket: Socket;
  slot: number;
  /** Requests of it that the server has not answered. */
  pending: Set<number>;
  watches: Set<string>;
}

/** What a worker that is replaced finds when it comes back. */
const LINGER_MS = 5_000;
/** A worker reads slowly: the server waits, instead of our memory growing. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

/** One program of a server, used by several workers: it is started once, greeted once, and ended when the last one has left. */
export class HostedProgram {
  readonly #members = new Map<number, Member>();
  /** The highest id that was used in each slot: an answer to a worker that has died must not reach its successor. */
  readonly #used: number[] = [];
  /** Workers that come while the first one makes the handshake. */
  readonly #waiting = new Set<Member>();
  readonly #asked = new Set<string | number>();
  readonly #transport: StdioTransport;
  readonly #onEnded: () => void;
  readonly #started: Promise<void>;
  #opened: Negotiated | undefined;
  #leader: Member | undefined;
  #linger: NodeJS.Timeout | undefined;
  #tail = Buffer.alloc(0);
  #hasEnded = false;

  constructor(program: Program, { clock, onEnded }: { clock: Clock; onEnded: () => void }) {
    this.#onEnded = onEnded;
    this.#transport = new StdioTransport({
      ...program,
      ring: new ToldRing(clock, (chunk) => this.#stderr(chunk)),
      onLine: (text) => this.#fromServer(text),
      onUnreadable: (id, fault, bytes) => this.#unreadable({ id, fault, bytes }),
    });
    Object.assign(this.#transport, { onclose: () => this.#end(this.#transport.exitText) });
    this.#started = this.#transport.start();
    this.#started.catch((error: Error) => this.#end(error.message));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async attach(socket: Socket): Promise<Member | undefined> {
    const slot = this.#freeSlot();
    if (slot === undefined) return void socket.end(control({ ended: 'too many workers use the program' }));
    const member: Member = { socket, slot, pending: new Set(), watches: new Set() };
    clearTimeout(this.#linger);
    this.#members.set(slot, member);
    await this.#started.catch(() => undefined);
    if (this.#hasEnded || !this.#members.has(slot)) return undefined;
    if (this.#tail.length > 0) tell(member, { stderr: this.#tail.toString('base64') });
    if (this.#leader && !this.#opened) this.#waiting.add(member);
    else this.#greet(member);
    return member;
  }

  opened(by: Member, result: Negotiated): void {
    if (by !== this.#leader || this.#opened) return;
    this.#opened = result;
    for (const member of this.#waiting) this.#greet(member);
    this.#waiting.clear();
  }

  passOn(by: Member, id: number, line: string): void {
    if (id % STRIDE !== by.slot) return;
    this.#used[by.slot] = Math.max(this.#used[by.slot] ?? 0, id);
    by.pending.add(id);
    this.#transport.sendLine(line);
  }

  notify(line: string): void {
    this.#transport.sendLine(line);
  }

  /** All workers have the request of the server; the first answer counts. */
  answer(id: string | number, line: string): void {
    if (this.#asked.delete(id)) this.#transport.sendLine(line);
  }

  unwatch(by: Member, { unwatch: uri, id, line }: { unwatch: string; id: number; line: string }): void {
    by.watches.delete(uri);
    const isWatched = [...this.#members.values()].some(({ watches }) => watches.has(uri));
    if (isWatched) by.socket.write(`={"jsonrpc":"2.0","id":${id},"result":{}}\n`);
    else this.passOn(by, id, line);
  }

  /** `isFinal`: the worker needs the program no more. Otherwise it has died, and what it has asked for is cancelled. */
  detach(member: Member, isFinal: boolean): void {
    if (this.#members.get(member.slot) !== member) return;
    this.#members.delete(member.slot);
    this.#waiting.delete(member);
    member.socket.destroy();
    if (this.#hasEnded) return;
    for (const requestId of member.pending)
      this.notify(
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
      );
    const isHalfOpen = member === this.#leader && !this.#opened;
    if (isHalfOpen) void this.close('the handshake was broken off');
    else if (this.#members.size === 0) this.#endLater(isFinal);
  }

  async close(reason: string): Promise<void> {
    this.#end(reason);
    await this.#transport.close();
  }

  #endLater(isFinal: boolean): void {
    if (isFinal) return void this.close('no worker uses the program');
    this.#linger = setTimeout(() => void this.close('no worker uses the program'), LINGER_MS);
  }

  #greet(member: Member): void {
    this.#leader ??= member;
    const { slot } = member;
    const first = Math.floor((this.#used[slot] ?? 0) / STRIDE) + 1;
    const opened = this.#opened && { opened: this.#opened };
    tell(member, { attached: { slot, first, pid: this.#transport.pid ?? 0, ...opened } });
  }

  #freeSlot(): number | undefined {
    for (let slot = 0; slot < STRIDE; slot++) if (!this.#members.has(slot)) return slot;
    return undefined;
  }

  #fromServer(text: string): void {
    const route = routeOf(text);
    if (!('all' in route)) {
      const id = 'answer' in route ? route.answer : route.about;
      const member = this.#members.get(id % STRIDE);
      if ('answer' in route) member?.pending.delete(id);
      return this.#write(member, text);
    }
    if (route.asks !== undefined) this.#asked.add(route.asks);
    for (const member of this.#members.values()) this.#write(member, text);
  }

  #write(member: Member | undefined, text: string): void {
    if (!member) return;
    const { socket } = member;
    socket.write(`=${text}\n`);
    if (socket.writableLength > MAX_UNREAD_BYTES) this.#transport.pauseFor(socket);
  }

  #stderr(chunk: Buffer): void {
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES);
    const stderr = chunk.toString('base64');
    // A worker that does not read misses log lines, instead of our memory growing.
    for (const member of this.#members.values())
      if (member.socket.writableLength <= MAX_UNREAD_BYTES) tell(member, { stderr });
  }

  #unreadable(unreadable: Extract<FromHost, { unreadable: unknown }>['unreadable']): void {
    const { id } = unreadable;
    const member = id === undefined ? undefined : this.#members.get(id % STRIDE);
    if (member) tell(member, { unreadable });
    else if (id === undefined) this.#tellAll({ unreadable });
  }

  #tellAll(what: FromHost): void {
    for (const member of this.#members.values()) tell(member, what);
  }

  #end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#linger);
    for (const { socket } of this.#members.values()) socket.end(control({ ended: reason }));
    this.#members.clear();
    this.#onEnded();
  }
}

function tell({ socket }: Member, what: FromHost): void {
  socket.write(control(what));
}

/** What the program writes to stderr goes to the workers too. */
class ToldRing extends LogRing {
  readonly #tell: (chunk: Buffer) => void;

  constructor(clock: Clock, say: (chunk: Buffer) => void) {
    super(clock);
    this.#tell = say;
  }

  override push(chunk: Buffer): void {
    super.push(chunk);
    this.#tell(chunk);
  }
}
