import type { OperationType } from '../../contract/operation.ts';
import type { Inference } from './inference.ts';
import {
  computesValue,
  isInspection,
  isNounToo,
  isReadNounToo,
  isUnmistakable,
  READ_ADJECTIVES,
  READ_NOUNS,
  verbOperation,
} from './verbs.ts';

/** The word after one of these is an HTTP method: `API-post-page`. */
const REQUESTS = new Set(['api', 'http', 'rest']);

interface NamedVerb {
  verb: string;
  index: number;
  operation: OperationType;
}

/**
 * The first verb of a name leads; later verbs may raise the operation, never lower it. A name without a verb (`match_history`, but also
 * `collect_data`) counts as reading only if the description agrees.
 */
export function fromName(parts: string[], textAgrees = false): Inference | undefined {
  const verbs = verbsOf(parts);
  const lead = verbs[0];
  if (!lead) return withoutVerb(parts, textAgrees);
  if (computesValue(lead.verb, parts)) return says('read', `${lead.verb} …`);
  if (isInspection(lead.verb, parts)) return says('read', `${lead.verb} … ${parts.at(-1)}`);
  if (lead.operation === 'read') return fromReadingVerb(parts, verbs, textAgrees);
  const worst = verbs.find(({ operation }) => operation === 'destructive') ?? lead;
  return says(worst.operation, worst.verb);
}

function fromReadingVerb(parts: string[], verbs: NamedVerb[], textAgrees: boolean): Inference | undefined {
  const lead = verbs[0]!;
  // "check in", "check off" are acts, unlike "check".
  if (lead.verb === 'check' && /^(?:in|out|off)$/.test(parts[lead.index + 1] ?? ''))
    return says('write', `check ${parts[lead.index + 1]}`);
  const joined = verbs.find(
    ({ index, operation }) => operation !== 'read' && /^(?:and|or|then)$/.test(parts[index - 1] ?? ''),
  );
  if (joined) return says(joined.operation, `${lead.verb} … ${joined.verb}`);
  // `simulate_query`: a noun after a word that may be a verb.
  if (lead.index > 0 && isReadNounToo(lead.verb) && verbs.length === 1 && !textAgrees) return undefined;
  const doubt = verbs.find(({ verb }) => isUnmistakable(verb));
  return doubt ? says('write', `${lead.verb} … ${doubt.verb}`) : says('read', lead.verb);
}

/**
 * `item-build`, `type-analysis`, `release_list`: a possible verb is a noun here, if the description agrees. At the beginning of a name it is
 * a noun if a thing to read or another verb follows.
 */
export function hasOnlyNouns(parts: string[]): boolean {
  const verbs = verbsOf(parts);
  const acts = verbs.filter(({ operation }) => operation !== 'read');
  const looked = READ_NOUNS.has(parts.at(-1) ?? '') || verbs.at(-1)?.operation === 'read';
  const noun = ({ verb, index }: NamedVerb) => isNounToo(verb) && !REQUESTS.has(parts[index - 1] ?? '');
  return acts.length > 0 && acts.every((act) => noun(act) && (act.index > 0 || looked));
}

function verbsOf(parts: string[]): NamedVerb[] {
  return parts.flatMap((verb, index) => {
    const operation = verbOperation(verb);
    return operation ? [{ verb, index, operation }] : [];
  });
}

function withoutVerb(parts: string[], textAgrees: boolean): Inference | undefined {
  // The first word is often the name of the service.
  const adjective = parts.slice(0, 2).find((part) => READ_ADJECTIVES.has(part));
  if (adjective !== undefined) return says('read', adjective);
  const last = parts.at(-1) ?? '';
  return READ_NOUNS.has(last) && (textAgrees || parts.length === 1) ? says('read', last) : undefined;
}

function says(operation: OperationType, word: string): Inference {
  return { operation, reason: `its name says "${word}"` };
}
