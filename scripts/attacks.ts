/**
 * Attacks on the built program, row by row of the threat model, and whether they were withstood.
 *
 *   npm run attacks [-- T10 T13]        only these rows
 *   npm run attacks -- --quick          the sizes that the test suite uses
 *
 * Needs Linux. Exit code 0: everything held, 1: something did not.
 */
import { ATTACKS } from '../test/attacks/all.ts';
import { attempt, type Result } from '../test/attacks/attack.ts';

const MOST_SHOWN = 10;
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const scale = process.argv.includes('--quick') ? 'quick' : 'full';
const chosen = ATTACKS.filter(({ threat }) => wanted.length === 0 || wanted.includes(threat));

function line({ threat, title, tried, breaches, figures }: Result): string {
  const held = breaches.length === 0 ? 'held' : `${breaches.length} NOT HELD`;
  return [threat, title.padEnd(55), String(tried).padStart(7), held.padEnd(12), figures.join('; ')].join(
    '  ',
  );
}

console.log(`row  ${'attack'.padEnd(55)}    tried  outcome       figures`);
const results: Result[] = [];
for (const attack of chosen) {
  const result = await attempt(attack, scale);
  results.push(result);
  console.log(line(result));
  for (const breach of result.breaches.slice(0, MOST_SHOWN)) console.log(`     ! ${breach}`);
  if (result.breaches.length > MOST_SHOWN)
    console.log(`     ! and ${result.breaches.length - MOST_SHOWN} more`);
}
const tried = results.reduce((sum, result) => sum + result.tried, 0);
const broken = results.reduce((sum, { breaches }) => sum + breaches.length, 0);
console.log(`${results.length} rows, ${tried} tries, ${broken} not held`);
process.exit(broken === 0 && results.length > 0 ? 0 : 1);
