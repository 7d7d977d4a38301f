/** One step of a JSON pointer (RFC 6901): the key of an object, or the place in a list. */
export function pointerStep(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
