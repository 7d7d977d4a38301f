import {
  ANY_KIND,
  isClient,
  type ActivityMetadata,
  type Clause,
  type ClauseField,
} from '../../contract/activity.ts';
import { OperationType } from '../../contract/operation.ts';
import {
  type ActivityRow,
  type SealedFacet,
  hasOperationBySource,
  principalOf,
  shownStatus,
  shownType,
  whoOf,
} from '../record/row.ts';

type Names = Pick<SealedFacet, 'server_name' | 'tool_name'>;
type RowTest = (row: ActivityRow, facet: SealedFacet) => boolean;

/** What a facet tells of a condition; the names only where the facet has them. */
const OF_FACET: Partial<Record<ClauseField, (facet: SealedFacet, value: string) => boolean>> = {
  status: (facet, value) => shownStatus(facet.status) === value,
  type: (facet, value) => shownType(facet) === value,
  op: (facet, value) => hasOperationBySource(facet, OperationType.parse(value)),
  server: (names, value) => names.server_name === value,
  tool: isTool,
};

/** A tool is named with or without its server, and its own name may have a colon. */
function isTool({ server_name: server, tool_name: tool }: Names, value: string): boolean {
  return tool !== null && (tool === value || `${server}:${tool}` === value);
}

const OF_ROW: Partial<
  Record<ClauseField, (row: ActivityRow, facet: SealedFacet) => string | null | undefined>
> = {
  agent: (row) => principalOf(row.metadata),
  code: (row) => row.error_code,
  session: (row) => row.session_id,
  request: (row) => row.request_id,
  conversation: (row) => row.conversation_id,
  approval: (row, facet) => whoOf(JSON.parse(row.metadata) as ActivityMetadata, facet).approval_id,
  decider: (row, facet) => whoOf(JSON.parse(row.metadata) as ActivityMetadata, facet).decided_by,
};

/** Fields with several values in one record. */
const SECRETS: Partial<Record<ClauseField, 'secrets_sent' | 'secrets_received'>> = {
  secret: 'secrets_sent',
  received_secret: 'secrets_received',
};

/** The kinds of secrets that a record names. */
export function secretKinds(metadata: string, name: 'secrets_sent' | 'secrets_received'): readonly string[] {
  if (!metadata.includes(`"${name}":[`)) return [];
  const kinds = (JSON.parse(metadata) as ActivityMetadata)[name];
  return Array.isArray(kinds) ? kinds : [];
}

function secretTest({ values, exclude }: Clause, name: 'secrets_sent' | 'secrets_received'): RowTest {
  return ({ metadata }) => {
    const kinds = secretKinds(metadata, name);
    return (
      values.some((value) => (value === ANY_KIND ? kinds.length > 0 : kinds.includes(value))) !== exclude
    );
  };
}

export const isNameClause = ({ field }: Clause): boolean => field === 'server' || field === 'tool';

/** Conditions that the facet of a record decides, if it is not unlisted. */
export const isFacetClause = ({ field }: Clause): boolean => OF_FACET[field] !== undefined;

/** Whether records of a facet can match. Where names stand in the records, they do not decide here. */
export function facetClauseTest(clauses: readonly Clause[] = []): (facet: SealedFacet) => boolean {
  const tested = clauses.filter(isFacetClause);
  return (facet) =>
    tested.every((clause) => (facet.unlisted && isNameClause(clause)) || ofFacet(clause, facet));
}

const ofFacet = ({ field, values, exclude }: Clause, facet: SealedFacet): boolean =>
  values.some((value) => OF_FACET[field]!(facet, value)) !== exclude;

/** The conditions that only the record itself decides. */
export function rowClauseTests(clauses: readonly Clause[] = []): RowTest[] {
  return clauses.flatMap((clause): RowTest[] => {
    if (isNameClause(clause))
      return [(row, facet) => !facet.unlisted || ofFacet(clause, { ...facet, ...namesOf(row) })];
    if (isFacetClause(clause)) return [];
    const { field, values, exclude } = clause;
    if (field === 'client') return [(row) => values.some((value) => isClient(row.client, value)) !== exclude];
    const secrets = SECRETS[field];
    if (secrets) return [secretTest(clause, secrets)];
    const read = OF_ROW[field]!;
    return [
      (row, facet) => {
        const value = read(row, facet);
        return (value != null && values.includes(value)) !== exclude;
      },
    ];
  });
}

const namesOf = ({ server_name, tool_name }: ActivityRow): Names => ({ server_name, tool_name });

/** Some condition has to be tested record by record, so counts per facet do not tell the number of matches. */
export const needsRows = (clauses: readonly Clause[] = [], hasUnlisted: boolean): boolean =>
  clauses.some((clause) => (isNameClause(clause) ? hasUnlisted : !isFacetClause(clause)));
