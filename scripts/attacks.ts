/**
 * Attacks on the built program, row by row of the threat model, and whether they were withstood.
 *
 *   npm run attacks [-- T10 T13]        only these rows
 *   npm run attacks -- --quick          the sizes that the test suite uses
 *
 * Needs Linux. Exit code 0: everything held, 1: something did not.
 */
import { ATTACKS } from '../test/attacks/all.ts';
import { runRows } from './run-rows.ts';

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const chosen = ATTACKS.filter(({ threat }) => wanted.length === 0 || wanted.includes(threat));
process.exit(await runRows(chosen, 'attack', process.argv.includes('--quick') ? 'quick' : 'full'));
