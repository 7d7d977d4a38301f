import fc, { type Arbitrary } from 'fast-check';
import { API_PREFIX, routes, type RouteName } from '../../src/contract/routes/api.ts';
import type { Route } from '../../src/contract/routes/api.ts';
import { changed, percent } from './arbitraries.ts';
import { fromSchema } from './from-schema.ts';
import type { Stage } from './stage.ts';

export const JSON_TYPE = ['content-type', 'application/json'] as const;
export const encode = (value: unknown) =>
  percent(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** A request to a route of the table, with what its schemas ask for. */
export interface Filled {
  name: RouteName;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}

const none = fc.constant({});
export const filled = (name: RouteName): Arbitrary<Filled> => {
  const route: Route = routes[name];
  return fc.record({
    name: fc.constant(name),
    params: (route.params ? fromSchema(route.params) : none) as Arbitrary<Record<string, unknown>>,
    query: (route.query
      ? fc.oneof(fromSchema(route.query), changed(fromSchema(route.query)))
      : none) as Arbitrary<Record<string, unknown>>,
    body: route.body
      ? fc.oneof(fromSchema(route.body), changed(fromSchema(route.body)))
      : fc.constant(undefined),
  });
};

function pathOf({ name, params, query }: Filled): string {
  const path = routes[name].path.replace(/\{(\w+)\}/g, (_, key: string) => encode(params[key] || 'x'));
  const pairs = Object.entries(query ?? {}).map(([key, value]) => `${encode(key)}=${encode(value)}`);
  return `${API_PREFIX}${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
}

export const sendFilled = (to: Stage, given: Filled) => {
  const body = given.body === undefined ? undefined : JSON.stringify(given.body);
  return to.send({
    method: routes[given.name].method,
    path: pathOf(given),
    headers: body === undefined ? [] : [JSON_TYPE],
    ...(body !== undefined && { body }),
  });
};

/** What these change would change what the others meet; they come last, and apart. */
export const APART: readonly RouteName[] = [
  'updateConfig',
  'addServer',
  'testServer',
  'updateServer',
  'removeServer',
  'restartServer',
  'enableServer',
  'disableServer',
];
export const anyRequest: Arbitrary<Filled> = fc.oneof(
  ...(Object.keys(routes) as RouteName[]).filter((name) => !APART.includes(name)).map(filled),
);
