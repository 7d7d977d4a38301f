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

export interface TraceSubject {
  /** The file of the activity log. */
  logPath: string;
  /** Finds the marks of calls in what was read and written. */
  nonce: RegExp;
  /** Whether the call with this mark changes something. */
  isChange: (nonce: string) => boolean;
}

/** When each call was first written to the log, sent to the server and answered; and the syncs of the log. */
interface Timeline {
  written: Map<string, number>;
  dispatched: Map<string, number>;
  answered: Map<string, number>;
  syncs: SystemCall[];
}

/**
 * Reads a trace of strace -f -ttt -T -yy. An answer is in order if a sync of the log lies completely between its record and the answer; the
 * same applies to a change that is sent to the server.
 */
export function judgeTrace(trace: string, subject: TraceSubject): Judgement {
  const { written, dispatched, answered, syncs } = timelineOf(trace, subject);
  const violations: string[] = [];
  const expectSynced = (found: string, before: number, what: string) => {
    const at = written.get(found);
    const isSynced =
      at !== undefined && syncs.some(({ start, end }) => start >= at - CLOCK && end <= before + CLOCK);
    const why = at === undefined ? 'without a record' : 'before a sync had returned';
    if (!isSynced) violations.push(`${found}: ${what} ${why}`);
  };
  for (const [found, sent] of answered) expectSynced(found, sent, 'answered');
  for (const [found, sent] of dispatched)
    if (subject.isChange(found)) expectSynced(found, sent, 'sent to the server');
  return {
    answers: answered.size,
    dispatched: dispatched.size,
    records: written.size,
    syncs: syncs.length,
    violations,
  };
}

function timelineOf(trace: string, { logPath, nonce }: TraceSubject): Timeline {
  const timeline: Timeline = { written: new Map(), dispatched: new Map(), answered: new Map(), syncs: [] };
  const { written, dispatched, answered, syncs } = timeline;
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
  return timeline;
}

/** A call that another thread interrupted is on two lines; they are joined. */
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
      if (first) yield* callOf(first.text, rest, { start: first.start, end: start });
    } else yield* callOf(rest, rest, { start, end: start + took(rest) });
  }
}

function* callOf(text: string, result: string, time: { start: number; end: number }): Generator<SystemCall> {
  const [, name, path] = /^(\w+)\(\d+<(.*?)>(?:,|\)| <unfinished)/s.exec(text) ?? [];
  if (name !== undefined && path !== undefined)
    yield { name, path, text, ...time, ok: !/ = -1 /.test(result) };
}

function took(text: string): number {
  return Number(/<(\d+\.\d+)>$/.exec(text)?.[1] ?? 0);
}
