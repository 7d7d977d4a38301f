import { attempt, type Attack, type Result, type Scale } from '../test/attacks/attack.ts';

const MOST_SHOWN = 10;

function line({ threat, title, tried, breaches, figures, notHere }: Result): string {
  const bad = `${breaches.length} NOT HELD`;
  const held = breaches.length > 0 ? bad : notHere === undefined ? 'held' : 'not here';
  const said = [...figures, ...(notHere === undefined ? [] : [notHere])].join('; ');
  return [threat, title.padEnd(55), String(tried).padStart(7), held.padEnd(12), said].join('  ');
}

/** Tries row after row, prints the table, and gives the exit code: 0 where everything held. */
export async function runRows(rows: readonly Attack[], what: string, scale: Scale): Promise<number> {
  console.log(`row  ${what.padEnd(55)}    tried  outcome       figures`);
  const results: Result[] = [];
  for (const row of rows) {
    const result = await attempt(row, scale);
    results.push(result);
    console.log(line(result));
    for (const breach of result.breaches.slice(0, MOST_SHOWN)) console.log(`     ! ${breach}`);
    if (result.breaches.length > MOST_SHOWN)
      console.log(`     ! and ${result.breaches.length - MOST_SHOWN} more`);
  }
  const tried = results.reduce((sum, result) => sum + result.tried, 0);
  const broken = results.reduce((sum, { breaches }) => sum + breaches.length, 0);
  console.log(`${results.length} rows, ${tried} tries, ${broken} not held`);
  return broken === 0 && results.length > 0 ? 0 : 1;
}
