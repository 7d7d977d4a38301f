import { ProxyError } from '../contract/errors.ts';
import {
  DataSensitivity,
  type IntentDeclaration,
  type OperationType,
  REASON_MAX_LENGTH,
} from '../contract/operation.ts';
import { type JsonObject, isObject } from '../json/index.ts';

const FIELDS = ['operation_type', 'data_sensitivity', 'reason'] as const;
type Field = (typeof FIELDS)[number];
/** The fields of an intent as they were given, not yet judged. */
export type RawIntent = Partial<Record<Field, unknown>>;

// Plain comparisons: this runs on every call, and a schema would cost more than all other checks together.
export function isOperation(value: unknown): value is OperationType {
  return value === 'read' || value === 'write' || value === 'destructive';
}

export function isSensitivity(value: unknown): value is DataSensitivity {
  return (DataSensitivity.options as unknown[]).includes(value);
}

/**
 * Where a field can be given: in the object `intent`, there with the name of the flat parameter too, or as a flat parameter.
 */
function given(input: JsonObject, nested: JsonObject | undefined, field: Field): unknown[] {
  const flat = `intent_${field}`;
  return [nested?.[field], nested?.[flat], input[flat]].map(present).filter((value) => value !== undefined);
}

/** Undefined: the call declares no intent at all. */
export function readIntent(input: JsonObject): RawIntent | undefined {
  const nested = present(input.intent);
  if (nested !== undefined && !isObject(nested)) {
    throw new ProxyError(
      'INVALID_ARGUMENTS',
      'intent must be an object with operation_type; or use the flat intent_* parameters',
      {
        field: 'intent',
      },
    );
  }
  const intent: RawIntent = {};
  let isGiven = nested !== undefined;
  for (const field of FIELDS) {
    const [value, ...others] = given(input, nested, field);
    if (value === undefined) continue;
    if (others.some((other) => other !== value)) {
      throw new ProxyError(
        'INTENT_CONFLICT',
        `intent.${field} and intent_${field} differ; give one of them, or the same value in both`,
        {
          field,
        },
      );
    }
    isGiven = true;
    intent[field] = value;
  }
  return isGiven ? intent : undefined;
}

/** The declared intent for the record, also of a call that is refused: only well-formed values. */
export function declaredIntent(input: unknown): Partial<IntentDeclaration> | undefined {
  if (!isObject(input)) return undefined;
  const nested = isObject(input.intent) ? input.intent : undefined;
  const pick = (field: Field) => given(input, nested, field)[0];
  const [operation, sensitivity, reason] = [pick('operation_type'), pick('data_sensitivity'), pick('reason')];
  const declared: Partial<IntentDeclaration> = {};
  if (isOperation(operation)) declared.operation_type = operation;
  if (isSensitivity(sensitivity)) declared.data_sensitivity = sensitivity;
  if (typeof reason === 'string') declared.reason = shortened(reason);
  return Object.keys(declared).length > 0 ? declared : undefined;
}

/** The first thousand code points; a reason of ten megabytes must not be spread to find them. */
function shortened(reason: string): string {
  if (reason.length <= REASON_MAX_LENGTH) return reason;
  return Array.from(reason.slice(0, 2 * REASON_MAX_LENGTH))
    .slice(0, REASON_MAX_LENGTH)
    .join('');
}

const KNOWN = new Set<string>(FIELDS.flatMap((field) => [field, `intent_${field}`]));
const MAX_NAMED = 5;
const MAX_NAME = 60;

/** A warning that names what looks like a part of the intent and has no effect. */
export function unknownIntentWarning(input: JsonObject): string | undefined {
  const unknown: string[] = [];
  for (const key in input) if (key.startsWith('intent_') && !KNOWN.has(key)) unknown.push(key);
  if (isObject(input.intent))
    for (const key in input.intent) if (!KNOWN.has(key)) unknown.push(`intent.${key}`);
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, MAX_NAMED).map((name) => JSON.stringify(name.slice(0, MAX_NAME)));
  const more = unknown.length - named.length;
  return `Ignored: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}. An intent has operation_type, data_sensitivity and reason only`;
}

/** Models fill optional text parameters with empty strings; that is "not given". */
function present(value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
}
