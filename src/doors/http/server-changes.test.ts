import { expect, test } from 'vitest';
import { keepMasked } from './server-changes.ts';

const present = {
  args: ['--token', 'one', '--token', 'two', 'x'],
  url: 'https://h/?key=one',
  env: { A: 'one' },
};
const shown = {
  args: ['--token', '***', '--token', '***', 'x'],
  url: 'https://h/?key=***',
  env: { A: '***' },
};

test.each([
  [{ args: shown.args }, { args: present.args }],
  [{ args: ['first', ...shown.args] }, { args: ['first', ...present.args] }],
  [{ args: ['--token', '***', 'x'] }, { args: ['--token', 'one', 'x'] }],
  [
    { url: shown.url, env: { A: '***', B: 'b' } },
    { url: present.url, env: { A: 'one', B: 'b' } },
  ],
  [{ timeout: null }, { timeout: null }],
])('%j becomes %j', (patch, expected) => {
  expect(keepMasked(patch, present, shown)).toEqual(expected);
});

test.each([{ args: ['***', '***', '***'] }, { url: 'https://other/?key=***' }, { env: { B: '***' } }])(
  '%j has a mask without a value',
  (patch) => {
    expect(() => keepMasked(patch, present, shown)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
  },
);
