/** Notices that something which has begun does not go on. One timer, set again whenever it does. */
export class IdleWatch {
  readonly #limitMs: number;
  readonly #stood: () => void;
  #timer: NodeJS.Timeout | undefined;
  #steps = 0;

  constructor(limitMs: number, stood: () => void) {
    this.#limitMs = limitMs;
    this.#stood = stood;
  }

  /** It goes on, and more must come. */
  step(): void {
    this.#steps++;
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(this.#look, this.#limitMs).unref();
  }

  /** Nothing need come for now. */
  rest(): void {
    this.#steps++;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Where we stood still ourselves more may have come and not be read yet; that is done by the end of this turn. */
  readonly #look = (): void => {
    const before = this.#steps;
    setImmediate(() => before === this.#steps && this.#stood());
  };
}
