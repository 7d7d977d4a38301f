import { isObject } from '../../json/index.ts';

/** What a parameter can ask for that an attacker is after. */
type Asked = 'a path' | 'a key' | 'messages';

/** More parts of a schema are not read; such a schema counts as asking for anything. */
const MAX_PARTS = 5000;
const MAX_DESCRIPTION = 2000;
/** Their values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

interface Part {
  value: unknown;
  /** Names of the parameters around it. */
  names: string;
}

/**
 * The parameters of a schema that ask for paths, keys or messages, by name or by description, at any depth; each as a sentence for the
 * operator, which is the same wherever in the schema the parameter stands.
 */
export function askingParameters(schema: unknown): Set<string> {
  const found = new Set<string>();
  const rest: Part[] = [{ value: schema, names: '' }];
  for (let read = 0; rest.length > 0; read++) {
    if (read > MAX_PARTS) return found.add('its schema is too large to be read');
    const { value, names } = rest.pop()!;
    if (Array.isArray(value)) for (const item of value as unknown[]) rest.push({ value: item, names });
    if (!isObject(value)) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (DATA.has(key)) continue;
      if (key === 'properties' && isObject(inner)) addParameters(inner, names, { found, rest });
      else if (typeof inner === 'object') rest.push({ value: inner, names });
    }
  }
  return found;
}

function addParameters(
  parameters: object,
  around: string,
  { found, rest }: { found: Set<string>; rest: Part[] },
): void {
  for (const [name, value] of Object.entries(parameters) as Array<[string, unknown]>) {
    const names = around === '' ? name : `${around}.${name}`;
    const description = isObject(value) ? value.description : undefined;
    for (const asked of askedBy(name, typeof description === 'string' ? description : ''))
      found.add(`the parameter "${names}" asks for ${asked}`);
    if (typeof value === 'object') rest.push({ value, names });
  }
}

const PATHS = wordSet('path paths file files filename filepath dir directory directories folder folders cwd');
const KEYS = wordSet(
  'password passwd passphrase secret secrets credential credentials apikey apikeys token tokens cookie cookies auth authorization env',
);
/** `api_key` is one, `sort_key` is none. */
const KEYS_BEFORE_KEY = wordSet('api access private secret ssh encryption signing master auth');
const MESSAGES = wordSet(
  'messages conversation conversations transcript history context prompt prompts reasoning thoughts sidenote sidenotes',
);
/** What is said about one of these is none: `file_type`, `message_id`, `context_lines`. */
const ABOUT = wordSet(
  'type types format size count limit id ids extension extensions mode kind encoding lines length window url version',
);
/** Positions in lists are called tokens too, and so is what language models count. */
const OTHER_TOKENS = wordSet(
  'page next prev previous continuation cursor sync max min total num output input',
);

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

const PATH_SAID =
  /\b(?:absolute path|full path|local path|file path|path to|path of|contents? of (?:the |a |any )?files?)\b/i;
const KEY_SAID =
  /\b(?:passwords?|passphrase|secrets?|credentials?|api[ _-]?keys?|access tokens?|private keys?|ssh keys?|environment variables?)\b/i;
const MESSAGES_SAID =
  /\b(?:conversation|chat history|message history|(?:previous|earlier|all|user's) (?:messages?|prompts?)|system prompt|your (?:reasoning|instructions|thoughts))\b/i;

function askedBy(name: string, description: string): Asked[] {
  const words = name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const said = description.slice(0, MAX_DESCRIPTION);
  const isAbout = ABOUT.has(words.at(-1) ?? '');
  const names = (of: ReadonlySet<string>) => !isAbout && words.some((word) => of.has(word));
  return [
    ...(names(PATHS) || PATH_SAID.test(said) ? (['a path'] as const) : []),
    ...((names(KEYS) && !isOtherToken(words)) || isKey(words) || KEY_SAID.test(said)
      ? (['a key'] as const)
      : []),
    ...(names(MESSAGES) || MESSAGES_SAID.test(said) ? (['messages'] as const) : []),
  ];
}

const isOtherToken = (words: readonly string[]): boolean => words.some((word) => OTHER_TOKENS.has(word));

const isKey = (words: readonly string[]): boolean =>
  words.some((word, at) => /^keys?$/.test(word) && KEYS_BEFORE_KEY.has(words[at - 1] ?? ''));
