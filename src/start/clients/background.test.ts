import { expect, test } from 'vitest';
import { startCode, startProblem } from './background.ts';

test('the error report of the log becomes one sentence, with its next step and without its code', () => {
  const log = [
    'error: an older one',
    'error: 127.0.0.1:8080 is in use',
    '  code: PORT_IN_USE',
    '  next: choose another address with --listen HOST:PORT',
  ];
  expect(startProblem(log)).toBe('127.0.0.1:8080 is in use. Choose another address with --listen HOST:PORT');
  expect(startProblem([''])).toBeUndefined();
  // With the code of another failure, the next step would be to start it at the address that is taken.
  expect(startCode(log)).toBe('PORT_IN_USE');
  expect(startCode(log.slice(0, 2))).toBeUndefined();
  expect(startCode([...log, 'error: x', '  code: NO_SUCH_CODE'])).toBeUndefined();
});
