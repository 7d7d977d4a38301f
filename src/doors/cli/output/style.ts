import picocolors from 'picocolors';
import type { ActivityStatus } from '../../../contract/activity.ts';
import type { OperationType } from '../../../contract/operation.ts';
import type { ServerState } from '../../../contract/status.ts';
import type { Io } from '../io.ts';

type Colors = ReturnType<typeof picocolors.createColors>;

/** The style of an output stream. Colors follow NO_COLOR and FORCE_COLOR; icons appear only on terminals. */
export interface Style {
  colors: Colors;
  icons: boolean;
  /** The width of a line; infinite without a terminal, so that scripts get full cells. */
  width: number;
}

export function styleFor(io: Io, stream: 'out' | 'err' = 'out'): Style {
  const terminal = io.terminal[stream];
  return {
    colors: picocolors.createColors(wantsColor(io.env, terminal)),
    icons: terminal,
    width: terminal ? io.terminal.columns : Number.POSITIVE_INFINITY,
  };
}

function wantsColor(env: Io['env'], terminal: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return terminal && env.TERM !== 'dumb';
}

const INTENT = {
  read: { word: 'read', icon: '◦', color: 'green' },
  write: { word: 'write', icon: '✎', color: 'yellow' },
  destructive: { word: 'destr', icon: '✖', color: 'red' },
} as const satisfies Record<OperationType, { word: string; icon: string; color: keyof Colors }>;

const STATUS_COLOR = {
  success: 'green',
  error: 'red',
  refused: 'yellow',
  pending: 'cyan',
  denied: 'yellow',
  expired: 'yellow',
  unknown: 'magenta',
} as const satisfies Record<ActivityStatus, keyof Colors>;

const STATE_COLOR = {
  connecting: 'cyan',
  ready: 'green',
  degraded: 'yellow',
  needs_login: 'yellow',
  failed: 'red',
  disabled: 'dim',
} as const satisfies Record<ServerState, keyof Colors>;

/** The plain text of a cell, and the color to apply once its width is known. */
export interface Painted {
  text: string;
  paint: (text: string) => string;
}

export function intentCell(style: Style, operation: OperationType | undefined): Painted {
  if (operation === undefined) return { text: '-', paint: style.colors.dim };
  const { word, icon, color } = INTENT[operation];
  return { text: style.icons ? `${icon} ${word}` : word, paint: style.colors[color] };
}

export function statusCell(style: Style, status: ActivityStatus): Painted {
  return { text: status, paint: style.colors[STATUS_COLOR[status] ?? 'reset'] };
}

export function stateCell(style: Style, state: ServerState): Painted {
  return { text: state, paint: style.colors[STATE_COLOR[state] ?? 'reset'] };
}

export const OUTPUTS = ['table', 'json', 'yaml'] as const;

export type Output = (typeof OUTPUTS)[number];
