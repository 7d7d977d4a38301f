export const MASK = '***';

/** Parts of names whose values are likely to be secrets. */
const SENSITIVE = /auth|key|token|secret|passw|passphrase|cookie|credential|session/i;
/** Sensitive only as whole words: "pass", but not "passive". */
const SENSITIVE_WORDS = new Set(['pass', 'pwd', 'pat', 'jwt', 'sig', 'signature', 'bearer']);
const SENSITIVE_IN_QUERY = new Set(['code', 'sas', 'otp']);

/** Whether the value of this name is likely to be a secret. */
export function isSensitive(name: string): boolean {
  return SENSITIVE.test(name) || wordsOf(name).some((word) => SENSITIVE_WORDS.has(word));
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** Masks a value. A reference is only a name and stays; a reference with a default contains a value. */
export function hidden(value: string): string {
  return isReference(value) ? value : MASK;
}

function isReference(value: string): boolean {
  return (
    /^(?:[A-Za-z-]{1,10} )?(?:\$\{[A-Za-z_][^}]*\}|\{(?:env|file):[^{}]*\})$/.test(value) &&
    !value.includes(':-')
  );
}

/** Masks the credentials and the fragment of a URL, and the sensitive or all values of its query. References stay. */
export function maskedUrl(text: string, query: 'sensitive' | 'all' = 'sensitive'): string {
  const [, head = '', fragment] = /^([^#]*)(?:#([^]*))?$/.exec(withoutUser(text)) ?? [];
  const masked = head.replace(/([?&;][^=&;?]+=)([^&;]*)/g, (whole, start: string, value: string) =>
    query === 'all' || isSensitiveInQuery(start.slice(1, -1)) ? start + hidden(value) : whole,
  );
  if (fragment === undefined) return masked;
  // The fragment of a repository names a branch or a tag.
  return `${masked}#${fragment === '' || /^git\+|\.git$/.test(head) ? fragment : hidden(fragment)}`;
}

/** A password may contain an unencoded slash: then the text after the first colon is not a port. */
function withoutUser(url: string): string {
  const [, scheme, authority = '', rest = ''] = /^([^/?#]*:\/\/)([^/?#]*)([^]*)$/.exec(url) ?? [];
  if (scheme === undefined) return url;
  if (authority.includes('@')) return `${scheme}${MASK}${authority.slice(authority.lastIndexOf('@'))}${rest}`;
  const afterHost = authority.replace(/^\[[^\]]*\]/, '').replace(/\$\{[^}]*\}/g, '');
  const isPassword = /:(?!\d*(?:;|$))/.test(afterHost) && rest.includes('@');
  return isPassword ? `${scheme}${MASK}${rest.slice(rest.lastIndexOf('@'))}` : url;
}

function isSensitiveInQuery(name: string): boolean {
  const plain = decoded(name);
  return isSensitive(plain) || wordsOf(plain).some((word) => SENSITIVE_IN_QUERY.has(word));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Programs whose -p is a password. */
const TAKES_PASSWORD = /(?:^|[/\\])(?:mysql\w*|mariadb[\w-]*|sshpass|7z\w*)(?:\.exe)?$/;

/** Masks the secrets in the words of a command line. */
export function maskedArguments(words: readonly string[]): string[] {
  const program = words.findIndex((word) => TAKES_PASSWORD.test(word));
  return words.map((word, index) =>
    maskedArgument(word, words[index - 1] ?? '', program >= 0 && index > program),
  );
}

function maskedArgument(given: string, before: string, takesPassword: boolean): string {
  if (isReference(given)) return given;
  if (isSecretFlag(before, takesPassword) && !given.startsWith('-')) return MASK;
  if (/^(?:-H|--headers?)$/.test(before)) return maskedHeader(given);
  if (/^(?:-u|--(?:proxy-)?user)$/.test(before)) return maskedUser(given);
  const [, flag, header] = /^(-H|--headers?=)([^]+)$/.exec(given) ?? [];
  if (flag !== undefined) return flag + maskedHeader(header!);
  if (isAttachedPassword(given, takesPassword)) return `-p${MASK}`;
  const word = maskedInside(given);
  return /\s/.test(word) ? maskedText(word) : maskedWord(word);
}

function isSecretFlag(flag: string, takesPassword: boolean): boolean {
  return (/^--?[\w.-]+$/.test(flag) && isSensitive(flag)) || (takesPassword && flag === '-p');
}

/** "-pSECRET", but neither "-p8080:80" nor "-print". */
function isAttachedPassword(word: string, takesPassword: boolean): boolean {
  const [, rest] = /^-p([^]+)$/.exec(word) ?? [];
  if (rest === undefined) return false;
  return takesPassword || !(/^[\d:./-]+$/.test(rest) || /^[a-z][a-z-]*(?:=|$)/.test(rest));
}

function maskedHeader(text: string): string {
  const [, name, value] = /^(["']?[\w-]+\s*:\s*)([^]*)$/.exec(text) ?? [];
  return name === undefined ? maskedWord(text) : `${name}${hidden(value!)}`;
}

/** "me:SECRET", but not the numbers of a user and a group. */
function maskedUser(text: string): string {
  const [, name, word] = /^([^:]*):([^]+)$/.exec(text) ?? [];
  return name === undefined || /^\d+$/.test(word!) || name.includes('${')
    ? maskedWord(text)
    : `${name}:${hidden(word!)}`;
}

/** Masks the defaults of references and the members of JSON. */
function maskedInside(text: string): string {
  // Split first: one pattern for the whole text would be quadratic where the closing brace is missing.
  const pieces = text.split('}');
  const end = pieces.pop()!;
  return [...pieces.map(maskedDefault), end]
    .join('}')
    .replace(/("([\w-]+)"\s*:\s*")(?:[^"\\]|\\.)*"/g, (whole, start: string, name: string) =>
      isSensitive(name) ? `${start}${MASK}"` : whole,
    );
}

function maskedDefault(piece: string): string {
  return piece.replace(/(\$\{(?:env:)?(\w+):-)[^]+$/, (whole, start: string, name: string) =>
    isSensitive(name) ? start + MASK : whole,
  );
}

/** A text with spaces may be a header or another command line, as after "sh -c". */
function maskedText(text: string): string {
  const [, header] = /^([\w-]+): /.exec(text) ?? [];
  if (header !== undefined && isSensitive(header)) return maskedHeader(text);
  const bare = text.replace(/\b(bearer\s+)(?!\$\{)[^\s"']+/gi, `$1${MASK}`);
  const pieces = bare.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+|["']|\s+/g) ?? [];
  if (pieces.length === 1) {
    const [, quote, inner] = /^(["'])((?:(?!\1)[^])*)\1$/.exec(bare) ?? [];
    return quote === undefined ? maskedWord(bare) : `${quote}${maskedText(inner!)}${quote}`;
  }
  const words = maskedArguments(pieces.filter((piece) => piece.trim() !== ''));
  let next = 0;
  return pieces.map((piece) => (piece.trim() === '' ? piece : words[next++]!)).join('');
}

function maskedWord(word: string): string {
  return word.includes('://') ? maskedPair(word) : word.split(';').map(maskedPair).join(';');
}

const HEADER_NAME = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]+|api-?key)$/i;

/** As in --set=env=NAME=VALUE. */
const MAX_NAMES = 4;

/** NAME=VALUE, --name=value, Name:value of a header, or a text with URLs. */
function maskedPair(text: string): string {
  let [start, rest] = ['', text];
  for (let names = 0; names < MAX_NAMES; names++) {
    const [, name, value = ''] = /^(["'(]*-{0,2}[\w.-]+)=([^]*)$/.exec(rest) ?? [];
    if (name === undefined) break;
    if (isSensitive(name)) return `${start}${name}=${hidden(value)}`;
    start += `${name}=`;
    rest = value;
  }
  const [, header] = /^([\w-]+):(?!\/\/)/.exec(rest) ?? [];
  if (header !== undefined && HEADER_NAME.test(header) && isSensitive(header))
    return start + maskedHeader(rest);
  return start + rest.replace(/[a-z][a-z0-9+.:-]{0,40}:\/\/\S*/gi, (url) => maskedUrl(url));
}
