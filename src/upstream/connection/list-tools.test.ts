import { describe, expect, test } from 'vitest';
import { listTools } from './list-tools.ts';

const tool = (name: unknown, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

describe('listing tools', () => {
  test('reads page after page', async () => {
    const pages: Record<string, object> = {
      '': { tools: [tool('a')], nextCursor: 'x' },
      x: { tools: [tool('b:c')] },
    };
    const { tools } = await listTools(async (cursor = '') => pages[cursor] as Record<string, unknown>);
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b:c']);
  });

  test('leaves out what cannot be called, once per name, and says why', async () => {
    const raw = [
      tool(''),
      tool('x'.repeat(257)),
      tool('a\u009bb'),
      tool('twice'),
      tool('twice', { description: 'other' }),
      tool(null),
      'text',
      tool('x'.repeat(256)),
    ];
    const { tools, dropped, complaints } = await listTools(async () => ({ tools: raw }));
    expect(tools.map(({ name }) => name)).toEqual(['twice', 'x'.repeat(256)]);
    expect(dropped).toBe(6);
    expect(complaints.join('\n')).toMatch(/longer than 256[\s\S]*control characters[\s\S]*twice/);
  });

  test('takes away fields of the wrong type and keeps unknown ones', async () => {
    const raw = tool('a', {
      annotations: 'x',
      description: 7,
      title: {},
      outputSchema: [],
      'x-mine': 1,
      inputSchema: null,
    });
    const { tools } = await listTools(async () => ({ tools: [raw] }));
    expect(tools).toEqual([{ name: 'a', 'x-mine': 1, inputSchema: { type: 'object' } }]);
  });

  test.each([
    ['a cursor that repeats', (n: number) => ({ tools: [tool(`t${n}`)], nextCursor: 'same' }), 2],
    ['too many pages', (n: number) => ({ tools: [tool(`t${n}`)], nextCursor: String(n) }), 1000],
    ['no array', () => ({ tools: 'none' }), 0],
    [
      'too many tools',
      (n: number) => ({
        tools: Array.from({ length: 30_000 }, (_, i) => tool(`t${n}.${i}`)),
        nextCursor: String(n),
      }),
      100_000,
    ],
  ])('ends with %s', async (_what, page, count) => {
    let n = 0;
    const { tools, complaints } = await listTools(async () => page(n++));
    expect(tools).toHaveLength(count);
    expect(complaints).toHaveLength(1);
  });

  test('equal lists have equal digests', async () => {
    const digest = async (list: unknown[]) => (await listTools(async () => ({ tools: list }))).digest;
    expect(await digest([tool('a'), tool('b')])).toBe(await digest([tool('a'), tool('b')]));
    expect(await digest([tool('a')])).not.toBe(
      await digest([tool('a', { annotations: { readOnlyHint: true } })]),
    );
  });
});
