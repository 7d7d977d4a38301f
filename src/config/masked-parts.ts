import { MASK, maskedUrl } from './mask-target.ts';

/** Forms of keys that services give out. */
const KEY_FORM =
  /^(?:sk-|sk_|pk_|rk_|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|eyJ|hf_|npm_|lin_api_|ntn_|secret_|figd_|tvly-|r8_|dop_v1_|shpat_|SG\.|sntrys_|pat[-_])/;
const MIN_RANDOM = 16;

/** Whether a word has the form that a service gives its keys. */
export function isServiceKey(word: string): boolean {
  return KEY_FORM.test(word) && isRandom(word);
}

/** Letters and digits mixed, as in keys; neither a path nor a URL nor words. */
export function isRandom(word: string): boolean {
  if (word.length < MIN_RANDOM || !/^[\w.+=~-]+$/.test(word)) return false;
  return KEY_FORM.test(word) || (/\d/.test(word) && /[A-Za-z]/.test(word) && !/^[\d.]+$/.test(word));
}

const MIN_SEGMENT = 20;
const MIN_MIXED = 8;

/** The address of a server with its secrets masked, those in its path included: some services give each user an address. */
export function maskedAddress(url: string, query: 'sensitive' | 'all' = 'sensitive'): string {
  const masked = maskedUrl(url, query);
  const [, start, path = '', rest = ''] = /^([^/?#]*\/\/[^/?#]*)([^?#]*)([^]*)$/.exec(masked) ?? [];
  if (start === undefined) return masked;
  const segments = path.split('/').map((part) => (isPersonal(part) ? MASK : part));
  const values = rest.replace(/([?&][^=&#?]*=)([^&#]+)/g, (whole, name: string, value: string) =>
    isRandom(value) ? name + MASK : whole,
  );
  return start + segments.join('/') + values;
}

/** A long part of a path with letters and digits mixed, as in "a1b2c3d4…" or a UUID, but not in "server-2026-07-28-preview". */
function isPersonal(segment: string): boolean {
  if (segment.length < MIN_SEGMENT || !isRandom(segment)) return false;
  const words = segment.split(/[-_.~]/).filter((word) => word.length >= MIN_MIXED);
  return words.some((word) => /\d/.test(word) && /[A-Za-z]/.test(word));
}

/** A reference to a value, which is no secret itself. */
export const REFERENCE = /\$\{|\{(?:env|file):|(?:^|\s)\$[A-Za-z_]/;

/** Replaces the parts of a text that a masked copy of it hides. */
export function replaceMasked(text: string, masked: string, replace: (part: string) => string): string {
  if (masked === text) return text;
  const [first = '', ...kept] = masked.split(MASK);
  if (!text.startsWith(first)) return replace(text);
  let done = first;
  let at = first.length;
  for (const [index, piece] of kept.entries()) {
    const isLast = index === kept.length - 1;
    const end = isLast ? text.length - piece.length : text.indexOf(piece, at + 1);
    // The mask does not tell the parts: the whole text is a secret then.
    if (end < at || (piece === '' && !isLast) || !text.startsWith(piece, end)) return replace(text);
    const part = text.slice(at, end);
    done += (part === '' || REFERENCE.test(part) ? part : replace(part)) + piece;
    at = end + piece.length;
  }
  return done;
}
