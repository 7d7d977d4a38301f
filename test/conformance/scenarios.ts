export type Revision = '2025-11-25' | '2026-07-28';

export interface List {
  side: 'server' | 'client';
  revision: Revision;
  /** How the suite reaches the proxy: its endpoint as it is, or in direct mode, through the adapter for tool names, or as the server behind it, also with a log-in. */
  way: 'endpoint' | 'direct' | 'adapter' | 'upstream' | 'login';
  /** Through the adapter: which revision the server behind the proxy speaks, or the server with background calls or skills. */
  behind?: Revision | 'background' | 'skills';
  /** The database of the proxy; default: SQLite. */
  database?: 'postgresql';
  /** Scenario → how many checks succeed at least. The suite also calls a scenario passed in which it could check nothing. */
  scenarios: Record<string, number>;
  /** Single checks that do not succeed here, as `scenario:check`, and why. */
  excused?: Record<string, string>;
  /** Checks of elapsed time that only warn, where a busy machine may be late. */
  mayWarn?: Record<string, string>;
}

const CONTENT = {
  'tools-call-simple-text': 2,
  'tools-call-image': 2,
  'tools-call-audio': 2,
  'tools-call-embedded-resource': 2,
  'tools-call-mixed-content': 2,
  'tools-call-error': 2,
  'tools-call-with-progress': 2,
  'json-schema-2020-12': 8,
};

/** Prompts, resources and completions. */
const ITEMS = {
  'prompts-list': 1,
  'prompts-get-simple': 1,
  'prompts-get-with-args': 1,
  'prompts-get-embedded-resource': 1,
  'prompts-get-with-image': 1,
  'resources-list': 1,
  'resources-read-text': 1,
  'resources-read-binary': 1,
  'resources-templates-read': 1,
  'completion-complete': 1,
};

/** Of the 2025 revisions; later ones have `subscriptions/listen`. */
const SUBSCRIPTIONS = { 'resources-subscribe': 1, 'resources-unsubscribe': 1 };
const NOT_FOUND = { 'sep-2164-resource-not-found': 4 };

/** What a server asks of the client, or tells it, in the 2025 revisions. */
const ASKS = {
  'tools-call-with-logging': 2,
  'tools-call-sampling': 2,
  'tools-call-elicitation': 2,
  'elicitation-sep1034-defaults': 6,
  'elicitation-sep1330-enums': 6,
};

const INPUT_REQUIRED = {
  'input-required-result-non-tool-request': 1,
  'input-required-result-basic-elicitation': 3,
  'input-required-result-basic-sampling': 3,
  'input-required-result-basic-list-roots': 3,
  'input-required-result-request-state': 3,
  'input-required-result-multiple-input-requests': 3,
  'input-required-result-multi-round': 4,
  'input-required-result-missing-input-response': 2,
  'input-required-result-result-type': 2,
  'input-required-result-tampered-state': 2,
  'input-required-result-capability-check': 2,
  'input-required-result-ignore-extra-params': 2,
  'input-required-result-validate-input': 3,
};

/** Calls in the background: the extension of 2026-07-28. */
const TASKS = {
  'tasks-lifecycle': 9,
  'tasks-capability-negotiation': 5,
  'tasks-wire-fields': 4,
  'tasks-request-state-removal': 3,
  'tasks-mrtr-input': 4,
  'tasks-request-headers': 5,
  'tasks-dispatch-and-envelope': 9,
  'tasks-required-task-error': 3,
  'tasks-mrtr-composition': 2,
};

/** Log-ins to a server (OAuth). */
const LOGIN = {
  'auth/wif-jwt-bearer': 1,
  'auth/enterprise-managed-authorization': 2,
  'auth/metadata-default': 18,
  'auth/metadata-var1': 18,
  'auth/metadata-var2': 18,
  'auth/metadata-var3': 18,
  'auth/basic-cimd': 12,
  'auth/scope-from-www-authenticate': 14,
  'auth/scope-from-scopes-supported': 14,
  'auth/scope-omitted-when-undefined': 14,
  'auth/scope-step-up': 20,
  'auth/scope-retry-limit': 8,
  'auth/token-endpoint-auth-basic': 19,
  'auth/token-endpoint-auth-post': 19,
  'auth/token-endpoint-auth-none': 19,
  'auth/pre-registration': 12,
  'auth/client-credentials-jwt': 7,
  'auth/client-credentials-basic': 7,
  'auth/dpop': 10,
  'auth/dpop-nonce': 12,
};

const OWN_LIST =
  'the check changes the tools of the server that it calls; the list of the proxy holds its own tools, which change with its configuration only';
const PROMPT_CHANGE =
  'the check changes the prompts of the server with a tool that the server behind the proxy does not have; that changes are announced is tested elsewhere';
const NO_SUCH_TOOL =
  'the check needs a certain tool, which the proxy itself does not have; through the adapter it succeeds';

