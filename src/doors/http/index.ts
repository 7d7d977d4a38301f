/** The door of this folder: other folders import from here and nowhere else. */
export { isLoopback } from './guard/allowed-hosts.ts';
export { createGuard, type GuardSettings } from './guard/guard.ts';
export { createLoginLinks, loginUrl } from './guard/login-links.ts';
export { createWebSessions } from './guard/web-sessions.ts';
export { createFinishLogin } from './finish-login.ts';
export { createReadingRest, createRest } from './rest.ts';
export { createSecureCheck } from './server/address.ts';
export { readPublicPlace, type PublicPlace } from './server/public-place.ts';
export { createPageFiles } from './server/page-files.ts';
export { createHttpServer } from './server/server.ts';
export { createLoginCallback } from './server/login-callback.ts';
export { createWebDoor } from './server/web-door.ts';
