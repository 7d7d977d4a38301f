import { expect, test } from 'vitest';
import type { HeldTool } from '../../../catalog/index.ts';
import { riskOf } from './tool-risk.ts';

const tool = (name: string, more: Partial<HeldTool> = {}): HeldTool => ({
  name,
  enforced: null,
  inferred: 'read',
  annotated: false,
  decided: false,
  ...more,
});

test('tools that may be called as less than they look come first: by severity, then by use', () => {
  const { cells, tools } = riskOf(
    [
      tool('a:list', { enforced: 'read', annotated: true }),
      tool('a:drop', { inferred: 'destructive' }),
      tool('a:purge', { enforced: 'read', inferred: 'destructive', annotated: true }),
      tool('a:save', { inferred: 'write' }),
      tool('a:look'),
      tool('a:known', { enforced: 'read', inferred: 'destructive', decided: true }),
      tool('a:wipe', { enforced: 'destructive', inferred: 'destructive' }),
    ],
    { 'a:list': 900, 'a:drop': 3, 'a:purge': 40, 'a:save': 500, 'a:wipe': 7, 'a:gone': 5 },
  );
  expect(tools.map(({ name, calls }) => [name, calls])).toEqual([
    ['a:purge', 40],
    ['a:drop', 3],
    ['a:save', 500],
    ['a:list', 900],
    ['a:wipe', 7],
    ['a:known', 0],
    ['a:look', 0],
  ]);
  expect(cells).toContainEqual({ enforced: 'read', inferred: 'destructive', tools: 2, calls: 40 });
  expect(cells.reduce((sum, cell) => sum + cell.tools, 0)).toBe(7);
});

test('a tool named like a property of every object has no calls', () => {
  expect(riskOf([tool('constructor')], {}).tools[0]!.calls).toBe(0);
});

test('all tools are counted, the riskiest are listed', () => {
  const many = Array.from({ length: 500 }, (_, n) => tool(`a:t${n}`, { enforced: 'read' }));
  const { cells, tools } = riskOf([...many, tool('a:drop', { inferred: 'destructive' })], {});
  expect(tools).toHaveLength(120);
  expect(tools[0]!.name).toBe('a:drop');
  expect(cells.reduce((sum, cell) => sum + cell.tools, 0)).toBe(501);
});
