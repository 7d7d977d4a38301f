import type { ListingResult } from './activity-listing.ts';
import type { CallCell, Way } from './calls.ts';
import type { CheckResult } from './checks.ts';
import type { EdgeResult } from './sdk-edges.ts';
import type { Machine } from './machine.ts';
import type { MemoryResult } from './memory.ts';
import type { SearchResult } from './search-times.ts';
import type { StartResult } from './start.ts';
import { figure, ratio, table } from './table.ts';

export interface Report {
  machine: Machine;
  calls?: CallCell[];
  memory?: MemoryResult[];
  check?: CheckResult[];
  search?: SearchResult[];
  activity?: ListingResult[];
  start?: StartResult[];
  edges?: EdgeResult[];
}

export type SectionName = Exclude<keyof Report, 'machine'>;

/** The cell of the same upstream, era and number of callers that goes another way. */
export function sibling(
  cells: CallCell[],
  { upstream, era, callers }: CallCell,
  way: Way,
): CallCell | undefined {
  return cells.find(
    (cell) => cell.way === way && cell.upstream === upstream && cell.era === era && cell.callers === callers,
  );
}

function callRows(cells: CallCell[]): string[][] {
  return cells.map((cell) => {
    const [relay, peer] = [sibling(cells, cell, 'relay'), sibling(cells, cell, 'mcp-proxy')];
    return [
      cell.upstream,
      cell.era,
      String(cell.callers),
      cell.way,
      figure(cell.callsPerSecond),
      figure(cell.p50Ms),
      figure(cell.p99Ms),
      cell.cpuUs === undefined ? '–' : figure(cell.cpuUs),
      ratio(cell.cpuUs, relay?.cpuUs),
      ratio(cell.cpuUs, peer?.cpuUs),
    ];
  });
}

function callTable(cells: CallCell[]): string {
  const header = [
    'upstream',
    'client era',
    'callers',
    'way',
    'calls/s',
    'p50 ms',
    'p99 ms',
    'CPU µs/call',
    '÷ relay',
    '÷ mcp-proxy',
  ];
  const text = table(header, callRows(cells), 4);
  return `${text}\nmcp-proxy wraps a program, so there is none before an HTTP upstream (n/a). Only the proxy writes a log.`;
}

const TABLES: { [N in SectionName]: (rows: NonNullable<Report[N]>) => string } = {
  calls: callTable,
  memory: (rows) =>
    table(
      ['way', 'calls', 'RSS before MB', 'RSS after MB'],
      rows.map(({ way, calls, beforeMb, afterMb }) => [
        way,
        figure(calls),
        figure(beforeMb),
        figure(afterMb),
      ]),
    ),
  check: (rows) =>
    table(
      ['call', 'µs per check'],
      rows.map(({ call, us }) => [call, figure(us)]),
    ),
  search: (rows) =>
    table(
      ['tools', 'words each', 'p50 ms', 'p99 ms', 'build ms', 'index MB'],
      rows.map((row) =>
        [row.tools, row.wordsEach, row.p50Ms, row.p99Ms, row.buildMs, row.indexMb].map((cell, i) =>
          i < 2 ? cell.toLocaleString('en') : figure(cell),
        ),
      ),
      0,
    ),
  activity: (rows) =>
    table(
      [`first page of 50 of ${rows[0]?.records.toLocaleString('en')} where`, 'matches', 'p50 ms', 'p99 ms'],
      rows.map(({ filter, total, p50Ms, p99Ms }) => [
        filter,
        total.toLocaleString('en'),
        figure(p50Ms),
        figure(p99Ms),
      ]),
    ),
  start: (rows) =>
    table(
      ['what', 'median ms', 'slowest ms'],
      rows.map(({ what, medianMs, slowestMs }) => [what, figure(medianMs), figure(slowestMs)]),
    ),
  edges: (rows) =>
    table(
      ['server edge', 'client era', 'calls/s', 'CPU µs/call', '÷ bare'],
      rows.map(({ edge, era, callsPerSecond, cpuUs, bareUs }) => [
        edge,
        era,
        figure(callsPerSecond),
        figure(cpuUs),
        ratio(cpuUs, bareUs),
      ]),
      2,
    ),
};

export function sectionText<N extends SectionName>(name: N, rows: NonNullable<Report[N]>): string {
  return TABLES[name](rows);
}
