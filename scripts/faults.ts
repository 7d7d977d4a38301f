import { FAULTS } from '../test/faults/all.ts';
import { runClusters } from './cluster.ts';
import { chooseRows } from './choose-rows.ts';
import { runRows } from './run-rows.ts';

const USAGE = `Faults of disks, servers, clients and the machine, brought about against the built program, and whether it held.

  npm run faults                       every row, in the sizes that the test suite uses
  npm run faults -- F08 F14            only these rows
  npm run faults -- --long             full sizes: 10,000 calls, 100 cycles, a soak
  npm run faults -- --cluster          three proxies on PostgreSQL with a standby, in runs with random faults
                    [--runs 100] [--seconds 8] [--seed 1]

Needs Linux; rows that need more say so. Exit code 0: everything held, 1: something did not, 2: wrong usage.`;

if (process.argv.includes('--cluster')) process.exit(await runClusters(process.argv.slice(2)));
const { rows, scale } = chooseRows(FAULTS, USAGE, 'quick');
process.exit(await runRows(rows, 'fault', scale));
