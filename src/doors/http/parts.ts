import type { Facts, OpenRecord, RecordDraft } from '../../log/index.ts';
import type { Approvals } from '../../approval/index.ts';
import type { Assistant } from '../../assistant/index.ts';
import type { CallTool, Explain } from '../../road/index.ts';
import type { ApproveOptions, Audience, CatalogTool, Decider, HeldTool, Items } from '../../catalog/index.ts';
import type {
  AcceptedRestore,
  ActivityBreakdown,
  ActivityPage,
  ActivityRecord,
  ActivitySeries,
  ActivitySummary,
  ActivityVerification,
  SeriesQuery,
  SummaryPeriod,
  SummaryQuery,
  RecordFilter,
} from '../../contract/activity.ts';
import type { HandlerInput, JsonRoute, RouteOutput, StreamRoute } from '../../contract/routes/api.ts';
import type { ReplaceOptions, SharedPlan } from '../../config/index.ts';
import type { ConfigState, Status, ServerView } from '../../contract/status.ts';
import type { Caller, Tracer } from '../../contract/call.ts';
import type { LoggedOut, LoginProgress, StartedLogin } from '../../contract/oauth.ts';
import type { Config, ServerConfig } from '../../contract/config.ts';
import type {
  JudgedTool,
  ServerApproval,
  ToolDiff,
  VerdictFile,
  VerdictImport,
} from '../../contract/tool.ts';
import type { OperationType } from '../../contract/operation.ts';
import type { MadeToken, NewToken, TokenView } from '../../contract/token.ts';
import type { Revisions } from '../../revisions/index.ts';
import type { EventBus } from '../../lib/event-bus.ts';
import type { Log } from '../../lib/log.ts';

type Soon<T> = T | Promise<T>;

/** What needs no proxy that writes the log. */
export interface ActivityReadPart {
  list(
    filter: RecordFilter,
    page: { limit: number; cursor?: string | undefined; isLight?: boolean },
  ): Soon<ActivityPage>;
  breakdown(filter: RecordFilter, wanted: { buckets: number; flows?: boolean }): Soon<ActivityBreakdown>;
  get(id: string): Soon<ActivityRecord | undefined>;
  /** A period up to now, or a time range in ISO 8601. */
  summary(
    wanted: SummaryPeriod | Omit<SummaryQuery, 'period' | 'names' | 'type'>,
    options?: Pick<SummaryQuery, 'names' | 'type'>,
  ): Soon<ActivitySummary>;
  series(query: SeriesQuery): Soon<ActivitySeries>;
  /** Oldest first, read while it is consumed. */
  export(
    filter: RecordFilter,
    options?: { isLight?: boolean },
  ): AsyncIterable<ActivityRecord> | Iterable<ActivityRecord>;
  verify(options: {
    checkpoints?: string | undefined;
    witness?: string | undefined;
    publicKey?: string | undefined;
    signal?: AbortSignal;
  }): Soon<ActivityVerification>;
  /** The digest by which a masked text can be recognised. */
  digest(text: string): Soon<string>;
  /** Lines of a sealed export. */
  sealed(): AsyncIterable<string> | Iterable<string>;
  readonly facts: Facts;
}

export interface ActivityPart extends ActivityReadPart {
  open(draft: RecordDraft): OpenRecord;
  stats(): Soon<Pick<Status['activity'], 'records' | 'last_24h' | 'refused_24h'>>;
  state(): Omit<Status['activity'], 'records' | 'last_24h' | 'refused_24h'>;
  acceptRestore(): Soon<AcceptedRestore>;
  redact(
    id: string,
    redaction: { by: string; reason?: string | undefined },
  ): Soon<ActivityRecord | undefined>;
}

export interface CatalogPart {
  list(query: HandlerInput<'listTools'>['query']): RouteOutput<'listTools'>;
  search(query: {
    query: string;
    limit: number;
    server?: string;
    operation?: OperationType;
    explain?: boolean;
  }): RouteOutput<'searchTools'>;
  get(name: string): CatalogTool | undefined;
  /** The tool with everything that is known of it. */
  judged(tool: CatalogTool): JudgedTool;
  nearest(name: string): string[];
  coverage(): Status['tools'];
  /** What each tool is held to, and what it looks like. */
  held(): HeldTool[];
  /** How much of what agents may have is for this audience. */
  reach(audience: Audience): MadeToken['callable'];
  /** `null` removes the operator's verdict. */
  setOperation(name: string, operation: OperationType | null, by: Decider): Soon<unknown>;
  approve(name: string, by: Decider, options: ApproveOptions): Soon<unknown>;
  reject(name: string, by: Decider, hash?: string): Soon<unknown>;
  /** Returns the names of the approved tools. */
  approveServer(server: string, by: Decider): Soon<Pick<ServerApproval, 'approved' | 'skipped'>>;
  diff(name: string): Promise<ToolDiff>;
  exportVerdicts(): VerdictFile;
  importVerdicts(file: VerdictFile, by: Decider, dryRun: boolean): Soon<VerdictImport>;
}

export interface TokensPart {
  list(): Promise<TokenView[]>;
  create(wanted: NewToken, by: string): Promise<Omit<MadeToken, 'callable'>>;
  revoke(nameOrId: string, by: string): Promise<TokenView>;
  counts(): { active: number; expired: number };
  /** When a tool was last called over MCP with the operator's key. */
  lastOperatorCall(): Promise<number | null>;
}

