import type { ActivityFilter, ActivityRecord } from '../../../../contract/activity.ts';
import { nearestName } from '../../../../lib/edit-distance.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import type { Reached } from '../../context.ts';
import { principalOf } from './record-fields.ts';

type Request = Reached['request'];

interface Kind {
  filter: 'server' | 'principal';
  what: string;
  ofRecord: (record: ActivityRecord) => string | undefined;
  /** The names that exist now, with or without a record. Not available where only the files are read. */
  existing: (request: Request) => Promise<string[]>;
}

const KINDS: readonly Kind[] = [
  {
    filter: 'server',
    what: 'server',
    ofRecord: ({ server_name }) => server_name,
    existing: async (request) => (await request('listServers', {})).servers.map(({ name }) => name),
  },
  {
    filter: 'principal',
    what: 'token or other credential',
    ofRecord: (record) => principalOf(record) && plainName(principalOf(record)!),
    existing: async (request) => [
      'operator',
      'anonymous',
      ...(await request('listTokens', { all: 'true' })).tokens.map(({ name }) => name),
    ],
  },
];

const plainName = (principal: string) => principal.replace(/^token:/, '');

/** Says of each name in the filter that neither a record nor the proxy has it, with the name that was probably meant. */
export async function unknownNames(request: Request, filter: ActivityFilter): Promise<string[]> {
  const said = await Promise.all(KINDS.map((kind) => unknownName(request, filter[kind.filter], kind)));
  return said.filter((each) => each !== undefined);
}

async function unknownName(
  request: Request,
  given: string | undefined,
  { filter, what, ofRecord, existing }: Kind,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const { records } = await request('listActivity', { [filter]: given, limit: 1 });
  const known = await existing(request).catch((): string[] => []);
  const name = plainName(given);
  if (records.length > 0 || known.includes(name)) return undefined;
  const recent = (await request('listActivity', { limit: 100 })).records.map(ofRecord);
  const near = nearestName(name, [...known, ...recent.filter((each) => each !== undefined)]);
  const hint = near === undefined ? '' : ` Did you mean '${visibleLine(near)}'?`;
  return `The log has no record of a ${what} named '${visibleLine(name)}'.${hint}`;
}
