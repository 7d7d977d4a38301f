export interface SystemCall {
  name: string;
  path: string;
  text: string;
  start: number;
  end: number;
  ok: boolean;
}

export interface Judgement {
  answers: number;
  /** Calls that were seen on their way to the server. */
  dispatched: number;
  records: number;
  syncs: number;
  violations: string[];
}

/** One microsecond, the precision of strace's clock. */
const CLOCK = 1e-6;

/**
 * Reads a trace of strace -f -ttt -T -yy. An answer is in order when a sync of the log lies whole between its record and itself; so is a
 * change on its way to the server.
 */
export function judgeTrace(
  trace: string,
  logPath: string,
  nonce: RegExp,
  isChange: (nonce: string) => boolean,
): Judgement {
  const written = new Map<string, number>();
  const answered = new Map<string, number>();
  const dispatched = new Map<string, number>();
  const syncs: SystemCall[] = [];
  for (const call of systemCalls(trace)) {
    const isLog = call.path.includes(logPath);
    if (call.name.endsWith('sync')) {
      if (isLog && call.ok) syncs.push(call);
      continue;
    }
    for (const [found] of call.text.matchAll(nonce)) {
      if (isLog && !written.has(found)) written.set(found, call.end);
      else if (/TCP/.test(call.path) && !answered.has(found)) answered.set(found, call.start);
      else if (/UNIX|pipe/.test(call.path) && !dispatched.has(found)) dispatched.set(found, call.start);
    }
  }
  const violations: string[] = [];
  const expectSynced = (found: string, before: number, what: string) => {
    const at = written.get(found);
    const synced =
      at !== undefined && syncs.some(({ start, end }) => start >= at - CLOCK && end <= before + CLOCK);
    if (!synced)
      violations.push(
        `${found}: ${what} ${at === undefined ? 'without a record' : 'before a sync had returned'}`,
      );
  };
  for (const [found, sent] of answered) expectSynced(found, sent, 'answered');
  for (const [found, sent] of dispatched)
    if (isChange(found)) expectSynced(found, sent, 'sent to the server');
  return {
    answers: answered.size,
    dispatched: dispatched.size,
    records: written.size,
    syncs: syncs.length,
    violations,
  };
}

/** Calls that another thread interrupted stand on two lines; they are put together, and take their place by their start. */
export function* systemCalls(trace: string): Generator<SystemCall> {
  const begun = new Map<string, { start: number; text: string }>();
  for (const line of trace.split('\n')) {
    const [, thread, time, rest] = /^(\d+)\s+(\d+\.\d+)\s+(.*)$/.exec(line) ?? [];
    if (thread === undefined || time === undefined || rest === undefined) continue;
    const start = Number(time);
    if (rest.endsWith('<unfinished ...>')) begun.set(thread, { start, text: rest });
    else if (rest.startsWith('<... ')) {
      const first = begun.get(thread);
      begun.delete(thread);
      if (first) yield* callOf(first.text, rest, first.start, start);
    } else yield* callOf(rest, rest, start, start + took(rest));
  }
}

function* callOf(text: string, result: string, start: number, end: number): Generator<SystemCall> {
  const [, name, path] = /^(\w+)\(\d+<(.*?)>(?:,|\)| <unfinished)/s.exec(text) ?? [];
  if (name !== undefined && path !== undefined)
    yield { name, path, text, start, end, ok: !/ = -1 /.test(result) };
}

function took(text: string): number {
  return Number(/<(\d+\.\d+)>$/.exec(text)?.[1] ?? 0);
}
