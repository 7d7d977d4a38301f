/** A text as a model reads it, and the characters that were hidden in it. */
interface PlainText {
  shown: string;
  hidden: HiddenCharacters;
}

export interface HiddenCharacters {
  /** Invisible, and read by models as letters: characters of the tag block, and variation selectors that vary nothing. */
  tags: number;
  /** Characters that change the direction of the text. */
  bidi: number;
  /** Characters without width, inside or between words. */
  zeroWidth: number;
  /** Terminal escapes and other control characters. */
  control: number;
  /** Words of Latin letters with others that look alike. */
  lookAlike: number;
  /** A passage is far below, or far to the right of, the visible text. */
  buried: boolean;
}

/** Flags of regions are spelled in tags and displayed as flags. */
const FLAG = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,6}\u{e007f}/gu;
const TAG = /[\u{e0020}-\u{e007e}]/gu;
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;
/** Persian and Indian languages need the two joiners in their spelling; a soft hyphen is visible at the end of a line. */
const ZERO_WIDTH =
  /[\u200b\u2060-\u2064\u206a-\u206f\ufeff\u115f\u1160\u180e\u3164\uffa0]|\u034f|\u17b4|\u17b5|(?<=[\u0000-\u02ff\u200b\u200c\u200d])[\u200c\u200d]/g;
const INVISIBLE =
  /[\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff\u115f\u1160\u180e\u3164\uffa0\u00ad]|\u034f|\u17b4|\u17b5/g;
/** One selector chooses the form of the character before it; any other carries an invisible byte. */
const STRAY_SELECTOR =
  /(?<![#*0-9\u0080-\ufdff\ufe10-\u{e00ff}\u{e01f0}-\u{10ffff}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const SELECTOR = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const BURIED = /\n(?:[ \t]?\n){14}|[ \u00a0\u3000]{100}/;

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** Letters of other alphabets that look like Latin ones. */
export const LOOKALIKES: Record<string, string> = {
  а: 'a', е: 'e', о: 'o', р: 'p', с: 'c', у: 'y', х: 'x', і: 'i', ј: 'j', ѕ: 's', ԁ: 'd', һ: 'h', ո: 'n', ⅼ: 'l', к: 'k', м: 'm', т: 't', в: 'b', н: 'h',
  α: 'a', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x', А: 'A', В: 'B', Е: 'E', К: 'K', М: 'M', Н: 'H', О: 'O', Р: 'P', С: 'C',
  Т: 'T', Х: 'X', І: 'I', Ѕ: 'S', Ι: 'I', Ο: 'O', Α: 'A', Ε: 'E', Τ: 'T',
}; // prettier-ignore

const LOOKALIKE = new RegExp(`[${Object.keys(LOOKALIKES).join('')}]`, 'g');
const WORD = /[\p{L}\p{M}]+/gu;

const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

export function toPlainText(text: string): PlainText {
  const ascii = isAscii(text);
  const { shown, lookAlike } = ascii ? { shown: text, lookAlike: 0 } : normalize(text);
  const hidden = {
    ...(ascii ? NO_HIDDEN : countHidden(text.replace(FLAG, ''))),
    control: count(text, CONTROL),
    lookAlike,
    buried: BURIED.test(text),
  };
  return { shown: joinSpelled(shown.replace(CONTROL, ' ')), hidden };
}

const NO_HIDDEN = { tags: 0, bidi: 0, zeroWidth: 0 };

const countHidden = (text: string) => ({
  tags: count(text, TAG) + count(text, STRAY_SELECTOR),
  bidi: count(text, BIDI),
  zeroWidth: count(text, ZERO_WIDTH),
});

function normalize(text: string): { shown: string; lookAlike: number } {
  let lookAlike = 0;
  const shown = text
    .replace(FLAG, '')
    .replace(TAG, (tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000))
    .replace(BIDI, '')
    .replace(INVISIBLE, '')
    .replace(SELECTOR, '')
    .normalize('NFKC')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(WORD, (word) => {
      if (!/[A-Za-z]/.test(word)) return word;
      const latin = word.replace(LOOKALIKE, (letter) => LOOKALIKES[letter]!);
      if (latin !== word) lookAlike++;
      return latin;
    });
  return { shown, lookAlike };
}

/** "i.g.n.o.r.e", "i-g-n-o-r-e". */
const DOTTED = /(?<![\p{L}\p{N}])\p{L}(?:[.*_|-]\p{L}){4,}(?![\p{L}\p{N}])/gu;
const MAY_BE_DOTTED = /[a-z][.*_|-][a-z][.*_|-][a-z][.*_|-][a-z]/i;

const SPELLED = /(?:^|[\s])\p{L} \p{L} \p{L} \p{L} \p{L}(?:$|[\s])/u;

/** "i g n o r e": five or more single letters in a row are a word, or several with more space between. */
function joinSpelled(written: string): string {
  const text = MAY_BE_DOTTED.test(written)
    ? written.replace(DOTTED, (word) => word.replace(/[.*_|-]/g, ''))
    : written;
  if (!SPELLED.test(text)) return text;
  const out: string[] = [];
  let run: string[] = [];
  for (const piece of [...text.split(' '), '']) {
    if (/^\p{L}$/u.test(piece) || (piece === '' && run.length > 0)) {
      run.push(piece);
      continue;
    }
    const word = run.map((letter) => letter || ' ').join('');
    out.push(...(run.length >= 5 ? [word] : run), piece);
    run = [];
  }
  return [...out, run.map((letter) => letter || ' ').join('')].join(' ');
}
