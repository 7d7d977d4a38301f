import type { Files, Stage } from './stage.ts';
import type { ScriptedModel } from './model/server.ts';
import type { ClientProgram, Place } from './program.ts';
import type { Launch } from './run-headless.ts';

/** Everything that the steps of one client need. */
export interface Drive {
  readonly program: ClientProgram;
  /** The installed program. */
  readonly path: string;
  readonly place: Place;
  readonly files: Files;
  readonly stage: Stage;
  readonly model: ScriptedModel;
}

export function launchOf({ program, path, place }: Drive, args: readonly string[]): Launch {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: place.home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ...program.env(place),
  };
  return { path, args, env, cwd: place.work };
}
