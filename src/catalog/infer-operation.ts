import type { OperationType } from '../contract/operation.ts';
import type { ToolDefinition } from '../contract/tool.ts';
import { fromText } from './infer-from-text.ts';
import { runsPrograms } from './runs-programs.ts';
import { firstSentence } from './tool-text.ts';
import {
  isMild,
  isNounToo,
  isUnmistakable,
  READ_ADJECTIVES,
  READ_NOUNS,
  takesALook,
  verbInText,
  verbOperation,
  worksOnValue,
} from './verbs.ts';

export interface Inference {
  operation: OperationType;
  reason: string;
}

type Inferable = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema'>;

const MAX_TEXT = 4000;
const MAX_PROPERTIES = 64;
export const SEVERITY: Record<OperationType, number> = { read: 0, write: 1, destructive: 2 };

/**
 * What a tool most likely does, from its name, description and parameters. Conservative: "read" needs a reason and any sign of more
 * outweighs it, because taking a destructive tool for a reading one is the mistake that costs.
 */
export function inferOperation(definition: Inferable): Inference {
  const description = (definition.description ?? '').slice(0, MAX_TEXT);
  const parts = nameParts(definition.name);
  const properties = propertiesOf(definition.inputSchema);
  const runs = runsPrograms(parts, firstSentence(description), Object.keys(properties));
  if (runs) return runs;
  const telling = hasOnlyNouns(parts) && textReads(description) ? [] : parts;
  const signs = [fromName(telling), fromText(description, telling), fromActions(properties)].filter(
    (sign) => sign !== undefined,
  );
  if (signs.length === 0)
    return { operation: 'write', reason: 'nothing in its name or description says that it only reads' };
  const worst = signs.reduce((a, b) => (SEVERITY[b.operation] > SEVERITY[a.operation] ? b : a));
  return believed(worst, parts, description);
}

/** A plain statement counts against a mild verb ("generate", "run"), and against nothing stronger. */
function believed(sign: Inference, parts: string[], description: string): Inference {
  const acts = parts.filter((part) => (verbOperation(part) ?? 'read') !== 'read');
  if (sign.operation !== 'write' || !acts.every(isMild) || !ONLY_READS.test(firstLines(description)))
    return sign;
  return { operation: 'read', reason: 'its description says that it only reads' };
}

const ONLY_READS =
  /\bread[- ]only\b|\bonly reads\b|\b(?:does|do|will) not (?:create|modify|change|alter|write|delete|send|store|save)\b|\bwithout (?:modifying|changing|altering|side effects)\b/i;

/** What stands far below the first lines speaks of single parameters and cases. */
function firstLines(description: string): string {
  return description.slice(0, 400);
}

/** `item-build`, `type-analysis`: what could be a verb is a noun here, if the description agrees. */
function hasOnlyNouns(parts: string[]): boolean {
  const verbs = parts.flatMap((part, index) => (verbOperation(part) ? [{ part, index }] : []));
  const looked = READ_NOUNS.has(parts.at(-1) ?? '');
  return verbs.length > 0 && verbs.every(({ part, index }) => isNounToo(part) && (index > 0 || looked));
}

/** "This tool provides …", "A tool for retrieving …": close to the beginning, or it is not what the tool does. */
function textReads(description: string): boolean {
  const words =
    firstSentence(description)
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? [];
  const lead = words.slice(0, 4).flatMap((word) => verbInText(word) ?? [])[0];
  return lead?.operation === 'read' && fromText(description, [])?.operation === 'read';
}

/** `getHTTPResponse2`, `get-http-response` → get, http, response. */
export function nameParts(name: string): string[] {
  return name
    .slice(0, 256)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean);
}

/** The first verb of a name leads. What follows may raise it, never lower it. */
function fromName(parts: string[]): Inference | undefined {
  const verbs = parts.flatMap((verb, index) => {
    const operation = verbOperation(verb);
    return operation ? [{ verb, index, operation }] : [];
  });
  const lead = verbs[0];
  if (!lead) return withoutVerb(parts);
  if (worksOnValue(lead.verb, parts)) return says('read', `${lead.verb} …`);
  if (takesALook(lead.verb, parts)) return says('read', `${lead.verb} … ${parts.at(-1)}`);
  if (lead.operation !== 'read') {
    const worst = verbs.find(({ operation }) => operation === 'destructive') ?? lead;
    return says(worst.operation, worst.verb);
  }
  // "check in", "check off" are acts, unlike "check".
  if (lead.verb === 'check' && /^(?:in|out|off)$/.test(parts[lead.index + 1] ?? ''))
    return says('write', `check ${parts[lead.index + 1]}`);
  const joined = verbs.find(
    ({ index, operation }) => operation !== 'read' && /^(?:and|or|then)$/.test(parts[index - 1] ?? ''),
  );
  if (joined) return says(joined.operation, `${lead.verb} … ${joined.verb}`);
  const doubt = verbs.find(({ verb }) => isUnmistakable(verb));
  return doubt ? says('write', `${lead.verb} … ${doubt.verb}`) : says('read', lead.verb);
}

function withoutVerb(parts: string[]): Inference | undefined {
  const last = parts.at(-1) ?? '';
  if (READ_NOUNS.has(last)) return says('read', last);
  // The first word is often the name of the service.
  const adjective = parts.slice(0, 2).find((part) => READ_ADJECTIVES.has(part));
  return adjective === undefined ? undefined : says('read', adjective);
}

const ACTION_PARAMETERS = new Set([
  'action',
  'operation',
  'method',
  'mode',
  'command',
  'subcommand',
  'op',
  'verb',
]);

/** One tool for many acts, chosen by a parameter, is at least a writer unless every act reads. */
function fromActions(properties: Record<string, unknown>): Inference | undefined {
  for (const [name, property] of Object.entries(properties).slice(0, MAX_PROPERTIES)) {
    if (!ACTION_PARAMETERS.has(name.toLowerCase()) || !isObject(property) || !Array.isArray(property.enum))
      continue;
    const acts = property.enum.slice(0, MAX_PROPERTIES).filter((value) => typeof value === 'string');
    const other = acts.find((act) =>
      nameParts(act).some((part) => (verbOperation(part) ?? 'read') !== 'read'),
    );
    if (other)
      return {
        operation: 'write',
        reason: `its parameter "${name}" chooses between acts such as "${other.slice(0, 40)}"`,
      };
  }
  return undefined;
}

function says(operation: OperationType, word: string): Inference {
  return { operation, reason: `its name says "${word}"` };
}

function propertiesOf(schema: Record<string, unknown>): Record<string, unknown> {
  return isObject(schema.properties) ? schema.properties : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
