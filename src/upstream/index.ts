/** The door of this folder: other folders import from here and nowhere else. */
import type { ShareProgram } from './connection/open-server.ts';
export type { ShareProgram } from './connection/open-server.ts';
import type { HostPrograms } from './shared/program-host.ts';
export { createLoginCipher } from './auth/login-key.ts';
export { createLoginStore } from './auth/login-store.ts';
export { resolveServer } from './connection/secrets.ts';
export { createServerMemory } from './connection/server-memory.ts';
export { unavailable } from './dispatch/failures.ts';
export { createUpstreams } from './upstreams.ts';

/** For several workers on one machine; loaded only there. */
export const shareProgramsAt = async (path: string): Promise<ShareProgram> => {
  const { SharedTransport } = await import('./shared/shared-transport.ts');
  return (options) => new SharedTransport(path, options);
};
export const hostPrograms: HostPrograms = async (...args) =>
  (await import('./shared/program-host.ts')).hostPrograms(...args);
