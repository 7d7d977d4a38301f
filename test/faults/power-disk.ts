import type { DiskEvent } from './power-trace.ts';

type Change = Extract<DiskEvent, { kind: 'write' | 'truncate' }>;

/** What a disk makes of writes that no sync has covered yet, when the power goes. */
export type Fate = 'dropped' | 'kept' | 'some' | 'torn';

/** Bytes of files, with room to grow. */
class Bytes {
  #data: Buffer;
  #size: number;

  constructor(data: Buffer) {
    this.#data = data;
    this.#size = data.length;
  }

  apply(change: Change): void {
    if (change.kind === 'truncate') return this.#resize(change.size);
    const at = change.at === 'end' ? this.#size : change.at;
    if (at + change.data.length > this.#size) this.#resize(at + change.data.length);
    change.data.copy(this.#data, at);
  }

  copy(): Bytes {
    return new Bytes(Buffer.from(this.now()));
  }

  now(): Buffer {
    return this.#data.subarray(0, this.#size);
  }

  #resize(size: number): void {
    if (size > this.#data.length) {
      const wider = Buffer.alloc(Math.max(size, 2 * this.#data.length));
      this.now().copy(wider);
      this.#data = wider;
    }
    if (size < this.#size) this.#data.fill(0, size, this.#size);
    this.#size = size;
  }
}

/** A disk that is told of one system call after the other, and can be looked at as it would be found after a power loss. */
export class PowerDisk {
  readonly #durable = new Map<string, Bytes>();
  /** Not covered by a sync yet, in order. */
  readonly #volatile = new Map<string, Change[]>();

  constructor(files: ReadonlyMap<string, Buffer>) {
    for (const [name, data] of files) this.#durable.set(name, new Bytes(Buffer.from(data)));
  }

  get unsynced(): number {
    return [...this.#volatile.values()].reduce((sum, changes) => sum + changes.length, 0);
  }

  tell(event: DiskEvent): void {
    if (event.kind === 'sync') this.#synced(event.file, event.start);
    else if (event.kind === 'write' || event.kind === 'truncate')
      this.#volatile.set(event.file, [...(this.#volatile.get(event.file) ?? []), event]);
  }

  /** A sync covers what had returned before it began. */
  #synced(file: string, start: number): void {
    const changes = this.#volatile.get(file) ?? [];
    const covered = changes.filter(({ end }) => end <= start);
    const bytes = this.#bytesOf(file);
    for (const change of covered) bytes.apply(change);
    this.#volatile.set(file, changes.slice(covered.length));
  }

  #bytesOf(file: string): Bytes {
    const found = this.#durable.get(file) ?? new Bytes(Buffer.alloc(0));
    this.#durable.set(file, found);
    return found;
  }

  after(fate: Fate): Map<string, Buffer> {
    const files = new Set([...this.#durable.keys(), ...this.#volatile.keys()]);
    return new Map([...files].map((file) => [file, this.#found(file, fate)]));
  }

  #found(file: string, fate: Fate): Buffer {
    const changes = this.#volatile.get(file) ?? [];
    const bytes = this.#bytesOf(file).copy();
    if (fate === 'kept') for (const change of changes) bytes.apply(change);
    if (fate === 'some') for (const change of changes) if (Math.random() < 0.5) bytes.apply(change);
    if (fate === 'torn') tear(bytes, changes);
    return bytes.now();
  }
}

/** All up to a byte in the middle of one of them, and nothing after it. */
function tear(bytes: Bytes, changes: readonly Change[]): void {
  const last = Math.floor(Math.random() * changes.length);
  for (const change of changes.slice(0, last)) bytes.apply(change);
  const change = changes[last];
  if (change?.kind !== 'write') return;
  bytes.apply({ ...change, data: change.data.subarray(0, Math.floor(Math.random() * change.data.length)) });
}
