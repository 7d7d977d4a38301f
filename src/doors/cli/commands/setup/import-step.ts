import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import type { Context, Reached } from '../../context.ts';
import {
  canBeAdded,
  importBody,
  presetInputs,
  rowsOf,
  titleOf,
  viewOf,
  withFailures,
  withPlan,
  type ImportRow,
} from '../import/rows.ts';
import { stateSummary } from '../import/wait.ts';
import type { StepDone, StepInput } from './step.ts';

const STEP = 'Servers';

/** Imports the servers of all files of the user. Those of a project may come from somebody else, and are left to `import`. */
export async function importStep(
  context: Context,
  reached: Reached,
  { flags, state }: StepInput,
): Promise<StepDone> {
  const files = (await context.runtime.findServers({})).filter(({ scope }) => scope === 'user');
  const all = rowsOf(files);
  const inputs = presetInputs(all);
  const body = importBody(all, all);
  const unread = files.flatMap(({ title, file, problem }) =>
    problem === undefined ? [] : [visibleLine(`not read: ${title}: ${file}: ${problem}`)],
  );
  if (body.servers?.length === 0) {
    const none = unread.length === 0 ? 'none in the files of your clients' : 'none in the other files';
    return { step: STEP, lines: [...unread, none], result: { servers: [] } };
  }
  const send = async (chosen: readonly ImportRow[], dry: boolean) => {
    const request = { ...importBody(all, chosen), inputs, ...(dry && { dry_run: true }) };
    return withPlan(all, (await reached.request('importServers', { body: request })).servers);
  };
  const planned = await send(all, true);
  const usable = planned.filter((row) => row.planned?.state === 'added');
  const chosen = flags.yes ? usable : await chosenRows(context, usable, flags);
  const entries = new Set(chosen.map(({ entry }) => entry));
  const done =
    chosen.length === 0 ? [] : (await send(chosen, false)).filter(({ entry }) => entries.has(entry));
  state.servers.push(...done.flatMap((row) => (row.planned?.state === 'added' ? [row.planned.alias] : [])));
  // Before the wait for the servers, so that an interruption leaves nothing that cannot be undone.
  await context.runtime.setup.write(context.place, state);
  const { summary, failures } = await stateSummary(context, reached, done);
  const added = withFailures(done, failures);
  return {
    step: STEP,
    lines: [...unread, ...linesOf({ added, planned, summary, usable })],
    result: { servers: [...added, ...planned.filter((row) => !canBeAdded(row) && !isOwn(row))].map(viewOf) },
  };
}

async function chosenRows(
  { io }: Context,
  usable: readonly ImportRow[],
  { keepServers }: StepInput['flags'],
): Promise<ImportRow[]> {
  if (usable.length === 0) return [];
  const chosen = await io.select({
    question: keepServers
      ? 'Put which servers behind the proxy?'
      : 'Move which servers from your clients behind the proxy?',
    rows: usable.map((row) => ({ label: titleOf(row), isChosen: true })),
    many: true,
  });
  return (chosen ?? []).map((index) => usable[index]!);
}

/** The entry of mcpproxy itself, which "connect" wrote. */
const isOwn = ({ planned }: ImportRow): boolean => planned?.known_as === 'self';

interface Imported {
  added: readonly ImportRow[];
  planned: readonly ImportRow[];
  summary: string;
  usable: readonly ImportRow[];
}

function linesOf({ added, planned, summary, usable }: Imported): string[] {
  const none = usable.length > 0 ? 'none chosen' : 'nothing new to import';
  const known = planned.filter((row) => row.planned?.state === 'known' && !isOwn(row)).length;
  const failed = planned.filter(({ planned: row }) => row === undefined || row.state === 'failed');
  return [
    added.length === 0 ? none : visibleLine(summary.replace(/ See them with:.*$/, '')),
    ...(known > 0 ? [`${counted(known, 'entry', 'entries')} known already`] : []),
    ...failed.map((row) => {
      const reason = viewOf(row).reason ?? 'it cannot be used';
      return visibleLine(`left out: ${titleOf(row)}: ${reason}`);
    }),
  ];
}
