import { ActivityStatus, ActivityType, SummaryPeriod } from './activity.ts';
import { ApprovalStatus } from './approval.ts';
import { ServerConfig } from './config.ts';
import { DataSensitivity, OperationType, ToolVariant } from './operation.ts';
import { API_PREFIX, routes, type RouteName } from './routes/api.ts';

// Plain values of the contract, for programs that validate nothing. The build evaluates this file and keeps only the results, so that a
// command starts without the schemas: creating them takes longer than most commands.

export const OPERATION_TYPES = OperationType.options;
export const TOOL_VARIANTS = ToolVariant.options;
export const DATA_SENSITIVITIES = DataSensitivity.options;
export const ACTIVITY_TYPES = ActivityType.options;
export const ACTIVITY_STATUSES = ActivityStatus.options;
export const SUMMARY_PERIODS = SummaryPeriod.options;
export const EXPORT_FORMATS = routes.exportActivity.query.shape.format.unwrap().options;
export const APPROVAL_STATUSES = ApprovalStatus.options;
export const SERVER_SETTINGS = Object.keys(ServerConfig.shape);
export const TRANSPORTS = ServerConfig.shape.type.unwrap().options;

/** How a client addresses a route. */
export interface RouteAddress {
  method: string;
  path: string;
  hasBody: boolean;
}

export const ROUTE_ADDRESSES = Object.fromEntries(
  Object.entries(routes).map(([name, route]) => [
    name,
    { method: route.method, path: API_PREFIX + route.path, hasBody: 'body' in route },
  ]),
) as Record<RouteName, RouteAddress>;
