import { KEYS, type EntryDraft, type Key } from './entry-draft.ts';

/** Keys of other clients, and our corresponding settings. */
export const SYNONYMS: Record<string, Key> = {
  disabled: 'enabled',
  auth: 'oauth',
  httpUrl: 'url',
  serverUrl: 'url',
  uri: 'url',
  cmd: 'command',
  environment: 'env',
  envs: 'env',
  env_vars: 'env',
  env_keys: 'env',
  envFile: 'env_file',
  transport: 'type',
  transportType: 'type',
  workingDirectory: 'cwd',
  working_directory: 'cwd',
  http_headers: 'headers',
  env_http_headers: 'headers',
  bearer_token: 'headers',
  bearer_token_env_var: 'headers',
  requestOptions: 'headers',
  requestInit: 'headers',
  disabledTools: 'tools',
  disabled_tools: 'tools',
  excludeTools: 'tools',
  includeTools: 'tools',
  enabledTools: 'tools',
  enabled_tools: 'tools',
  available_tools: 'tools',
  tool_timeout_sec: 'timeout',
  startup_timeout_sec: 'startup_timeout',
  startup_timeout_ms: 'startup_timeout',
  connectionTimeout: 'startup_timeout',
  initTimeout: 'startup_timeout',
};

/** In their clients these keys permit calls without a question. Here only the policy and a person can. */
const AUTO_APPROVAL = ['autoApprove', 'alwaysAllow', 'trust', 'default_tools_approval_mode'];
/** Keys that repeat what is known already. */
const REPEATING = ['name', 'source', 'config', 'bundled'];

const MAX_LISTED = 10;
const MAX_SHOWN = 60;

/** The keys to remove from an entry when this setting is written with our own name. */
export function synonymsOf(key: string): string[] {
  return Object.keys(SYNONYMS).filter((synonym) => SYNONYMS[synonym] === key);
}

/** Notes the keys that mean nothing here, in one warning. A misspelt setting is a problem: it may be the one that disables the server. */
export function reportOtherKeys({ problems, warnings }: EntryDraft, given: string[]): void {
  const foreign = given.filter(
    (key) => !KEYS.includes(key as Key) && !Object.hasOwn(SYNONYMS, key) && !REPEATING.includes(key),
  );
  const approvals = foreign.filter((key) => AUTO_APPROVAL.includes(key));
  const others: string[] = [];
  for (const key of foreign.filter((each) => !AUTO_APPROVAL.includes(each))) {
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

export function listed(keys: string[]): string {
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
