import { describe, expect, test } from 'vitest';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';

const ID = '01JHMWQ4M0AAAAAAAAAAAAAAAA';
const digest = '5c1e0a9b7d2f4836';
const record = {
  id: ID,
  type: 'tool_call',
  source: 'mcp',
  response_truncated: false,
  status: 'success',
  timestamp: '2025-01-15T10:30:00.000Z',
  request_id: 'r1',
  arguments: { login: { password: `***[masked:password 7 characters, digest ${digest}]` } },
  metadata: { masked: 1 },
};

describe('activity digest', () => {
  const asked: unknown[] = [];
  const answers = {
    digestActivity: (input: unknown) => {
      asked.push(input);
      return { characters: 7, digest };
    },
    getActivity: record,
    listActivity: { records: [record], next_cursor: null, total: 1 },
  };

  test('reads the text from stdin, never from an argument, and prints its digest', async () => {
    const { stdout, code } = await cli(['activity', 'digest'], { answers, stdin: 'hunter2\n' });
    expect(stdout).toContain(digest);
    expect(code).toBe(0);
    expect(asked.at(-1)).toMatchObject({ body: { text: 'hunter2' } });
    await cli(['activity', 'digest', '--exact'], { answers, stdin: 'hunter2\n' });
    expect(asked.at(-1)).toMatchObject({ body: { text: 'hunter2\n' } });
  });

  test('proves that a record masks the text, or says that it does not', async () => {
    const proven = await cli(['activity', 'digest', ID, '-o', 'json'], { answers, stdin: 'hunter2' });
    expect(JSON.parse(proven.stdout)).toMatchObject({ record: ID, places: ['/arguments/login/password'] });
    expect(proven.code).toBe(0);
    const other = { ...answers, digestActivity: { characters: 7, digest: '0000000000000000' } };
    const refuted = await cli(['activity', 'digest', ID], { answers: other, stdin: 'hunter3' });
    expect(refuted.stdout).toContain('nowhere in this record');
    expect(refuted.code).toBe(1);
  });

  test('a mark that a caller wrote proves nothing', async () => {
    const text = `***[literal:masked:password 7 characters, digest ${digest}] [masked 7 characters, digest ${digest}]`;
    const imitated = { ...answers, getActivity: { ...record, arguments: { text, [text]: true } } };
    const refuted = await cli(['activity', 'digest', ID], { answers: imitated, stdin: 'hunter2' });
    expect(refuted.stdout).toContain('nowhere in this record');
    expect(refuted.code).toBe(1);
  });

  test('nothing on stdin is an error of usage', async () => {
    expect((await cli(['activity', 'digest'], { answers, stdin: '' })).code).toBe(2);
  });
});
