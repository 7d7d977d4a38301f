import { ServerConfig } from '../config.ts';

type Key = keyof ServerConfig;
type Entry = Record<string, unknown>;

/** An entry with our own setting names, not yet validated. */
export interface EntryDraft {
  settings: Map<Key, unknown>;
  problems: Array<{ path: string[]; message: string }>;
  warnings: string[];
}

/** Keys of other clients, and our corresponding settings. */
const SYNONYMS: Record<string, Key> = {
  disabled: 'enabled',
  httpUrl: 'url',
  serverUrl: 'url',
  environment: 'env',
  envFile: 'env_file',
  transport: 'type',
  transportType: 'type',
  disabledTools: 'tools',
  excludeTools: 'tools',
};

/** Synonyms whose value is used unchanged. */
const SAME_VALUE = ['httpUrl', 'serverUrl', 'environment', 'envFile', 'transport', 'transportType'];

/** In their clients these keys permit calls without a question. Here only the policy and a person can. */
const AUTO_APPROVAL = ['autoApprove', 'alwaysAllow', 'trust'];

const KEYS = Object.keys(ServerConfig.shape) as Key[];
const TYPES: readonly string[] = ServerConfig.shape.type.unwrap().options;
const MAX_LISTED = 10;
const MAX_SHOWN = 60;
/** Units differ between clients: Cline uses seconds, Gemini CLI milliseconds. */
const LEAST_MILLISECONDS = 1000;

/** The keys to remove from an entry when this setting is written with our own name. */
export function synonymsOf(key: string): string[] {
  return Object.keys(SYNONYMS).filter((synonym) => SYNONYMS[synonym] === key);
}

/** Translates an entry of any client to our setting names. Some clients write null for settings that are not set. */
export function translateEntry(raw: Entry): EntryDraft {
  const given = Object.fromEntries(
    Object.entries(raw).filter(([, value]) => value !== undefined && value !== null),
  );
  const draft: EntryDraft = {
    settings: new Map(KEYS.filter((key) => Object.hasOwn(given, key)).map((key) => [key, given[key]])),
    problems: [],
    warnings: [],
  };
  translateToolList(draft, given);
  translateSwitches(draft, given);
  translateSynonyms(draft, given);
  translateType(draft);
  translateCommand(draft);
  translateTimeout(draft);
  chooseTransport(draft);
  reportOtherKeys(draft, Object.keys(given));
  return draft;
}

/** A list of tools is an allow-list in its client. We have no allow-list, so this adds a warning. */
function translateToolList({ settings, warnings }: EntryDraft, given: Entry): void {
  const lists = ['tools', 'includeTools'].filter((key) => Array.isArray(given[key]));
  for (const key of lists) if (!(given[key] as unknown[]).includes('*')) warnings.push(allowList(key));
  if (lists.includes('tools')) settings.delete('tools');
}

function allowList(key: string): string {
  return `"${key}" has no effect: all tools are offered. Disable single tools with "tools": {"NAME": {"enabled": false}}`;
}

function translateSwitches({ settings, problems }: EntryDraft, given: Entry): void {
  const { disabled } = given;
  if (disabled !== undefined && typeof disabled !== 'boolean')
    problems.push({ path: ['disabled'], message: 'must be true or false' });
  // Either key disables the server.
  else if (disabled || (disabled === false && !settings.has('enabled'))) settings.set('enabled', !disabled);
  for (const key of ['disabledTools', 'excludeTools']) {
    const names = given[key];
    if (names === undefined) continue;
    if (isTextList(names)) settings.set('tools', withoutTools(settings.get('tools'), names));
    else problems.push({ path: [key], message: 'must be a list of tool names' });
  }
}

function withoutTools(tools: unknown, names: string[]): unknown {
  const own = isEntry(tools) ? tools : {};
  const off = names.map((name) => {
    const before = Object.hasOwn(own, name) ? own[name] : undefined;
    return [name, { ...(isEntry(before) && before), enabled: false }] as const;
  });
  return { ...own, ...Object.fromEntries(off) };
}

function translateSynonyms({ settings, warnings }: EntryDraft, given: Entry): void {
  const hasType = ['type', 'transport', 'transportType'].some((key) => Object.hasOwn(given, key));
  for (const synonym of SAME_VALUE.filter((key) => Object.hasOwn(given, key))) {
    const key = SYNONYMS[synonym]!;
    if (settings.has(key)) warnings.push(`"${synonym}" has no effect beside "${key}"`);
    else settings.set(key, given[synonym]);
    if (synonym === 'httpUrl' && settings.get('url') === given.httpUrl && !hasType)
      settings.set('type', 'http');
  }
}

