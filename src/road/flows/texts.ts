import { isObject } from '../../json/index.ts';

const MAX_DEPTH = 64;
/** Pictures and sound: nothing that anybody reads, and long. */
const BINARY = new Set(['data', 'blob']);

export interface Texts {
  values: string;
  keys: string;
}

/** All texts of a value one after the other, up to so many characters: what was split over several arguments lies side by side again. */
export function textsIn(value: unknown, between: string, most: number): Texts {
  const texts: Texts = { values: '', keys: '' };
  // Of what is read nothing more, and of the rest nothing at all: a result may have millions of parts.
  let steps = most;
  const add = (to: keyof Texts, text: string) => {
    const room = most - texts.values.length - texts.keys.length;
    if (room > 0) texts[to] += between + (text.length > room ? text.slice(0, room) : text);
    else steps = 0;
  };
  const walk = (node: unknown, depth: number): void => {
    if (steps-- <= 0) return;
    if (typeof node === 'string') return add('values', node);
    if (depth > MAX_DEPTH || typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) node.every((child) => (walk(child, depth + 1), steps > 0));
    else if (isObject(node))
      for (const key in node) {
        if (steps <= 0) return;
        add('keys', key);
        if (!(BINARY.has(key) && typeof node.mimeType === 'string')) walk(node[key], depth + 1);
      }
  };
  walk(value, 0);
  return texts;
}

const LAYERS = 2;
/** So many digits of base64, or of hexadecimal numbers, make a mark. */
const [BASE64_RUN, HEX_RUN] = [20, 32];

/** The text, and what comes out where it is taken for encoded: by percent signs, base64 or hexadecimal digits, one in the other too. */
export function* readings(text: string, layers = LAYERS): Generator<string> {
  if (text === '') return;
  yield text;
  const { ascii, percent, base64, hex } = writtenIn(text);
  if (!ascii) yield text.normalize('NFKC');
  if (layers === 0) return;
  if (percent) yield* readings(unescaped(text), layers - 1);
  if (base64 >= BASE64_RUN) {
    const digits = text.replace(/[^A-Za-z0-9+/_-]+/g, '');
    // Whatever stands in front may shift the groups of four.
    for (let shift = 0; shift < 4; shift++)
      yield* inside(Buffer.from(digits.slice(shift), 'base64'), layers - 1);
  }
  if (hex >= HEX_RUN) {
    const digits = text.replace(/[^0-9A-Fa-f]+/g, '');
    for (let shift = 0; shift < 2; shift++)
      yield* inside(Buffer.from(digits.slice(shift), 'hex'), layers - 1);
  }
}

const IN_BASE64 = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(code))),
);
const IN_HEX = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[0-9A-Fa-f]/.test(String.fromCharCode(code))),
);

/** In one go, as most texts are written in nothing at all: the longest runs of digits, and whether there are other signs. */
function writtenIn(text: string): { ascii: boolean; percent: boolean; base64: number; hex: number } {
  let [ascii, percent, base64, hex, run, hexRun] = [true, false, 0, 0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) ascii = false;
    else if (code === 37) percent = true;
    run = code < 128 && IN_BASE64[code] === 1 ? run + 1 : 0;
    hexRun = code < 128 && IN_HEX[code] === 1 ? hexRun + 1 : 0;
    if (run > base64) base64 = run;
    if (hexRun > hex) hex = hexRun;
  }
  return { ascii, percent, base64, hex };
}

function inside(bytes: Buffer, layers: number): Generator<string> | string[] {
  const text = bytes.toString('latin1');
  // A second layer is text all over; anything else is a first one that was none.
  const isText = /^[\t\n\r -~]{20,}$/.test(text);
  return isText ? readings(text, layers) : [text];
}

function unescaped(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
