/** Classes of characters that secrets are made of, as tables: one look per character, nothing to backtrack. */
const table = (characters: string): Uint8Array => {
  const set = new Uint8Array(128);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
};
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
const ALNUM = UPPER + LOWER + DIGITS;

export const DIGIT = table(DIGITS);
export const LOWER_CASE = table(LOWER);
export const UPPER_CASE = table(UPPER);
export const HEX = table(`${DIGITS}abcdefABCDEF`);
export const UPPER_DIGIT = table(UPPER + DIGITS);
export const LETTER_DIGIT = table(ALNUM);
export const URL_SAFE = table(`${ALNUM}_-`);
export const WORD = table(`${ALNUM}_`);
export const TILDE = table(`${ALNUM}_-.~`);
export const DOTTED = table(`${ALNUM}_-.`);
/** As DOTTED, with what base64 ends in. */
export const PADDED = table(`${ALNUM}_-.=`);
export const BEARER = table(`${ALNUM}_-.~+/=`);
/** One run of what tokens are made of, without the signs of an assignment. */
export const RUN = table(`${ALNUM}_-.~+/`);
/** Where one of them stands in front, a token does not begin. */
export const JOINS = table(`${ALNUM}_-+`);
export const PATH = table(`${ALNUM}_-/@.`);
export const UUID = table(`${DIGITS}abcdefABCDEF-`);
export const NAME = table(`${ALNUM}_-.`);

const CONTROL_AND_SPACE = Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(code)).join('');
/** Characters that cannot be part of `user:password` in a URL. */
export const ENDS_USERINFO = table(`${CONTROL_AND_SPACE}/"'<?`);
/** Characters that end a value without quotes: blanks, quotes, and what has a meaning for a shell or in a list. */
export const ENDS_VALUE = table(`${CONTROL_AND_SPACE}"'\`,;&|<>()]}\\`);
export const BASE64 = table(`${ALNUM}+/=`);
/** The same with the letters of URLs. */
export const ANY_BASE64 = table(`${ALNUM}+/=_-`);

export function isIn(set: Uint8Array, code: number): boolean {
  return code < 128 && set[code] === 1;
}

/** The end of the characters of a class. */
export function skip(text: string, at: number, set: Uint8Array): number {
  return skipSome(text, at, { set, most: Infinity });
}

interface Some {
  set: Uint8Array;
  most: number;
}

/** The end of the characters of a class, or the place behind the most of them. */
export function skipSome(text: string, at: number, { set, most }: Some): number {
  const end = Math.min(text.length, at + most);
  let i = at;
  while (i < end && isIn(set, text.charCodeAt(i))) i++;
  return i;
}

/** The first of the characters of a class that stand in front of a place, at most `most` of them. */
export function skipBack(text: string, at: number, { set, most }: Some): number {
  let i = at;
  while (i > 0 && at - i < most && isIn(set, text.charCodeAt(i - 1))) i--;
  return i;
}
