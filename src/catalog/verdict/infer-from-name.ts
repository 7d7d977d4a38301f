import type { OperationType } from '../../contract/operation.ts';
import type { Inference } from './inference.ts';
import {
  isNounToo,
  isReadNounToo,
  isUnmistakable,
  READ_ADJECTIVES,
  READ_NOUNS,
  takesALook,
  verbOperation,
  worksOnValue,
} from './verbs.ts';

/** What follows these is the method of a request: `API-post-page`. */
const REQUESTS = new Set(['api', 'http', 'rest']);

interface NamedVerb {
  verb: string;
  index: number;
  operation: OperationType;
}

/**
 * The first verb of a name leads. What follows may raise it, never lower it. A name without a verb (`match_history`, but `collect_data`
 * too) says that a tool reads only where the description agrees.
 */
export function fromName(parts: string[], textAgrees = false): Inference | undefined {
  const verbs = verbsOf(parts);
  const lead = verbs[0];
  if (!lead) return withoutVerb(parts, textAgrees);
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
  // `simulate_query`: a noun after a word that may be a verb.
  if (lead.index > 0 && isReadNounToo(lead.verb) && verbs.length === 1 && !textAgrees) return undefined;
  const doubt = verbs.find(({ verb }) => isUnmistakable(verb));
  return doubt ? says('write', `${lead.verb} … ${doubt.verb}`) : says('read', lead.verb);
}

/**
 * `item-build`, `type-analysis`, `release_list`: what could be a verb is a noun here, if the description agrees. In front of a name a
 * noun shows by what follows: a thing to look at, or a verb of its own.
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
