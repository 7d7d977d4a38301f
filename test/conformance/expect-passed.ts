import { expect } from 'vitest';
import type { List } from './scenarios.ts';
import type { Check, SuiteRun } from './suite.ts';

/** Everything that the suite said of a list must be what the list says: no fault that is not excused, no excuse without a fault. */
export function expectPassed(list: List, { checks, exitCode, output }: SuiteRun): void {
  const { scenarios, excused = {}, mayWarn = {} } = list;
  expect(Object.keys(checks).sort(), output).toEqual(Object.keys(scenarios).sort());
  const faults = Object.entries(checks).flatMap(([scenario, all]) =>
    all.filter(isFault).map(named(scenario)),
  );
  const tolerated = ({ name, status }: Fault) => status === 'WARNING' && name in mayWarn;
  const unexpected = faults.filter((fault) => !(fault.name in excused) && !tolerated(fault));
  expect(unexpected, output).toEqual([]);
  const names = faults.map(({ name }) => name);
  expect(
    Object.keys(excused).filter((name) => !names.includes(name)),
    'excused, but not at fault',
  ).toEqual([]);
  const few = Object.entries(scenarios).filter(([name, least]) => successes(checks[name]!) < least);
  expect(few, `fewer checks than before\n${output}`).toEqual([]);
  expect(exitCode, output).toBe(faults.some(({ status }) => status === 'FAILURE') ? 1 : 0);
}

interface Fault {
  name: string;
  status: Check['status'];
  said: string | undefined;
}

const named =
  (scenario: string) =>
  ({ id, status, errorMessage }: Check): Fault => ({
    name: `${scenario}:${id}`,
    status,
    said: errorMessage,
  });
const isFault = ({ status }: Check) => status === 'FAILURE' || status === 'WARNING';
const successes = (checks: Check[]) => checks.filter(({ status }) => status === 'SUCCESS').length;
