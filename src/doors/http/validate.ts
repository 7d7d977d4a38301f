import type { z } from 'zod';
import { ProxyError } from '../../contract/errors.ts';
import { issueText, leafIssues } from '../../contract/issue-text.ts';

type InputPart = 'path' | 'query' | 'body';

/** Checks against a schema of the route table; every issue names the parameter and, where there is a list, the allowed values. */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: InputPart): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = leafIssues(parsed.error.issues)
    .slice(0, 20)
    .map((issue) => describe(issue, value, schema));
  const first = issues[0]!;
  throw new ProxyError('INVALID_REQUEST', issues.map((issue) => issue.message).join('; '), {
    in: part,
    parameter: first.parameter,
    ...(first.allowed && { allowed: first.allowed }),
    issues,
  });
}

/** Schemas silently ignore the key "__proto__"; a setting must not be ignored, so it is rejected. */
export function checkKeys(body: unknown): void {
  const rest = [body];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__'))
      throw new ProxyError('INVALID_REQUEST', 'The key "__proto__" is not allowed', {
        in: 'body',
        parameter: '__proto__',
      });
    for (const child of Object.values(value)) rest.push(child);
  }
}

/** A misspelt filter must not be silently ignored. */
export function queryOf(search: URLSearchParams, known: readonly string[]): Record<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of search) {
    if (!known.includes(name)) {
      const takes = known.length > 0 ? `this route accepts ${known.join(', ')}` : 'this route accepts none';
      throw new ProxyError('INVALID_REQUEST', `Unknown parameter "${name.slice(0, 100)}": ${takes}`, {
        in: 'query',
        parameter: name.slice(0, 100),
        allowed: known,
      });
    }
    if (query.has(name))
      throw new ProxyError('INVALID_REQUEST', `Parameter "${name}" is given twice`, {
        in: 'query',
        parameter: name,
      });
    query.set(name, value);
  }
  return Object.fromEntries(query);
}

const MAX_KEYS = 10;
const MAX_TEXT = 200;

interface InputIssue {
  parameter: string;
  message: string;
  allowed?: readonly unknown[];
}

function describe(issue: z.core.$ZodIssue, input: unknown, schema: z.ZodType): InputIssue {
  const parameter = issue.path.map(String).join('.').slice(0, MAX_TEXT) || 'body';
  if (issue.code === 'invalid_value') {
    return {
      parameter,
      message: `${parameter} must be one of ${issue.values.join(', ')}${got(input, issue.path)}`,
      allowed: issue.values,
    };
  }
  if (issue.code === 'unrecognized_keys')
    return { parameter, message: `${parameter} has unknown keys: ${listed(issue.keys)}` };
  const text = issueText(issue, schema);
  if (text === 'is required') return { parameter, message: `${parameter} is required` };
  const separator = text.startsWith('must ') ? ' ' : ': ';
  return { parameter, message: `${parameter}${separator}${text}${got(input, issue.path)}` };
}

/** Bounded: a body may have a million unknown keys. */
function listed(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_KEYS).map((key) => key.slice(0, MAX_TEXT));
  return shown.join(', ') + (keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : '');
}

/** Names the value, where it is short and plain: bodies may hold secrets. */
function got(input: unknown, path: PropertyKey[]): string {
  if (path.length !== 1) return '';
  const value = (input as Record<PropertyKey, unknown> | null)?.[path[0]!];
  if (value === undefined) return '; it is missing';
  return typeof value === 'string' && value.length <= 100 ? `; got ${JSON.stringify(value)}` : '';
}
