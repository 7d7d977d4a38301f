import { expect, test } from 'vitest';
import { TextCollector } from './text-collector.ts';

test('characters that are cut between two pieces are whole in the text', () => {
  const text = 'aä€😀'.repeat(50);
  const bytes = Buffer.from(text);
  const collector = new TextCollector();
  for (let size = 1; size < 9; size++) {
    for (let at = 0; at < bytes.length; at += size) collector.add(bytes.subarray(at, at + size));
    expect(collector.take()).toBe(text);
  }
  expect(collector.take()).toBe('');
});

test('what ends in the middle of a character says so', () => {
  const collector = new TextCollector();
  collector.add(Buffer.from('€').subarray(0, 2));
  expect(collector.take()).toBe('\ufffd');
});
