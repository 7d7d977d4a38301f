/** Schemes that every URL parser rewrites in its own way, so the platform's parser has the last word on them. */
const KNOWN_SCHEMES = new Set(['file', 'http', 'https', 'ws', 'wss', 'ftp']);

const PARTS = /^([a-z][a-z0-9+.-]*):([^?#]*)(\?[^#]*)?/i;
/** A slash or an escape that is itself escaped, in a path: one server decodes it, another does not. */
const AMBIGUOUS = /%(?:2f|5c|25[\da-f]{2})/i;
/** A control character, escaped or not, or an escape that is none. */
const INVALID = /[\u0000-\u001f\u007f-\u009f]|%(?:[01][\da-f]|7f|(?![\da-f]{2}))/i;
/** A query without a word. */
const EMPTY_QUERY = /^\?+$/;
const UNRESERVED = /[\w.~-]/;
/** In the path of a file these need no escape either. */
const FILE_PLAIN = /[\w.~!$&'()*+,;=:@-]/;
/** What no URI contains unescaped. */
const FOREIGN = /[^\w.~!$&'()*+,;=:@/?%[\]-]/gu;

/**
 * The one form of a URI that rules are compared with: without dot segments, empty segments, needless escapes and a fragment. Undefined
 * for a text that has none, because servers would read it differently.
 */
export function normalUri(text: string): string | undefined {
  const made = rewritten(text);
  return made !== undefined && rewritten(made) === made ? made : undefined;
}

function rewritten(text: string): string | undefined {
  if (INVALID.test(text) || !isDecodable(text)) return undefined;
  const [, name, rest, query = ''] = PARTS.exec(text) ?? [];
  if (name === undefined || rest === undefined || AMBIGUOUS.test(rest)) return undefined;
  const scheme = name.toLowerCase();
  const isFile = scheme === 'file';
  const place = placeOf(escaped(rest.replaceAll('\\', '/'), isFile ? FILE_PLAIN : UNRESERVED));
  if (!place) return undefined;
  const made = `${scheme}:${place}${isFile ? '' : escaped(query.replace(EMPTY_QUERY, ''), UNRESERVED)}`;
  return KNOWN_SCHEMES.has(scheme) ? parsedHref(made) : made;
}

/**
 * The same for all URIs that some server may take for one: escapes of every depth, letter case of hosts and files, and slashes at the end
 * make no difference.
 */
export function uriKey(text: string): string {
  const [, name = '', rest = text, query = ''] = PARTS.exec(decoded(normalUri(text) ?? text)) ?? [];
  const scheme = name.toLowerCase();
  const [host = '', ...path] = withoutDots(rest.replaceAll('\\', '/').split('/').filter(Boolean));
  const key = [scheme, host.toLowerCase(), ...path].join('/').normalize('NFC');
  return scheme === 'file' ? key.toLowerCase() : key + query.replace(EMPTY_QUERY, '');
}

/** Authority and path. */
function placeOf(rest: string): string | undefined {
  if (!rest.startsWith('/')) return withoutDots(rest.split('/').filter(isFilled)).join('/');
  const [, authority, path = ''] = /^\/\/([^/]*)(.*)$/.exec(rest) ?? [undefined, '', rest];
  if (authority === undefined || /^\.{1,2}$/.test(authority)) return undefined;
  const segments = withoutDots(path.split('/').slice(1).filter(isFilled));
  return `//${authority}${path === '' ? '' : `/${segments.join('/')}`}`;
}

/** An empty segment is kept at the end only: a directory. */
const isFilled = (segment: string, at: number, all: readonly string[]) =>
  segment !== '' || (at === all.length - 1 && all.some((other) => other !== ''));

function withoutDots(segments: readonly string[]): string[] {
  const kept: string[] = [];
  segments.forEach((segment, at) => {
    if (segment === '..') kept.pop();
    if (segment !== '.' && segment !== '..') kept.push(segment);
    else if (at === segments.length - 1 && kept.length > 0) kept.push('');
  });
  return kept;
}

function escaped(text: string, plain: RegExp): string {
  const decodedPlain = text.replace(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return character < '\u0080' && plain.test(character) ? character : escape.toUpperCase();
  });
  return decodedPlain.replace(FOREIGN, encodeURIComponent);
}

function isDecodable(text: string): boolean {
  try {
    return encodeURI(decodeURIComponent(text)) !== '';
  } catch {
    return false;
  }
}

const MAX_DEPTH = 4;

function decoded(text: string): string {
  let before = text;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const after = before.replace(/(?:%[\da-f]{2})+/gi, (run) =>
      Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
    );
    if (after === before) break;
    before = after;
  }
  return before;
}

function parsedHref(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).href : undefined;
}