function translateType({ settings, problems }: EntryDraft): void {
  const type = settings.get('type');
  if (type === undefined || TYPES.includes(type as string)) return;
  settings.delete('type');
  const plain = typeof type === 'string' ? type.toLowerCase().replace(/[^a-z]/g, '') : '';
  if (plain === 'stdio' || plain === 'local') settings.set('type', 'stdio');
  else if (plain === 'http' || plain === 'streamablehttp') settings.set('type', 'http');
  else if (plain === 'sse') settings.set('type', 'sse');
  // "remote" means only that there is a URL; the transport is detected later.
  else if (plain !== 'remote')
    problems.push({ path: ['type'], message: `must be one of ${TYPES.join(', ')}` });
}

/** Some clients put the program and its arguments into one list. */
function translateCommand({ settings }: EntryDraft): void {
  const command = settings.get('command');
  if (!isTextList(command)) return;
  const [program = '', ...args] = command;
  const more = settings.get('args');
  settings.set('command', program);
  settings.set('args', isTextList(more) ? [...args, ...more] : args);
}

function translateTimeout({ settings, problems, warnings }: EntryDraft): void {
  const timeout = settings.get('timeout');
  if (typeof timeout !== 'number') return;
  settings.delete('timeout');
  if (!Number.isFinite(timeout) || timeout <= 0)
    return void problems.push({ path: ['timeout'], message: 'must be more than 0, as in "30s"' });
  const ms = Math.max(1, Math.round(timeout < LEAST_MILLISECONDS ? timeout * 1000 : timeout));
  const text = ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
  settings.set('timeout', text);
  warnings.push(
    `timeout ${timeout} is read as "${text}": numbers below ${LEAST_MILLISECONDS} are seconds, others milliseconds`,
  );
}

/** When both a command and a URL are given, the type selects one. */
function chooseTransport({ settings, warnings }: EntryDraft): void {
  const type = settings.get('type');
  if (!settings.has('command') || !settings.has('url') || type === undefined) return;
  const unused: Key[] = type === 'stdio' ? ['url', 'headers'] : ['command', 'args', 'env', 'cwd'];
  for (const key of unused) settings.delete(key);
  warnings.push(`"${unused[0]}" has no effect beside "type": ${JSON.stringify(type)}`);
}

function reportOtherKeys({ problems, warnings }: EntryDraft, given: string[]): void {
  const foreign = given.filter(
    (key) => !KEYS.includes(key as Key) && !Object.hasOwn(SYNONYMS, key) && key !== 'includeTools',
  );
  const approvals = foreign.filter((key) => AUTO_APPROVAL.includes(key));
  const others: string[] = [];
  for (const key of foreign.filter((each) => !AUTO_APPROVAL.includes(each))) {
    // A misspelt setting must not be ignored: it may be the one that disables the server.
    const near = nearestWord(key, [...KEYS, ...Object.keys(SYNONYMS)]);
    if (key === '__proto__') problems.push({ path: [key], message: 'this key is not allowed' });
    else if (near) problems.push({ path: [key], message: `unknown key; did you mean "${near}"?` });
    else others.push(key);
  }
  if (approvals.length > 0)
    warnings.push(
      `${listed(approvals)} ${approvals.length === 1 ? 'has' : 'have'} no effect: configure under "approvals" which calls require an approval`,
    );
  if (others.length > 0) warnings.push(`ignored keys: ${listed(others)}`);
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function listed(keys: string[]): string {
  const shown = keys.slice(0, MAX_LISTED).map((key) => JSON.stringify(key.slice(0, MAX_SHOWN)));
  return shown.join(', ') + (keys.length > MAX_LISTED ? ` and ${keys.length - MAX_LISTED} more` : '');
}

/** The known word that an unknown one was probably meant to be, for "did you mean". */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const wanted = plainWord(word);
  return (
    known.find((candidate) => plainWord(candidate) === wanted) ??
    known.find((candidate) => isOneEditApart(plainWord(candidate), wanted))
  );
}

export function plainWord(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** One letter too many, too few, wrong, or two swapped. */
function isOneEditApart(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}
