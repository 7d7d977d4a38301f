import { isEntry, isTextList, withoutNulls, type Entry, type EntryDraft } from './entry-draft.ts';

/** Programs and extensions inside of other clients, which nobody else can start. */
const INSIDE_A_CLIENT = ['builtin', 'platform', 'frontend', 'inlinepython', 'extension'];

/** Brings settings that clients nest or split over several keys to `command`, `args`, `env`, `headers`. Other keys stay. */
export function flattenEntry(raw: Entry, { problems }: Pick<EntryDraft, 'problems'>): Entry {
  let entry = withoutNulls(raw);
  // An older goose wraps the settings.
  if (isEntry(entry.config) && !hasTarget(entry)) entry = { ...withoutNulls(entry.config), ...entry };
  // An older Zed has the program in an object.
  if (isEntry(entry.command)) {
    const { path, args, env } = withoutNulls(entry.command);
    entry = withoutNulls({ ...entry, command: path, args: entry.args ?? args, env: entry.env ?? env });
  }
  for (const [key, value] of [
    ['command', entry.cmd],
    ['url', entry.uri],
    ['env', entry.environment ?? entry.envs],
    ['headers', entry.http_headers],
  ] as const)
    if (entry[key] === undefined && value !== undefined) entry[key] = value;
  if (isInsideClient(entry) && !hasTarget(entry)) {
    problems.push({
      path: ['type'],
      message: 'is part of another client, so there is no "command" or "url" that mcpproxy could use',
    });
    delete entry.type;
  }
  return { ...entry, ...namedVariables(entry), ...namedHeaders(entry), ...textSettings(entry) };
}

function hasTarget({ command, cmd, url, uri, httpUrl, serverUrl }: Entry): boolean {
  return [command, cmd, url, uri, httpUrl, serverUrl].some((value) => value !== undefined);
}

function isInsideClient({ type, source }: Entry): boolean {
  return [type, source].some(
    (word) => typeof word === 'string' && INSIDE_A_CLIENT.includes(word.toLowerCase().replace(/[^a-z]/g, '')),
  );
}

/** Names of variables that the client passes on: one that must be set (goose), or may be (Codex). */
function namedVariables(entry: Entry): Entry {
  const required = isTextList(entry.env_keys) ? entry.env_keys : [];
  const optional = Array.isArray(entry.env_vars)
    ? entry.env_vars.map((each: unknown) => (isEntry(each) ? each.name : each))
    : [];
  const named = [
    ...required.map((name) => [name, `\${env:${name}}`]),
    ...optional.filter((name) => typeof name === 'string').map((name) => [name, `\${env:${name}:-}`]),
  ];
  if (named.length === 0) return {};
  return { env: { ...(Object.fromEntries(named) as Entry), ...(isEntry(entry.env) ? entry.env : {}) } };
}

/** Headers by the name of a variable (Codex), below another key (Continue, Copilot), or as a token alone. */
function namedHeaders(entry: Entry): Entry {
  const { env_http_headers: byVariable, bearer_token_env_var: variable } = entry;
  const options = entry.requestOptions ?? entry.requestInit;
  const nested = isEntry(options) && isEntry(options.headers) ? options.headers : {};
  const referring = isEntry(byVariable)
    ? Object.fromEntries(
        Object.entries(byVariable).map(([name, value]) => [name, `\${env:${String(value)}}`]),
      )
    : {};
  const token = typeof variable === 'string' ? `\${env:${variable}}` : (entry.bearer_token ?? entry.apiKey);
  const bearer = typeof token === 'string' ? { Authorization: `Bearer ${token}` } : {};
  const headers = { ...bearer, ...nested, ...referring };
  if (Object.keys(headers).length === 0) return {};
  return { headers: { ...headers, ...(isEntry(entry.headers) ? entry.headers : {}) } };
}

/** Numbers and switches as people write them among texts. */
function textSettings(entry: Entry): Entry {
  const changed: Entry = {};
  if (Array.isArray(entry.args)) changed.args = entry.args.map(asText);
  for (const key of ['env', 'headers']) {
    const value = { ...namedVariables(entry), ...namedHeaders(entry) }[key] ?? entry[key];
    if (isEntry(value))
      changed[key] = Object.fromEntries(
        Object.entries(withoutNulls(value)).map(([name, each]) => [name, asText(each)]),
      );
  }
  return changed;
}

function asText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
