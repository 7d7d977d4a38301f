import pino, { type Logger } from 'pino';
import type { Caller } from '../contract/call.ts';
import { visibleLine } from './visible-text.ts';

export type Log = Logger;
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** JSON lines on stderr, or short readable lines where a person looks on. stdout belongs to results and to MCP over stdio. */
export function createLog(
  level: LogLevel,
  options: { pretty: boolean; write?: (text: string) => void } = { pretty: process.stderr.isTTY },
): Log {
  const out = options.write ?? ((text: string) => void process.stderr.write(text));
  const write = (line: string) => out(options.pretty ? readable(line) : escaped(line));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
}

/** The request that something is done for. */
export type Requester = Pick<Caller, 'requestId'> & { trace?: Caller['trace'] | undefined };

/** What every line that belongs to a request carries, so that it can be found from the record and from the trace. */
export function ofRequest({ requestId, trace }: Requester): {
  request_id: string;
  trace_id?: string;
} {
  return { request_id: requestId, ...(trace && { trace_id: trace.traceId }) };
}

/** pino escapes what JSON demands; the rest that a terminal might obey (C1 controls, bidi overrides) is escaped here. */
function escaped(line: string): string {
  return line.replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function readable(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown> & {
    level: string;
    time: string;
    msg?: string;
  };
  const fields = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${visibleLine([time.slice(11, 19), level.padEnd(5), msg ?? '', ...fields].join(' '))}\n`;
}
