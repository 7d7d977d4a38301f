const BASE64 = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
const HEX = /(?:\\x[0-9a-fA-F]{2}){4}/;
const ESCAPES =
  /\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})|&#x([0-9a-fA-F]{1,5});|&#([0-9]{1,6});/g;
const DENSE = /(?:\\u[0-9a-fA-F]{4}){4}|(?:%[0-9a-fA-F]{2}){4}|(?:&#x?[0-9a-fA-F]{1,6};){4}/;
const HEX_PAIRS = /\b(?:[0-9a-fA-F]{2} ){24,}/g;
const HEX_TEXT = /\b(?:[0-9a-fA-F]{2}){24,}\b/g;
/** "the", "and", "you", "file", "this" and others in ROT13. */
const ROT13 = /\b(?:gur|naq|lbh|svyr|guvf|vtaber|erne|frne|vafgehpgvbaf|cerivbhf)\b/i;
/** "ignore", "previous", "instructions", "system", "prompt" from the end to the start. */
const REVERSED = /\b(?:erongi|suoiverp|snoitcurtsni|metsys|tpmorp)\b/i;
/** Starts of shell commands that do something. */
const COMMAND = /(?:^|[\s;&|`(])(?:curl|wget|bash|rm|nc|powershell|chmod|sudo|scp)\s+[-~/$"'.\w]/;
const MAX_BLOBS = 5;

/** The texts encoded in a text, as far as they decode to words. One layer only, so that the work is bounded. */
export function decodeEmbedded(text: string): string[] {
  const found: string[] = [];
  for (const blob of (text.match(BASE64) ?? []).slice(0, MAX_BLOBS))
    found.push(Buffer.from(blob, 'base64').toString('utf8'));
  for (const blob of (text.match(HEX_TEXT) ?? []).slice(0, MAX_BLOBS))
    found.push(Buffer.from(blob, 'hex').toString('utf8'));
  for (const blob of (text.match(HEX_PAIRS) ?? []).slice(0, MAX_BLOBS))
    found.push(Buffer.from(blob.replaceAll(' ', ''), 'hex').toString('utf8'));
  if (HEX.test(text) || DENSE.test(text)) found.push(text.replace(ESCAPES, character));
  if (ROT13.test(text)) found.push(text.replace(/[a-z]/gi, rot13));
  if (REVERSED.test(text)) found.push([...text].reverse().join(''));
  return found.filter(readsLikeWords);
}

export const isCommand = (decoded: string): boolean => COMMAND.test(decoded);

function character(_: string, ...codes: Array<string | undefined>): string {
  const [x, u, percent, hex, decimal] = codes;
  const code = decimal === undefined ? parseInt(x ?? u ?? percent ?? hex ?? '20', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}

function rot13(letter: string): string {
  const base = letter < 'a' ? 65 : 97;
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
}

function readsLikeWords(text: string): boolean {
  const printable = text.replace(/[^\x20-\x7e\n]/g, '').length;
  return printable / Math.max(1, text.length) > 0.95 && text.split(' ').length >= 3;
}
