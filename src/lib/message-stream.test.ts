import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../test/fixtures/cases.ts';
import { LineSplitter, InOrder } from './message-stream.ts';
import { parseMessagesSteps } from './rpc.ts';

function split(chunks: Buffer[], maxBytes: number) {
  const lines: string[] = [];
  const oversize: Array<{ head: string; tail: string; bytes: number }> = [];
  const endless: number[] = [];
  const valid: boolean[] = [];
  const splitter = new LineSplitter(
    {
      line(text, isValid) {
        lines.push(text);
        valid.push(isValid);
      },
      oversize: (edges) => oversize.push(edges),
      endless: ({ bytes }) => endless.push(bytes),
    },
    maxBytes,
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, valid, oversize, endless, splitter };
}

/** The same bytes in pieces of any size. */
function pieces(bytes: Buffer, sizes: number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let from = 0, i = 0; from < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    chunks.push(bytes.subarray(from, from + size));
    from += size;
  }
  return chunks;
}

describe('line splitter', () => {
  test('gives the same lines however the bytes are cut', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        (texts, sizes) => {
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
          expect(split(pieces(bytes, sizes), 10_000).lines).toEqual(
            texts.map((text) => Buffer.from(text).toString()),
          );
        },
      ),
    );
  });

  test('says of every line whether it was UTF-8, however the bytes are cut', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => Buffer.from(text)),
      fc
        .constantFrom([0xf0, 0x9f, 0x98], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xc0, 0x80])
        .map((bytes) => Buffer.from(bytes)),
    );
    const line = fc
      .array(piece, { maxLength: 6 })
      .map((parts) => Buffer.concat(parts).filter((byte) => byte !== 10));
    fc.assert(
      fc.property(line, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (bytes, sizes) => {
        const { lines, valid } = split(pieces(Buffer.from([...bytes, 10]), sizes), 10_000);
        expect(valid).toEqual([isUtf8(bytes)]);
        if (valid[0]) expect(lines).toEqual([Buffer.from(bytes).toString()]);
      }),
      { numRuns: cases(1000) },
    );
  });

  test('skips a line over the limit, gives its edges, and goes on with the next one', () => {
    const bytes = Buffer.from(`{"id":7,${'x'.repeat(1000)}END}\nnext\n`);
    for (const size of [1, 7, 300, 5000]) {
      const { lines, oversize } = split(pieces(bytes, [size]), 600);
      expect(lines).toEqual(['next']);
      expect(oversize).toHaveLength(1);
      expect(oversize[0]).toMatchObject({ bytes: 1012, tail: expect.stringMatching(/END\}$/) });
      expect(oversize[0]?.head.startsWith('{"id":7,')).toBe(true);
    }
  });

  test('gives up on a line that does not end', () => {
    const { endless, lines, splitter } = split(pieces(Buffer.alloc(5000, 'x'), [100]), 1000);
    expect(endless).toEqual([4100]);
    splitter.push(Buffer.from('\nlater\n'));
    expect(lines).toEqual([]);
  });

  test('a long line in many pieces costs time in proportion to its length', () => {
    const piece = Buffer.alloc(16, 'x');
    const chunks = Array.from({ length: 400_000 }, () => piece);
    expect(split([...chunks, Buffer.from('\n')], 10_000_000).lines[0]).toHaveLength(6_400_000);
  });

  test('the end gives what has no newline', () => {
    const { lines, splitter } = split([Buffer.from('a\nb')], 100);
    splitter.end();
    expect(lines).toEqual(['a', 'b']);
  });
});

const answer = (id: number, length: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(length) } });

test('an answer with too many keys is not read, and the next one is', async () => {
  const taken: unknown[] = [];
  const inOrder = new InOrder({ steps: parseMessagesSteps, deliver: (parsed) => void taken.push(parsed) });
  inOrder.push(`{"jsonrpc":"2.0","id":1,"result":{${'"a":1,'.repeat(500_001)}"b":1}}`, true);
  inOrder.push(answer(2, 1), true);
  await inOrder.reading;
  expect(taken).toMatchObject([{ fault: 'too_wide' }, { messages: [{ id: 2 }] }]);
});

test('answers are delivered as they came, and what follows a long one waits for it', async () => {
  const ids: unknown[] = [];
  const inOrder = new InOrder({
    steps: parseMessagesSteps,
    deliver(parsed) {
      if ('messages' in parsed) ids.push(parsed.messages[0]!.id);
    },
  });
  for (const [id, length] of [10, 300_000, 10].entries()) inOrder.push(answer(id, length), true);
  expect(ids).toEqual([0]);
  await inOrder.reading;
  expect(ids).toEqual([0, 1, 2]);
});

test('thousands of short texts are read a few at a time, and nothing more is taken in meanwhile', async () => {
  const ids: unknown[] = [];
  const source: string[] = [];
  let busy = 0;
  const inOrder = new InOrder({
    steps: parseMessagesSteps,
    deliver: (parsed) => {
      if ('messages' in parsed) ids.push(parsed.messages[0]!.id);
      const began = performance.now();
      while (performance.now() < began + 1);
      busy += performance.now() - began;
    },
    source: () => ({ pause: () => source.push('pause'), resume: () => source.push('resume') }),
  });
  const began = performance.now();
  inOrder.begin();
  for (let id = 0; id < 50; id++) inOrder.push(answer(id, 10), true);
  const atOnce = ids.length;
  expect(atOnce).toBeLessThan(50);
  expect(source).toEqual(['pause']);
  await inOrder.reading;
  // Everybody else had as much time, but for the last few; more on a machine that does much else.
  expect(performance.now() - began - busy).toBeGreaterThan(busy / 2);
  expect(ids).toEqual(Array.from({ length: 50 }, (_, id) => id));
  expect(source).toEqual(['pause', 'resume']);
});