/** Everything of the official suite that runs against the proxy. */
export const LISTS: List[] = [
  {
    side: 'server',
    revision: '2025-11-25',
    way: 'endpoint',
    scenarios: {
      'server-initialize': 3,
      ping: 2,
      'logging-set-level': 2,
      'server-session-lifecycle': 3,
      'tools-list': 3,
      'server-sse-multiple-streams': 1,
      'dns-rebinding-protection': 2,
    },
  },
  {
    side: 'server',
    revision: '2026-07-28',
    way: 'endpoint',
    scenarios: {
      'server-stateless': 26,
      'tools-list': 4,
      'server-sse-multiple-streams': 1,
      'dns-rebinding-protection': 2,
      caching: 8,
      ...NOT_FOUND,
      'http-header-validation': 14,
      'input-required-result-unsupported-methods': 2,
    },
    excused: {
      'server-stateless:sep-2575-server-rejects-undeclared-capability': NO_SUCH_TOOL,
      'server-stateless:sep-2575-missing-capability-http-400': NO_SUCH_TOOL,
      'server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription': OWN_LIST,
      'server-stateless:sep-2575-server-sends-prompts-list-changed-on-subscription': PROMPT_CHANGE,
    },
  },
  {
    side: 'server',
    revision: '2026-07-28',
    way: 'direct',
    scenarios: { 'http-custom-header-server-validation': 6 },
  },
  {
    side: 'server',
    revision: '2025-11-25',
    way: 'adapter',
    behind: '2025-11-25',
    scenarios: { 'tools-list': 3, ...CONTENT, ...ITEMS, ...SUBSCRIPTIONS, ...ASKS },
  },
  {
    side: 'server',
    revision: '2025-11-25',
    way: 'adapter',
    behind: '2025-11-25',
    database: 'postgresql',
    scenarios: { 'server-sse-polling': 2 },
  },
  {
    side: 'server',
    revision: '2025-11-25',
    way: 'adapter',
    behind: '2026-07-28',
    scenarios: { ...CONTENT, ...ITEMS, ...SUBSCRIPTIONS },
  },
  {
    side: 'server',
    revision: '2026-07-28',
    way: 'adapter',
    behind: '2025-11-25',
    scenarios: { ...CONTENT, ...ITEMS, ...NOT_FOUND },
  },
  {
    side: 'server',
    revision: '2026-07-28',
    way: 'adapter',
    behind: '2026-07-28',
    scenarios: {
      'server-stateless': 28,
      'tools-list': 4,
      ...CONTENT,
      ...ITEMS,
      ...NOT_FOUND,
      ...INPUT_REQUIRED,
    },
    excused: {
      'server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription': OWN_LIST,
      'server-stateless:sep-2575-server-sends-prompts-list-changed-on-subscription': PROMPT_CHANGE,
    },
  },
  {
    side: 'server',
    revision: '2026-07-28',
    way: 'adapter',
    behind: 'background',
    scenarios: TASKS,
  },
  {
    side: 'server',
    revision: '2026-07-28',
    way: 'adapter',
    behind: 'skills',
    scenarios: {
      'sep-2640-skills-enumeration': 32,
      'sep-2640-skills-manifest': 4,
      'sep-2640-skills-directory': 7,
    },
    excused: {
      'sep-2640-skills-manifest:sep-2640-meta-prefix':
        'the entries of a list say whose they are, in fields of `_meta` that begin with `mcpproxy/`, for skills as for everything else',
    },
  },
  {
    side: 'client',
    revision: '2025-11-25',
    way: 'upstream',
    scenarios: {
      initialize: 1,
      tools_call: 2,
      'sse-retry': 2,
      'json-schema-2020-12-preservation': 9,
      'elicitation-sep1034-client-defaults': 5,
    },
    mayWarn: {
      'sse-retry:client-sse-retry-timing':
        'may warn on a busy machine: the suite allows 200 ms more than the pause that it asked for',
    },
  },
  {
    side: 'client',
    revision: '2026-07-28',
    way: 'upstream',
    scenarios: {
      tools_call: 2,
      'request-metadata': 5,
      'http-standard-headers': 3,
      'http-custom-headers': 18,
      'http-invalid-tool-headers': 12,
      'json-schema-ref-no-deref': 1,
      'json-schema-2020-12-preservation': 9,
      'sep-2322-client-request-state': 5,
      'sep-2640-client-no-prefetch': 1,
      'sep-2640-client-verify-digest': 1,
      'sep-2640-client-verify-size': 1,
      'sep-2640-client-verify-frontmatter': 1,
    },
  },
  {
    side: 'client',
    revision: '2025-11-25',
    way: 'login',
    scenarios: {
      ...LOGIN,
      'auth/2025-03-26-oauth-metadata-backcompat': 13,
      'auth/2025-03-26-oauth-endpoint-fallback': 8,
    },
  },
  {
    side: 'client',
    revision: '2026-07-28',
    way: 'login',
    scenarios: {
      ...LOGIN,
      'auth/resource-mismatch': 2,
      'auth/offline-access-scope': 15,
      'auth/offline-access-not-supported': 14,
      'auth/authorization-server-migration': 20,
      'auth/iss-supported': 14,
      'auth/iss-not-advertised': 14,
      'auth/iss-supported-missing': 8,
      'auth/iss-wrong-issuer': 8,
      'auth/iss-unexpected': 8,
      'auth/iss-normalized': 8,
      'auth/metadata-issuer-mismatch': 3,
    },
  },
];

/** Scenarios in which the proxy must refuse to go on, by the name of the server, and how it says so. */
export const REFUSED: Record<string, RegExp> = {
  'auth-scope-retry-limit': /although it has the scopes/,
  'auth-resource-mismatch': /^LOGIN_FAILED: /,
  'auth-iss-supported-missing': /^LOGIN_FAILED: /,
  'auth-iss-wrong-issuer': /^LOGIN_FAILED: /,
  'auth-iss-unexpected': /^LOGIN_FAILED: /,
  'auth-iss-normalized': /^LOGIN_FAILED: /,
  'auth-metadata-issuer-mismatch': /^LOGIN_FAILED: /,
};
