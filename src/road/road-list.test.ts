import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { createArgumentChecker } from '../catalog/index.ts';
import { catalogTool } from '../../test/fixtures/catalog-tool.ts';
import { Config } from '../contract/config.ts';
import { ERRORS, ProxyError } from '../contract/errors.ts';
import { createPolicy } from '../approval/index.ts';
import { CHECKS } from './checks.ts';
import { createExplain } from './explain.ts';
import { ROAD } from './road.ts';

/** Where each step throws its refusals. In a file with several steps, its part goes from the step to the next one. */
const FILES: Record<string, string[]> = {
  'admission at the door': ['../load/admission.ts'],
  'open the record': ['steps/record.ts'],
  parse: ['steps/parse.ts'],
  scope: ['scope.ts', 'steps/scope.ts'],
  'server start': ['steps/look-up.ts'],
  'look-up': ['steps/look-up.ts'],
  offered: ['steps/look-up.ts'],
  'operation scope': ['scope.ts', 'steps/scope.ts'],
  intent: ['steps/intent.ts'],
  'server hints': ['steps/server-hints.ts'],
  arguments: ['steps/arguments.ts'],
  'request state': ['steps/request-state.ts'],
  'durable record': ['steps/record.ts'],
  flows: ['steps/flows.ts'],
  approval: ['../approval/approval-errors.ts'],
  admission: ['../load/admission.ts'],
  'turn check': ['steps/dispatch.ts'],
  dispatch: ['steps/dispatch.ts', '../upstream/dispatch/failures.ts', '../upstream/dispatch/dispatch.ts'],
  result: ['steps/dispatch.ts'],
  'close the record': ['steps/record.ts'],
};

/** Codes that a file throws by name, in the part of this step. */
function thrownBy(file: string, step: string): string[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const parts = text.split(/\nexport const (?=\w+(?:: Step = | = check\()\{)/);
  const part = parts.length > 2 ? parts.find((each) => each.includes(`  name: '${step}',`)) : text;
  expect(part, `${file} has the step ${step}`).toBeDefined();
  return [...part!.matchAll(/ProxyError\(\s*'([A-Z_]+)'/g)].map((match) => match[1]!);
}

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
        FILES[name]!.flatMap((file) => thrownBy(file, name)).filter(
          (code) => !isNamed(code) && !known.includes(code),
        ),
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

describe('explain', () => {
  const tool = catalogTool('srv', 'get');
  const parts: Parameters<typeof createExplain>[0] = {
    config: () => Config.parse({}),
    catalog: { get: () => tool, nearest: () => [] },
    argumentChecker: createArgumentChecker(),
    approvals: { policy: () => createPolicy([]), ttlMs: () => 1000, grantFor: async () => undefined },
  };
  const explain = createExplain(parts);
  const previewed = ROAD.filter((step) => step.preview);

  test('walks the list of steps in its order; each check is its own preview', async () => {
    expect(previewed.map(({ name }) => name)).toEqual([
      'parse',
      ...CHECKS.map(({ name }) => name),
      'approval',
    ]);
    for (const check of CHECKS) expect(check.preview).toBe(check.run);
    const ran: string[] = [];
    const spies = previewed.map((step) => {
      const original = step.preview!.bind(step);
      return vi.spyOn(step, 'preview').mockImplementation((call, parts) => {
        ran.push(step.name);
        return original(call, parts);
      });
    });
    expect(await explain({ tool: 'srv:get' })).toMatchObject({ outcome: 'allow' });
    for (const spy of spies) spy.mockRestore();
    expect(ran).toEqual(previewed.map(({ name }) => name));
  });

  test('without arguments none are checked, and it says so', async () => {
    const inputSchema = { type: 'object' as const, required: ['path'] };
    const strict = catalogTool('srv', 'get', { definition: { name: 'get', inputSchema } });
    const catalog = { get: () => strict, nearest: () => [] };
    const explainStrict = createExplain({ ...parts, catalog });
    expect(await explainStrict({ tool: 'srv:get' })).toMatchObject({
      outcome: 'allow',
      arguments_checked: false,
    });
    expect(await explainStrict({ tool: 'srv:get', args: {} })).toMatchObject({
      code: 'INVALID_TOOL_ARGUMENTS',
      arguments_checked: true,
    });
  });

  test.each(previewed.map((step) => [step.name, step] as const))('ends where %s refuses', async (_, step) => {
    const spy = vi.spyOn(step, 'preview').mockImplementation(() => {
      throw new ProxyError(step.refusals[0]!, `refused by ${step.name}`);
    });
    const explained = await explain({ tool: 'srv:get' });
    spy.mockRestore();
    expect(explained).toMatchObject({
      outcome: 'refuse',
      code: step.refusals[0],
      why: `refused by ${step.name}`,
    });
  });
});
