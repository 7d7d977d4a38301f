import { expect, test } from 'vitest';
import { leftBehind, type Snapshot } from '../../scripts/clients/snapshot.ts';

const files = (texts: Record<string, string>): Snapshot =>
  new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text).toString('base64')]));

const BEFORE = files({ settings: 'mine', other: 'x' });
const CONNECTED = files({ settings: 'mine+mcpproxy', rules: 'mcpproxy', other: 'x' });

function left(beforeDisconnect: Snapshot, afterDisconnect: Snapshot): string[] {
  return leftBehind({ beforeConnect: BEFORE, afterConnect: CONNECTED, beforeDisconnect, afterDisconnect }, [
    'mcpproxy',
  ]);
}

test('files as before leave nothing to say', () => {
  expect(left(CONNECTED, BEFORE)).toEqual([]);
});
test('one byte of difference is named, and so is a file that stays', () => {
  expect(left(CONNECTED, files({ settings: 'mine\n', rules: '', other: 'x' }))).toEqual([
    'rules differs',
    'settings differs',
  ]);
});
test('a file that the client changed too must have lost the entry of the proxy', () => {
  const later = files({ settings: 'mine+mcpproxy+used', rules: 'mcpproxy', other: 'x' });
  expect(left(later, files({ settings: 'mine+used', other: 'x' }))).toEqual([]);
  expect(left(later, files({ settings: 'mine+mcpproxy+used', other: 'x' }))).toEqual([
    'settings still has mcpproxy',
  ]);
});
test('files that connect did not write are of no interest', () => {
  expect(left(CONNECTED, files({ settings: 'mine', other: 'changed by the client' }))).toEqual([]);
});
