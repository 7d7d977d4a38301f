import { ExactNumber } from './exact.ts';

/** One step of a JSON pointer (RFC 6901): the key of an object, or the place in a list. */
export function pointerStep(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A place in a JSON value: a whole value, or a range of a string or of a key. */
export interface Mark {
  pointer: string;
  in: 'value' | 'key';
  kind: string;
  start?: number | undefined;
  end?: number | undefined;
}

/** A piece of JSON text; `kind` is there where it is marked. Joined, the pieces are the whole text. */
export interface Segment {
  text: string;
  kind?: string;
}

const INDENT = '  ';

/** JSON over several lines, with every digit, in pieces: what is marked and what is not. `root` is the pointer of the value itself. */
export function markedJson(value: unknown, marks: readonly Mark[], root: string): Segment[] {
  const writer = new Writer(marks);
  writer.write(value, root, '\n');
  return writer.segments;
}

class Writer {
  readonly segments: Segment[] = [];
  readonly #marks = new Map<string, Mark[]>();
  /** Inside of a value that is marked as a whole. */
  #kind: string | undefined;

  constructor(marks: readonly Mark[]) {
    for (const mark of marks) {
      const place = placeOf(mark.in, mark.pointer);
      const there = this.#marks.get(place);
      if (there) there.push(mark);
      else this.#marks.set(place, [mark]);
    }
  }

  write(value: unknown, pointer: string, newline: string): void {
    const marks = this.#marksAt('value', pointer);
    const whole = marks.find(({ start }) => start === undefined);
    const outer = this.#kind;
    this.#kind ??= whole?.kind;
    if (typeof value === 'string') this.#string(value, whole ? [] : marks);
    else if (Array.isArray(value)) this.#list(value, pointer, newline);
    else if (value instanceof ExactNumber) this.#emit(value.text);
    else if (typeof value === 'object' && value !== null)
      this.#object(value as Record<string, unknown>, pointer, newline);
    else this.#emit(JSON.stringify(value) ?? 'null');
    this.#kind = outer;
  }

  #list(items: readonly unknown[], pointer: string, newline: string): void {
    if (items.length === 0) return this.#emit('[]');
    items.forEach((item, index) => {
      this.#emit(`${index === 0 ? '[' : ','}${newline}${INDENT}`);
      this.write(item, pointer + pointerStep(String(index)), newline + INDENT);
    });
    this.#emit(`${newline}]`);
  }

  #object(fields: Record<string, unknown>, pointer: string, newline: string): void {
    const entries = Object.entries(fields).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return this.#emit('{}');
    entries.forEach(([key, item], index) => {
      const inside = pointer + pointerStep(key);
      this.#emit(`${index === 0 ? '{' : ','}${newline}${INDENT}`);
      this.#string(key, this.#marksAt('key', inside));
      this.#emit(': ');
      this.write(item, inside, newline + INDENT);
    });
    this.#emit(`${newline}}`);
  }

  #string(text: string, marks: readonly Mark[]): void {
    let from = 0;
    this.#emit('"');
    for (const { start = 0, end = text.length, kind } of marks) {
      if (start < from) continue;
      this.#emit(inner(text.slice(from, start)));
      this.#emit(inner(text.slice(start, end)), kind);
      from = end;
    }
    this.#emit(`${inner(text.slice(from))}"`);
  }

  #marksAt(part: Mark['in'], pointer: string): readonly Mark[] {
    return this.#kind === undefined ? (this.#marks.get(placeOf(part, pointer)) ?? []) : [];
  }

  #emit(text: string, kind = this.#kind): void {
    if (text === '') return;
    const last = this.segments.at(-1);
    if (last && last.kind === kind) last.text += text;
    else this.segments.push(kind === undefined ? { text } : { text, kind });
  }
}

const placeOf = (part: Mark['in'], pointer: string) => `${part}${pointer}`;

/** What stands between the quotes of a JSON string. */
const inner = (text: string) => JSON.stringify(text).slice(1, -1);
