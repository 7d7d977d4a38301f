import { API_PREFIX, routes, type RouteName, type Route } from '../../contract/routes/api.ts';
import { ProxyError } from '../../contract/errors.ts';

export interface Match {
  name: RouteName;
  route: Route;
  params: Record<string, string>;
}

interface Pattern {
  name: RouteName;
  route: Route;
  segments: string[];
  literals: number;
}

/** Literal segments before parameters: `/tools/search` is not the tool named "search". */
const PATTERNS: Pattern[] = (Object.entries(routes) as Array<[RouteName, Route]>)
  .map(([name, route]) => {
    const segments = route.path.split('/').slice(1);
    return { name, route, segments, literals: segments.filter((segment) => !isParameter(segment)).length };
  })
  .sort((a, b) => b.literals - a.literals);

/** `path` is what follows the API prefix. */
export function matchRoute(method: string, path: string): Match {
  const given = path.split('/').slice(1);
  const fitting = PATTERNS.filter(({ segments }) => fits(segments, given));
  const found = fitting.find(({ route }) => route.method === method);
  if (found) return { name: found.name, route: found.route, params: paramsOf(found.segments, given) };
  if (fitting.length === 0)
    throw new ProxyError('NOT_FOUND', 'No such route; /openapi.json lists all routes');
  const allow = [...new Set(fitting.map(({ route }) => route.method))].sort();
  throw new ProxyError('METHOD_NOT_ALLOWED', `This route takes ${allow.join(', ')} only`, { allow });
}

/** A path without characters that decoding could turn into another path. */
const PLAIN_PATH = /^[A-Za-z0-9/_-]+$/;

/** Whether agent tokens may use this route. `path`: with the API prefix, not decoded. */
export function isOpenToTokens(method: string | undefined, path: string): boolean {
  if (!path.startsWith(`${API_PREFIX}/`) || !PLAIN_PATH.test(path)) return false;
  const given = path.slice(API_PREFIX.length).split('/').slice(1);
  const found = PATTERNS.find(({ route, segments }) => route.method === method && fits(segments, given));
  return found?.route.token === true;
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function fits(segments: string[], given: string[]): boolean {
  if (segments.length !== given.length) return false;
  return segments.every((segment, index) =>
    isParameter(segment) ? given[index] !== '' : segment === given[index],
  );
}

function paramsOf(segments: string[], given: string[]): Record<string, string> {
  const entries = segments.flatMap((segment, index) =>
    isParameter(segment) ? [[segment.slice(1, -1), decode(given[index]!)]] : [],
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Decoded once, after the path was split, so that "%2F" cannot add segments. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ProxyError('INVALID_REQUEST', 'The path has a percent sequence that is not UTF-8', {
      parameter: 'path',
    });
  }
}
