import { toldIn, type Told } from './near.ts';

/** What a text says once tricks of writing are undone, in lower-case words and marks. */
export interface Plain {
  /** Of its words those that a rule looks for. */
  told: Told[];
  lower: string;
  /** The same with the marks of names as spaces: `you_are_now` says what it says. */
  spaced: string;
  /** Words that were spelled letter by letter, as one. */
  spelled: string[];
  hidden: Hidden;
}

export interface Hidden {
  /** Invisible, and read by models as letters: characters of the tag block, and variation selectors that vary nothing. */
  tags: number;
  /** Characters that turn the direction of text around. */
  bidi: number;
  /** Characters without width, inside or between words. */
  zeroWidth: number;
  /** Terminal escapes and other control characters. */
  control: number;
}

const TAG = /[\u{e0020}-\u{e007e}]/gu;
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;
const ZERO_WIDTH =
  /[\u200b\u200c\u2060-\u2064\u206a-\u206f\ufeff\u00ad\u115f\u1160\u180e\u3164\uffa0]|\u034f|\u17b4|\u17b5/g;
/** One selector chooses the form of the character before it; any other carries a byte that nobody sees. */
const SELECTED =
  /(?<![#*0-9\u0080-\ufdff\ufe10-\u{e00ff}\u{e01f0}-\u{10ffff}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** Letters of other alphabets that look like Latin ones. */
const LOOKALIKES: Record<string, string> = {
  а: 'a', е: 'e', о: 'o', р: 'p', с: 'c', у: 'y', х: 'x', і: 'i', ј: 'j', ѕ: 's', ԁ: 'd', һ: 'h', ո: 'n', ⅼ: 'l',
  α: 'a', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x',
}; // prettier-ignore

const LOOKALIKE = new RegExp(`[${Object.keys(LOOKALIKES).join('')}]`, 'g');
const MIXED_WORD = /[a-z]/;

export function plainOf(text: string): Plain {
  const hidden = {
    tags: count(text, TAG) + count(text, SELECTED),
    bidi: count(text, BIDI),
    zeroWidth: count(text, ZERO_WIDTH),
    control: count(text, CONTROL),
  };
  const shown = text
    .replace(TAG, (tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000))
    .replace(BIDI, '')
    .replace(ZERO_WIDTH, '')
    .normalize('NFKC');
  const lower = shown
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'");
  const words = wordsOf(lower);
  const spaced = lower.replace(/[_\s]+/g, ' ');
  return { told: toldIn(words), lower, spaced, spelled: spelledIn(words), hidden };
}

const WORD = /[\p{L}\p{N}']+|[.!?\n;]/gu;

/** Words, in order; "." stands between sentences. */
function wordsOf(lower: string): string[] {
  if (isAscii(lower)) return asciiWords(lower);
  return (lower.match(WORD) ?? []).map((word) => {
    if (word.length === 1 && '.!?\n;'.includes(word)) return '.';
    return MIXED_WORD.test(word) ? word.replace(LOOKALIKE, (letter) => LOOKALIKES[letter]!) : word;
  });
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

const [APART, IN_WORD, ENDS] = [0, 1, 2];
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[a-z0-9']/i.test(character) ? IN_WORD : '.!?\n;'.includes(character) ? ENDS : APART;
});

/** The same for what nearly all texts are made of, in a fraction of the time. */
function asciiWords(lower: string): string[] {
  const words: string[] = [];
  for (let at = 0, start = 0; at <= lower.length; at++) {
    const kind = at < lower.length ? KIND[lower.charCodeAt(at)] : APART;
    if (kind === IN_WORD) continue;
    if (at > start) words.push(lower.slice(start, at));
    if (kind === ENDS) words.push('.');
    start = at + 1;
  }
  return words;
}

/** "i g n o r e": five or more single letters in a row are a word, or several. */
function spelledIn(words: string[]): string[] {
  const found: string[] = [];
  let run = '';
  for (let at = 0; at <= words.length; at++) {
    const word = words[at] ?? '.';
    if (word.length === 1 && word !== '.' && /\p{L}/u.test(word)) run += word;
    else {
      if (run.length >= 5) found.push(run);
      run = '';
    }
  }
  return found;
}
