/** Detects a pause in a stream. One timer, refreshed with every chunk. */
export class IdleWatch {
  readonly #limitMs: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;
  #steps = 0;

  constructor(limitMs: number, onIdle: () => void) {
    this.#limitMs = limitMs;
    this.#onIdle = onIdle;
  }

  /** Data arrived, and more must follow. */
  step(): void {
    this.#steps++;
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(this.#check, this.#limitMs).unref();
  }

  /** No data is expected for now. */
  rest(): void {
    this.#steps++;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** After a blocked event loop, data may have arrived that is not read yet; it is read by the end of this turn. */
  readonly #check = (): void => {
    const before = this.#steps;
    setImmediate(() => before === this.#steps && this.#onIdle());
  };
}
