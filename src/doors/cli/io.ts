import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { ProxyError } from '../../contract/errors.ts';
import { selectRows, type Selection } from './select-rows.ts';

/** The process as commands see it. Tests replace it. */
export interface Io {
  out(text: string | Uint8Array): Promise<void>;
  err(text: string): void;
  stdin: AsyncIterable<Uint8Array | string>;
  env: Record<string, string | undefined>;
  /** The directory where the command was given. */
  cwd: string;
  /** Which streams are a terminal, and its width. */
  terminal: { in: boolean; out: boolean; err: boolean; columns: number };
  /** Calls back with the exit code when the command must end: Ctrl-C, SIGTERM or a closed stdout. */
  onInterrupt(listener: (exitCode: number) => void): () => void;
  ask(question: string): Promise<string>;
  /** The same without showing what is typed. */
  askSecret(question: string): Promise<string>;
  /** One key press, in lower case; '' once the signal has fired. For terminals only. */
  key(question: string, signal: AbortSignal): Promise<string>;
  /** The rows that a person chooses with the arrow keys; undefined if the question was skipped. For terminals only. */
  select(selection: Selection): Promise<number[] | undefined>;
  /** Lines of input: with editing and history on a terminal, unchanged otherwise. */
  lines(prompt: string, before?: readonly string[]): AsyncIterable<string>;
  now(): number;
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export function processIo(): Io {
  const interrupts = watchProcess();
  async function answerTo(question: string, output: NodeJS.WritableStream): Promise<string> {
    const isShown = output === process.stderr;
    if (!isShown) process.stderr.write(question);
    const lines = createInterface({ input: process.stdin, output, ...(!isShown && { terminal: true }) });
    // Ctrl-C at the prompt reaches readline instead of the process.
    lines.once('SIGINT', () => interrupts.fire(SIGNALS.SIGINT));
    try {
      // Ctrl-D closes the prompt without an answer.
      const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
      return await Promise.race([lines.question(isShown ? question : ''), closed]);
    } finally {
      lines.close();
      if (!isShown) process.stderr.write('\n');
    }
  }
  return {
    out: (text) => writeAll(process.stdout, text),
    err: (text) => void process.stderr.write(text),
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    get cwd() {
      return currentFolder();
    },
    terminal: {
      in: isatty(0),
      out: isatty(1),
      err: isatty(2),
      columns: process.stdout.columns || 80,
    },
    onInterrupt: (listener) => interrupts.on(listener),
    ask: (question) => answerTo(question, process.stderr),
    askSecret: (question) => answerTo(question, silent()),
    key: (question, signal) => pressedKey(question, signal, () => interrupts.fire(SIGNALS.SIGINT)),
    select: (selection) =>
      selectRows(selection, {
        input: process.stdin,
        output: process.stderr,
        interrupted: () => interrupts.fire(SIGNALS.SIGINT),
      }),
    lines: (prompt, before = []) => typedLines(prompt, before, () => interrupts.fire(SIGNALS.SIGINT)),
    now: () => Date.now(),
  };
}

/** Takes the echo of a prompt and shows nothing of it. */
function silent(): NodeJS.WritableStream {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

async function* typedLines(
  prompt: string,
  before: readonly string[],
  interrupted: () => void,
): AsyncGenerator<string> {
  const terminal = isatty(0) && isatty(2);
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal,
    prompt: terminal ? prompt : '',
    history: [...before].reverse(),
    historySize: 200,
    removeHistoryDuplicates: true,
  });
  // Ctrl-C clears the line; on an empty line it ends the command.
  lines.on('SIGINT', () => {
    if (lines.line === '') {
      process.stderr.write('\n');
      return interrupted();
    }
    lines.write(null, { ctrl: true, name: 'e' });
    lines.write(null, { ctrl: true, name: 'u' });
  });
  try {
    if (terminal) lines.prompt();
    for await (const line of lines) {
      yield line;
      if (terminal) lines.prompt();
    }
    if (terminal) process.stderr.write('\n');
  } finally {
    lines.close();
  }
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** Reads one key in raw mode. Discards keys that were pressed before the question was shown. */
async function pressedKey(question: string, signal: AbortSignal, interrupted: () => void): Promise<string> {
  const { stdin } = process;
  if (signal.aborted) return '';
  stdin.setRawMode(true);
  stdin.resume();
  while (stdin.read() !== null);
  process.stderr.write(question);
  try {
    const key = await new Promise<string>((resolve) => {
      stdin.once('data', (bytes: Buffer) => resolve(bytes.toString()));
      signal.addEventListener('abort', () => resolve(''), { once: true });
    });
    if (key === CTRL_C || key === CTRL_D) interrupted();
    return key.length === 1 ? key.toLowerCase() : '';
  } finally {
    stdin.removeAllListeners('data');
    stdin.setRawMode(false);
    stdin.pause();
    process.stderr.write('\n');
  }
}

/** Waits for the write, so that a slow reader causes backpressure. A closed pipe is not an error. */
function writeAll(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error && !isBrokenPipe(error) ? reject(error) : resolve()));
  });
}

function isBrokenPipe(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE';
}

function watchProcess() {
  const listeners = new Set<(exitCode: number) => void>();
  let fired = false;
  const fire = (exitCode: number) => {
    // Interrupted twice, or no listener that could clean up: exit now.
    if (fired || listeners.size === 0) process.exit(exitCode);
    fired = true;
    for (const listener of listeners) listener(exitCode);
  };
  const handlers = Object.entries(SIGNALS).map(([signal, exitCode]) => ({
    signal,
    handle: () => fire(exitCode),
  }));
  // `| head` closes stdout after reading enough: exit with success. Without a listener the command is about to end anyway, or a server
  // handles its own pipes.
  process.stdout.on('error', (error) => void (isBrokenPipe(error) && listeners.size > 0 && fire(0)));
  // A closed stderr must not stop a server.
  process.stderr.on('error', () => undefined);
  return {
    fire,
    on(listener: (exitCode: number) => void) {
      if (listeners.size === 0) for (const { signal, handle } of handlers) process.on(signal, handle);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) for (const { signal, handle } of handlers) process.off(signal, handle);
      };
    },
  };
}

/** A terminal, or a client, may stand in a folder that somebody has removed. */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new ProxyError(
      'USAGE',
      'The current directory no longer exists. Change to another one, then run the command again',
    );
  }
}
