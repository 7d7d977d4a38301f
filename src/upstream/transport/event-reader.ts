import { LineSplitter, type LineSink } from '../../lib/message-stream.ts';
import { MAX_MESSAGE_BYTES } from '../../lib/rpc.ts';

export interface EventSink {
  /** `isValid`: the data was UTF-8. */
  event(type: string, data: string, isValid: boolean): void;
  /** One event is over the limit; reading stops. */
  tooLarge(bytes: number): void;
}

/** Parses an event stream that arrives in chunks of any size. */
export class EventReader implements LineSink {
  lastId: string;
  retryMs: number | undefined;
  readonly #sink: EventSink;
  readonly #lines = new LineSplitter(this, MAX_MESSAGE_BYTES);
  #data: string[] = [];
  #length = 0;
  #type = '';
  #valid = true;

  /** `lastId`: the event after which the stream is resumed. */
  constructor(sink: EventSink, lastId = '') {
    this.#sink = sink;
    this.lastId = lastId;
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** Also delivers an event without the final empty line, which some servers omit. */
  end(): void {
    this.#lines.end();
    this.#event();
  }

  line(text: string, isValid: boolean): void {
    this.#valid &&= isValid;
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (line === '') return this.#event();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#add(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id') this.lastId = value.slice(0, 1024);
    else if (field === 'retry' && /^\d{1,7}$/.test(value)) this.retryMs = Number(value);
  }

  oversize({ bytes }: { bytes: number }): void {
    this.#sink.tooLarge(bytes);
  }

  endless({ bytes }: { bytes: number }): void {
    this.#sink.tooLarge(bytes);
  }

  #add(value: string): void {
    this.#length += value.length;
    if (this.#length > MAX_MESSAGE_BYTES) this.#sink.tooLarge(this.#length);
    else this.#data.push(value);
  }

  #event(): void {
    const data = this.#data.length === 1 ? this.#data[0]! : this.#data.join('\n');
    const [type, isValid] = [this.#type, this.#valid];
    this.#data = [];
    this.#length = 0;
    this.#type = '';
    this.#valid = true;
    if (data !== '') this.#sink.event(type === '' ? 'message' : type, data, isValid);
  }
}
