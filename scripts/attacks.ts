import { ATTACKS } from '../test/attacks/all.ts';
import { chooseRows } from './choose-rows.ts';
import { runRows } from './run-rows.ts';

const USAGE = `Attacks on the built program, row by row of the threat model, and whether they were withstood.

  npm run attacks                      every row in full size
  npm run attacks -- T10 T13           only these rows
  npm run attacks -- --quick           the sizes that the test suite uses

Needs Linux. Exit code 0: everything held, 1: something did not, 2: wrong usage.`;

const { rows, scale } = chooseRows(ATTACKS, USAGE, 'full');
process.exit(await runRows(rows, 'attack', scale));
