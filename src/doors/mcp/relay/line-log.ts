import { visibleLine } from '../../../lib/visible-text.ts';

/** The part of the log that a short-lived program needs. */
export interface LineLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Warnings as JSON lines on stderr, in the form of the log of the daemon, without loading its library. */
export function createLineLog(): LineLog {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (fields, message) =>
      void process.stderr.write(
        `${visibleLine(JSON.stringify({ level: 'warn', time: new Date().toISOString(), ...fields, msg: message }))}\n`,
      ),
  };
}
