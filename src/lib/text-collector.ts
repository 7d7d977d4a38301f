import { StringDecoder } from 'node:string_decoder';
import { collectAfter, collectSoonAfter } from './collect-garbage.ts';

/**
 * A long text that arrives in pieces. Each is decoded when it comes, so that bytes, joined bytes and text are never held at once; the
 * pieces become one string only when somebody reads it.
 */
export class TextCollector {
  #decoder: StringDecoder | undefined;
  #text = '';

  add(part: Buffer): void {
    this.#decoder ??= new StringDecoder('utf8');
    this.#text += this.#decoder.write(part);
  }

  /** The whole, after which it is empty again. */
  take(): string {
    const text = this.#decoder ? this.#text + this.#decoder.end() : '';
    this.#text = '';
    // Reading one character joins the pieces, which are of no use any more then; soon nor is the text, when it has been parsed.
    if (text.charCodeAt(0) >= 0) collectAfter(text.length);
    collectSoonAfter(text.length);
    return text;
  }
}
