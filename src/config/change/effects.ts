import { durationMs } from '../../contract/config.ts';
import { canonicalJson, isObject } from '../../json/index.ts';

/** What a change of one setting does to the protection: unknown directions count as weakening. */
export type Effect = 'weakening' | 'tightening' | 'neutral';

/** The effect of a change from `before` to `after`. Undefined: the setting is absent, or its value is a secret. */
type Rule = (before: unknown, after: unknown) => Effect;

const never: Rule = () => 'neutral';
/** Another program, address, key or place: what it does is unknown. */
const always: Rule = () => 'weakening';

/** From the weakest value to the strictest. `absent` is the value that holds where the setting is absent. */
const ordered =
  (values: readonly unknown[], absent?: unknown): Rule =>
  (before, after) =>
    compared(values.indexOf(before ?? absent), values.indexOf(after ?? absent));

function compared(before: number, after: number): Effect {
  if (before < 0 || after < 0) return 'weakening';
  if (before === after) return 'neutral';
  return after < before ? 'weakening' : 'tightening';
}

type Amount = (value: unknown) => number;
const asNumber: Amount = (value) => (typeof value === 'number' ? value : Number.NaN);
const asDuration: Amount = (value) => {
  try {
    return typeof value === 'string' ? durationMs(value) : Number.NaN;
  } catch {
    return Number.NaN;
  }
};

/** A limit: more is weaker. */
const limit =
  (amount: Amount, absent?: unknown): Rule =>
  (before, after) =>
    byAmount(amount(after ?? absent) - amount(before ?? absent));

/** Something that is kept: less is weaker. */
const kept =
  (amount: Amount): Rule =>
  (before, after) =>
    byAmount(amount(before) - amount(after));

function byAmount(weaker: number): Effect {
  if (weaker === 0) return 'neutral';
  return weaker < 0 ? 'tightening' : 'weakening';
}

