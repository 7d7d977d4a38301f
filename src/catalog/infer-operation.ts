import type { OperationType } from '../contract/operation.ts';
import type { ToolDefinition } from '../contract/tool.ts';
import { runsPrograms } from './runs-programs.ts';
import { firstSentence } from './tool-text.ts';
import { isUnmistakable, READ_NOUNS, verbInText, verbOperation, worksOnValue, type Verb } from './verbs.ts';

export interface Inference {
  operation: OperationType;
  reason: string;
}

type Inferable = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema'>;

const MAX_TEXT = 4000;
const MAX_PROPERTIES = 64;
const SEVERITY: Record<OperationType, number> = { read: 0, write: 1, destructive: 2 };

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
  const signs = [fromName(parts), fromText(description, parts), fromActions(properties)].filter(
    (sign) => sign !== undefined,
  );
  if (signs.length === 0)
    return { operation: 'write', reason: 'nothing in its name or description says that it only reads' };
  return signs.reduce((worst, sign) => (SEVERITY[sign.operation] > SEVERITY[worst.operation] ? sign : worst));
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
  if (!lead) return READ_NOUNS.has(parts.at(-1) ?? '') ? says('read', parts.at(-1)!) : undefined;
  if (worksOnValue(lead.verb, parts)) return says('read', `${lead.verb} …`);
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

const FINAL =
  /\b(?:cannot|can't|can not) be (?:undone|reversed|recovered)\b|\birreversibl[ey]\b|\bpermanently (?:delet|remov|eras|destroy)\w*|\bthis is (?:a )?destructive\b/i;
const LEADING_WORDS = 10;
const JOINS = /^(?:,|and|or|then)$/;

/** The first verb of the description, and the verbs that are joined to it. */
function fromText(description: string, parts: string[]): Inference | undefined {
  if (FINAL.test(description))
    return { operation: 'destructive', reason: 'its description speaks of something that cannot be undone' };
  const sentence = firstSentence(description).toLowerCase();
  const words = sentence.match(/[\p{L}']+|,/gu) ?? [];
  const named = parts.map(verbOperation).find((operation) => operation !== undefined);
  // A name with a verb is the better witness; the text then counts only where it opens with another verb.
  const opening = words.slice(0, named ? 3 : LEADING_WORDS);
  const index = opening.findIndex((word) => leads(word, named) !== undefined);
  const lead = index < 0 ? undefined : leads(words[index]!, named)!;
  const worst = [...(lead ? [lead] : []), ...chained(words, index), ...added(sentence)].reduce<
    Verb | undefined
  >((a, b) => (a && SEVERITY[a.operation] >= SEVERITY[b.operation] ? a : b), undefined);
  if (!worst || (named && worst.operation !== 'destructive' && named !== 'read')) return undefined;
  if (worst !== lead || !worksOnValue(lead.verb, words))
    return { operation: worst.operation, reason: `its description says "${worst.verb}"` };
  return { operation: 'read', reason: `its description says "${worst.verb}"` };
}

/** "Run this tool first", "Use when" are addressed to the reader and say nothing of the act, where the name has said it. */
function leads(word: string, named: OperationType | undefined): Verb | undefined {
  if (named && /^(?:run|use|call)$/.test(word)) return undefined;
  return verbInText(word);
}

/** "List, create or close a tab": verbs in a row from the leading one. */
function chained(words: string[], start: number): Verb[] {
  const verbs: Verb[] = [];
  if (start < 0) return verbs;
  for (let i = start + 1; i < words.length; i++) {
    if (JOINS.test(words[i]!)) continue;
    const verb = verbInText(words[i]!);
    if (!verb || !JOINS.test(words[i - 1]!)) break;
    verbs.push(verb);
  }
  return verbs;
}

/** "… and deletes them", "then saves it": a second act later in the sentence, told from a noun by the object that follows. */
function added(sentence: string): Verb[] {
  const second =
    /\b(?:and|then)\s+(?:then\s+|also\s+)?(\p{L}+)\s+(?:it|them|its|their|the|a|an|your|all|any|every|each|new|to)\b/gu;
  return [...sentence.matchAll(second)].flatMap(([, word]) => verbInText(word!) ?? []);
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
