import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../contract/errors.ts';
import { CHECKS } from './checks.ts';
import { ROAD } from './road.ts';

const FILES: Record<string, string[]> = {
  'admission at the door': ['../load/admission.ts'],
  'open the record': [],
  parse: ['steps/parse.ts'],
  scope: ['scope.ts'],
  'look-up': ['steps/look-up.ts'],
  offered: ['steps/offered.ts'],
  'operation scope': ['scope.ts'],
  intent: ['steps/intent.ts'],
  'server hints': ['steps/server-hints.ts'],
  arguments: ['steps/arguments.ts'],
  'request state': ['steps/request-state.ts'],
  'durable record': ['steps/durable-record.ts'],
  flows: ['steps/flows.ts'],
  approval: ['../approval/answers.ts'],
  admission: ['../load/admission.ts'],
  'turn check': ['steps/turn.ts'],
  dispatch: ['../upstream/dispatch/failures.ts', '../upstream/dispatch/dispatched-call.ts'],
  result: ['steps/result.ts'],
  'close the record': ['steps/close-record.ts'],
};

/** Codes that a file throws by name. */
const thrownBy = (file: string) =>
  [...readFileSync(new URL(file, import.meta.url), 'utf8').matchAll(/ProxyError\(\s*'([A-Z_]+)'/g)].map(
    (match) => match[1]!,
  );

describe('the list of steps', () => {
  test('has a name and a sentence for each, and no name twice', () => {
    const names = ROAD.map((step) => step.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(Object.keys(FILES));
    expect(ROAD.filter((step) => step.does.length < 20)).toEqual([]);
  });

  test.each(ROAD.map((step) => [step.name, step] as const))(
    '%s names every refusal that it gives',
    (name, step) => {
      expect(step.refusals.filter((code) => !(code in ERRORS))).toEqual([]);
      const isNamed = (code: string) => (step.refusals as readonly string[]).includes(code);
      // The second admission also hears that the caller has gone, which the first one cannot.
      const known = name === 'admission at the door' ? ['CANCELLED'] : [];
      expect(
        FILES[name]!.flatMap(thrownBy).filter((code) => !isNamed(code) && !known.includes(code)),
      ).toEqual([]);
    },
  );

  test('begins and ends with the record; every check comes before the call is sent, and nothing is sent before its record', () => {
    const names = ROAD.map((step) => step.name);
    const at = (name: string) => names.indexOf(name);
    expect(names.at(1)).toBe('open the record');
    expect(names.at(-1)).toBe('close the record');
    for (const check of CHECKS) expect(at(check.name)).toBeLessThan(at('durable record'));
    expect(at('durable record')).toBeLessThan(at('approval'));
    expect(at('approval')).toBeLessThan(at('turn check'));
    expect(at('turn check')).toBeLessThan(at('dispatch'));
  });
});
