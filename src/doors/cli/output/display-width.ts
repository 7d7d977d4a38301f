const ZERO = /^[\p{M}\u200d]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

/** East Asian wide and fullwidth blocks; near enough for columns. */
const WIDE: ReadonlyArray<readonly [number, number]> = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x20000, 0x3fffd],
];

function characterWidth(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (ZERO.test(character)) return 0;
  if (EMOJI.test(character) || WIDE.some(([from, to]) => code >= from && code <= to)) return 2;
  return 1;
}

/** How many terminal cells the text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Cut to fit, with an ellipsis where something was cut. Reads no further than it must. */
export function fit(text: string, room: number): string {
  if (room < 1) return '';
  let width = 0;
  let kept = '';
  let keptWithMark = '';
  for (const character of text) {
    width += characterWidth(character);
    if (width > room) return `${keptWithMark}…`;
    kept += character;
    if (width <= room - 1) keptWithMark = kept;
  }
  return kept;
}
