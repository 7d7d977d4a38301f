import { replaceHidden } from '../lib/visible-text.ts';
import { LOOKALIKES } from './plain-text.ts';

/** More letters that pass for Latin ones at a glance; in definitions they are too common as symbols to be worth a finding. */
const AT_A_GLANCE: Record<string, string> = {
  ...LOOKALIKES,
  ᴀ: 'a', ʙ: 'b', ᴄ: 'c', ᴅ: 'd', ᴇ: 'e', ꜰ: 'f', ɢ: 'g', ʜ: 'h', ɪ: 'i', ᴊ: 'j', ᴋ: 'k', ʟ: 'l', ᴍ: 'm', ɴ: 'n', ᴏ: 'o', ᴘ: 'p', ʀ: 'r', ꜱ: 's',
  ᴛ: 't', ᴜ: 'u', ᴠ: 'v', ᴡ: 'w', ʏ: 'y', ᴢ: 'z', ı: 'i', ɑ: 'a', ɡ: 'g', г: 'r', ү: 'y', γ: 'y', ԛ: 'q', ԝ: 'w', ѵ: 'v', ω: 'w', η: 'n', σ: 'o',
  β: 'b', ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ⲣ: 'p', ⲟ: 'o', ⲭ: 'x', ⲥ: 'c', ⲙ: 'm', ꭱ: 'r', ꮯ: 'c', ꮲ: 'p', ꭹ: 'y', ꮇ: 'm', ꭺ: 'a', ꓚ: 'c', ꓑ: 'p',
  ꓣ: 'r', ꓳ: 'o', ꓫ: 'x', ꓬ: 'y', ꓟ: 'm', ꓮ: 'a', '0': 'o', '1': 'l', '|': 'l', '3': 'e', '5': 's', '@': 'a', $: 's', ꓐ: 'b', ꓓ: 'd', ꓔ: 't', ꓖ: 'g',
  ꓗ: 'k', ꓙ: 'j', ꓜ: 'z', ꓝ: 'f', ꓠ: 'n', ꓡ: 'l', ꓢ: 's', ꓦ: 'v', ꓧ: 'h', ꓪ: 'w', ꓰ: 'e', ꓲ: 'i', ꓴ: 'u', ꭰ: 'd', ꭲ: 't', ꭵ: 'i', ꭻ: 'j', ꭼ: 'e',
  ꮃ: 'w', ꮋ: 'h', ꮎ: 'o', ꮐ: 'g', ꮓ: 'z', ꮩ: 'v', ꮪ: 's', ꮮ: 'l', ꮶ: 'k', օ: 'o', ս: 'u', հ: 'h', ց: 'g', զ: 'q', ӏ: 'l', ǀ: 'l', ⲏ: 'h', ⲓ: 'i',
  ⲕ: 'k', ⲛ: 'n', ⲧ: 't', ⲩ: 'y', ʋ: 'v', ɩ: 'i', ς: 'c', ꞓ: 'c', ɾ: 'r', ꮻ: 'o', ɵ: 'o',
}; // prettier-ignore

/** Letters in circles, squares and flags that have no other form in Unicode. */
const FRAMED_A = [0x1f150, 0x1f170, 0x1f1e6];

/**
 * A text as a person reads it at a glance: lower case, without accents and invisible characters, look-alikes as Latin letters, and every
 * other sign as one blank. Two texts that fold to the same can be mistaken for each other.
 */
export function foldText(text: string): string {
  return replaceHidden(text.normalize('NFKD'), (character) => (character === '\r' ? ' ' : ''))
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z\s]/gu, latinFor)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function latinFor(character: string): string {
  const code = character.codePointAt(0)!;
  const a = FRAMED_A.find((first) => code >= first && code < first + 26);
  if (a !== undefined) return String.fromCharCode(0x61 + code - a);
  return AT_A_GLANCE[character] ?? character;
}
