import { expect, test } from 'vitest';
import { startProblem } from './background.ts';

test('the error report of the log becomes one sentence, with its next step and without its code', () => {
  const log = [
    'error: an older one',
    'error: 127.0.0.1:8080 is in use',
    '  code: PORT_IN_USE',
    '  next: choose another address with --listen HOST:PORT',
  ];
  expect(startProblem(log)).toBe('127.0.0.1:8080 is in use. Choose another address with --listen HOST:PORT');
  expect(startProblem([''])).toBeUndefined();
});
