import { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Bounds = { minimum?: number | null; maximum?: number | null };

/** The default messages of zod. Messages of our own schemas are kept. */
const DEFAULT_MESSAGE = /^(?:Too small|Too big|Invalid input|Invalid option|Invalid number)\b/;

/**
 * The text of a validation issue, to follow the name of the value: "must be between 1 and 100". `schema` is the schema that was checked;
 * it gives both bounds of a range.
 */
export function issueText(issue: Issue, schema?: z.ZodType): string {
  if (!DEFAULT_MESSAGE.test(issue.message)) return issue.message;
  if (issue.code === 'too_small' || issue.code === 'too_big')
    return rangeText(issue, schema && boundsAt(schema, issue.path));
  if (issue.code === 'invalid_type')
    return issue.message.endsWith('received undefined')
      ? 'is required'
      : `must be ${KINDS[issue.expected] ?? `of type ${issue.expected}`}`;
  if (issue.code === 'invalid_union') return `must be ${unionKinds(issue).join(' or ')}`;
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  return issue.message;
}

type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;

/**
 * The issues with each "matches no member of the union" replaced by the issues of the member that was meant: the first one that allows a
 * value of this type.
 */
export function leafIssues(issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) => {
    const meant =
      issue.code === 'invalid_union' ? issue.errors.find((member) => !isWrongType(member)) : undefined;
    if (!meant) return [issue];
    return leafIssues(meant).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  });
}

function isWrongType([first]: readonly Issue[]): boolean {
  return first === undefined || (first.code === 'invalid_type' && first.path.length === 0);
}

function unionKinds({ errors }: UnionIssue): string[] {
  const kinds = errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [KINDS[first.expected] ?? first.expected] : [],
  );
  return [...new Set(kinds)];
}

type RangeIssue = Extract<Issue, { code: 'too_small' | 'too_big' }>;

function rangeText(issue: RangeIssue, { minimum, maximum }: Bounds = {}): string {
  const isSmall = issue.code === 'too_small';
  const limit = isSmall ? issue.minimum : issue.maximum;
  const unit = UNITS[issue.origin];
  if (unit === 'character' && isSmall && limit === 1) return 'must not be empty';
  const isRange = isBound(minimum) && isBound(maximum) && issue.inclusive !== false;
  const amount = isRange ? `between ${minimum} and ${maximum}` : `${relation(issue, isSmall)} ${limit}`;
  if (!unit) return `must be ${amount}`;
  return `must have ${amount} ${unit}${!isRange && limit === 1 ? '' : 's'}`;
}

/** Every number has the bounds of safe integers, or none. */
function isBound(value: number | null | undefined): boolean {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

function relation({ inclusive, exact }: RangeIssue, isSmall: boolean): string {
  if (exact) return 'exactly';
  if (inclusive === false) return isSmall ? 'greater than' : 'less than';
  return isSmall ? 'at least' : 'at most';
}

const UNITS: Readonly<Record<string, string | undefined>> = {
  string: 'character',
  array: 'item',
  set: 'item',
};
const KINDS: Readonly<Record<string, string | undefined>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function boundsAt(schema: z.ZodType, path: readonly PropertyKey[]): Bounds {
  let at: unknown = schema;
  for (const key of path) at = child(unwrap(at), key);
  const found = unwrap(at);
  if (found instanceof z.ZodNumber) return { minimum: found.minValue, maximum: found.maxValue };
  if (found instanceof z.ZodString) return { minimum: found.minLength, maximum: found.maxLength };
  return {};
}

/** The example of the innermost setting on the path that has one, with its key: `"ttl": "15m"`. */
export function exampleAt(schema: z.ZodType, path: readonly PropertyKey[]): string | undefined {
  let at: unknown = schema;
  let found: string | undefined;
  for (const key of path) {
    at = child(unwrap(at), key);
    const example = at instanceof z.ZodType ? (at.meta()?.examples as unknown[] | undefined)?.[0] : undefined;
    if (example !== undefined) found = `"${String(key)}": ${JSON.stringify(example)}`;
  }
  return found;
}

function child(schema: unknown, key: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) return (schema.shape as Record<PropertyKey, unknown>)[key];
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return undefined;
}

function unwrap(schema: unknown): unknown {
  let inner = schema;
  for (;;) {
    if (
      inner instanceof z.ZodDefault ||
      inner instanceof z.ZodPrefault ||
      inner instanceof z.ZodOptional ||
      inner instanceof z.ZodNullable
    )
      inner = inner.unwrap();
    else if (inner instanceof z.ZodPipe) inner = inner.out instanceof z.ZodTransform ? inner.in : inner.out;
    else return inner;
  }
}
