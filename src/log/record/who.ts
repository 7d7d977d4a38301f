const PREFIX = '{"principal":"';

/** The credential behind a record, which stands first in its metadata; read without the rest, as that is done for every record. */
export function principalOf(metadata: string): string | null {
  const end = metadata.startsWith(PREFIX) ? metadata.indexOf('"', PREFIX.length) : -1;
  const text = metadata.slice(PREFIX.length, end);
  if (end >= 0 && !text.includes('\\')) return text;
  if (!metadata.includes('"principal"')) return null;
  const { principal } = JSON.parse(metadata) as { principal?: unknown };
  return typeof principal === 'string' ? principal : null;
}

/** The same in SQL, of a record `a`, and that of `isClient`. Metadata is JSON that we have written. */
export const principalCondition = (value: string): string => `(a.metadata::json ->> 'principal') = ${value}`;
export const clientCondition = (value: string): string =>
  `(a.client = ${value} OR regexp_replace(a.client, '/[^/]*$', '') = ${value})`;
