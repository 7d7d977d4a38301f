import type { Upstream } from '../connection/upstream.ts';
import type { Upstreams } from '../upstream-set.ts';

type Find = (name: string) => Upstream | undefined;

/** The way from the public object to the connections behind it. It is kept here so that holding the object gives nobody a way to call. */
const finders = new WeakMap<Upstreams, Find>();

export function registerFinder(upstreams: Upstreams, find: Find): void {
  finders.set(upstreams, find);
}

export function upstreamFinder(upstreams: Upstreams): Find {
  const find = finders.get(upstreams);
  if (!find) throw new TypeError('not made by createUpstreams');
  return find;
}
