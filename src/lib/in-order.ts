import { setTimeout as rest } from 'node:timers/promises';
import { collectSoonAfter } from '../load/index.ts';
import { LONG_TEXT, atOnce, inTurn, type Steps } from '../json/index.ts';

/** What can be told to wait with more. */
interface Source {
  pause(): unknown;
  resume(): unknown;
}

interface Text {
  text: string;
  isValid: boolean;
}

/** So long the texts of one piece are read in one go, and what follows only after everybody else had as much time. */
const BUSY_MS = 5;

interface InOrderParts<Parsed> {
  /** How a text of any length is read; it never throws. */
  steps: (text: string, isValid: boolean) => Steps<Parsed>;
  deliver: (parsed: Parsed, text: string) => void;
  source?: () => Source | null | undefined;
}

/**
 * Texts of one connection, parsed in the order in which they came. A long one is read in turn with the long texts of everybody else, and
 * thousands of short ones a few at a time; what follows waits for them, and nothing more is taken in meanwhile.
 */
export class InOrder<Parsed> {
  readonly #parts: InOrderParts<Parsed>;
  readonly #waiting: Array<Text | undefined> = [];
  #reading: Promise<void> | undefined;
  #began = Number.POSITIVE_INFINITY;

  constructor(parts: InOrderParts<Parsed>) {
    this.#parts = parts;
  }

  /** A piece of what the server sends is here; its texts follow. */
  begin(): void {
    this.#began = performance.now();
  }

  push(text: string, isValid: boolean): void {
    if (!this.#reading && text.length <= LONG_TEXT && performance.now() - this.#began < BUSY_MS)
      return this.#deliverNow(text, isValid);
    this.#waiting.push({ text, isValid });
    this.#reading ??= this.#read();
  }

  /** There while something is being read: resolves when all that has come is delivered. */
  get reading(): Promise<void> | undefined {
    return this.#reading;
  }

  #deliverNow(text: string, isValid: boolean): void {
    this.#parts.deliver(atOnce(this.#parts.steps(text, isValid)), text);
  }

  async #read(): Promise<void> {
    const source = this.#parts.source?.();
    source?.pause();
    let began = this.#began;
    for (let at = 0; at < this.#waiting.length; at++) {
      const { text, isValid } = this.#waiting[at]!;
      this.#waiting[at] = undefined;
      if (text.length > LONG_TEXT) {
        this.#parts.deliver(await inTurn(this.#parts.steps(text, isValid)), text);
        // Only now is nobody at work with it any more.
        collectSoonAfter(text.length);
        began = performance.now();
      } else {
        const spent = performance.now() - began;
        if (spent >= BUSY_MS) {
          await rest(spent);
          began = performance.now();
        }
        this.#deliverNow(text, isValid);
      }
    }
    this.#waiting.length = 0;
    this.#reading = undefined;
    source?.resume();
  }
}
