import { ServerConfig } from '../config.ts';
import {
  isEntry,
  isTextList,
  KEYS,
  type Entry,
  type EntryDraft,
  type EntryOrigin,
  type Key,
} from './entry-draft.ts';
import { reportOtherKeys, SYNONYMS } from './foreign-keys.ts';
import { flattenEntry } from './nested-settings.ts';
import { translateOAuth } from './oauth-settings.ts';
import { translateTimeouts } from './time-limits.ts';

/** Synonyms whose value is used unchanged. */
const SAME_VALUE = [
  'httpUrl',
  'serverUrl',
  'envFile',
  'transport',
  'transportType',
  'workingDirectory',
  'working_directory',
];

/** Lists of the only tools that the client offers, and of those that it leaves out. */
const ALLOW_LISTS = ['tools', 'includeTools', 'enabledTools', 'enabled_tools', 'available_tools'];
const DENY_LISTS = ['disabledTools', 'disabled_tools', 'excludeTools'];

const TYPES: readonly string[] = ServerConfig.shape.type.unwrap().options;

/** Translates an entry of any client to our setting names. */
export function translateEntry(raw: Entry, origin: EntryOrigin = {}): EntryDraft {
  const draft: EntryDraft = { settings: new Map(), problems: [], warnings: [] };
  const given = flattenEntry(raw, draft);
  for (const key of KEYS) if (Object.hasOwn(given, key)) draft.settings.set(key, given[key]);
  translateSwitch(draft, given);
  dropToolApprovals(draft);
  translateToolLists(draft, given);
  translateSynonyms(draft, given);
  translateOAuth(draft, given);
  translateType(draft);
  translateCommand(draft);
  translateTimeouts(draft, given, origin);
  chooseTransport(draft);
  reportOtherKeys(draft, Object.keys(given));
  return draft;
}

function translateSwitch({ settings, problems }: EntryDraft, { disabled }: Entry): void {
  if (disabled !== undefined && typeof disabled !== 'boolean')
    problems.push({ path: ['disabled'], message: 'must be true or false' });
  // Either key disables the server.
  else if (disabled || (disabled === false && !settings.has('enabled'))) settings.set('enabled', !disabled);
}

/** Codex lets single tools run without a question. Here only the policy and a person can. */
function dropToolApprovals({ settings, warnings }: EntryDraft): void {
  const tools = settings.get('tools');
  if (!isEntry(tools) || !Object.values(tools).some((tool) => isEntry(tool) && 'approval_mode' in tool))
    return;
  const rest = Object.entries(tools).flatMap(([name, tool]) => {
    if (!isEntry(tool)) return [[name, tool]];
    const { approval_mode: _dropped, ...others } = tool;
    return Object.keys(others).length === 0 ? [] : [[name, others]];
  });
  if (rest.length === 0) settings.delete('tools');
  else settings.set('tools', Object.fromEntries(rest));
  warnings.push('"approval_mode" has no effect: configure under "approvals" which calls require an approval');
}

/** `tools` may be an object of ours, an object of Codex, or a list. */
function translateToolLists({ settings, problems }: EntryDraft, given: Entry): void {
  if (Array.isArray(given.tools)) settings.delete('tools');
  for (const key of [...ALLOW_LISTS, ...DENY_LISTS]) {
    const names = given[key];
    if (names === undefined || (key === 'tools' && !Array.isArray(names))) continue;
    if (!isTextList(names)) problems.push({ path: [key], message: 'must be a list of tool names' });
    else if (DENY_LISTS.includes(key)) setTools(settings, names, false);
    else if (names.length > 0 && !names.includes('*')) {
      setTools(settings, ['*'], false);
      setTools(settings, names, true);
    }
  }
}

function setTools(settings: EntryDraft['settings'], names: string[], enabled: boolean): void {
  const tools = settings.get('tools');
  const own = isEntry(tools) ? tools : {};
  const set = names.map((name) => {
    const before = Object.hasOwn(own, name) ? own[name] : undefined;
    return [name, { ...(isEntry(before) && before), enabled }] as const;
  });
  settings.set('tools', { ...own, ...Object.fromEntries(set) });
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

/** The name of a program without a folder, and words behind it. A path may contain spaces. */
const COMMAND_LINE = /^\s*([\w.@+-]+)\s+\S/;

/** Some clients put the program and its arguments into one list. A text is never taken apart: it names one program. */
function translateCommand({ settings, problems }: EntryDraft): void {
  const command = settings.get('command');
  const [, name] = typeof command === 'string' ? (COMMAND_LINE.exec(command) ?? []) : [];
  if (name !== undefined) {
    // The rest may be a secret. It is not shown.
    settings.set('command', name);
    problems.push({ path: ['command'], message: 'must name one program; put its arguments into "args"' });
  }
  if (!isTextList(command)) return;
  const more = settings.get('args');
  const [program = '', ...first] = command;
  settings.set('command', program);
  settings.set('args', [...first, ...(isTextList(more) ? more : [])]);
}

/** When both a command and a URL are given, the type selects one. Otherwise the setting that is there decides. */
function chooseTransport({ settings, warnings }: EntryDraft): void {
  const type = settings.get('type');
  if (type === undefined) return;
  const isProgram = type === 'stdio';
  if (settings.has('command') && settings.has('url')) {
    const unused: Key[] = isProgram ? ['url', 'headers'] : ['command', 'args', 'env', 'cwd'];
    for (const key of unused) settings.delete(key);
    warnings.push(`"${unused[0]}" has no effect beside "type": ${JSON.stringify(type)}`);
  } else if (isProgram ? settings.has('url') : settings.has('command')) {
    settings.delete('type');
    warnings.push(`"type" has no effect: ${isProgram ? '"url"' : '"command"'} decides the transport`);
  }
}
