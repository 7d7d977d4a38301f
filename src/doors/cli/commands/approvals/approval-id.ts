import { ProxyError } from '../../../../contract/errors.ts';
import type { Reached } from '../../context.ts';

const ID_LENGTH = 26;
const SHORTEST = 4;
const LOOKED_AT = 200;

/** A full id, or the end or the beginning of one among the newest: people copy what a screen shows them. */
export async function resolveApproval({ request }: Pick<Reached, 'request'>, given: string): Promise<string> {
  const part = given.toUpperCase();
  if (part.length >= ID_LENGTH) return part;
  if (part.length < SHORTEST)
    throw new ProxyError('USAGE', `'${given}' is too short for an id: give at least ${SHORTEST} characters`);
  const { approvals } = await request('listApprovals', { limit: LOOKED_AT });
  const found = approvals.map(({ id }) => id).filter((id) => id.startsWith(part) || id.endsWith(part));
  const [id, ...others] = found;
  if (id === undefined)
    throw new ProxyError('NOT_FOUND', `No approval has an id with '${given}' at its beginning or end`);
  if (others.length > 0)
    throw new ProxyError(
      'USAGE',
      `'${given}' fits ${found.length} approvals: ${found.slice(0, 5).join(', ')}`,
    );
  return id;
}
