import type { ServiceFacts } from '../../service-runtime.ts';

export type ServiceScope = 'user' | 'system';

export interface ServiceTarget extends ServiceFacts {
  scope: ServiceScope;
  /** The user of a system service; absent: a user that systemd makes for it. */
  runAs?: string;
}

/** Names the service and its files. */
export const SERVICE = 'mcpproxy';

/** In the text of every file that this command writes: without it, the file belongs to somebody else. */
export const MARK = 'Written by "mcpproxy service install"';

/** Time for a stop: the proxy lets calls in flight finish first. */
export const STOP_SECONDS = 30;

/** The data directory that systemd makes for a user of its own. */
export const STATE_DIR = `/var/lib/${SERVICE}`;

export function hasOwnUser({ scope, runAs, platform }: ServiceTarget): boolean {
  return platform === 'linux' && scope === 'system' && runAs === undefined;
}

export function dataDirOf(target: ServiceTarget): string {
  return hasOwnUser(target) ? STATE_DIR : target.dataDir;
}

/** Names both files, so that the service does not depend on the variables of a shell. */
export function serveArgs(target: ServiceTarget): string[] {
  const dataDir = dataDirOf(target);
  const configFile = hasOwnUser(target) ? `${STATE_DIR}/mcp_config.json` : target.configFile;
  return [target.main, 'serve', '--config', configFile, '--data-dir', dataDir];
}
