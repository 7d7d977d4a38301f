import type { z } from 'zod';
import { activityRoutes } from './activity.ts';
import { approvalRoutes } from './approval.ts';
import { chatRoutes } from './chat.ts';
import { connectRoutes } from './connect.ts';
import { configRoutes } from './config.ts';
import { itemRoutes } from './item.ts';
import { loginRoutes } from './login.ts';
import { serverRoutes } from './server.ts';
import { Status } from '../status.ts';
import { tokenRoutes } from './token.ts';
import { toolRoutes } from './tool.ts';
import type { Route } from './route.ts';

export { TOKEN_PLACE } from './connect.ts';
export { CHANGEABLE, type ConfigApplied, type ConfigView } from './config.ts';
export type { Route } from './route.ts';

export const routes = {
  status: { method: 'GET', path: '/status', summary: 'Get version, uptime and counts', output: Status },

  ...serverRoutes,
  ...toolRoutes,
  ...itemRoutes,
  ...activityRoutes,
  ...tokenRoutes,
  ...approvalRoutes,
  ...connectRoutes,

  ...configRoutes,
  ...chatRoutes,

  ...loginRoutes,

  events: {
    method: 'GET',
    path: '/events',
    summary:
      'Stream server-sent events: activity, approval, server, tools, config. Resumes from Last-Event-ID, also after a restart and at another proxy on the same database',
    stream: 'text/event-stream',
  },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type Part<R, K extends string> = R extends Record<K, infer S extends z.ZodType> ? S : undefined;
type In<S> = S extends z.ZodType ? z.input<S> : unknown;
type Out<S> = S extends z.ZodType ? z.output<S> : unknown;

/** The input of a client call: path parameters and query in one object, the body separate. */
export type RouteInput<N extends RouteName> = In<Part<Routes[N], 'params'>> &
  In<Part<Routes[N], 'query'>> &
  (Part<Routes[N], 'body'> extends undefined ? unknown : { body: In<Part<Routes[N], 'body'>> });

/** The validated input of a handler. */
export type HandlerInput<N extends RouteName> = {
  params: Out<Part<Routes[N], 'params'>>;
  query: Out<Part<Routes[N], 'query'>>;
  body: Out<Part<Routes[N], 'body'>>;
};

export type RouteOutput<N extends RouteName> =
  Part<Routes[N], 'output'> extends z.ZodType ? z.output<Part<Routes[N], 'output'>> : never;

/** Routes that answer with one JSON value; the others stream. */
export type JsonRoute = {
  [N in RouteName]: Part<Routes[N], 'output'> extends z.ZodType ? N : never;
}[RouteName];
export type StreamRoute = Exclude<RouteName, JsonRoute>;

export const API_PREFIX = '/api/v1';
