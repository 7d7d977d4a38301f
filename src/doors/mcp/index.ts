/** The door of this folder: other folders import from here and nowhere else. */
export { createApprovalRounds } from './approval/rounds.ts';
export type { McpClient } from './core.ts';
export { createListTools } from './direct/list-tools.ts';
export { createMenu } from './direct/menu.ts';
export { watchMenu } from './direct/menu-changes.ts';
export { createMcpEndpoint, type McpEndpoint } from './http/endpoint.ts';
export { SESSION_LIFE_MS } from './http/session-ids.ts';
export { relayStdio } from './relay/stdio-relay.ts';
export { serveMcpStdio } from './stdio/stdio.ts';
export { createToolHandler } from './tools/handle-tool.ts';
export { listProxyTools } from './tools/tool-list.ts';
export { PROTOCOL_REVISIONS } from './wire.ts';
