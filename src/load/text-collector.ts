import { isUtf8 } from 'node:buffer';
import { collectAfter, collectSoonAfter } from './collect-garbage.ts';

const NOTHING = Buffer.alloc(0);

/**
 * A long text that arrives in pieces. Each is decoded when it comes, so that bytes, joined bytes and text are never held at once; the
 * pieces become one string only when somebody reads it.
 */
export class TextCollector {
  /** The beginning of a character whose end has not come yet. */
  #begun = NOTHING;
  #text = '';
  #valid = true;

  /** False where something was not UTF-8, and the text is not what was sent. */
  get isValid(): boolean {
    return this.#valid && this.#begun.length === 0;
  }

  add(part: Buffer): void {
    const bytes = this.#begun.length === 0 ? part : Buffer.concat([this.#begun, part]);
    const end = bytes.length - begunAtEnd(bytes);
    // Copied, as otherwise three bytes would keep the whole piece.
    this.#begun = end === bytes.length ? NOTHING : Buffer.from(bytes.subarray(end));
    this.#valid &&= isUtf8(bytes.subarray(0, end));
    this.#text += bytes.toString('utf8', 0, end);
  }

  /** The whole, after which it is empty again. */
  take(): string {
    const text = this.#text + this.#begun.toString();
    this.#text = '';
    this.#begun = NOTHING;
    this.#valid = true;
    // Reading one character joins the pieces, which are of no use any more then; soon nor is the text, when it has been parsed.
    if (text.charCodeAt(0) >= 0) collectAfter(text.length);
    collectSoonAfter(text.length);
    return text;
  }
}

/** How many bytes at the end are the beginning of a character. */
function begunAtEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
