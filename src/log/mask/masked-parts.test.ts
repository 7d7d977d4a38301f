import { describe, expect, test } from 'vitest';
import { HIDDEN_PAYLOADS, READABLE_PAYLOADS } from '../../../test/fixtures/hidden-payloads.ts';
import { markedJson } from '../../json/marked.ts';
import { IMITATED_MARK, PLAIN_MARKER } from './mask-text.ts';
import { maskedParts } from './masked-parts.ts';
import { toJson } from '../record/to-json.ts';

const NOTES = new Set(['binary-data', 'long-key', 'several']);

describe('the places that are marked are those that the log masks', () => {
  test.each(HIDDEN_PAYLOADS)('$what', ({ args, what, hidden }) => {
    const parts = maskedParts(args, '');
    const stored = toJson(args, 1_000_000)!;
    if (what === 'end of a long text') return expect(parts).toEqual([]);
    expect(parts.length).toBeGreaterThan(0);
    expect(stored.text).not.toContain(JSON.stringify(hidden).slice(1, -1));
    marksAgree(args);
  });

  test.each(READABLE_PAYLOADS)('$what', ({ args }) => marksAgree(args));

  function marksAgree(args: Record<string, unknown>): void {
    const parts = maskedParts(args, '');
    const stored = toJson(args, 1_000_000)!;
    if (parts.some(({ kind }) => NOTES.has(kind))) return;
    const marks = parts.map((part) => ({
      ...part,
      kind: part.start === undefined ? `=${part.kind}` : part.kind,
    }));
    const text = markedJson(args, marks, '')
      .map(({ text: piece, kind }) => {
        if (kind === undefined) return piece;
        if (kind === IMITATED_MARK) return `${piece}literal:`;
        return kind.startsWith('=')
          ? JSON.stringify(PLAIN_MARKER.mark(kind.slice(1), ''))
          : PLAIN_MARKER.mark(kind, '');
      })
      .join('');
    expect(JSON.parse(text)).toEqual(JSON.parse(stored.text));
  }
});

test('ordinary values have none', () => {
  expect(maskedParts({ path: '/tmp', list: [1, null, true, 'text'], token: '', secret: null }, '')).toEqual(
    [],
  );
  expect(maskedParts(undefined, '')).toEqual([]);
});

test('more than can be listed is one: the whole value', () => {
  const many = Array.from({ length: 1001 }, () => ({ secret: 'x' }));
  expect(maskedParts(many, '/arguments')).toEqual([{ pointer: '/arguments', in: 'value', kind: 'several' }]);
});