/** A list of what is accepted: more entries are weaker. */
const acceptedNames: Rule = (before, after) => {
  const known = new Set(Array.isArray(before) ? before : []);
  return Array.isArray(after) && after.every((entry) => known.has(entry)) ? 'tightening' : 'weakening';
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;
const hostOf = (listen: unknown) => (typeof listen === 'string' ? listen.replace(/:\d+$/, '') : '');

const address: Rule = (before, after) => {
  const [was, is] = [hostOf(before), hostOf(after)];
  if (was === is) return 'neutral';
  if (!LOOPBACK.test(is)) return 'weakening';
  return LOOPBACK.test(was) ? 'neutral' : 'tightening';
};

const OPERATIONS: readonly unknown[] = ['read', 'write', 'destructive'];

/** Without a verdict of the operator the hints decide, which may be any operation. */
const verdict: Rule = (before, after) => {
  if (after === undefined) return before === 'read' ? 'tightening' : 'weakening';
  if (before === undefined) return after === 'destructive' ? 'tightening' : 'weakening';
  return compared(OPERATIONS.indexOf(before), OPERATIONS.indexOf(after));
};

const isSwitchedOn = ordered([true, false], true);

const actionOf = (rule: unknown) => (isObject(rule) ? (rule.action ?? 'ask') : 'ask');

/**
 * The first rule that matches decides, so the rules that were there must stay, in their order. A new rule may refuse; or ask, if it
 * cannot take precedence over a rule that refuses.
 */
const policyRules: Rule = (before, after) => {
  if (!Array.isArray(before) || !Array.isArray(after)) return 'weakening';
  let next = 0;
  for (const rule of after) {
    if (next < before.length && canonicalJson(rule) === canonicalJson(before[next])) next++;
    else if (actionOf(rule) !== 'refuse' && !isHarmlessQuestion(rule, before.slice(next))) return 'weakening';
  }
  return next < before.length ? 'weakening' : 'tightening';
};

const isHarmlessQuestion = (rule: unknown, later: unknown[]) =>
  actionOf(rule) === 'ask' && !later.some((each) => actionOf(each) === 'refuse');

const DEFAULT_CONCURRENCY = 32;

/** Every setting of the file; `*` is the name of a server, of a tool or of a variable. */
export const EFFECTS: Readonly<Record<string, Rule>> = {
  $schema: never,
  listen: address,
  data_dir: always,
  database_url: always,
  config_source: always,
  workers: never,
  api_key: always,
  require_mcp_auth: ordered([false, true]),
  allowed_hosts: acceptedNames,
  public_url: always,
  trusted_proxies: acceptedNames,
  drain_delay: never,
  inherit_env: acceptedNames,
  'oauth.client_metadata_url': always,
  confirm_weakening: ordered([false, true]),
  'intent_declaration.strict_server_validation': ordered([false, true]),
  'intent_declaration.operation_type': ordered(['inferred', 'required']),
  'intent_declaration.unannotated': ordered(['trust', 'infer', 'strict']),
  'approvals.require': policyRules,
  'approvals.ttl': limit(asDuration),
  'approvals.ttl_by_operation.*': limit(asDuration),
  'approvals.wait': never,
  'approvals.wait_by_client.*': never,
  'assistant.confirmation_ttl': limit(asDuration),
  'approvals.in_client': ordered([true, false]),
  'approvals.max_pending_per_caller': limit(asNumber),
  'approvals.notify': always,
  // In direct mode the verdict is the only key.
  mode: ordered(['both', 'direct', 'search']),
  'direct.destructive': ordered(['allow', 'variants']),
  'direct.max_menu_tokens': never,
  'tools.limit': never,
  'tools.detail': never,
  'activity.retention_days': kept(asNumber),
  'activity.keep_changes_days': kept(asNumber),
  'activity.max_records': kept(asNumber),
  'activity.max_size_mb': kept(asNumber),
  'activity.max_arguments_bytes': kept(asNumber),
  'activity.max_response_bytes': kept(asNumber),
  // Something else is written, run or sent to, or one less watches.
  'activity.witness': always,
  'activity.when_unavailable': ordered(['allow_reads', 'refuse']),
  call_timeout: limit(asDuration),
  'limits.calls': limit(asNumber),
  'limits.calls_per_client': limit(asNumber),
  'limits.queue': limit(asNumber),
  'limits.connections': limit(asNumber),
  'limits.requests_per_second': limit(asNumber),
  'limits.log_mb_per_hour': limit(asNumber),
  validate_arguments: ordered([false, true]),
  scanner: ordered(['off', 'warn', 'quarantine']),
  scan_results: ordered(['off', 'warn']),
  flows: ordered(['off', 'warn', 'ask']),
  quarantine: ordered(['warn', 'risky', 'changed', 'new']),
  'mcpServers.*.command': always,
  'mcpServers.*.args': always,
  'mcpServers.*.env.*': always,
  'mcpServers.*.env_file': always,
  'mcpServers.*.cwd': always,
  'mcpServers.*.url': always,
  'mcpServers.*.headers.*': always,
  'mcpServers.*.oauth': always,
  'mcpServers.*.oauth.*': always,
  'mcpServers.*.type': always,
  'mcpServers.*.enabled': isSwitchedOn,
  'mcpServers.*.timeout': limit(asDuration),
  'mcpServers.*.startup_timeout': never,
  'mcpServers.*.connect_timeout': limit(asDuration),
  'mcpServers.*.idle_timeout': limit(asDuration),
  'mcpServers.*.concurrency': limit(asNumber, DEFAULT_CONCURRENCY),
  'mcpServers.*.client_features.sampling': ordered(['allow', 'ask', 'deny'], 'ask'),
  'mcpServers.*.client_features.elicitation': ordered(['allow', 'deny'], 'allow'),
  'mcpServers.*.client_features.roots': always,
  'mcpServers.*.client_features.logging': never,
  'mcpServers.*.client_features.answer_timeout': limit(asDuration, 300_000),
  'mcpServers.*.client_features.sampling_per_call': limit(asNumber, 10),
  'mcpServers.*.client_features.sampling_per_minute': limit(asNumber, 30),
  'mcpServers.*.client_features.sampling_max_tokens': limit(asNumber, 8_192),
  'mcpServers.*.client_features.questions_per_call': limit(asNumber, 20),
  'mcpServers.*.sharing': ordered(['shared', 'auto', 'per_client'], 'auto'),
  'mcpServers.*.client_connections': limit(asNumber, 16),
  'mcpServers.*.client_idle': never,
  'mcpServers.*.tools.*.operation': verdict,
  'mcpServers.*.tools.*.enabled': isSwitchedOn,
  'mcpServers.*.description': never,
  // Derived from the name in the file.
  'mcpServers.*.title': never,
};
