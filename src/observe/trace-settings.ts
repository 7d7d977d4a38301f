export type TraceExporter = 'otlp' | 'console';
export type TraceProtocol = 'http/protobuf' | 'http/json';

/** The standard variables, as far as the packages do not read them themselves. */
export interface TraceSettings {
  /** Empty: no spans are collected. */
  exporters: TraceExporter[];
  protocol: TraceProtocol;
  /** The address that spans are sent to, without a password. */
  to: string;
  maxQueue: number;
  /** Why spans are not collected although they were asked for. */
  problem?: string;
}

const DEFAULT_ENDPOINT = 'http://localhost:4318/v1/traces';
const DEFAULT_QUEUE = 2048;
const MAX_QUEUE = 100_000;

const OFF: Readonly<TraceSettings> = {
  exporters: [],
  protocol: 'http/protobuf',
  to: '',
  maxQueue: DEFAULT_QUEUE,
};

/** The value of a variable; undefined where it is not set or empty. */
type Get = (name: string) => string | undefined;

/** Spans are collected only where an endpoint or an exporter is named. */
export function readTraceSettings(env: NodeJS.ProcessEnv): TraceSettings {
  const get: Get = (name) => env[name]?.trim() || undefined;
  if (get('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return OFF;
  const exporters = exporterNames(get);
  if (exporters.includes('none')) return OFF;
  if (!exporters.every(isExporter))
    return { ...OFF, problem: 'OTEL_TRACES_EXPORTER must be otlp, console, both with a comma, or none' };
  const protocol = protocolName(get);
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    return { ...OFF, problem: 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json' };
  const to = exporters.includes('otlp') ? shownEndpoint(get) : 'the log';
  if (to === undefined)
    return { ...OFF, problem: 'OTEL_EXPORTER_OTLP_ENDPOINT must be an address with http:// or https://' };
  return { exporters, protocol, to, maxQueue: queueSize(get('OTEL_BSP_MAX_QUEUE_SIZE')) };
}

const TRACES_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

function exporterNames(get: Get): string[] {
  const defaultName = (get(TRACES_ENDPOINT) ?? get(ENDPOINT)) === undefined ? 'none' : 'otlp';
  return (get('OTEL_TRACES_EXPORTER') ?? defaultName).split(',').map((name) => name.trim());
}

const isExporter = (name: string): name is TraceExporter => name === 'otlp' || name === 'console';

const protocolName = (get: Get): string =>
  get('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? get('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';

/** The address that is used, without what may be secret in it; undefined where it is not a valid address. */
function shownEndpoint(get: Get): string | undefined {
  const isWhole = get(TRACES_ENDPOINT) !== undefined;
  const endpoint = get(TRACES_ENDPOINT) ?? get(ENDPOINT);
  if (endpoint === undefined) return DEFAULT_ENDPOINT;
  if (!URL.canParse(endpoint)) return undefined;
  const { protocol, host, pathname } = new URL(endpoint);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  return `${protocol}//${host}${isWhole ? pathname : `${pathname.replace(/\/$/, '')}/v1/traces`}`;
}

/** Bounded, so that the queue cannot use up the memory of the process. */
function queueSize(text: string | undefined): number {
  const size = Number(text ?? DEFAULT_QUEUE);
  return Number.isInteger(size) && size > 0 ? Math.min(size, MAX_QUEUE) : DEFAULT_QUEUE;
}
