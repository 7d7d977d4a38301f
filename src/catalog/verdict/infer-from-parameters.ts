import { fromName } from './infer-from-name.ts';
import { nameParts, type Inference } from './inference.ts';
import { isUnmistakable, verbInText } from './verbs.ts';
import { isObject } from '../../json/index.ts';

const MAX_PROPERTIES = 64;
const MAX_TEXT = 500;

/** Parameters that choose what is done. */
const ACTIONS = new Set('action operation method mode command subcommand op verb'.split(' '));
const HTTP_VERB = /^(?:get|head|options|post|put|patch|delete)$/i;
const HTTP_TEXT = /\b(?:POST|PUT|PATCH|DELETE)\b/;
/** Confirmation, dry runs and overwriting make sense only for a tool that changes something. */
const GUARDS = new Set(
  'confirm confirmed confirmation dryrun overwrite cascade permanent permanently'.split(' '),
);

/** Evidence in parameters: a choice between acts, an HTTP method, a guard. They never show that a tool only reads. */
export function fromParameters(properties: Record<string, unknown>): Inference | undefined {
  const all = Object.entries(properties).slice(0, MAX_PROPERTIES);
  for (const [name, property] of all) {
    const sign = fromHttpMethod(name, property) ?? fromChoice(name, property);
    if (sign) return sign;
  }
  const guard = all.find(([name, property]) => guards(nameParts(name), property));
  return guard && { operation: 'write', reason: `its parameter "${shown(guard[0])}" guards an act` };
}

/** The caller can send any request, as with a shell. */
function fromHttpMethod(name: string, property: unknown): Inference | undefined {
  if (!/method|verb/i.test(name) || !isObject(property)) return undefined;
  const values = choices(property);
  const http = values.filter((value) => HTTP_VERB.test(value));
  const deletes = http.some((value) => /^delete$/i.test(value)) && http.length > 1;
  const described = values.length === 0 && HTTP_TEXT.test(textOf(property));
  if (!deletes && !described) return undefined;
  return { operation: 'destructive', reason: `its parameter "${shown(name)}" is the method of a request` };
}

/** A tool with several acts, chosen by a parameter, counts at least as write unless every act reads. */
function fromChoice(name: string, property: unknown): Inference | undefined {
  if (!ACTIONS.has(name.toLowerCase()) || !isObject(property)) return undefined;
  const values = choices(property);
  const other = values.length > 0 ? values.find(acts) : actInText(textOf(property));
  if (other === undefined) return undefined;
  return {
    operation: 'write',
    reason: `its parameter "${shown(name)}" chooses between acts such as "${shown(other)}"`,
  };
}

/** `get_workflow_run` reads, whatever "run" may mean elsewhere. */
function acts(value: string): boolean {
  return (fromName(nameParts(value))?.operation ?? 'read') !== 'read';
}

/** "The action to take: list, create or delete". */
function actInText(text: string): string | undefined {
  return text
    .toLowerCase()
    .match(/\p{L}+/gu)
    ?.find((word) => /^(?:create|update|delete|remove|add|set)$/.test(word));
}

/** `confirm`, `dry_run`, and flags that start another act: `delete_after_read`. */
function guards(parts: string[], property: unknown): boolean {
  if (GUARDS.has(parts.join(''))) return true;
  const flag = isObject(property) && property.type === 'boolean';
  const first = parts[0] ?? '';
  return flag && isUnmistakable(verbInText(first)?.verb ?? '');
}

function choices(property: Record<string, unknown>): string[] {
  const values = Array.isArray(property.enum) ? property.enum : [];
  return values.slice(0, MAX_PROPERTIES).filter((value) => typeof value === 'string');
}

function textOf({ description }: Record<string, unknown>): string {
  return typeof description === 'string' ? description.slice(0, MAX_TEXT) : '';
}

function shown(text: string): string {
  return text.slice(0, 40);
}
