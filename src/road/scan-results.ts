import type { RecordDraft } from '../log/index.ts';
import { scanResultSteps } from '../scanner/index.ts';
import type { Caller } from '../contract/call.ts';
import type { Config } from '../contract/config.ts';
import { newId } from '../lib/clock.ts';
import { visibleLine } from '../lib/visible-text.ts';
import type { Log } from '../lib/log.ts';

/** What a tool has answered, or the error that its server gave. */
export interface Answered {
  server: string;
  tool: string;
  caller: Caller;
  /** The record of the call. */
  record: string;
  answer: unknown;
}

export interface ResultScanParts {
  config: () => Pick<Config, 'scan_results'>;
  record: (draft: RecordDraft) => void;
  log: Log;
}

const MOST_WAITING = 100;
const SLICE_MS = 5;

/**
 * Scans results for instructions to the model after they were returned. It only reports: a separate record refers to that of the call. When
 * results arrive faster than they can be scanned, it reports how many were skipped.
 */
export function createResultScan({ config, record, log }: ResultScanParts) {
  const waiting: Answered[] = [];
  let passedOver = 0;

  /** A long answer too is looked at a little at a time. */
  let underway: Generator<void, void> | undefined;

  function work(): void {
    const end = performance.now() + SLICE_MS;
    while (waiting.length > 0 && performance.now() < end) {
      underway ??= scan(waiting[0]!);
      if (!underway.next().done) continue;
      waiting.shift();
      underway = undefined;
    }
    if (waiting.length > 0) return void setImmediate(work);
    if (passedOver > 0) tellPassedOver();
  }

  function* scan({ server, tool, caller, record: id, answer }: Answered): Generator<void, void> {
    const findings = yield* scanResultSteps(answer);
    if (findings.length === 0) return;
    const found = findings.map(({ rule, path }) => ({ rule, path }));
    const why = [
      ...new Set(findings.map((finding) => `${finding.why} (at ${visibleLine(finding.path.slice(0, 100))})`)),
    ]
      .slice(0, 5)
      .join('; ');
    log.warn(
      { record: id, server, tool, findings: found },
      'a result has text that looks like an instruction to the model',
    );
    record({
      type: 'finding',
      source: 'system',
      server_name: server,
      tool_name: tool,
      request_id: caller.requestId,
      ...(caller.sessionId && { session_id: caller.sessionId }),
      metadata: {
        record: id,
        principal: caller.principal,
        findings: found,
        warnings: [`the result of record ${id} looks like an instruction to the model: ${why}`],
      },
    });
  }

  function tellPassedOver(): void {
    const warnings = [`${passedOver} results were not scanned: they arrived faster than they could be read`];
    log.warn({ answers: passedOver }, 'answers were not scanned');
    record({
      type: 'finding',
      source: 'system',
      request_id: newId(),
      metadata: { not_scanned: passedOver, warnings },
    });
    passedOver = 0;
  }

  return (answered: Answered): void => {
    if (config().scan_results === 'off') return;
    if (waiting.length >= MOST_WAITING) return void passedOver++;
    if (waiting.push(answered) === 1) setImmediate(work);
  };
}
