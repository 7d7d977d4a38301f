/** The door of this folder: other folders import from here and nowhere else. */
export { createLoginCipher } from './auth/login-key.ts';
export { createLoginStore } from './auth/login-store.ts';
export { resolveServer } from './connection/secrets.ts';
export { createServerMemory } from './connection/server-memory.ts';
export { unavailable } from './dispatch/failures.ts';
export { createUpstreams } from './upstreams.ts';
