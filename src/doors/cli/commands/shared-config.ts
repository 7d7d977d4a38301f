import type { SharedConfigState } from '../../../contract/status.ts';
import { counted, visibleLine } from '../../../lib/visible-text.ts';

interface SharedProblem {
  result: 'warning' | 'failed';
  says: string;
  next: string;
}

/** Where the shared settings are, in one line. */
export function sharedSummary({ source, revision, at, by, replicas }: SharedConfigState): string {
  const others = replicas.length === 0 ? '' : `; ${counted(replicas.length, 'other proxy', 'other proxies')}`;
  if (source === 'file') return `file${others}`;
  const made = at === undefined ? '' : ` of ${at} by ${visibleLine(by ?? '')}`;
  return `database, revision ${revision ?? 0}${made}${others}`;
}

const APPLY =
  'Apply the file: mcpproxy config apply FILE, remove these settings from it, or set config_source to "file"';

/** What is wrong with the settings that several proxies share. */
export function sharedProblems({
  source,
  problem,
  ineffective,
  replicas,
}: SharedConfigState): SharedProblem[] {
  const drifted = replicas.filter(({ differs }) => differs.length > 0);
  return [
    ...(problem === undefined
      ? []
      : [
          {
            result: 'failed' as const,
            says: `This proxy may not have the newest configuration, so changes are refused: ${visibleLine(problem)}`,
            next: 'Fix the cause. mcpproxy tries again by itself',
          },
        ]),
    ...(ineffective.length === 0
      ? []
      : [
          {
            result: 'warning' as const,
            says: `Settings of the file have no effect, because the database has others: ${names(ineffective)}`,
            next: APPLY,
          },
        ]),
    ...drifted.map(({ proxy, listen, differs }) => ({
      result: 'warning' as const,
      says: `The proxy ${visibleLine(listen ?? proxy)} has other settings: ${names(differs)}`,
      next:
        source === 'file'
          ? 'Give all proxies the same file, or leave config_source out to keep the settings in the database'
          : 'Look at its log, flags and environment',
    })),
  ];
}

const MAX_NAMED = 10;

function names(settings: string[]): string {
  const shown = settings.slice(0, MAX_NAMED).map((name) => visibleLine(name));
  const more = settings.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
