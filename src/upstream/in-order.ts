import { collectSoonAfter } from '../lib/collect-garbage.ts';
import { inTurn, LONG_TEXT } from '../lib/in-turn.ts';
import { parseMessages, parseMessagesSteps, type Parsed } from './rpc.ts';

/** What can be told to wait with more. */
interface Source {
  pause(): unknown;
  resume(): unknown;
}

interface Text {
  text: string;
  isValid: boolean;
}

/** What waits of a server is bounded by its own limits: where it floods us, it must not use up the room of those who call others. */
const NOT_COUNTED = 0;

type Deliver = (parsed: Parsed, text: string) => void;

/**
 * Texts of one connection, parsed in the order in which they came. A long one is read in turn with the long texts of everybody else;
 * what follows waits for it, and nothing more is taken in meanwhile.
 */
export class InOrder {
  readonly #deliver: Deliver;
  readonly #source: () => Source | undefined;
  readonly #waiting: Text[] = [];
  #reading: Promise<void> | undefined;

  constructor(deliver: Deliver, source: () => Source | undefined = () => undefined) {
    this.#deliver = deliver;
    this.#source = source;
  }

  push(text: string, isValid: boolean): void {
    if (!this.#reading && text.length <= LONG_TEXT) return this.#deliver(parseMessages(text, isValid), text);
    this.#waiting.push({ text, isValid });
    this.#reading ??= this.#read();
  }

  /** There while something is being read: resolves when all that has come is delivered. */
  get reading(): Promise<void> | undefined {
    return this.#reading;
  }

  async #read(): Promise<void> {
    const source = this.#source();
    source?.pause();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { text, isValid } = next;
      const isLong = text.length > LONG_TEXT;
      const parsed = isLong
        ? await inTurn(NOT_COUNTED, parseMessagesSteps(text, isValid))
        : parseMessages(text, isValid);
      this.#deliver(parsed, text);
      // Only now is nobody at work with it any more.
      if (isLong) collectSoonAfter(text.length);
    }
    this.#reading = undefined;
    source?.resume();
  }
}
