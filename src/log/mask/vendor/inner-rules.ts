import { DIGIT, HEX, LETTER_DIGIT, PADDED, TILDE, URL_SAFE, WORD } from '../characters.ts';

/** A token that is known by characters within it: so many of a class on both sides of them. */
export interface InnerRule {
  kind: string;
  anchor: string;
  left: Side;
  right: Side;
}

export interface Side {
  set: Uint8Array;
  min: number;
  max: number;
}

const side = (set: Uint8Array, min: number, max = min): Side => ({ set, min, max });
const NOTHING = side(DIGIT, 0);

export const INNER_RULES: readonly InnerRule[] = [
  { kind: 'terraform-token', anchor: '.atlasv1.', left: side(LETTER_DIGIT, 14), right: side(PADDED, 50, 80) },
  { kind: 'azure-secret', anchor: 'Q~', left: side(TILDE, 4), right: side(TILDE, 31, 34) },
  { kind: 'maxmind-key', anchor: '_mmk', left: side(WORD, 36), right: NOTHING },
  { kind: 'mailchimp-key', anchor: '-us', left: side(HEX, 32), right: side(DIGIT, 1, 2) },
  { kind: 'newrelic-key', anchor: '-NRMA', left: side(LETTER_DIGIT, 42), right: NOTHING },
  { kind: 'newrelic-key', anchor: 'FFFFNRAL', left: side(HEX, 32), right: NOTHING },
  { kind: 'telegram-token', anchor: ':A', left: side(DIGIT, 5, 16), right: side(URL_SAFE, 34) },
  // The number of an application, and its token. An anchor has at least two characters.
  ...Array.from('0123456789', (digit) => ({
    kind: 'facebook-token',
    anchor: `${digit}|`,
    left: side(DIGIT, 14, 15),
    right: side(URL_SAFE, 27),
  })),
];
