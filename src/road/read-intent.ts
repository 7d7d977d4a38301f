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

/** The parameter that gives a field beside the object `intent`; it may be given in there too. */
const FLAT = {
  operation_type: 'intent_operation_type',
  data_sensitivity: 'intent_data_sensitivity',
  reason: 'intent_reason',
} as const satisfies Record<Field, string>;

/** Where fields are given. */
interface Given {
  input: JsonObject;
  nested: JsonObject | undefined;
}

/** The first value that is given for a field. */
function firstOf({ input, nested }: Given, field: Field): unknown {
  const flat = FLAT[field];
  return present(nested?.[field]) ?? present(nested?.[flat]) ?? present(input[flat]);
}

/** Whether every place in which the field is given has this value. */
function isOnly(value: unknown, { input, nested }: Given, field: Field): boolean {
  const flat = FLAT[field];
  return (
    isAbsentOr(value, nested?.[field]) && isAbsentOr(value, nested?.[flat]) && isAbsentOr(value, input[flat])
  );
}

const isAbsentOr = (value: unknown, other: unknown) => present(other) === undefined || other === value;

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
  const given = { input, nested };
  const intent: RawIntent = {};
  let isGiven = nested !== undefined;
  for (const field of FIELDS) {
    const value = firstOf(given, field);
    if (value === undefined) continue;
    if (!isOnly(value, given, field)) {
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
  const given = { input, nested: isObject(input.intent) ? input.intent : undefined };
  const operation = firstOf(given, 'operation_type');
  const sensitivity = firstOf(given, 'data_sensitivity');
  const reason = firstOf(given, 'reason');
  let declared: Partial<IntentDeclaration> | undefined;
  if (isOperation(operation)) (declared ??= {}).operation_type = operation;
  if (isSensitivity(sensitivity)) (declared ??= {}).data_sensitivity = sensitivity;
  if (typeof reason === 'string') (declared ??= {}).reason = shortened(reason);
  return declared;
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
