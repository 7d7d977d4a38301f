import { monotonicFactory } from 'ulid';

const next = monotonicFactory();

/** A ULID that sorts after every one made before it in this process. */
export function newId(): string {
  return next();
}
