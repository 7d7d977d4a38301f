/**
 * Faults of disks, servers, clients and the machine, brought about against the built program, and whether it held.
 *
 *   npm run faults [-- --only F08,F14]   only these rows
 *   npm run faults -- --long             full sizes: 10,000 calls, 100 cycles, a soak
 *
 * Needs Linux; rows that need more say so. Exit code 0: everything held, 1: something did not.
 */
import { FAULTS } from '../test/faults/all.ts';
import { runRows } from './run-rows.ts';

const only = process.argv.indexOf('--only');
const wanted = only > 0 ? (process.argv[only + 1] ?? '').split(',') : [];
const chosen = FAULTS.filter(({ threat }) => wanted.length === 0 || wanted.includes(threat));
process.exit(await runRows(chosen, 'fault', process.argv.includes('--long') ? 'full' : 'quick'));
