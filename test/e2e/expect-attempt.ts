import { expect } from 'vitest';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import { operationOf } from '../../src/contract/operation.ts';
import { jsonLines } from '../fixtures/execution-log.ts';
import type { Attempt, Stage } from './stage.ts';
import { poll } from './start-proxy.ts';

export interface Refusal {
  code: string;
  message: string;
  details?: Record<string, unknown>;
}

/** Said no in words and in data, never reached the upstream, and left exactly one record. */
export function expectRefused(attempt: Attempt, { code, message, details }: Refusal): ActivityRecord {
  const { result, executions, records, variant } = attempt;
  expect(result.isError).toBe(true);
  expect(result.content).toEqual([{ type: 'text', text: message }]);
  expect(result.structuredContent).toEqual({
    error: { code, message, details: details ?? expect.any(Object) },
  });
  expect(executions).toBe(0);
  expect(records).toHaveLength(1);
  expect(records[0]).toMatchObject({
    type: 'tool_call',
    status: 'refused',
    error_code: code,
    error_message: message,
    metadata: { tool_variant: variant },
  });
  expect(records[0]).not.toHaveProperty('response');
  return records[0]!;
}

/** Ran exactly once, came back untouched, and left exactly one record with exactly these warnings. */
export function expectAllowed(attempt: Attempt, warnings?: string[]): ActivityRecord {
  const { mark, result, executions, records, variant } = attempt;
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ text: mark }) }]);
  expect(result.isError).toBeUndefined();
  expect(executions).toBe(1);
  expect(records).toHaveLength(1);
  expect(records[0]).toMatchObject({
    type: 'tool_call',
    source: 'mcp',
    status: 'success',
    operation_type: operationOf(variant),
    arguments: { text: mark },
    metadata: { tool_variant: variant, intent: { operation_type: operationOf(variant) } },
  });
  expect(records[0]!.metadata.warnings).toEqual(warnings);
  return records[0]!;
}

/** The line that a warning leaves on stderr, found by the record it belongs to. */
export async function loggedWarnings({ proxy }: Stage, recordId: string): Promise<string[]> {
  const line = await poll('the warning on stderr', proxy.stderr, () =>
    jsonLines<LogLine>(proxy.stderr()).find(({ record }) => record === recordId),
  );
  expect(line).toMatchObject({ level: 'warn', msg: 'call allowed with a warning' });
  return line.warnings;
}

interface LogLine {
  record?: string;
  warnings: string[];
}
