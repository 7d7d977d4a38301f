/** Loaded without the rest of the MCP door: the relay of `mcpproxy stdio` to a running daemon. */
export { createLineLog, type LineLog } from './line-log.ts';
export { relayStdio } from './stdio-relay.ts';
