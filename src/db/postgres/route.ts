import { parseAddress, type Address } from './address.ts';

/** What has been found out about the way to a database, for all its connections. */
export interface Route extends Address {
  /** Which of the hosts is used. */
  at: { pooled: number; direct: number };
  /** A pooler stands before the server, and takes no settings when a connection is opened. */
  isPooled: boolean;
  /** It gives each transaction another connection of the server, so that settings do not last. */
  isPerTransaction: boolean;
}

const routes = new Map<string, Route>();

/** One for each database of the process: connections are opened in several places, and all go where the last one has found the server. */
export function routeOf(url: string): Route {
  let route = routes.get(url);
  if (!route) {
    route = { ...parseAddress(url), at: { pooled: 0, direct: 0 }, isPooled: false, isPerTransaction: false };
    routes.set(url, route);
  }
  return route;
}

export type Way = 'pooled' | 'direct';

export const currentUrl = (route: Route, way: Way): string => route[way][route.at[way]]!;