export interface UpstreamsPart {
  views(): ServerView[];
  view(name: string): ServerView | undefined;
  restart(name: string): Soon<unknown>;
  test(trial: {
    name: string | undefined;
    config: ServerConfig;
    signal: AbortSignal;
  }): Promise<RouteOutput<'testServer'>>;
  logs(name: string, tail: number): RouteOutput<'serverLogs'>;
  readonly logIns: {
    start(
      server: string,
      options: {
        scopes?: string[] | undefined;
        redirectUri?: string | undefined;
        acceptIssuer?: boolean | undefined;
      },
    ): Promise<StartedLogin>;
    serverOf(answer: URLSearchParams): string | undefined;
    complete(
      answer: URLSearchParams,
      server?: string,
    ): Promise<{ server: string; issuer: string; scopes: string[] }>;
    progress(server: string): LoginProgress;
    logOut(server: string): Promise<LoggedOut>;
  };
}

export interface ConfigPart {
  current(): Config;
  readonly file: string;
  /** Why the file on disk is not the configuration that serves. */
  lastError(): string | null;
  /** Settings that the file has changed and that take effect at the next start. */
  needsRestart(): string[];
  /** Writes one server, by alias or by name as written, to the file, or removes it, and resolves once the change is in force. */
  editServer(name: string, server: ServerConfig | null, by: Caller): Promise<void>;
  /** The same for several servers at once. */
  editServers(servers: ReadonlyMap<string, ServerConfig>, by: Caller): Promise<void>;
  /** The same for settings that hold for all servers, as a merge patch. */
  editSettings(patch: Record<string, unknown>, by: Caller): Promise<void>;
  /** What would change if these were the shared settings. */
  planShared(text: string): Promise<SharedPlan>;
  /** Replaces all shared settings. */
  replaceShared(text: string, by: Caller, options: ReplaceOptions): Promise<void>;
  /** Undefined where the file has all settings. */
  revision(): number | undefined;
}

export interface ConfigRecordsPart {
  state(): ConfigState;
  /** True if there is something to confirm. */
  hasChanges(): Promise<boolean>;
  /** Confirms the configuration with this digest. */
  accept(digest: string, by: Caller): Promise<ConfigState>;
}

export type ApprovalsPart = Pick<
  Approvals,
  'list' | 'get' | 'reveal' | 'decide' | 'grants' | 'revoke' | 'pending' | 'policy'
>;

/** Prompts, resources and templates. */
export type ItemsPart = Pick<Items, 'prompt' | 'resource' | 'template' | 'skill'>;

export interface RestParts {
  activity: ActivityPart;
  catalog: CatalogPart;
  /** Absent: servers offer tools only. */
  items?: ItemsPart;
  upstreams: UpstreamsPart;
  tokens: TokensPart;
  config: ConfigPart;
  configRecords: ConfigRecordsPart;
  callTool: CallTool;
  approvals: ApprovalsPart;
  explain: Explain;
  /** Opened on first use. */
  assistant: () => Promise<Assistant>;
  events: EventBus;
  info: {
    version: string;
    /** On the monotonic clock, so that the uptime does not jump when the system time is set. */
    startedAt: number;
    dataDir: string;
    /** Where records are kept, without a password. */
    database: string;
    protocolRevisions: readonly string[];
    /** Absent: one process serves the port. */
    workers?: { pid: number; list(): NonNullable<Status['workers']> } | undefined;
    /** Where the daemon listens; null when the composition runs inside a command. */
    listen(): string | null;
  };
  /** Absent where no server listens. */
  loginLinks?: { create(): { code: string; expiresAt: number } };
  /** In the text format of Prometheus. */
  metrics?: { text(): Promise<string>; contentType: string };
  /** Calls that run, wait, and were rejected as too many. */
  calls?: () => { running: number; waiting: number; shed: number };
  /** Whether the event loop was blocked recently. */
  /** The menu of direct mode. Absent: there is none. */
  menu?: () => Promise<{ tools: number; tokens: number; listed?: { tools: number; tokens: number } }>;
  stalls?: { count(): number; recent(): { at: string; ms: number } | undefined };
  /** Whether spans are exported. */
  traces?: () => Status['traces'];
  /** Rows that were changed outside of the proxy. */
  changedRows?: () => number;
  /** What proxies on one database share of their configuration. Absent: there is none. */
  revisions?: Pick<Revisions, 'state' | 'list' | 'read'>;
  /** Called when the operator has accepted that an earlier database was restored. */
  restoreAccepted?: (by: string) => void;
  /** Absent: no spans are collected. */
  tracer?: Tracer | undefined;
  log: Log;
  /** Ends open event streams, so that stopping need not wait for them. */
  stopping?: AbortSignal;
}

/** What a handler knows of the request beyond its validated input. */
export interface RequestContext {
  caller: Caller;
  signal: AbortSignal;
  /** Aborted when the web session of this request is logged out. */
  until?: AbortSignal;
  /** The program that the credential belongs to, as the door knows it. */
  via?: 'web' | 'cli';
  headers: Headers;
}

type JsonHandlers = {
  [N in JsonRoute]: (input: HandlerInput<N>, context: RequestContext) => Soon<RouteOutput<N>>;
};
type StreamHandlers = {
  [N in StreamRoute]: (input: HandlerInput<N>, context: RequestContext) => Soon<Response>;
};

/** One handler per route of the table: leaving one out does not compile. */
export type Handlers = JsonHandlers & StreamHandlers;
