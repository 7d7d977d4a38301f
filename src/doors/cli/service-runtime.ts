import type { Place } from './place.ts';

/** What the texts of a service depend on. */
export interface ServiceFacts {
  platform: NodeJS.Platform;
  home: string;
  userName: string;
  uid: number;
  /** The programs that run now: Node.js and this one. */
  node: string;
  main: string;
  /** The search path of the shell, so that the service finds npx, uvx and docker as the person does. */
  path: string;
  configFile: string;
  dataDir: string;
}

/** A program with its arguments; no shell reads it. */
export type ServiceCommand = readonly [program: string, ...args: string[]];

export interface CommandResult {
  code: number;
  /** stdout and stderr. */
  text: string;
}

/** Files and programs of the service manager. */
export interface ServiceRuntime {
  facts(place: Place): Promise<ServiceFacts>;
  /** Makes the data directory of the person who installs the service. */
  makeDataDir(dataDir: string): Promise<void>;
  run(command: ServiceCommand): Promise<CommandResult>;
  read(file: string): Promise<string | undefined>;
  write(file: string, text: string): Promise<void>;
  remove(file: string): Promise<void>;
  /** The process that uses a data directory now. */
  daemon(dataDir: string): Promise<{ pid: number; url?: string } | undefined>;
  /** Waits until a daemon listens; undefined if none did in time. */
  untilListening(dataDir: string): Promise<string | undefined>;
}
