import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { throttleReads } from '../../load/index.ts';
import { inTurn, jsonText, onOneLine, type Steps } from '../../json/index.ts';
import { guard, MARKER_PREFIX, unguard } from '../process/guardian.ts';
import { InOrder, LineSplitter, type LineSink } from '../../lib/message-stream.ts';
import { NOISE_MARK, type LogRing } from '../connection/log-ring.ts';
import { launch, type Child } from '../process/launch.ts';
import { endTree, killGroupNow } from '../process/process-tree.ts';
import { checkProgram, describeExit, describeSpawnError } from '../process/program.ts';
import {
  answerId,
  MAX_MESSAGE_BYTES,
  MESSAGE_LEVELS,
  parseMessagesSteps,
  type Parsed,
  type Unreadable,
} from '../../lib/rpc.ts';

export interface StdioOptions {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string | undefined;
  /** The names of variables that it inherits beyond the usual ones. */
  inherit?: readonly string[] | undefined;
  ring: LogRing;
  /** Gets each line instead of its messages: somebody else reads them. */
  onLine?: (text: string) => void;
  /** A message was not parsed because of its size or depth; with its id if that could be found. */
  onUnreadable?: (id: number | undefined, fault: Unreadable, bytes: number) => void;
}

const EXIT_GRACE_MS = 1500;
const TERM_GRACE_MS = 1500;
const KILL_GRACE_MS = 2000;
const LAST_OUTPUT_MS = 100;
const CLOSED_PIPE_MS = 500;
const MAX_UNREAD_BYTES = MAX_MESSAGE_BYTES;
const NOISE_BYTES = 200;
const ANNOUNCEMENT = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"/;
const DONE = Promise.resolve();

/** Process groups to kill when the proxy exits without having closed them. */
const running = new Set<number>();
process.on('exit', () => running.forEach(killGroupNow));

/**
 * MCP over the pipes of a child process: started without a shell in its own process group, and ended with everything it started. The
 * accessors `pid` and `stderr` tell the SDK's version negotiation that this is stdio, so it does not start a second process to probe.
 */
export class StdioTransport implements Transport, LineSink {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Why the process ended, once it has. */
  exitText = '';
  noise = 0;

