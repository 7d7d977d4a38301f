import type { Command } from 'commander';
import type { ActivityRecord } from '../../../../contract/activity.ts';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { pointerStep } from '../../../../json/index.ts';
import { readArgs } from '../read-args.ts';
import { print, withProxy, type Context, type Reached } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { fields } from '../../output/table.ts';
import { resolveId, SHORTEST_PREFIX } from './record-id.ts';

export function activityDigest(bind: Bind): Command {
  return define('digest', {
    summary: 'Print the digest of a text, to find where it is masked in the log',
    description:
      'Read a text, for example a password, from stdin and print the digest that masks in the log show for it. With an id, tell whether this record masks the text: exit code 0 if so, 1 if not. One line break at the end of the text is ignored, unless --exact is given.',
    examples: ['mcpproxy activity digest < password.txt', 'mcpproxy activity digest 01JG2Z7K4M < key.pem'],
  })
    .argument('[id]', `id of a record, or at least its first ${SHORTEST_PREFIX} characters`)
    .option('--exact', 'a line break at the end is part of the text')
    .action(bind<{ exact?: boolean }>((context, { exact }, id) => runDigest(context, exact === true, id)));
}

async function runDigest(context: Context, isExact: boolean, id?: string): Promise<number> {
  const given = await readArgs(context.io, '-');
  const text = isExact ? given : given.replace(/\r?\n$/, '');
  if (text === '') throw new ProxyError('USAGE', 'There is no text on stdin');
  const found = await withProxy(context, 'daemon-or-files', async (reached) => {
    const answer = await reached.request('digestActivity', { body: { text } });
    return { ...answer, ...(id !== undefined && (await proof(reached, id, answer))) };
  });
  await print(context, found, () =>
    fields(context.style, [
      ['Digest', found.digest],
      ['Characters', String(found.characters)],
      ['Record', found.record],
      ['Masked at', found.places && (found.places.join(', ') || 'nowhere in this record')],
    ]),
  );
  return found.places?.length === 0 ? EXIT.general : EXIT.ok;
}

interface Proof {
  record?: string;
  places?: string[];
}

async function proof(
  reached: Reached,
  id: string,
  { characters, digest }: { characters: number; digest: string },
): Promise<Proof> {
  const record = await reached.request('getActivity', { id: await resolveId(reached, id) });
  const holdsMark = (text: string) =>
    Array.from(text.matchAll(MARKS)).some(
      ([, length, found]) => Number(length) === characters && found === digest,
    );
  return { record: record.id, places: placesOf(record, holdsMark) };
}

/** Only the proxy writes marks of this form: one that a caller writes is stored as a literal. */
const MARKS = /\*{3}\[masked:[a-z0-9-]{1,64} (\d{1,15}) characters?, digest ([0-9a-f]{16})\]/g;

/** JSON pointers to the texts and keys of a record that hold the mark. */
function placesOf(record: ActivityRecord, holdsMark: (text: string) => boolean): string[] {
  const places: string[] = [];
  const rest: Array<[pointer: string, value: unknown]> = [['', record]];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const [pointer, value] = next;
    if (typeof value === 'string' && holdsMark(value)) places.push(pointer);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      const inside = pointer + pointerStep(key);
      if (holdsMark(key)) places.push(inside);
      rest.push([inside, item]);
    }
  }
  return places.sort();
}
