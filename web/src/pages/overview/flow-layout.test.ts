import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallFlow } from '../../../../src/contract/activity.ts';
import { layOut } from './flow-layout.ts';

const flow = (agent: string, tool: string, more: Partial<CallFlow> = {}): CallFlow => ({
  agent,
  server: tool.split(':')[0]!,
  tool: tool.split(':')[1]!,
  op: 'read',
  calls: 10,
  stopped: 0,
  ...more,
});

test('the width is the number of calls; stopped calls are ribbons of their own', () => {
  const { nodes, ribbons, calls, stopped } = layOut(
    [flow('a', 'x:get', { calls: 30 }), flow('a', 'x:del', { op: 'destructive', calls: 10, stopped: 10 })],
    400,
  );
  expect([calls, stopped]).toEqual([40, 10]);
  expect(nodes.map(({ label, calls: n }) => [label, n])).toEqual([
    ['a', 40],
    ['x', 40],
    ['get', 30],
    ['del', 10],
  ]);
  const [get, del] = ribbons.filter(({ from }) => from.label === 'x');
  expect([del!.isStopped, del!.op, get!.isStopped]).toEqual([true, 'destructive', false]);
  expect(get!.height).toBeCloseTo(del!.height * 3);
});

test('what is rare is one node, per server for tools; one that is left over keeps its own', () => {
  const many = Array.from({ length: 20 }, (_, n) => flow('a', `x:t${n}`, { calls: 20 - n }));
  const tools = (flows: CallFlow[]) =>
    layOut(flows, 400)
      .nodes.filter(({ column }) => column === 2)
      .map(({ label }) => label);
  expect(tools(many)).toHaveLength(15);
  expect(tools(many).at(-1)).toBe('other tools of x');
  expect(tools(many.slice(0, 15))).toContain('t14');
});

test('for any calls: nothing is lost, nothing overlaps, all of it is within the picture', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k');
  const made = fc
    .record({ agent: name, server: name, tool: name, calls: fc.integer({ min: 1, max: 5000 }) })
    .chain((each) => fc.integer({ min: 0, max: each.calls }).map((stopped) => ({ ...each, stopped })));
  fc.assert(
    fc.property(fc.array(made, { maxLength: 60 }), (flows) => {
      const { nodes, ribbons, height, calls } = layOut(flows, 420);
      for (const column of [0, 1, 2]) {
        const own = nodes.filter((node) => node.column === column).sort((a, b) => a.y - b.y);
        expect(own.reduce((sum, node) => sum + node.calls, 0)).toBe(calls);
        for (const [index, node] of own.entries()) {
          const before = own[index - 1];
          expect(node.y).toBeGreaterThanOrEqual(before ? before.y + before.height : -0.01);
          expect(node.y + node.height).toBeLessThanOrEqual(height + 0.01);
        }
      }
      for (const end of ['from', 'to'] as const)
        for (const node of nodes.filter(({ column }) => column === (end === 'from' ? 0 : 2)))
          expect(
            ribbons.filter((ribbon) => ribbon[end] === node).reduce((sum, ribbon) => sum + ribbon.calls, 0),
          ).toBe(node.calls);
    }),
    { numRuns: 200 },
  );
});
