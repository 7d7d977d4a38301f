/** Names whose values are likely to be secrets. */
export const SENSITIVE = /auth|key|token|secret|passw|cookie|credential|session/i;
const MASK = '***';

/** A URL for people to read: references stay references, what looks like a secret is masked. */
export function maskedUrl(text: string): string {
  return text
    .replace(/^(https?:\/\/)[^/?#]*@/, `$1${MASK}@`)
    .replace(/([?&][^=&#]+)=(?!\$\{)[^&#]*/g, (whole, name: string) =>
      SENSITIVE.test(name) ? `${name}=${MASK}` : whole,
    );
}

/** The words of a command line, the same way. */
export function maskedArguments(words: readonly string[]): string[] {
  return words.map((word, index) => maskedArgument(word, words[index - 1] ?? ''));
}

function maskedArgument(word: string, before: string): string {
  if (word.startsWith('${')) return word;
  if (/^--?[\w-]+$/.test(before) && SENSITIVE.test(before) && !word.startsWith('-')) return MASK;
  const [, flag] = /^(--?[\w-]+=|[A-Z0-9_]+=)/.exec(word) ?? [];
  if (flag && SENSITIVE.test(flag)) return `${flag}${MASK}`;
  return /:\/\//.test(word) ? maskedUrl(word.replace(/:\/\/[^/@\s]+@/, `://${MASK}@`)) : word;
}
