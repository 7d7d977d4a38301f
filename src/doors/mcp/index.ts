/** The door of this folder: other folders import from here and nowhere else. */
export { createApprovalRounds } from './approval/rounds.ts';
export type { McpClient } from './core.ts';
export { createListTools } from './direct/list-tools.ts';
export { createDeclaredHeaders } from './direct/declared-headers.ts';
export { createMenu } from './direct/menu.ts';
export { createItemDoor } from './items/item-door.ts';
export { watchLists, type ListListener } from './list-changes.ts';
export { createMcpEndpoint, type McpEndpoint } from './http/endpoint.ts';
export { SESSION_LIFE_MS } from './http/session-ids.ts';
export type { ResumeCall } from './tasks/live-tasks.ts';
export { createToolHandler } from './tools/handle-tool.ts';
export { listProxyTools } from './tools/tool-list.ts';
export { PROTOCOL_REVISIONS } from './wire.ts';