  readonly stderr = null;
  readonly #options: StdioOptions;
  readonly #marker = `${MARKER_PREFIX}-${randomBytes(12).toString('hex')}`;
  readonly #lines = new LineSplitter(this, MAX_MESSAGE_BYTES);
  readonly #inOrder = new InOrder({
    steps: parseMessagesSteps,
    deliver: (parsed, text) => this.#take(parsed, text),
    source: () => this.#child?.stdout,
  });
  #child: Child | undefined;
  #exited: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #outbox = '';
  #flushing = false;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { command, cwd } = this.#options;
    checkProgram(command, cwd);
    const child = await inTurn(this.#launch());
    running.add(child.pid!);
    guard(child.pid!);
  }

  /** Starting a process blocks for milliseconds, so processes are started one by one. */
  *#launch(): Steps<Promise<Child>> {
    yield;
    if (this.#closing) throw new Error('the server was stopped before it was started');
    const { command, args, cwd, env, inherit, ring } = this.#options;
    ring.beginRun();
    const child = launch({ command, args, cwd, env, inherit, marker: this.#marker });
    this.#child = child;
    this.#listen(child);
    return new Promise((ok, fail) => {
      child.once('spawn', () => ok(child));
      child.once('error', (error) => fail(describeSpawnError(error, command)));
    });
  }

  /** All messages of one turn of the event loop are sent in one write. */
  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(new Error('the process is not running'));
    if (this.#outbox.length + stdin.writableLength > MAX_UNREAD_BYTES) {
      return Promise.reject(new Error('the process does not read its input'));
    }
    this.sendLine(onOneLine(jsonText(message, MESSAGE_LEVELS)));
    return DONE;
  }

  sendLine(line: string): void {
    this.#outbox += `${line}\n`;
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(this.#flush);
  }

  /** Reads no more until the reader has caught up. */
  pauseFor(reader: Writable): void {
    const output = this.#child?.stdout;
    if (!output || output.isPaused()) return;
    const resume = () => {
      reader.off('drain', resume).off('close', resume);
      output.resume();
    };
    output.pause();
    reader.once('drain', resume).once('close', resume);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  line(text: string, isValid: boolean): void {
    if (text.length <= 1 && text.trim() === '') return;
    if (this.#options.onLine) this.#options.onLine(text);
    else this.#inOrder.push(text, isValid);
  }

  #take(parsed: Parsed, text: string): void {
    if ('messages' in parsed) {
      for (const message of parsed.messages) this.onmessage?.(message as JSONRPCMessage);
    } else if (parsed.fault !== 'garbage') {
      this.#options.onUnreadable?.(answerId(text.slice(0, 256), text.slice(-256)), parsed.fault, text.length);
    } else {
      this.#logNoise(text);
    }
  }

  oversize({ head, tail, bytes }: { head: string; tail: string; bytes: number }): void {
    // Nobody waits for a notification, so it is skipped.
    if (ANNOUNCEMENT.test(head)) return;
    this.#options.onUnreadable?.(answerId(head, tail), 'too_large', bytes);
  }

  endless({ head, tail, bytes }: { head: string; tail: string; bytes: number }): void {
    this.#options.onUnreadable?.(answerId(head, tail), 'too_large', bytes);
    this.exitText = `the process was ended after an unfinished message of more than ${bytes} bytes`;
    void this.close();
  }

  #listen(child: Child): void {
    child.stdout.on('data', (chunk: Buffer) => {
      const began = performance.now();
      this.#inOrder.begin();
      this.#lines.push(chunk);
      // While messages wait to be parsed, the stream is paused already.
      if (!this.#inOrder.reading) throttleReads(child.stdout, performance.now() - began);
    });
    child.stderr.on('data', (chunk: Buffer) => this.#options.ring.push(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream.on('error', (error) => this.onerror?.(error));
    child.stdout.once('end', () => this.#onPipeClosed('output'));
    child.stdin.once('error', () => this.#onPipeClosed('input'));
    this.#exited = new Promise((done) => {
      child.once('error', () => child.pid === undefined && done());
      child.once('exit', (code, signal) => {
        // An exit that the proxy caused is not a reason.
        const isOwn = !this.#closing;
        // A grandchild may keep the pipes open forever; the output of the process itself arrives quickly.
        const finish = async (): Promise<void> => {
          await this.#inOrder.reading;
          // The last lines of stderr may arrive after the exit.
          if (isOwn) this.exitText ||= describeExit(code, signal, this.#options.ring.explanation());
          done();
          void this.close();
        };
        child.once('close', () => void finish());
        setTimeout(() => void finish(), LAST_OUTPUT_MS);
      });
    });
  }

  /** A process with a closed pipe is useless. Usually it is exiting and reports that itself, so it gets a moment. */
  #onPipeClosed(pipe: 'input' | 'output'): void {
    setTimeout(() => {
      if (this.#closing) return;
      this.exitText ||= `the process closed its standard ${pipe}, and was ended`;
      void this.close();
    }, CLOSED_PIPE_MS).unref();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#flush();
    // Immediately: waiting calls must fail now, not when the last grandchild has ended.
    this.onclose?.();
    if (child?.pid === undefined) return;
    child.stdin.end();
    const gone = await this.#exitWithin(EXIT_GRACE_MS);
    const survivors = await endTree(
      { pid: child.pid, marker: this.#marker },
      { graceMs: gone ? TERM_GRACE_MS / 3 : TERM_GRACE_MS, killMs: KILL_GRACE_MS },
    );
    await this.#exitWithin(KILL_GRACE_MS);
    running.delete(child.pid);
    if (survivors.length === 0) unguard(child.pid);
    if (survivors.length > 0)
      this.onerror?.(new Error(`processes ${survivors.join(', ')} could not be ended`));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  async #exitWithin(limitMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((done) => (timer = setTimeout(done, limitMs, false)));
    return Promise.race([this.#exited!.then(() => true), late]).finally(() => clearTimeout(timer));
  }

  readonly #flush = (): void => {
    this.#flushing = false;
    const data = this.#outbox;
    this.#outbox = '';
    if (data !== '' && this.#child?.stdin.writable) this.#child.stdin.write(data);
  };

  #logNoise(text: string): void {
    this.noise++;
    // A flood of such lines must not push out the server's own log.
    if (this.noise <= 20) this.#options.ring.note(NOISE_MARK + text.slice(0, NOISE_BYTES));
  }
}
