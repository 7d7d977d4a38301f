export type TraceExporter = 'otlp' | 'console';
export type TraceProtocol = 'http/protobuf' | 'http/json';

/** What the standard variables ask for, as far as the packages do not read them themselves. */
export interface TraceSettings {
  /** Empty: no spans are collected. */
  exporters: TraceExporter[];
  protocol: TraceProtocol;
  /** Where spans go, without a password. */
  to: string;
  maxQueue: number;
  /** Why spans are not collected although they were asked for. */
  problem?: string;
}

const DEFAULT_ENDPOINT = 'http://localhost:4318/v1/traces';
const DEFAULT_QUEUE = 2048;
const MAX_QUEUE = 100_000;

/** Spans are collected where an endpoint or an exporter is named, and not otherwise. */
export function readTraceSettings(env: NodeJS.ProcessEnv): TraceSettings {
  const get = (name: string) => env[name]?.trim() || undefined;
  const off: TraceSettings = { exporters: [], protocol: 'http/protobuf', to: '', maxQueue: DEFAULT_QUEUE };
  if (get('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return off;
  const specific = get('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const endpoint = specific ?? get('OTEL_EXPORTER_OTLP_ENDPOINT');
  const named = get('OTEL_TRACES_EXPORTER') ?? (endpoint === undefined ? 'none' : 'otlp');
  const exporters = named.split(',').map((name) => name.trim());
  if (exporters.includes('none')) return off;
  const unknown = exporters.find((name) => name !== 'otlp' && name !== 'console');
  if (unknown !== undefined)
    return { ...off, problem: 'OTEL_TRACES_EXPORTER must be otlp, console, both with a comma, or none' };
  const protocol =
    get('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? get('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    return { ...off, problem: 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json' };
  const to = exporters.includes('otlp') ? shown(endpoint, specific !== undefined) : 'the log';
  if (to === undefined)
    return { ...off, problem: 'OTEL_EXPORTER_OTLP_ENDPOINT must be an address with http:// or https://' };
  return {
    exporters: exporters as TraceExporter[],
    protocol,
    to,
    maxQueue: queueOf(get('OTEL_BSP_MAX_QUEUE_SIZE')),
  };
}

/** The address as it will be used, without what may be secret in it; undefined where it is none. */
function shown(endpoint: string | undefined, isWhole: boolean): string | undefined {
  if (endpoint === undefined) return DEFAULT_ENDPOINT;
  if (!URL.canParse(endpoint)) return undefined;
  const { protocol, host, pathname } = new URL(endpoint);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  return `${protocol}//${host}${isWhole ? pathname : `${pathname.replace(/\/$/, '')}/v1/traces`}`;
}

/** A queue that takes up the memory of the process would do the harm that it is there to prevent. */
function queueOf(text: string | undefined): number {
  const size = Number(text ?? DEFAULT_QUEUE);
  return Number.isInteger(size) && size > 0 ? Math.min(size, MAX_QUEUE) : DEFAULT_QUEUE;
}
