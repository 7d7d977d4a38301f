import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { displayWidth, fit } from './table.ts';
import type { Style } from './style.ts';
import { fields, row, table, wrapped } from './table.ts';

const plain = (width = Number.POSITIVE_INFINITY): Style => ({
  colors: picocolors.createColors(false),
  icons: false,
  width,
});

describe('display width', () => {
  test.each([
    ['abc', 3],
    ['漢字', 4],
    ['한글', 4],
    ['🙂', 2],
    ['e\u0301', 1],
    ['ｆｕｌｌ', 8],
    ['◦✎✖', 3],
    ['', 0],
  ])('%j takes %i cells', (text, width) => expect(displayWidth(text)).toBe(width));

  test.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long', 5, 'too …'],
    ['漢字漢字', 5, '漢字…'],
    ['漢字漢字', 4, '漢…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('%j fitted into %i cells is %j', (text, room, fitted) => {
    expect(fit(text, room)).toBe(fitted);
    expect(displayWidth(fit(text, room))).toBeLessThanOrEqual(room);
  });
});

describe('wrapping', () => {
  test.each([
    ['one two three', 8, ['one two', 'three']],
    ['a /very/long/path/of/a/file b', 10, ['a', '/very/long', '/path/of/a', '/file b']],
    ['漢字漢字漢', 5, ['漢字', '漢字', '漢']],
    ['', 5, ['']],
  ])('%j in %i cells', (text, room, lines) => {
    expect(wrapped(text, room)).toEqual(lines);
  });

  test('a column that wraps loses nothing and stays within the width', () => {
    const text =
      'The whole advice, every word of it, however long it may be. Run: mcpproxy upstream show files';
    const shown = table(
      plain(40),
      [
        { title: 'CHECK', whole: true },
        { title: 'DETAIL', wrap: true },
      ],
      [['server', text]],
    );
    const lines = shown.trimEnd().split('\n');
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(40);
    expect(lines.slice(1).join(' ').replaceAll(/\s+/g, ' ')).toBe(`server ${text}`);
    expect(lines[2]).toMatch(/^ {8}\S/);
  });

  test('so do the fields of an object', () => {
    const shown = fields(plain(30), [['Last error', 'the process exited with code 1; its output: boom']]);
    expect(shown).toBe(
      'Last error  the process exited\n            with code 1; its\n            output: boom\n',
    );
  });
});

describe('table', () => {
  const columns = [
    { title: 'NAME', whole: true },
    { title: 'TEXT' },
    { title: 'N', align: 'right' as const },
  ];

  test('columns line up by display width', () => {
    expect(
      table(plain(), columns, [
        ['漢字', 'x', 1],
        ['abcdef', 'yy', 100],
      ]),
    ).toBe(['NAME    TEXT    N', '漢字    x       1', 'abcdef  yy    100', ''].join('\n'));
  });

  test('no line is wider than the terminal, and whole columns stay whole', () => {
    const lines = table(plain(30), columns, [['identifier', 'x'.repeat(200), 12345]])
      .trimEnd()
      .split('\n');
    expect(lines.map(displayWidth)).toEqual([30, 30]);
    expect(lines[1]).toMatch(/^identifier {2}x+… {2}12345$/);
  });

  test('a column that yields is truncated first', () => {
    const yielding = [{ title: 'A' }, { title: 'B', yields: true }];
    const cells = ['a'.repeat(20), 'b'.repeat(20)];
    expect(table(plain(30), yielding, [cells])).toContain(`\n${cells[0]}  bbbbbbb…\n`);
    expect(table(plain(20), yielding, [cells])).toContain(`\n${'a'.repeat(11)}…  bbbbb…\n`);
  });

  test.each([1, 2, 5, 9, 14])('even at %i columns nothing wraps', (width) => {
    for (const line of table(plain(width), columns, [['identifier', 'text', 7]])
      .trimEnd()
      .split('\n')) {
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  test('control characters are shown and a cell stays on its line', () => {
    const text = table(plain(), [{ title: 'A' }], [['red\u001b[31m\nnext\t\u202e']]);
    expect(text).toBe('A\nred\\u{1b}[31m\\nnext\\t\\u{202e}\n');
  });

  test('absent cells are a dash; absent fields are left out', () => {
    expect(table(plain(), [{ title: 'A' }, { title: 'B' }], [[undefined, '']])).toBe('A  B\n-  -\n');
    expect(
      fields(plain(), [
        ['One', 1],
        ['Gone', undefined],
        ['Three', 'x'],
      ]),
    ).toBe('One    1\nThree  x\n');
  });

  test('colour is painted around the text, so that it never counts as width', () => {
    const style: Style = { colors: picocolors.createColors(true), icons: true, width: 80 };
    const [, line] = table(
      style,
      [{ title: 'A' }, { title: 'B' }],
      [[{ text: 'x', paint: style.colors.red }, 'y']],
    ).split('\n');
    expect(line).toBe(`${style.colors.red('x')}  y`);
  });

  test('a row of settled widths cuts only its end', () => {
    expect(
      row(
        plain(12),
        [
          { title: 'A', width: 4 },
          { title: 'B', width: Number.POSITIVE_INFINITY },
        ],
        ['ab', 'long enough'],
      ),
    ).toBe('ab    long …\n');
    expect(
      row(
        plain(),
        [
          { title: 'A', width: 4 },
          { title: 'B', width: Number.POSITIVE_INFINITY },
        ],
        ['ab', 'long enough'],
      ),
    ).toBe('ab    long enough\n');
  });
});
