import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { clientName, createAnswers } from './answers.ts';

test('a client is known by the beginning of its name', () => {
  expect(clientName({ name: 'x', version: '1' })).toBe('x/1');
  expect(clientName({ name: 'x'.repeat(300), version: '1' })).toBe('x'.repeat(200));
  expect(clientName({ version: '1' })).toBeUndefined();
});

test('the name of a client keeps nothing else in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const names = Array.from({ length: 50 }, (_, i) => {
    const name = Buffer.alloc(1_000_000, String(i).padStart(2, '0')).toString();
    return clientName({ name, version: '1' });
  });
  expect(used() - before).toBeLessThan(10_000_000);
  expect(names).toHaveLength(50);
});

test('Copilot CLI is told of no list that changes, except in direct mode; other clients are', () => {
  const answers = createAnswers({
    listTools: () => ({ tools: [] }),
    instructions: '',
    version: '1',
    hasItems: true,
    hasTasks: true,
  });
  const changing = (mode: 'search' | 'direct' | 'both', client: string | undefined): string[] =>
    Object.entries(answers.discover(mode, client).capabilities as Record<string, object>)
      .filter(([, value]) => 'listChanged' in value)
      .map(([name]) => name);
  const all = ['tools', 'prompts', 'resources'];
  expect(changing('search', 'copilot-cli/1.0.102')).toEqual([]);
  expect(answers.discover('search', 'copilot-cli').capabilities).toMatchObject({
    tools: {},
    prompts: {},
    resources: { subscribe: true },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  });
  expect(changing('direct', 'copilot-cli/1.0.102')).toEqual(all);
  expect(changing('both', 'copilot-cli/1.0.102')).toEqual(all);
  expect(changing('search', 'copilot-client/1')).toEqual(all);
  expect(changing('search', undefined)).toEqual(all);
});
