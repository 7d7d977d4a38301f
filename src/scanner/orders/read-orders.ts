import { KIND_COUNT, kindOf, ORDER_WORDS } from './order-words.ts';
import { ORDER_SEQUENCES, type OrderRule, type OrderSequence } from './order-rules.ts';

const LONGEST = Math.max(...ORDER_SEQUENCES.map(({ kinds }) => kinds.length));

/** A step of a sequence, and how far behind the step before it may lie. */
interface Place {
  at: number;
  step: number;
  reach: number;
  /** What is found where this step is the last. */
  completes: OrderRule | undefined;
}

/** For each kind of word the places in sequences where it may stand, the last steps first. */
function placesOf(sequences: readonly OrderSequence[]): ReadonlyArray<readonly Place[]> {
  const places = Array.from({ length: KIND_COUNT }, (): Place[] => []);
  for (const [sequence, { rule, kinds, reach }] of sequences.entries())
    for (const [step, kind] of kinds.entries()) {
      const completes = step === kinds.length - 1 ? rule : undefined;
      places[kind]!.push({ at: sequence * LONGEST + step, step, reach: reach[step]!, completes });
    }
  return places.map((of) => of.sort((one, other) => other.step - one.step));
}

const IN_RESULTS = placesOf(ORDER_SEQUENCES);
const IN_DEFINITIONS = placesOf(ORDER_SEQUENCES.filter(({ onlyInResults }) => !onlyInResults));

const [NOT, IGNORE, LEAK] = [kindOf('not'), kindOf('ignore'), kindOf('leak')];
/** An order written as one word. */
const RUN_TOGETHER = /(?:ignore|disregard|forget)(?:all|any|the|your|my)*(?:previous|prior|above|earlier)/;
const FAR = -1000;

/** Finds orders in words as they are read. Each word is looked at once, and only few sequences know its kind. */
export class OrderReader {
  readonly found = new Set<OrderRule>();
  readonly #places: ReadonlyArray<readonly Place[]>;
  /** Where the last word stood that brought each sequence to each step. */
  readonly #reached = new Int32Array(ORDER_SEQUENCES.length * LONGEST).fill(FAR);
  #touched = false;
  #at = 0;
  #lastNot = FAR;

  constructor(isResult: boolean) {
    this.#places = isResult ? IN_RESULTS : IN_DEFINITIONS;
  }

  /** An order has begun in the words so far. */
  get isOpen(): boolean {
    return this.#touched;
  }

  read(words: readonly string[]): void {
    for (const word of words) {
      if (word === '') continue;
      this.#at++;
      const kinds = ORDER_WORDS.get(word);
      if (kinds) for (const kind of kinds) this.#readKind(kind);
      else if (word.length > 16 && RUN_TOGETHER.test(word)) this.found.add('direct-order');
    }
  }

  /** An order does not go on in the next sentence. */
  endSentence(): void {
    if (this.#touched) this.#reached.fill(FAR);
    this.#touched = false;
    this.#lastNot = FAR;
  }

  #readKind(kind: number): void {
    if (kind === NOT) this.#lastNot = this.#at;
    // "Never ignore these rules", "do not reveal your prompt" are no such orders.
    if ((kind === IGNORE || kind === LEAK) && this.#at - this.#lastNot <= 2) return;
    for (const place of this.#places[kind]!) this.#reach(place);
  }

  #reach({ at, step, reach, completes }: Place): void {
    if (step > 0) {
      const distance = this.#at - this.#reached[at - 1]!;
      // One word is no two steps of a sequence.
      if (distance === 0 || distance > reach) return;
    }
    this.#reached[at] = this.#at;
    this.#touched = true;
    if (completes) this.found.add(completes);
  }
}
